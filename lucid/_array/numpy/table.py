"""The CPU: every word answered with numpy arrays.

`table(dtype)` is the kernel table of one element type. Its attributes are the words; `k.mul(a, b)` *is* numpy's
multiply. Halves compute in float32 and round once, as torch's kernels do.
"""

import math

import numpy as np

from ..._base import dtype as dtypes
from ..._base.device import cpu
from ..._base.shape import channels_last_strides, contiguous_strides, has_channels_last, preserved_strides
from ..._base.state import note_turned
from ..random.exact import fma64
from ..table import Table, owner
from ..words import WORDS
from .dlpack import borrow
from .elementwise import Elementwise, special_words
from .products import LARGE, matmul, share
from .views import Views

# Infinities and NaNs are ordinary values in torch; numpy would warn about each.
np.seterr(all="ignore")


class NumpyWords(Elementwise, Views, Table):
    """The words that are the same for every element type. An instance is the table of one."""

    backend, array_type = "numpy", np.ndarray
    host = aliases = True
    device_group = "cpu"

    def __init__(self, dtype, kind):
        self.dtype, self.array_dtype, self.device = dtype, kind, cpu
        self.inexact = dtype.category >= dtypes.FLOATING
        self.is_complex = dtype.category == dtypes.COMPLEX
        self.is_half = dtype.category == dtypes.FLOATING and dtype.itemsize < 4
        self.low, self.high, self.wide_low, self.wide_high = dtypes.limits(dtype)
        self.bool = self  # replaced once the table of bools exists
        self._scalars, self._rows = {}, {}  # what scalar() and sum() keep
        if not self.is_complex:
            self.conj = self.real = lambda x: x
        self.__dict__.update(special_words(self))

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
            if value.__class__ is int and not -1 << 63 <= value < 1 << 64:
                raise OverflowError("int too big to convert") from None
            try:
                made = self.from_python(value)
            except OverflowError:  # too large an integer wraps, as torch's casts do
                made = np.array(value).astype(self.array_dtype)
            if value == value and value != 0 and len(self._scalars) < 4096:  # 0.0 and -0.0 are one key
                self._scalars[value] = made
            return made

    wide_scalar = scalar

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
        if x.dtype.kind in "cV":
            x = for_type(x, kind)
        if 0 in x.strides and x.size:  # which numpy takes for the innermost dimension, torch for one that has no place
            return self.with_strides(converted(x, kind), preserved_strides(x.shape, self.strides(x)))
        return converted(x, kind)

    # ---- new arrays with old elements

    def copy(self, x):
        """A copy with torch's preserved strides."""
        if 1 in x.shape or 0 in x.strides:  # whose strides numpy makes anew, or takes for the smallest
            return self.with_strides(x, preserved_strides(x.shape, self.strides(x)))
        return x.copy("K")

    def contiguous(self, x):
        return _turned_copy(x) if x.size >= TURNED_FROM and _is_turned(x) else np.ascontiguousarray(x) if x.ndim else x

    def with_strides(self, x, stride):
        """A copy of x laid out with these strides (None: row-major)."""
        if stride is None or stride == contiguous_strides(x.shape):
            return _turned_copy(x) if x.size >= TURNED_FROM and _is_turned(x) else np.array(x, order="C")
        out = self.of(x).empty_strided(x.shape, stride)
        out[...] = x
        return out

    def resized(self, x, shape, strides=None):
        """An array of another shape over the memory from x's first element on, or over as much new memory as it needs,
        which begins with what the old held."""
        home, n = owner(x), math.prod(shape)
        room = n
        if isinstance(home, np.ndarray):
            room = (home.nbytes - self.storage_offset(x) * x.itemsize) // x.itemsize
        if n > room:
            held, x = self.as_strided(x, (room,), (1,), 0), np.empty(n, self.array_dtype)
            x[:room] = held
        steps = contiguous_strides(tuple(shape)) if strides is None else strides
        return self.as_strided(x, tuple(shape), steps, 0)

    def cat(self, arrays, dim):
        """One after the other along dim, row-major (channels last where all are)."""
        shape = list(arrays[0].shape)
        shape[dim] = sum([a.shape[dim] for a in arrays])
        if len(shape) < 4 or arrays[0].flags.c_contiguous or not all(map(self._channels_last, arrays)):
            out = np.empty(shape, self.array_dtype)
        else:
            out = self.empty_strided(shape, channels_last_strides(shape))
        return np.concatenate(arrays, dim, out)

    def _channels_last(self, x):
        """Is x a batch of images whose channels are innermost in memory?"""
        return not x.flags.c_contiguous and has_channels_last(x.shape, self.strides(x))

    def stack(self, arrays, dim):
        """Side by side along a new dimension, row-major."""
        shape = arrays[0].shape
        if len(shape) > 3 and dim < len(shape) and all(map(self._channels_last, arrays)):
            return self.cat(arrays, dim).reshape(*shape[:dim], len(arrays), *shape[dim:])
        out = np.empty((*shape[:dim], len(arrays), *shape[dim:]), self.array_dtype)
        if dim == 0 and len(arrays) > 16:
            np.concatenate(arrays, 0, out.reshape(-1, *shape[1:])) if shape else out.__setitem__(..., arrays)
            return out
        places = out if dim == 0 else np.moveaxis(out, dim, 0)
        for i, a in enumerate(arrays):
            places[i] = a
        return out

    def tril(self, x, diagonal=0):
        return np.tril(np.ascontiguousarray(x), diagonal)

    def triu(self, x, diagonal=0):
        return np.triu(np.ascontiguousarray(x), diagonal)

    def pad(self, x, widths, value=0):
        """Constant padding; widths is one (before, after) pair per dimension, none negative."""
        shape = tuple([a + n + b for n, (a, b) in zip(x.shape, widths)])
        if self._channels_last(x):
            out = self.of(x).empty_strided(shape, channels_last_strides(shape))
            out.fill(value)
        else:
            out = np.full(shape, value, x.dtype)
        out[tuple([slice(a, a + n) for n, (a, _) in zip(x.shape, widths)])] = x
        return out

    def repeat(self, x, repeats):
        return np.tile(x, repeats)

    # ---- contraction

    def matmul(self, a, b):
        if share and a.size * b.shape[-1] >= LARGE:
            return matmul(a, b)
        return a.dot(b) if a.ndim <= 2 and b.ndim <= 2 else np.matmul(a, b)

    # ---- indexing

    def masked_fill(self, x, mask, value):
        got = np.where(mask, value, x)
        return got if got.ndim < 2 or got.flags.c_contiguous else np.ascontiguousarray(got)

    # ---- making

    def zeros(self, shape):
        return np.zeros(shape, self.array_dtype)

    def ones(self, shape):
        return np.ones(shape, self.array_dtype)

    def empty(self, shape):
        return np.empty(shape, self.array_dtype)

    def full(self, shape, value):
        return np.full(shape, self.from_python(value) if self.is_half else value, self.array_dtype)

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
            first, last, i = float(int(start)), float(int(end)), np.arange(steps, dtype=np.float64)
            step = (last - first) / max(steps - 1, 1)
            up, down = fma64(i, step, first), fma64(i[::-1], -step, last)
            return np.where(i < steps // 2, up, down).astype(self.array_dtype)
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
        return borrow(other, KINDS)

    def from_buffer(self, buffer, count, offset):
        return np.frombuffer(buffer, self.array_dtype, count, offset)

    def import_from(self, array, k):
        """An array of another library's table k, in this device's memory."""
        return k.to_numpy(array)

    def empty_like(self, x):
        """Uninitialised, with torch's preserved strides."""
        return self.empty_strided(x.shape, preserved_strides(x.shape, self.strides(x)))

    def empty_strided(self, shape, stride):
        if stride == contiguous_strides(shape):
            return np.empty(shape, self.array_dtype)
        note_turned()
        room = 1 + sum((n - 1) * s for n, s in zip(shape, stride)) if 0 not in shape else 0
        return self.as_strided(np.empty(room, self.array_dtype), shape, stride, 0)

    # ---- writing: only arrays that may be shared are ever written

    def write(self, x, value):
        """x[...] = value, in place, cast to x's type."""
        if value.__class__ is np.ndarray and value.dtype.kind in "cV":
            value = for_type(value, x.dtype)
        np.copyto(x, value, casting="unsafe")

    def write_view(self, base, chain, value):
        """A copy of `base` in which the view that `chain` takes of it holds `value`."""
        out = np.array(base, order="C")
        seen = out
        for op, options in chain:
            seen = op.forward(self, seen, *options)
        np.copyto(seen, value, casting="unsafe")
        return out


TURNED_FROM = 1 << 17  # elements of a matrix that no cache holds


def _is_turned(x):
    """Are these large matrices that lie column by column?"""
    return x.ndim > 1 and x.strides[-1] != x.itemsize == x.strides[-2] and x.shape[-1] * x.shape[-2] >= TURNED_FROM


def _turned_copy(x):
    """Matrices that lie column by column, row by row: a cache line of each row at a time, which numpy does not do."""
    out, step = np.empty(x.shape, x.dtype), max(1, 64 // x.itemsize)
    for first in range(0, x.shape[-1], step):
        out[..., first : first + step] = x[..., first : first + step]
    return out


# ---- halves: float32 inside

# complex32: two float16 side by side
PAIR = np.dtype([("real", np.float16), ("imag", np.float16)])


def for_type(x, kind):
    """A complex array, or one of another library's type, on its way into a type: without what has no place there."""
    if x.dtype.names and not kind.names:
        x = apart(x)
    return x.real if x.dtype.kind == "c" and not (kind.kind in "cb" or kind.names) else x


def apart(x):
    """Pairs of float16 as complex64, in the order in which they lie in memory."""
    out = np.empty_like(x, np.complex64, subok=False)
    out.real, out.imag = x["real"], x["imag"]
    return out


def paired(x):
    """Numbers as pairs of float16; doubles by way of float32, as torch converts them."""
    out = np.empty_like(x, PAIR, subok=False)
    single = x.astype(np.complex64) if x.dtype.kind == "c" else x.astype(np.float32)
    out["real"], out["imag"] = single.real, single.imag
    return out


def converted(x, kind):
    """x.astype(kind); to halves by way of float32, as torch converts, which rounds twice."""
    if kind.itemsize > 2 or kind.kind in "biu":
        return x.astype(kind) if kind.names is None else paired(x)
    x = x if x.dtype.itemsize <= 2 or x.dtype == np.float32 else x.astype(np.float32)
    if kind.itemsize == 1:
        return _to_8_bits(x, kind)
    return x.astype(kind)


def _to_8_bits(x, kind):
    """What is too large for float8_e4m3fn is its largest number, and a NaN of float8_e5m2 has all its bits."""
    if kind.name == "float8_e4m3fn":
        return np.clip(x.astype(np.float32), -448, 448).astype(kind)
    out = x.astype(kind)
    if kind.name == "float8_e5m2" and (lost := np.isnan(out)).any():
        out.view(np.uint8)[lost] |= 1
    return out


def computed(name):
    """The word in the wide type, rounded once."""
    word = getattr(NumpyWords, name, None)

    def rounded(self, *args):
        return self.narrow(getattr(self.sibling(self.wide_type), name)(*[self.widen(a) for a in args]))

    rounded.__name__, rounded.__doc__ = name, getattr(word, "__doc__", None)
    return rounded


def computed_into(name):
    """The same, with a third operand to write into as numpy's own has."""
    word = computed(name)

    def call(self, a, b, out=None):
        got = word(self, a, b)
        if out is None:
            return got
        out[...] = got
        return out

    return call


def recomputing(spelled):
    """A gradient of halves, spelled in words that take what a forward saved anew: it was rounded to a half."""

    def rounded(self, *args):
        return self.narrow(spelled(self.sibling(dtypes.float32), *[self.widen(a) for a in args]))

    rounded.__name__ = spelled.__name__
    return rounded


class HalfWords(NumpyWords):
    """float16, bfloat16 and the 8-bit floats."""

    def from_python(self, data):
        return converted(np.array(data, np.float32), self.array_dtype)

    def write(self, x, value):
        if value.__class__ is np.ndarray and value.dtype != x.dtype and x.dtype == self.array_dtype:
            value = converted(for_type(value, x.dtype), x.dtype)
        NumpyWords.write(self, x, value)

    def wide_scalar(self, value):
        return TABLES[np.dtype(np.float32)].scalar(value)

    def widen(self, value):
        if isinstance(value, (np.ndarray, np.generic)):
            return _in_single(value) if value.dtype == self.array_dtype else value
        return Table.widen(self, value)

    def narrow(self, value):
        if isinstance(value, (np.ndarray, np.generic)):
            return value.astype(self.array_dtype) if value.dtype == np.float32 else value
        return Table.narrow(self, value)


def _in_single(x):
    """x in float32; an expanded dimension stays one, since strides decide the layout of results."""
    if not x.size or 0 not in x.strides:
        return x.astype(np.float32)
    once = x[tuple([slice(0, 1) if s == 0 else slice(None) for s in x.strides])]
    return np.broadcast_to(once.astype(np.float32), x.shape)


def _halve(names):
    """Give the tables of halves the float32 form of the words that the dictionary says need it."""
    for name in names:
        if name in WORDS and not WORDS[name].exact:
            make = computed_into if name in ("add", "sub", "mul", "div") else computed
            setattr(HalfWords, name, make(name))


def install(words):
    """Make functions, or the methods of a class, words of all tables."""
    found = vars(words).items() if isinstance(words, type) else [(f.__name__, f) for f in words]
    names = []
    for name, word in found:
        if not name.startswith("__"):
            setattr(NumpyWords, name, word)
            names.append(name)
    _halve(names)


_halve([*vars(Elementwise), *vars(Views), *vars(NumpyWords)])

# ---- the tables

KINDS: dict = {}  # lucid dtype -> numpy dtype
TABLES: dict = {}  # numpy dtype -> table
_LAZY = ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")


CLASSES: dict = {}  # element types whose tables are of classes of their own, which are declared elsewhere


def add_table(dtype, kind):
    """Make the table of an element type, of its class of words."""
    words = CLASSES.get(dtype)
    if words is None:
        words = HalfWords if dtype.category == dtypes.FLOATING and dtype.itemsize < 4 else NumpyWords
    made = KINDS[dtype], TABLES[kind] = kind, words(dtype, kind)
    made[1].bool = TABLES[np.dtype(bool)]
    return made[1]


class _Kinds(dict):
    """numpy's name for a type; ml_dtypes is imported for the types that numpy lacks."""

    def __missing__(self, dtype):
        if dtype.name not in _LAZY:
            dtypes.refuse_named_only(dtype)
            raise KeyError(dtype)
        import ml_dtypes

        add_table(dtype, np.dtype(getattr(ml_dtypes, dtype.name)))
        return self[dtype]


class _Tables(dict):
    def __missing__(self, kind):
        """An array of a type that came from outside: found by its name (or in the native byte order)."""
        found = dtypes.DTYPES.get(kind.name) if kind.isnative else None
        if found is None:
            raise TypeError(
                f"can't convert np.ndarray of type {kind.type.__module__}.{kind.type.__name__}. The only supported "
                "types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, "
                "uint32, uint16, uint8, and bool."
            )
        return self[KINDS[found]]


KINDS, TABLES = _Kinds(), _Tables()
for (
    _name
) in "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split():
    add_table(dtypes.DTYPES[_name], np.dtype(_name))


def table(dtype) -> NumpyWords:
    """The CPU's kernel table of an element type."""
    return TABLES[KINDS[dtype]]
