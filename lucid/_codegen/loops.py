"""Arrays that are loop bodies: what to do for one element, said to a handler that can be exchanged.

A LoopArray has a shape and strides, as any array, and in place of memory a body: `body(ops, index)` gives the value of
the element at an index, an Index for each dimension, by asking `ops` for it: `ops.load(array, place)`,
`ops.sibling(dtype).exp(x)`. One handler writes a C expression for it, another a Triton expression.

Views need no body of their own. They are windows into another array's memory, as everywhere; an element of a window is
that element of the array behind it which lies, or would lie, at the same place.
"""

import math
from typing import NamedTuple

from .._array.meta.strided import StridedArray
from .._base.dtype import int64
from .._base.shape import is_dense
from . import index as places


class NotALoop(NotImplementedError):
    """Something that has no loop body: the op as a whole is left to the engine's own kernel."""


class Input(NamedTuple):
    """An argument of the graph."""

    number: int


class Reduction(NamedTuple):
    """All elements along some dimensions of a shape, put together by "sum", "prod", "max" or "min"."""

    kind: str
    shape: tuple  # of what is reduced
    dims: tuple
    body: object


class Call(NamedTuple):
    """A call of the engine: `word` of a kernel table, or an ATen op, with arrays among the arguments."""

    function: object  # a word's name, or an OpOverload
    dtype: object  # of the table; None for an op
    args: tuple
    kwargs: dict


class Result(NamedTuple):
    """One of the results of a Call (item None: the only one)."""

    call: Call
    item: int | None


class LoopArray(StridedArray):
    """An array without memory.

    body: the value of an element, or None where nothing was said; source: where stored elements come from (Input,
    Reduction, Result), None for a body that may be computed wherever it is needed; stored: is it kept in memory?
    """

    __slots__ = ("body", "source", "stored")

    def __init__(self, k, shape, strides=None, offset=0, base=None):
        super().__init__(k, shape, strides, offset, base)
        self.body = self.source = None
        self.stored = False

    def twin(self, k):
        made = super().twin(k)
        made.body = made.source = None
        made.stored = False
        return made

    @property
    def owner(self):
        """The array behind a window, or itself."""
        return self if self.base is None else self.base

    def at(self, ops, index):
        """The value of an element."""
        owner = self.owner
        if owner is self and not self.is_kept:
            return owner.computed(ops, index)
        place = places.offset(index, self.strides, self.offset)
        if owner.is_kept:
            return ops.load(owner, place)
        if not is_dense(owner.shape, owner.strides):
            raise NotALoop("a window into memory with gaps that nothing was written to")
        return owner.computed(ops, places.unravelled(place, owner.shape, owner.strides))

    @property
    def is_kept(self):
        """Does an owner have memory?"""
        return self.stored or self.source is not None

    def computed(self, ops, index):
        """The body's value of an element, once for each handler and index."""
        if self.body is None:
            if not self.size:
                return ops.sibling(self.dtype).scalar(0)
            raise NotALoop("an array whose elements were never said")
        known = ops.known
        key = (id(self), index)
        found = known.get(key)
        if found is None:
            found = known[key] = self.body(ops, index)
        return found


def broadcast_index(index, shape):
    """The index into an array of a shape that is broadcast to a larger one."""
    skip = len(index) - len(shape)
    return tuple([places.ZERO if n == 1 else i for i, n in zip(index[skip:], shape)])


class Counting:
    """The handler that computes nothing: it notes what a body reads and how much it does.

    loads: {(array, place)}; words: {name: how often}; numbers: places that are used as values. A body that cannot be
    written raises NotALoop here; so does a word that the vocabularies `words` of a text (by element type) lack.
    """

    def __init__(self, words=None):
        self.loads, self.words, self.numbers, self.known, self._text = {}, {}, {}, {}, words

    def sibling(self, dtype):
        try:
            return _CountingWords(self, dtype, None if self._text is None else self._text(dtype))
        except NotImplementedError as why:
            raise NotALoop(str(why)) from None

    def _value(self, dtype):
        return self.sibling(dtype).scalar(1) if self._text is not None else _Counted(dtype)

    def load(self, array, place):
        self.loads[array, place] = None
        return self._value(array.dtype)

    def number(self, place):
        self.numbers[place] = None
        return self._value(int64)

    def indirect(self, value, size, wraps):
        return places.Index.variable(f"({id(value)})", max(size, 2))

    def masked(self, condition, value, dtype):
        return value()

    @property
    def is_cheap(self):
        """May it be computed anew in several places?"""
        return sum(self.words.values()) <= 3 and len(self.loads) <= 2 and not self.is_heavy

    @property
    def is_heavy(self):
        """Does it take longer than memory: does it call a function, or do much?"""
        return not LIGHT.issuperset(self.words) or sum(self.words.values()) > MUCH


class _Counted:
    """A value that is only counted."""

    def __init__(self, dtype):
        self.dtype = dtype


class _CountingWords:
    def __init__(self, handler, dtype, text):
        self._handler, self.dtype, self._text = handler, dtype, text

    def __getattr__(self, word):
        def count(*operands):
            if word not in ("cast", "scalar"):
                self._handler.words[word] = self._handler.words.get(word, 0) + 1
            if self._text is None:
                return _Counted(self.dtype)
            try:
                return getattr(self._text, word)(*operands)
            except NotImplementedError as why:
                raise NotALoop(str(why)) from None

        return count


def counted(array, words=None):
    """What the body of an owner, or of its reduction, reads and does; words: those of a text that must be able to."""
    ops = Counting(words)
    source = array.source if isinstance(array.source, Reduction) else None
    shape = array.shape if source is None else source.shape
    index = tuple([places.Index.variable(f"i{d}", n) for d, n in enumerate(shape)])
    ops.sibling(array.dtype).cast((array.computed if source is None else source.body)(ops, index), array.dtype)
    return ops


MUCH = 16  # words

# Words that take no longer than reading their operands.
LIGHT = frozenset(
    """neg abs sign sgn square reciprocal relu floor ceil round trunc frac conj real isnan isinf isfinite isposinf
    isneginf signbit logical_not bitwise_not add sub mul div maximum minimum fmax fmin copysign eq ne lt le gt ge
    logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift where
    addcmul cast scalar sqrt rsqrt heaviside masked_fill""".split()
)


def count_of(shape):
    """How many elements a shape has."""
    return math.prod(shape)
