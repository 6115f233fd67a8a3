"""The `meta` device: every word answered with sizes, strides and element types alone; there is no data.

`table(dtype)` is the table of one element type. What depends on data (nonzero, item) raises what torch raises.
"""

import math
import numbers
import sys

from ..._base import dtype as dtypes
from ..._base.device import device
from ..._base.promotion import promote_types
from ..table import Table
from ..words import OPERANDS, POINTWISE, NotDefined, has_word, letter, operands, refusals
from .strided import (
    StridedArray,
    StridedViews,
    contiguous_strides,
    is_channels_last,
    is_contiguous,
    is_dense,
    joint_layout,
    joint_shape,
    ordered_strides,
    preserved_strides,
    suggests_channels_last,
)

NO_DATA = "Cannot copy out of meta tensor; no data!"
NO_NONZERO = (
    "The register_meta function for torch.nonzero() raises unimplemented by default, as a correct data-independent "
    "implementation does not exist. This implementation returns a fake value, assuming all elements of the tensor are "
    "non-zero. To enable this registration, please set "
    "'torch.fx.experimental._config.meta_nonzero_assume_all_nonzero' to True."
)


class MetaArray(StridedArray):
    """A shape with strides; nothing behind it."""

    __slots__ = ()

    def item(self):
        raise RuntimeError("Tensor.item() cannot be called on meta tensors")

    def reshape(self, shape):
        """As numpy has it: where only dimensions of size 1 come or go it is the same memory."""
        steps = [s for n, s in zip(self.shape, self.strides) if n != 1]
        if [n for n in shape if n != 1] != [n for n in self.shape if n != 1]:
            return MetaArray(self.k, tuple(shape))
        return self.window(shape, [steps.pop(0) if n != 1 else 1 for n in shape])


