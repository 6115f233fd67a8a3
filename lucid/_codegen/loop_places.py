"""What the words of loops share: tests of places, numbers of places, and Calls of the engine's kernels."""

from .._array.meta.layers import MetaWords
from .._base import dtype as dtypes
from .._base.dtype import bool_, int64
from .loops import Call, NotALoop, Result


def real_only(*types):
    if any(t.category == dtypes.COMPLEX for t in types):
        raise NotALoop("complex numbers")


def number(ops, place, dtype):
    """A place as a value of an element type."""
    return ops.sibling(dtype).cast(ops.number(place), dtype)


def _condition(ops, i, start, end):
    """start <= i < end, as a value; None where that is always so."""
    words, tests = ops.sibling(int64), []
    if i.low < start:
        tests.append(words.ge(ops.number(i), words.scalar(start)))
    if i.high >= end:
        tests.append(words.lt(ops.number(i), words.scalar(end)))
    if not tests:
        return None
    return tests[0] if len(tests) == 1 else ops.sibling(bool_).logical_and(*tests)


def within(ops, dtype, i, start, end, read, other):
    """read() where start <= i < end, else other."""
    condition = _condition(ops, i, start, end)
    return (
        read() if condition is None else ops.sibling(dtype).where(condition, ops.masked(condition, read, dtype), other)
    )


def guarded(ops, dtype, i, start, end, read, value):
    return lambda: within(ops, dtype, i, start, end, read, ops.sibling(dtype).scalar(value))


def called(name):
    """A word that is no loop: a Call of the engine's kernel."""
    shaped = getattr(MetaWords, name)

    def word(self, *args):
        found = shaped(self, *args)
        call = Call(name, self.dtype, args, {})
        several = isinstance(found, tuple)
        for i, out in enumerate(found if several else (found,)):
            if out.owner is not out or out.is_kept:
                raise NotALoop(f"the word {name}, which gives back an operand")
            out.source = Result(call, i if several else None)
        return found

    word.__name__ = name
    return word
