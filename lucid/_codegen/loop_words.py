"""The vocabulary whose answers are loop bodies: an op's own rule, run on LoopArrays, says what its kernel does.

Shapes, strides and types are those of the meta device. What a word does with elements is said here; words that are no
loops (matrix products, convolutions, sorts) are Calls of the engine's kernels, and what depends on values raises
NotALoop."""

import math

from .._array.fallbacks import SPELLED
from .._array.meta.layers import MetaWords
from .._array.numpy.table import table as numpy_table
from .._array.words import OPERANDS, WORDS
from .._base import dtype as dtypes
from .._base.dtype import bool_, float32, int64
from .._base.promotion import promote_types
from .loop_moves import Moves
from .loop_places import called, number, real_only
from .loop_reductions import Reductions
from .loop_windows import Windows
from .loops import LoopArray, NotALoop, broadcast_index
from .open_sizes import Fraction, Open


class LoopWords(Reductions, Moves, Windows, MetaWords):
    """The words of one element type."""

    backend, array_type = "loops", LoopArray

    def __init__(self, dtype, place):
        super().__init__(dtype, place)
        self.device_group = LoopWords
        self.is_half = dtype.category == dtypes.FLOATING and dtype.itemsize < 4
        self.lowest = -math.inf if self.inexact else dtypes.limits(dtype)[0]
        self._numbers = {}

    def __repr__(self):
        return f"{self.device} loops of {self.dtype.name}"

    def __reduce__(self):
        return table, (self.dtype, self.device)

    def sibling(self, dtype):
        return self if dtype is getattr(self, "dtype", None) else table(dtype, self.device)

    def made(self, shape, body, strides=None):
        """A new array of this type with a body."""
        out = self.new(shape, strides)
        out.body = body
        return out

    # ---- numbers

    def wide_scalar(self, value):
        return (
            self.scalar(value) if not self.is_half else self.made((), lambda ops, i: ops.sibling(float32).scalar(value))
        )

    def scalar(self, value):
        if isinstance(value, (Open, Fraction)):
            return self.full((), value)
        key = (
            type(value),
            value if value == value else "nan",
            math.copysign(1, value) if isinstance(value, float) else 1,
        )
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = self.full((), value)
        return found

    def from_python(self, data):
        raise NotALoop("data from Python")

    def import_from(self, array, k):
        """A number that was made into an array elsewhere."""
        if not k.host or array.shape:
            raise NotALoop("data from elsewhere")
        real_only(self.dtype)
        return self.full((), array.item())

    def full(self, shape, value):
        if isinstance(value, LoopArray):
            return self.made(shape, lambda ops, index: ops.sibling(self.dtype).cast(value.at(ops, ()), self.dtype))
        value = self._held(value)
        return self.made(shape, lambda ops, index: ops.sibling(self.dtype).scalar(value))

    def _held(self, value):
        """A Python number as an element holds it: a half's is rounded."""
        return float(numpy_table(self.dtype).scalar(value)) if self.is_half else value

    def zeros(self, shape):
        return self.full(shape, 0)

    def ones(self, shape):
        return self.full(shape, 1)

    def arange(self, n):
        return self.ramp(0, 1, n)

    def ramp(self, start, step, count):
        if self.inexact and not (float(start).is_integer() and float(step).is_integer()):
            raise NotALoop("a ramp of fractions")
        start, step = int(start), int(step)
        return self.made((count,), lambda ops, index: number(ops, index[0] * step + start, self.dtype))

    def eye(self, n, m=None):
        def body(ops, index):
            same = ops.sibling(int64).eq(ops.number(index[0]), ops.number(index[1]))
            return ops.sibling(self.dtype).cast(same, self.dtype)

        return self.made((n, n if m is None else m), body)

    def linspace(self, start, end, steps):
        raise NotALoop("linspace")

    def cast(self, x, dtype):
        if x.dtype is dtype:
            return x
        real_only(x.dtype, dtype)
        return self.sibling(dtype).made(
            x.shape, lambda ops, i: ops.sibling(dtype).cast(x.at(ops, i), dtype), self.preserved(x)
        )

    # ---- memory

    def with_strides(self, x, stride):
        out = super().empty_strided(x.shape, stride) if stride is not None else x.k.new(x.shape)
        out = x.k.new(x.shape, stride) if stride is not None else out
        out.body = x.at
        return out

    def write(self, x, value):
        """Fill new memory, as a whole and once; whoever has it reads what was written then."""
        if x.owner is not x or x.is_kept or x.body is not None:
            raise NotALoop("a write")
        dtype = x.dtype
        if isinstance(value, LoopArray):
            real_only(dtype, value.dtype)
            x.body = lambda ops, i: ops.sibling(dtype).cast(value.at(ops, broadcast_index(i, value.shape)), dtype)
        else:
            value = x.k._held(value)
            x.body = lambda ops, index: ops.sibling(dtype).scalar(value)

    def write_view(self, base, chain, value):
        raise NotALoop("a write")

    def place(self, out, indices, values, add=False):
        raise NotALoop("a write")

    def view_dtype(self, *args):
        raise NotALoop("memory read as another type")

    view_as_real = view_as_complex = view_dtype

    def to_numpy(self, array):
        raise NotALoop("values")