class MetaWords(StridedViews, Table):
    """The words of one element type. mlx's build on these: they say what a result looks like."""

    backend, array_type = "meta", MetaArray
    aliases, has_data = True, False
    wide_float = dtypes.float64  # what the library divides integers into

    def __init__(self, dtype, place):
        self.dtype, self.device, self.device_group = dtype, place, sys.intern(str(place))
        self.array_dtype = dtype  # what an array of this table answers to `dtype`
        self.inexact = dtype.category >= dtypes.FLOATING
        self.is_complex = dtype.category == dtypes.COMPLEX
        self.is_half, self.array_dtype = False, None  # there is nothing to round
        self.letter = letter(dtype)
        self.plain = self.inexact and not self.is_complex
        self.bool = self if dtype is dtypes.bool_ else self.sibling(dtypes.bool_)
        self._scalars = {}
        for name, (word, refuse) in refusals(dtype).items():
            if word.family != "pointwise":  # those look at all operands: result_table
                setattr(self, name, refuse)

    def __repr__(self):
        return f"{self.device} table of {self.dtype.name}"

    def __reduce__(self):
        return table, (self.dtype,)

    def sibling(self, dtype):
        """The table of another element type on this device."""
        return self if dtype is getattr(self, "dtype", None) else table(dtype)

    def of(self, array):
        """The table of an array that a word returned."""
        return array.k

    def new(self, shape, strides=None):
        """An array of this type, its contents unsaid."""
        return self.array_type(self, tuple(shape), strides)

    # ---- to and from Python and numpy

    def asarray(self, value):
        if isinstance(value, StridedArray):
            return value
        return self.scalar(value) if isinstance(value, numbers.Number) else self.from_python(value)

    def scalar(self, value):
        """A 0-dim array, always the same one. Never write to it."""
        if not self._scalars:
            self._scalars[None] = self.new(())
        return self._scalars[None]

    def from_python(self, data):
        shape = []
        while isinstance(data, (list, tuple)):
            shape.append(len(data))
            data = data[0] if data else 0
        return self.new(shape)

    def from_dlpack(self, other):
        raise NotImplementedError(NO_DATA)

    def from_buffer(self, buffer, count, offset):
        return self.new((count if count >= 0 else (memoryview(buffer).nbytes - offset) // self.dtype.itemsize,))

    def to_numpy(self, array):
        raise NotImplementedError(NO_DATA)

    def import_from(self, array, k):
        """The shape of an array of another device's table k."""
        return (
            k.cast(array, self.dtype)
            if not k.has_data
            else self.new(array.shape, preserved_strides(array.shape, k.strides(array)))
        )

    def cast(self, x, dtype):
        return x if x.dtype is dtype else self.sibling(dtype).new(x.shape, self.preserved(x))

    # ---- memory

    def empty_strided(self, shape, stride):
        shape, stride = tuple(shape), tuple(stride)
        if is_dense(shape, stride):
            return self.new(shape, stride)
        room = 1 + sum((n - 1) * s for n, s in zip(shape, stride)) if 0 not in shape else 0
        return self.array_type(self, shape, stride, 0, self.new((room,)))

    def empty_like(self, x):
        """Uninitialised, with torch's preserved strides."""
        return self.new(x.shape, self.preserved(x))

    def write(self, x, value):
        """x[...] = value: nothing to do but to see that it fits."""
        if isinstance(value, StridedArray) and joint_shape([x, value]) != x.shape:
            raise ValueError(f"could not broadcast {value.shape} into {x.shape}")

    def write_view(self, base, chain, value):
        """A copy of `base` in which the view that `chain` takes of it holds `value`."""
        out = seen = self.of(base).with_strides(base, None)
        for op, options in chain:
            seen = op.forward(self, seen, *options)
        self.write(seen, value)
        return out

    def copy(self, x):
        """A copy with torch's preserved strides."""
        return x.k.with_strides(x, self.preserved(x))

    def contiguous(self, x):
        return x if is_contiguous(x.shape, x.strides) else x.k.with_strides(x, None)

    def with_strides(self, x, stride):
        """A copy of x laid out with these strides (None: row-major)."""
        out = x.k.new(x.shape) if stride is None else x.k.empty_strided(x.shape, stride)
        self.write(out, x)
        return out

    def resized(self, x, shape, strides=None):
        """An array of another shape whose first elements are x's."""
        if math.prod(shape) <= x.size and is_contiguous(x.shape, x.strides):
            return x.window(shape, contiguous_strides(tuple(shape)) if strides is None else strides)
        return x.k.new(shape) if strides is None else x.k.empty_strided(tuple(shape), strides)

    # ---- factories

    def zeros(self, shape):
        return self.new(shape)

    ones = empty = zeros

    def full(self, shape, value):
        return self.new(shape)

    def arange(self, n):
        return self.new((n,))

    def eye(self, n, m=None):
        return self.new((n, n if m is None else m))

    def ramp(self, start, step, count):
        return self.new((count,))

    def linspace(self, start, end, steps):
        return self.new((steps,))

    # ---- reductions: dim is a tuple

    def sum(self, x, dim, keepdim=False):
        k = x.k if x.k.inexact or x.dtype is dtypes.uint64 else x.k.sibling(dtypes.int64)
        return k.new(reduced(x.shape, dim, keepdim))

    prod = nansum = sum

    def mean(self, x, dim, keepdim=False):
        return self.new(reduced(x.shape, dim, keepdim))

    def amax(self, x, dim, keepdim=False):
        return x.k.new(reduced(x.shape, dim, keepdim))

    amin = logsumexp = amax

    def all(self, x, dim, keepdim=False):
        return x.k.bool.new(reduced(x.shape, dim, keepdim))

    any = all

    def count_nonzero(self, x, dim, keepdim=False):
        return x.k.sibling(dtypes.int64).new(reduced(x.shape, dim, keepdim))

    def var_dim(self, x, dim, keepdim, correction):
        return x.k.sibling(x.dtype.to_real()).new(reduced(x.shape, dim, keepdim))

    std_dim = vector_norm = var_dim

    # ---- along one dimension

    def cumsum(self, x, dim):
        return self.new(x.shape)

    cumprod = cumsum

    def logcumsumexp(self, x, dim):
        return x.k.new(x.shape)

    def argmax(self, x, dim, keepdim=False):
        return x.k.sibling(dtypes.int64).new(reduced(x.shape, (dim,), keepdim))

    argmin = argmax

    def max_dim(self, x, dim, keepdim=False):
        shape = reduced(x.shape, (dim,), keepdim)
        return x.k.new(shape), x.k.sibling(dtypes.int64).new(shape)

    min_dim = mode_dim = max_dim

    def median_dim(self, x, dim, keepdim=False, ignore_nan=False):
        return self.max_dim(x, dim, keepdim)

    def kthvalue(self, x, k, dim, keepdim=False):
        return self.max_dim(x, dim, keepdim)

    def cummax(self, x, dim):
        return x.k.new(x.shape), x.k.sibling(dtypes.int64).new(x.shape)

    cummin = cummax

    def sort(self, x, dim, descending=False, stable=True):
        strides = self.preserved(x)
        return x.k.new(x.shape, strides), x.k.sibling(dtypes.int64).new(x.shape, strides)

    def topk(self, x, k, dim, largest=True):
        shape = (*x.shape[:dim], k, *x.shape[dim + 1 :]) if x.shape else ()
        return x.k.new(shape), x.k.sibling(dtypes.int64).new(shape)

    # ---- new arrays with old elements

    def cat(self, arrays, dim):
        first = arrays[0]
        total = sum(a.shape[dim] for a in arrays)
        for a in arrays:
            if len(a.shape) != len(first.shape) or any(
                m != n for d, (m, n) in enumerate(zip(a.shape, first.shape)) if d != dim
            ):
                raise ValueError(f"cannot join {a.shape} to {first.shape} along {dim}")
        shape = (*first.shape[:dim], total, *first.shape[dim + 1 :])
        k = common([a.k for a in arrays])
        return k.new(shape, like_format(shape, arrays))

    def stack(self, arrays, dim):
        first = arrays[0].shape
        return common([a.k for a in arrays]).new((*first[:dim], len(arrays), *first[dim:]))

    def flip(self, x, dims):
        return x.k.new(x.shape, self.preserved(x))

    def roll(self, x, shifts, dims):
        return x.k.new(x.shape)

    def tril(self, x, diagonal=0):
        return x.k.new(x.shape)

    triu = tril

    def pad(self, x, widths, value=0):
        shape = tuple([n + before + after for n, (before, after) in zip(x.shape, widths)])
        return x.k.new(shape, like_format(shape, [x]))

    def repeat(self, x, repeats):
        shape = (1,) * (len(repeats) - len(x.shape)) + x.shape
        return x.k.new([n * r for n, r in zip(shape, (1,) * (len(shape) - len(repeats)) + tuple(repeats))])

    # ---- contraction

    def matmul(self, a, b):
        left, right = a.shape, b.shape
        rows, columns = left[:-1][-1:], right[-1:] if len(right) > 1 else ()
        if left[-1] != right[-2 if len(right) > 1 else -1]:
            raise ValueError(f"matmul: {left} and {right} do not fit")
        batch = ()
        if len(left) > 2 or len(right) > 2:
            batch = joint_shape([_Shape(left[:-2]), _Shape(right[:-2])])
        return common([a.k, b.k]).new((*batch, *rows, *columns))

    # ---- indexing

    def index(self, x, indices):
        """x[indices]: integer arrays, None for a dimension taken whole. A mask would need data."""
        if any(i is not None and i.dtype is dtypes.bool_ for i in indices):
            raise NotImplementedError(NO_NONZERO)
        return x.k.new(*index_layout(x, indices))

    def index_put(self, x, indices, values, accumulate=False):
        return x.k.new(x.shape, self.preserved(x))

    def index_select(self, x, dim, index):
        return x.k.new((*x.shape[:dim], index.size, *x.shape[dim + 1 :]) if x.shape else ())

    def index_add(self, x, dim, index, source):
        return x.k.new(x.shape)

    def gather(self, x, dim, index):
        return x.k.new(index.shape)

    def scatter(self, x, dim, index, src):
        return x.k.new(x.shape)

    scatter_add = scatter

    def scatter_reduce(self, x, dim, index, src, *options):
        return x.k.new(x.shape)

    def masked_fill(self, x, mask, value):
        return x.k.new(joint_shape([x, mask]))

    def nonzero(self, x):
        raise NotImplementedError(NO_NONZERO)

    def searchsorted(self, sorted_sequence, values, *options):
        return values.k.sibling(dtypes.int64).new(values.shape)

    def place(self, out, indices, values, add=False):
        """out[indices] = values: nothing to do."""

    def index_backward(self, g, shape, indices):
        return g.k.new(shape)

    def unfold_backward(self, g, shape, dim, size, step):
        return g.k.new(shape)

    def as_strided_backward(self, g, shape, in_stride, size, stride, offset):
        return g.k.empty_strided(shape, in_stride) if is_dense(shape, in_stride) else g.k.new(shape)

    def repeat_places(self, repeats):
        raise RuntimeError("cannot repeat_interleave a meta tensor without output_size")

    # ---- counting: the shapes depend on data, but for two

    def isin(self, x, pool):
        return x.k.bool.new(x.shape)

    def histc(self, x, bins, low, high):
        return self.new((bins,))


class _Shape:
    def __init__(self, shape):
        self.shape = shape


def reduced(shape, dim, keepdim) -> tuple:
    """The shape left after reducing over dim."""
    if keepdim:
        return tuple([1 if i in dim else n for i, n in enumerate(shape)])
    return tuple([n for i, n in enumerate(shape) if i not in dim])


def common(tables):
    """The table of the promoted type."""
    first = tables[0]
    for k in tables[1:]:
        if k is not first and k.dtype is not first.dtype:
            first = first.sibling(promote_types(first.dtype, k.dtype))
    return first


def like_format(shape, arrays):
    """channels_last strides when all arrays have them, else None."""
    if all(suggests_channels_last(a.shape, a.strides) and not is_contiguous(a.shape, a.strides) for a in arrays):
        return ordered_strides(shape, [arrays[0].strides])
    return None


def index_layout(x, indices):
    """(shape, strides) of x[indices], laid out by the iterator torch runs over the restrided x and the indices."""
    indices = [*indices, *[None] * (len(x.shape) - len(indices))]
    used = [d for d, i in enumerate(indices) if i is not None]
    dims = list(range(len(x.shape)))
    if used != list(range(used[0], used[-1] + 1)):
        dims = used + [d for d in dims if d not in used]
    places = [dims.index(d) for d in used]
    first, last = places[0], places[-1] + 1
    shape, strides = [x.shape[d] for d in dims], [x.strides[d] for d in dims]
    found = joint_shape([indices[d] for d in used])
    out = (*shape[:first], *found, *shape[last:])
    source = (*strides[:first], *(0,) * len(found), *strides[last:])
    operands = [source]
    for d in used:
        i = indices[d]
        inner = (0,) * (len(found) - len(i.shape)) + tuple(
            [0 if n == 1 != m else s for n, s, m in zip(i.shape, i.strides, found[len(found) - len(i.shape) :])]
        )
        operands.append((*(0,) * first, *inner, *(0,) * (len(shape) - last)))
    return out, ordered_strides(out, operands)


# ---- elementwise


def result_table(word, operands, k=None):
    """The table of an elementwise result, given arrays and Python numbers (k: where there are only numbers).

    TypeError for a word that is not defined for their promoted type, as numpy's tables have it.
    """
    tables = [x.k for x, name in zip(operands, word.arrays) if isinstance(x, StridedArray) and name in OPERANDS]
    if tables:
        k = tables[0] if len(tables) == 1 or tables[0] is tables[-1] is tables[len(tables) // 2] else common(tables)
    for x in operands:
        if not isinstance(x, StridedArray) and not k.is_complex:
            if isinstance(x, complex):
                k = k.sibling(dtypes.complex_of(k.dtype))
            elif isinstance(x, float) and not k.inexact:
                k = k.sibling(k.wide_float)
            elif k.dtype is dtypes.bool_ and isinstance(x, int) and not isinstance(x, bool):
                k = k.sibling(dtypes.int64)
    if k.letter not in word.types and not has_word(k.dtype, word):
        raise NotDefined(word.name, k.dtype)
    return _RESULTS[word.result](k)


_RESULTS = {
    "same": lambda k: k,
    "bool": lambda k: k.bool,
    "real": lambda k: k.sibling(k.dtype.to_real()),
    "complex": lambda k: k.sibling(dtypes.complex_of(k.dtype)),
    "float": lambda k: k if k.inexact else k.sibling(k.wide_float),
}


def _elementwise(row):
    name, count = row.name, operands(row.name)
    own_type = row.result in ("same", "bool", "float") and set(row.arrays) <= OPERANDS and "f" in row.types
    truth = row.result == "bool"

    def word(self, *args):
        x = args[0]
        # The common case: floating point, row-major, alike or with a number.
        if own_type and len(args) == count < 3 and x.__class__ is self.array_type and x.rows and x.size and x.k.plain:
            y = args[-1]
            k = x.k
            if (
                count == 1
                or y.__class__ is float
                or y.__class__ is x.__class__
                and y.k is k
                and (y.shape == x.shape and y.rows or not y.shape)
            ):
                return x.twin(k.bool if truth else k)
        given = args[:count]
        k = result_table(row, given, self)
        arrays = [a for a in given if isinstance(a, StridedArray)]
        if len(args) > count and isinstance(args[count], StridedArray):
            return args[count]  # numpy's out=, third by position
        return k.new(*joint_layout(arrays, len(arrays) < len(given)))

    word.__name__ = name
    return word


def _needs_data(name):
    def word(self, *args):
        raise NotImplementedError(
            f"aten::{name}: attempted to run this operator with Meta tensors, but there was no fake impl or "
            "Meta kernel registered."
        )

    word.__name__ = name
    return word


for _name, _torch in {"unique": "_unique2", "unique_runs": "unique_consecutive", "bincount": "bincount"}.items():
    setattr(MetaWords, _name, _needs_data(_torch))

for _name, _row in POINTWISE.items():
    setattr(MetaWords, _name, _elementwise(_row))


_conjugated, _imaginary = MetaWords.conj, MetaWords.imag


def _conj(self, x):
    return _conjugated(self, x) if x.k.is_complex else x


def _part(x, i):
    """One of the parts that complex numbers have in memory: a view."""
    return x.k.select(x.k.view_as_real(x), len(x.shape), i)


def _real(self, x):
    return _part(x, 0) if x.k.is_complex else x


def _imag(self, x):
    return _part(x, 1) if x.k.is_complex else _imaginary(self, x)


MetaWords.conj, MetaWords.real, MetaWords.imag = _conj, _real, _imag

# ---- the tables

_META = device("meta")
TABLES: dict = {}


def table(dtype) -> MetaWords:
    """The meta device's table of an element type."""
    found = TABLES.get(dtype)
    if found is None:
        found = TABLES[dtype] = MetaWords(dtype, _META)
    return found


__all__ = ["MetaArray", "MetaWords", "is_channels_last", "table"]
