"""The CPU: every word answered with numpy arrays.

`table(dtype)` is the kernel table of one element type. Its attributes are the words; `k.mul(a, b)` *is* numpy's
multiply. Halves compute in float32 and round once, as torch's kernels do.
"""

import math

import numpy as np

from ..._base import dtype as dtypes
from ..._base.device import cpu
from ..._base.shape import contiguous_strides, preserved_strides, view_strides
from ..random.engine import fma64
from .elementwise import Elementwise, undefined_words

# Infinities and NaNs are ordinary values in torch; numpy would warn about each.
np.seterr(all="ignore")


class NumpyWords(Elementwise):
    """The words that are the same for every element type. An instance is the table of one."""

    backend, array_type, aliases, is_half = "numpy", np.ndarray, True, False
    device_group = "cpu"  # the same object for all tables whose arrays may meet in one word

    def __init__(self, dtype, kind):
        self.dtype, self.array_dtype, self.device = dtype, kind, cpu
        self.inexact = dtype.category >= dtypes.FLOATING
        self.is_complex = dtype.category == dtypes.COMPLEX
        self.bool = self  # replaced once the table of bools exists
        self._scalars, self._rows = {}, {}
        if not self.is_complex:
            self.conj = self.real = lambda x: x
        self.__dict__.update(undefined_words(self))

    def __repr__(self):
        return f"<numpy table of {self.dtype.name}>"

    def __reduce__(self):
        return table, (self.dtype,)

    # ---- tables and arrays

    def sibling(self, dtype):
        """The table of another element type on this device."""
        return table(dtype)

    def of(self, array):
        """The table of an array that a word returned."""
        kind = array.dtype
        return self if kind is self.array_dtype else TABLES[kind]

    def asarray(self, value):
        """Anything numpy takes, as an array (a numpy scalar becomes 0-dim)."""
        return np.asarray(value)

    def scalar(self, value):
        """A cached 0-dim array: a quicker operand than a Python number. Never write to it."""
        try:
            return self._scalars[value]
        except KeyError:
            try:
                made = np.array(value, self.array_dtype)
            except OverflowError:  # too large an integer wraps, as torch's casts do
                made = np.array(value).astype(self.array_dtype)
            if value == value and value != 0 and len(self._scalars) < 4096:  # 0.0 and -0.0 are one key
                self._scalars[value] = made
            return made

    def from_python(self, data):
        """Nested lists, numbers or an array, as a new array of this type."""
        return np.array(data, self.array_dtype)

    def to_numpy(self, array):
        return array

    def cast(self, x, dtype):
        """x as another element type (x itself when it has it already)."""
        kind = KINDS[dtype]
        if x.dtype is kind or x.dtype == kind:
            return x
        if x.dtype.kind == "c" and kind.kind not in "cb":
            x = x.real
        return x.astype(kind)

    def strides(self, x):
        """Steps in elements. numpy says 0 for every dimension of a new empty array, torch what a full one would have."""
        size = x.itemsize
        if not x.size and not any(x.strides):
            return contiguous_strides(x.shape)
        return tuple([s // size for s in x.strides])

    # ---- views, with torch's strides down to those of size-1 and empty dimensions

    def reshape(self, x, shape):
        return x.reshape(shape)

    def view(self, x, shape):
        """x's memory in another shape, or None where torch cannot view it so."""
        if x.flags.c_contiguous and x.size and (not x.ndim or x.strides[-1] == x.itemsize) and x.shape != shape:
            return x.reshape(shape)
        if not x.size:
            x = measured(x)
        strides = view_strides(x.shape, x.strides, shape)
        if strides is None:
            return None
        if not x.ndim or not x.size and x.shape != shape:
            strides = tuple([s * x.itemsize for s in strides])
        return x.view() if strides == x.strides and x.shape == shape else strided(x, shape, strides)

    def permute(self, x, dims):
        return (x if x.size else measured(x)).transpose(dims)

    def transpose(self, x, dim0, dim1):
        return (x if x.size else measured(x)).swapaxes(dim0, dim1) if x.ndim else x.view()

    def expand(self, x, shape):
        if not x.ndim and x.__class__ is np.ndarray and x.flags.writeable:
            return np.ndarray(shape, x.dtype, x, 0, (0,) * len(shape))
        if x.shape == shape:
            return x.view()
        x = x if x.size else measured(x)
        new = len(shape) - x.ndim
        strides = (0,) * new + tuple([0 if n == 1 != m else s for n, s, m in zip(x.shape, x.strides, shape[new:])])
        if new and 1 in shape[:new]:  # torch: a new dimension of size 1 is unsqueezed, only longer ones repeat
            strides = list(strides)
            for i in range(new - 1, -1, -1):
                if shape[i] == 1:
                    strides[i] = strides[i + 1] * shape[i + 1] if i + 1 < len(shape) else x.itemsize
        return strided(x, shape, tuple(strides))

    def slice(self, x, dim, start, end, step):
        x = x if x.size else measured(x)
        out = x[start:end:step] if dim == 0 else x[(_WHOLE,) * dim + (slice(start, end, step),)]
        if step != 1 and not out.size:  # numpy forgets the step of an empty slice
            return strided(out, out.shape, (*x.strides[:dim], x.strides[dim] * step, *x.strides[dim + 1 :]))
        return out

    def select(self, x, dim, index):
        x = x if x.size else measured(x)
        return x[index, ...] if dim == 0 else x[(_WHOLE,) * dim + (index, ...)]

    def unsqueeze(self, x, dim):
        # torch gives the new dimension the stride of what follows it
        shape = (*x.shape[:dim], 1, *x.shape[dim:])
        if x.flags.c_contiguous and x.size and (not x.ndim or x.strides[-1] == x.itemsize) and 1 not in x.shape:
            return x.reshape(shape)
        x = x if x.size else measured(x)
        step = x.strides[dim] * x.shape[dim] if dim < x.ndim else x.itemsize
        return strided(x, shape, (*x.strides[:dim], step, *x.strides[dim:]))

    def squeeze(self, x, dim):
        return (x if x.size else measured(x)).squeeze(tuple([d for d in dim if x.shape[d] == 1]) if x.ndim else ())

    def diagonal(self, x, offset, dim1, dim2):
        out = (x if x.size else measured(x)).diagonal(offset, dim1, dim2)
        out.flags.writeable = x.flags.writeable
        return out

    def unfold(self, x, dim, size, step):
        if x.ndim == 0:
            return strided(x, (size,), (x.itemsize,))
        x = x if x.size else measured(x)
        count = (x.shape[dim] - size) // step + 1
        shape = (*x.shape[:dim], count, *x.shape[dim + 1 :], size)
        strides = (*x.strides[:dim], x.strides[dim] * step, *x.strides[dim + 1 :], x.strides[dim])
        return strided(x, shape, strides)

    def as_strided(self, x, size, stride, offset):
        """A window into the memory behind x; offset counts elements from x's first."""
        item = x.itemsize
        return window(x, size, tuple([s * item for s in stride]), offset * item)

    def view_as_real(self, x):
        return x[..., None].view(KINDS[self.dtype.to_real()])

    def view_as_complex(self, x):
        return x.view(KINDS[self.dtype.to_complex()])[..., 0]

    def view_dtype(self, x, dtype):
        return x.view(KINDS[dtype])

    # ---- new arrays with old elements

    def copy(self, x):
        """A copy with torch's preserved strides."""
        return x.copy("K")

    def contiguous(self, x):
        return np.ascontiguousarray(x) if x.ndim else x

    def with_strides(self, x, stride):
        """A copy of x laid out with these strides (None: row-major)."""
        if stride is None:
            return np.array(x, order="C")
        out = self.of(x).empty_strided(x.shape, stride)
        out[...] = x
        return out

    def resized(self, x, shape):
        """An array of another shape whose first elements are x's."""
        n = math.prod(shape)
        if n <= x.size and x.flags.c_contiguous:
            return x.reshape(-1)[:n].reshape(shape)
        out = np.empty(n, self.array_dtype)
        out[: min(n, x.size)] = x.reshape(-1)[:n]
        return out.reshape(shape)

    def cat(self, arrays, dim):
        """One after the other along dim, row-major (channels last where all are)."""
        shape = list(arrays[0].shape)
        shape[dim] = sum([a.shape[dim] for a in arrays])
        if len(shape) < 4 or arrays[0].flags.c_contiguous or not all(map(_channels_last, arrays)):
            out = np.empty(shape, self.array_dtype)
        else:
            order = (0, len(shape) - 1, *range(1, len(shape) - 1))
            out = np.empty((shape[0], *shape[2:], shape[1]), self.array_dtype).transpose(order)
        return np.concatenate(arrays, dim, out)

    def stack(self, arrays, dim):
        """Side by side along a new dimension, row-major."""
        shape = arrays[0].shape
        out = np.empty((*shape[:dim], len(arrays), *shape[dim:]), self.array_dtype)
        if dim == 0 and len(arrays) > 16:
            np.concatenate(arrays, 0, out.reshape(-1, *shape[1:])) if shape else out.__setitem__(..., arrays)
            return out
        places = out if dim == 0 else np.moveaxis(out, dim, 0)
        for i, a in enumerate(arrays):
            places[i] = a
        return out

    def tril(self, x, diagonal=0):
        return np.tril(x, diagonal)

    def triu(self, x, diagonal=0):
        return np.triu(x, diagonal)

    def pad(self, x, widths, value=0):
        """Constant padding; widths is one (before, after) pair per dimension, none negative."""
        out = np.full([a + n + b for n, (a, b) in zip(x.shape, widths)], value, x.dtype)
        out[tuple([slice(a, a + n) for n, (a, _) in zip(x.shape, widths)])] = x
        return out

    def repeat(self, x, repeats):
        return np.tile(x, repeats)

    # ---- contraction

    def matmul(self, a, b):
        return a.dot(b) if a.ndim <= 2 and b.ndim <= 2 else np.matmul(a, b)

    # ---- indexing

    def masked_fill(self, x, mask, value):
        return np.where(mask, value, x)

    # ---- making

    def zeros(self, shape):
        return np.zeros(shape, self.array_dtype)

    def ones(self, shape):
        return np.ones(shape, self.array_dtype)

    def empty(self, shape):
        return np.empty(shape, self.array_dtype)

    def full(self, shape, value):
        return np.full(shape, value, self.array_dtype)

    def arange(self, n):
        """0, 1 ... n-1 in this type."""
        return np.arange(n, dtype=self.array_dtype) if self.array_dtype.kind != "b" else np.arange(n).astype(bool)

    def eye(self, n, m=None):
        return np.eye(n, m, dtype=self.array_dtype)

    def ramp(self, start, step, count):
        """start, start + step ... (count values), computed as torch does: wide, then rounded."""
        if self.array_dtype.kind in "iu":
            return (np.arange(count, dtype=np.int64) * int(step) + int(start)).astype(self.array_dtype)
        wide = np.complex128 if self.is_complex else np.float64
        return (np.arange(count, dtype=wide) * step + start).astype(self.array_dtype)

    def linspace(self, start, end, steps):
        """steps values from start to end, counted from the nearer end as torch does."""
        if steps == 1:
            return np.array([start], self.array_dtype)
        if self.array_dtype.kind in "iu":
            step = (end - start) / max(steps - 1, 1)
            i = np.arange(steps)
            return np.where(i < steps // 2, start + step * i, end - step * (steps - 1 - i)).astype(self.array_dtype)
        kind = self.array_dtype
        first, last = kind.type(start), kind.type(end)
        step = (last - first) / kind.type(max(steps - 1, 1))
        i, back = np.arange(steps).astype(kind), np.arange(steps)[::-1].astype(kind)
        if kind.kind == "c" or kind.itemsize < 4:  # halves round after every step
            up, down = first + step * i, last - step * back
        elif kind.itemsize == 4:  # torch multiplies and adds with one rounding: in float64, then rounded
            up, down = np.float64(first) + np.float64(step) * i, np.float64(last) - np.float64(step) * back
        else:
            up, down = fma64(i, float(step), float(first)), fma64(back, -float(step), float(last))
        return np.where(np.arange(steps) < steps // 2, up, down).astype(kind)

    def from_dlpack(self, other):
        return np.from_dlpack(other)

    def from_buffer(self, buffer, count, offset):
        return np.frombuffer(buffer, self.array_dtype, count, offset)

    def import_from(self, array, k):
        """An array of another library's table k, in this device's memory."""
        return k.to_numpy(array)

    def broadcast_to(self, x, shape):
        """x in this shape, not to be written to."""
        if not x.ndim and x.__class__ is np.ndarray and (shape[0] if len(shape) == 1 else math.prod(shape)) <= 4096:
            # quicker than a view of it
            out = np.empty(shape, x.dtype)
            out.fill(x)
            return out
        return self.expand(x, shape)

    def data_ptr(self, x):
        return x.__array_interface__["data"][0] if x.size else 0

    def storage_offset(self, x, home=None):
        """Elements from the start of the memory x lies in (home: where to count from) to x's first."""
        owner = x
        while home is None and isinstance(owner.base, np.ndarray):
            owner = owner.base
        start = (owner if home is None else home).__array_interface__["data"][0]
        return (x.__array_interface__["data"][0] - start) // x.itemsize

    def empty_like(self, x):
        """Uninitialised, with torch's preserved strides."""
        return self.empty_strided(x.shape, preserved_strides(x.shape, self.strides(x)))

    def empty_strided(self, shape, stride):
        if stride == contiguous_strides(shape):
            return np.empty(shape, self.array_dtype)
        room = 1 + sum((n - 1) * s for n, s in zip(shape, stride)) if 0 not in shape else 0
        return self.as_strided(np.empty(room, self.array_dtype), shape, stride, 0)

    # ---- writing: only arrays that may be shared are ever written

    def write(self, x, value):
        """x[...] = value, in place, cast to x's type."""
        if value.__class__ is np.ndarray and value.dtype.kind == "c" and x.dtype.kind not in "cb":
            value = value.real
        np.copyto(x, value, casting="unsafe")

    def write_view(self, base, chain, value):
        """A copy of `base` in which the view that `chain` takes of it holds `value`."""
        out = np.array(base, order="C")
        seen = out
        for op, options in chain:
            seen = op.forward(self, seen, *options)
        np.copyto(seen, value, casting="unsafe")
        return out


_WHOLE = slice(None)


def measured(x):
    """An empty array with the strides that torch gives it (numpy's are all 0)."""
    if any(x.strides):
        return x
    strides = tuple([s * x.itemsize for s in contiguous_strides(x.shape)])
    return np.lib.stride_tricks.as_strided(np.empty(1, x.dtype), x.shape, strides)


def _channels_last(x):
    """A batch of images whose channels are innermost in memory."""
    return x.ndim in (4, 5) and x.transpose((0, *range(2, x.ndim), 1)).flags.c_contiguous


def strided(x, shape, strides):
    """A view of x's elements with other byte strides."""
    if x.flags.c_contiguous and x.size:
        return np.ndarray(shape, x.dtype, x, 0, strides)
    return window(x, shape, strides, 0)


def window(x, shape, strides, offset):
    """A view of the memory that x lies in, `offset` bytes from x's first element; it may reach beyond x."""
    if 0 in shape:
        return np.lib.stride_tricks.as_strided(np.empty(1, x.dtype), shape, strides)
    if offset == 0 and x.flags.c_contiguous and x.flags.writeable:
        try:
            return np.ndarray(shape, x.dtype, x, 0, strides)
        except (TypeError, ValueError):  # reaches beyond x, or a type without the buffer protocol
            pass
    owner = x
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    flat = owner if owner.ndim == 1 and owner.flags.c_contiguous else owner.ravel("K")
    start = x.__array_interface__["data"][0]
    if flat is owner or flat.base is owner:
        return np.ndarray(shape, x.dtype, flat, start + offset - flat.__array_interface__["data"][0], strides)
    holder = _Holder()
    holder.__array_interface__ = {
        **x.__array_interface__,
        "data": (start + offset, not x.flags.writeable),
        "shape": tuple(shape),
        "strides": tuple(strides),
    }
    holder.kept = x
    return np.asarray(holder).view(x.dtype)


class _Holder:
    """Lends numpy an address and keeps the memory behind it alive."""


# ---- halves: float32 inside


def _in_float32(name):
    word = getattr(NumpyWords, name)

    def rounded(self, *args):
        wide = TABLES[np.dtype(np.float32)]
        got = getattr(wide, name)(*[widen(self, a) for a in args])
        return narrow(self, got)

    rounded.__name__, rounded.__doc__ = name, word.__doc__
    return rounded


def widen(k, value):
    """float32 arrays for this table's, inside lists too."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.astype(np.float32) if value.dtype == k.array_dtype else value
    if isinstance(value, (list, tuple)):
        return type(value)([widen(k, v) for v in value])
    return value


def narrow(k, value):
    if isinstance(value, tuple):
        return tuple([narrow(k, v) for v in value])
    return value.astype(k.array_dtype) if value.dtype == np.float32 else value


class HalfWords(NumpyWords):
    """float16, bfloat16 and the 8-bit floats."""

    is_half = True

    def widen(self, value):
        return widen(self, value)

    def narrow(self, value):
        return narrow(self, value)


_EXACT = """write write_view neg abs eq ne lt le gt ge maximum minimum fmax fmin relu where amax amin argmax argmin
    reshape view permute transpose expand slice select squeeze unsqueeze diagonal unfold as_strided view_dtype copy contiguous cat
    stack flip roll tril triu pad repeat index index_select gather scatter masked_fill nonzero zeros ones empty full
    arange empty_like empty_strided sibling of asarray scalar from_python to_numpy cast strides conj real nextafter
    copysign signbit isnan isinf isfinite logical_not logical_and logical_or logical_xor any all count_nonzero
    widen complex polar eye ramp linspace from_dlpack from_buffer import_from broadcast_to data_ptr storage_offset
    adopt with_strides resized""".split()


def soften(words):
    """Give the half tables the float32 form of these words."""
    for name in words:
        if not name.startswith("_") and name not in _EXACT and callable(getattr(NumpyWords, name)):
            setattr(HalfWords, name, _in_float32(name))


def _into(name):
    """The softened word, with a third operand to write into as numpy's own has."""
    word = getattr(HalfWords, name)

    def call(self, a, b, out=None):
        got = word(self, a, b)
        if out is None:
            return got
        out[...] = got
        return out

    return call


soften(n for n in [*vars(Elementwise), *vars(NumpyWords)] if n not in ("backend", "array_type", "aliases", "is_half"))
for _word in ("add", "sub", "mul", "div"):
    setattr(HalfWords, _word, _into(_word))

# ---- the tables

KINDS: dict = {}  # lucid dtype -> numpy dtype
TABLES: dict = {}  # numpy dtype -> table
_LAZY = ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")


def _add_table(dtype, kind):
    words = HalfWords if dtype.category == dtypes.FLOATING and dtype.itemsize < 4 else NumpyWords
    made = KINDS[dtype], TABLES[kind] = kind, words(dtype, kind)
    made[1].bool = TABLES[np.dtype(bool)]
    return made[1]


class _Kinds(dict):
    """numpy's name for a type; ml_dtypes is imported for the types that numpy lacks."""

    def __missing__(self, dtype):
        if dtype.name not in _LAZY:
            raise KeyError(dtype)
        import ml_dtypes

        _add_table(dtype, np.dtype(getattr(ml_dtypes, dtype.name)))
        return self[dtype]


class _Tables(dict):
    def __missing__(self, kind):
        """An array of a type that came from outside: found by its name (or in the native byte order)."""
        found = dtypes.DTYPES.get(kind.name) if kind.isnative else None
        if found is None:
            raise TypeError(
                f"can't convert np.ndarray of type {kind.type.__module__}.{kind.type.__name__}. The only supported types "
                "are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, "
                "uint16, uint8, and bool."
            )
        return self[KINDS[found]]


KINDS, TABLES = _Kinds(), _Tables()
for (
    _name
) in "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split():
    _add_table(dtypes.DTYPES[_name], np.dtype(_name))


def table(dtype) -> NumpyWords:
    """The CPU's kernel table of an element type."""
    return TABLES[KINDS[dtype]]
