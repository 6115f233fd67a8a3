"""Iterators that say where they are, so that reading can stop inside a loop and go on there.

They answer `next` as Python's own do; one that calls the program's functions needs the machine and answers `advance`.
"""

from .frame import NULL, Observed
from .machine import run, unwind


class SequenceIterator:
    """Over a list, a tuple, a range or a string: the sequence and a place in it."""

    __slots__ = ("sequence", "at")

    def __init__(self, sequence, at=0):
        self.sequence, self.at = sequence, at

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= len(self.sequence):
            self.at = len(self.sequence)
            raise StopIteration
        self.at += 1
        return self.sequence[self.at - 1]

    def __length_hint__(self):
        return max(0, len(self.sequence) - self.at)

    def parts(self):
        """What it is made of."""
        return (self.sequence, self.at)


class KeysIterator(SequenceIterator):
    """Over a dictionary or set, of which it has the elements; these must stay as many."""

    __slots__ = ("owner", "size")

    def __init__(self, sequence, at, owner, size):
        super().__init__(sequence, at)
        self.owner, self.size = owner, size

    def __next__(self):
        if self.size is not None and len(self.owner) != self.size:
            self.size = None
            what = "Set" if isinstance(self.owner, (set, frozenset)) else "dictionary"
            raise RuntimeError(f"{what} changed size during iteration")
        return super().__next__()

    def parts(self):
        return (self.sequence, self.at, self.owner, self.size)


class Combined:
    """An iterator over others. `parts` and the class rebuild it; `meaning` is Python's own, for use outside of the
    machine (set by real.py).
    """

    __slots__ = ("inner", "extra")

    def __init__(self, inner, extra=None):
        self.inner, self.extra = inner, extra

    def __iter__(self):
        return self

    def __next__(self):
        value = self.advance(self.meaning, None)
        if value is NULL:
            raise StopIteration
        return value

    def parts(self):
        return (self.inner, self.extra)


class Zip(Combined):
    """zip; extra: strict."""

    def advance(self, meaning, frame):
        values = []
        for n, part in enumerate(self.inner):
            value = meaning.advance(frame, part)
            if value is NULL:
                if self.extra:
                    self._check(meaning, frame, n)
                return NULL
            values.append(value)
        return tuple(values) if values else NULL

    def _check(self, meaning, frame, n):
        if n:
            raise meaning.observed(
                ValueError(f"zip() argument {n + 1} is shorter than argument{'s 1-' + str(n) if n > 1 else ' 1'}")
            )
        for other, part in enumerate(self.inner[1:], 2):
            if meaning.advance(frame, part) is not NULL:
                raise meaning.observed(ValueError(f"zip() argument {other} is longer than argument 1"))


class Enumerate(Combined):
    """enumerate; extra: the next number."""

    def advance(self, meaning, frame):
        value = meaning.advance(frame, self.inner[0])
        if value is NULL:
            return NULL
        self.extra += 1
        return (self.extra - 1, value)


class Map(Combined):
    """map; extra: the function."""

    def advance(self, meaning, frame):
        values = []
        for part in self.inner:
            value = meaning.advance(frame, part)
            if value is NULL:
                return NULL
            values.append(value)
        return meaning.call(frame, self.extra, values, {})


class Filter(Combined):
    """filter; extra: the function or None."""

    def advance(self, meaning, frame):
        while (value := meaning.advance(frame, self.inner[0])) is not NULL:
            kept = value if self.extra is None else meaning.call(frame, self.extra, [value], {})
            if meaning.truth(frame, kept):
                return value
        return NULL


class Generator:
    """A generator of the program, whose frame the machine runs."""

    def __init__(self, meaning, frame):
        self.meaning, self.frame, self.started, self.result = meaning, frame, False, None

    def __iter__(self):
        return self

    def advance(self, meaning, frame, sent=None, thrown=None):
        own = self.frame
        if own.state in ("returned", "raised"):
            if thrown is not None:
                raise Observed(thrown)
            return NULL
        if self.started:
            own.stack.append(sent)
        self.started = True
        if thrown is not None:
            self._throw(thrown)
        try:
            value = run(meaning, own)
        except Observed as trouble:
            own.state = "raised"
            if isinstance(trouble.error, StopIteration):
                raise Observed(RuntimeError("generator raised StopIteration")) from None
            raise
        if own.state == "returned":
            self.result = value
            return NULL
        return value

    def _throw(self, error):
        own = self.frame
        if own.stack:
            own.stack.pop()
        try:
            unwind(own, max(own.at - 1, 0), Observed(error))
        except Observed:
            own.state = "raised"
            raise


class GeneratorMethod:
    """A method of a generator of the program, bound."""

    __slots__ = ("generator", "function")

    def __init__(self, generator, function):
        self.generator, self.function = generator, function


def _send(tracer, generator, value):
    got = generator.advance(tracer, None, value)
    if got is NULL:
        raise Observed(StopIteration(generator.result) if generator.result is not None else StopIteration())
    return got


def _throw(tracer, generator, kind, value=None, trace=None):
    error = value if isinstance(value, BaseException) else kind if isinstance(kind, BaseException) else kind()
    got = generator.advance(tracer, None, None, error)
    if got is NULL:
        raise Observed(StopIteration(generator.result) if generator.result is not None else StopIteration())
    return got


def _close(tracer, generator):
    if generator.started and generator.frame.state == "yielded":
        try:
            generator.advance(tracer, None, None, GeneratorExit())
        except Observed as trouble:
            if not isinstance(trouble.error, (GeneratorExit, StopIteration)):
                raise
    generator.frame.state = "returned"


GENERATOR_METHODS = {
    "send": _send,
    "throw": _throw,
    "close": _close,
    "__next__": lambda tracer, generator: _send(tracer, generator, None),
}


def sequence_iterator(value):
    """An iterator that says where it is, over what has an order; None for other things."""
    kind = type(value)
    if kind in (list, tuple, range, str) or isinstance(value, tuple):
        return SequenceIterator(value)
    if kind in (set, frozenset) or isinstance(value, dict):
        return KeysIterator(list(value), 0, value, len(value))
    if kind in (type({}.keys()), type({}.values()), type({}.items())):
        return SequenceIterator(list(value))
    return None


ITERATORS = (SequenceIterator, Combined, Generator)