# ---- elementwise words


def _elementwise(row):
    shaped = getattr(MetaWords, row.name)
    count = len(row.parameters)

    def word(self, *args):
        given = args[:count]
        arrays = [a for a in given if isinstance(a, LoopArray)]
        out = shaped(self, *given)
        real_only(out.dtype, *[a.dtype for a in arrays])
        dtype = out.dtype if row.result != "bool" else _joint_type(row, given, self.dtype)
        half = dtype.category == dtypes.FLOATING and dtype.itemsize < 4
        if half:
            if row.name == "nextafter":
                raise NotALoop("nextafter of halves, which is not that of the same numbers in float32")
            dtype = float32  # computed there and rounded once

        def body(ops, index):
            words = ops.sibling(dtype)
            values = [
                _operand(ops, a, broadcast_index(index, a.shape), dtype, name) if isinstance(a, LoopArray) else a
                for a, name in zip(given, row.parameters)
            ]
            value = getattr(words, row.name)(*values)
            return ops.sibling(out.dtype).cast(value, out.dtype) if row.result != "bool" else value

        made = out.k.new(out.shape, out.strides)
        made.body = body
        return made

    word.__name__ = row.name
    return word


def _operand(ops, a, index, dtype, name):
    value = a.at(ops, index)
    return ops.sibling(dtype).cast(value, dtype) if name in OPERANDS else value


def _joint_type(row, given, own):
    """The type in which a test compares its operands."""
    types = [a.dtype for a, name in zip(given, row.parameters) if isinstance(a, LoopArray) and name in OPERANDS]
    dtype = types[0] if types else own
    for other in types[1:]:
        dtype = promote_types(dtype, other)
    for a in given:
        if isinstance(a, float) and dtype.category < dtypes.FLOATING:
            dtype = dtypes.float64
        elif isinstance(a, int) and not isinstance(a, bool) and dtype is bool_:
            dtype = int64
    return dtype


def _refused(name):
    def word(self, *args):
        raise NotALoop(f"the word {name}")

    word.__name__ = name
    return word


_CALLED = frozenset(
    """matmul conv conv_input conv_weight adaptive_max_indices cumsum cumprod
    logcumsumexp argmax argmin max_dim min_dim cummax cummin sort topk scatter scatter_add index_add index_backward
    im2col col2im resample resample_backward window_sum window_spread""".split()
)
_VIEWS = frozenset(
    "reshape permute expand slice select squeeze unsqueeze diagonal unfold as_strided copy contiguous asarray".split()
)

for _name, _row in WORDS.items():
    if _row.family == "pointwise" and _name not in ("conj", "real", "imag", "complex", "polar", "polygamma",
                                                    "orthogonal_polynomial"):  # fmt: skip
        setattr(LoopWords, _name, _elementwise(_row))
    elif _name in _CALLED:
        setattr(LoopWords, _name, called(_name))
    elif (
        getattr(LoopWords, _name, None) is getattr(MetaWords, _name, None)
        and _name not in _VIEWS
        and _name not in SPELLED
    ):
        setattr(LoopWords, _name, _refused(_name))


def _parts_refused(self, x):
    return x if not x.k.is_complex else _refused("real")(self, x)


LoopWords.conj = LoopWords.real = _parts_refused
LoopWords.imag = lambda self, x: self.mul(x, 0) if not x.k.is_complex else _refused("imag")(self, x)

TABLES: dict = {}


def table(dtype, place) -> LoopWords:
    """The table of loops over elements of a type."""
    found = TABLES.get((dtype, place))
    if found is None:
        found = TABLES[dtype, place] = LoopWords(dtype, place)
    return found
