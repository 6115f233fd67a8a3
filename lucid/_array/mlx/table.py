"""The devices `mlx` and `mps`: every word answered with mlx arrays, on Apple's GPU or wherever else mlx runs.

mlx arrays never change and never share memory, so an MlxArray is a window (sizes, strides, offset) into memory that its
owner holds as one mlx array: a write gives the owner a new array, and a view reads its part again when the owner's
version moved. What a result looks like is said by `meta/`, what a word is by the dictionary; the functions in
`elementwise.py`, `reduce.py` and `index.py` say its values.
"""

import mlx.core as mx
import numpy as np

from ..._base import dtype as dtypes
from ..._base.device import device
from ..fallbacks import SPELLED
from ..meta.layers import MetaWords
from ..meta.strided import StridedArray, is_contiguous, is_dense
from ..numpy import table as cpu
from ..words import WORDS, operands

KINDS = {
    dtypes.DTYPES["bool"]: mx.bool_,
    **{
        dtypes.DTYPES[n]: getattr(mx, n)
        for n in (
            "uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64"
        ).split()
    },
}


class MlxArray(StridedArray):
    """A window into an owner's memory. `value` is what it shows, an mlx array of its shape."""

    __slots__ = ("_value", "version")

    def __init__(self, k, shape, strides=None, offset=0, base=None):
        StridedArray.__init__(self, k, shape, strides, offset, base)
        self._value, self.version = None, 0  # version: of the owner, how often written; of a view, what it last saw

    def twin(self, k):
        out = StridedArray.twin(self, k)
        out._value, out.version = None, 0
        return out

    @property
    def value(self):
        base = self.base
        if base is None:
            if self._value is None:
                if self.size:
                    raise NotImplementedError(f"a result of the device '{self.k.device}' was given no values")
                self._value = mx.zeros(self.shape, self.k.native)
            return self._value
        if self._value is None or self.version != base.version:
            memory = base.memory()
            if base.k.native != self.k.native:
                memory = mx.view(memory, self.k.native)
            if is_contiguous(self.shape, self.strides) and self.size == memory.size:
                self._value = mx.reshape(memory, self.shape)
            else:
                self._value = (
                    mx.as_strided(mx.contiguous(memory), self.shape, self.strides, self.offset)
                    if self.size
                    else mx.zeros(self.shape, self.k.native)
                )
            self.version = base.version
        return self._value

    def memory(self):
        """An owner's elements as they lie in memory, 1-D."""
        value = self.value
        if not is_contiguous(self.shape, self.strides):
            value = mx.transpose(value, _outermost_first(self))
        return mx.reshape(value, (-1,))

    def replace(self, memory):
        """Give an owner other memory."""
        if is_contiguous(self.shape, self.strides):
            self._value = mx.reshape(memory, self.shape)
        else:
            order = _outermost_first(self)
            value = mx.reshape(memory, [self.shape[d] for d in order])
            self._value = mx.transpose(value, sorted(range(len(order)), key=order.__getitem__))
        self.version += 1

    def positions(self):
        """Where each element of a window lies in the owner's memory, as a flat mlx array."""
        where = np.array(self.offset, np.int64)
        for n, s in zip(self.shape, self.strides):
            where = where[..., None] + np.arange(n) * s
        return mx.array(where.reshape(-1))


def _outermost_first(x):
    return sorted(range(len(x.shape)), key=lambda d: -x.strides[d])


def raw(value):
    """The mlx arrays inside an argument."""
    if value.__class__ is MlxArray:
        return value.value
    if isinstance(value, (list, tuple)):
        return [raw(v) for v in value]
    return value


def value_of(operand):
    return operand.value if operand.__class__ is MlxArray else operand


def fill(out, value):
    """Give arrays that a meta word made their values."""
    if isinstance(out, tuple):
        return tuple([fill(o, v) for o, v in zip(out, value, strict=True)])
    if value.dtype != out.k.native:
        value = mx.astype(value, out.k.native)
    if value.shape != out.shape:
        value = mx.reshape(value, out.shape)
    out._value = value
    return out


class MlxWords(MetaWords):
    """The words of one element type on one device."""

    backend, array_type, has_data = "mlx", MlxArray, True
    wide_float = dtypes.float32

    def __init__(self, dtype, place):
        self.native = KINDS[dtype]
        MetaWords.__init__(self, dtype, place)
        self.is_half = dtype.category == dtypes.FLOATING and dtype.itemsize < 4

    def __reduce__(self):
        return table, (self.dtype, self.device)

    def __getattr__(self, name):
        """A word without a kernel here (linear algebra, and new ones): a round trip through numpy."""
        if name.startswith("_") or not callable(getattr(cpu.NumpyWords, name, None)):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        setattr(MlxWords, name, on_numpy(name))
        return getattr(self, name)

    def sibling(self, dtype):
        return self if dtype is getattr(self, "dtype", None) else table(dtype, self.device)

    def made(self, value):
        """An mlx array of this type as one of ours."""
        return fill(self.new(value.shape), value)

    # ---- to and from Python and numpy

    def scalar(self, value):
        """A cached 0-dim array. Never write to it."""
        try:
            return self._scalars[value]
        except KeyError:
            made = self.from_python(value)
            if value == value and value != 0 and len(self._scalars) < 4096:  # 0.0 and -0.0 are one key
                self._scalars[value] = made
            return made

    def from_python(self, data):
        return self.import_from(cpu.table(self.dtype).from_python(data), cpu.table(self.dtype))

    def from_dlpack(self, other):
        array = np.from_dlpack(other)
        return self.import_from(array, cpu.TABLES[array.dtype])

    def from_buffer(self, buffer, count, offset):
        return self.import_from(cpu.table(self.dtype).from_buffer(buffer, count, offset), cpu.table(self.dtype))

    def to_numpy(self, array):
        """A numpy copy, laid out with the same strides."""
        k, value = array.k, array.value
        if k.dtype is dtypes.bfloat16:
            got = np.array(mx.view(mx.contiguous(value), mx.uint16)).view(cpu.KINDS[k.dtype])
        else:
            got = np.array(value)
        return (
            got
            if is_contiguous(array.shape, array.strides)
            else cpu.table(k.dtype).with_strides(got, self.preserved(array))
        )

    def import_from(self, array, k):
        """An array of another library's table k, copied here."""
        if isinstance(k, MlxWords):
            return self.copy(k.cast(array, self.dtype))
        got = k.to_numpy(array)
        out = self.new(got.shape, self.preserved(_Layout(got.shape, k.strides(array))))
        got = np.asarray(got, cpu.KINDS[self.dtype], order="C")  # mlx copies it
        if self.dtype is dtypes.bfloat16:
            return fill(out, mx.view(mx.array(got.view(np.uint16)), mx.bfloat16))
        return fill(out, mx.array(got, self.native))

    def cast(self, x, dtype):
        return x if x.dtype is dtype else fill(MetaWords.cast(self, x, dtype), x.value)

    # ---- memory

    def empty_strided(self, shape, stride):
        out = MetaWords.empty_strided(self, shape, stride)
        owner = out if out.base is None else out.base
        owner._value = mx.zeros(owner.shape, self.native)
        return out

    def empty_like(self, x):
        return self.empty_strided(x.shape, self.preserved(x))

    def data_ptr(self, x):
        return id(x if x.base is None else x.base) + x.offset * x.itemsize if x.size else 0

    def as_strided(self, x, size, stride, offset):
        out, memory = MetaWords.as_strided(self, x, size, stride, offset), (x if x.base is None else x.base).nbytes
        end = out.offset + 1 + sum([(n - 1) * s for n, s in zip(out.shape, out.strides)])
        if out.size and not 0 <= out.offset < end <= memory // out.itemsize:  # mlx would read or write beyond it
            raise RuntimeError(f"a window up to element {end} of a memory of {memory} bytes")
        return out

    def write(self, x, value):
        """x[...] = value, cast to x's type; every window into the same memory sees it."""
        value = (
            mx.array(value, x.k.native) if not isinstance(value, StridedArray) else mx.astype(value.value, x.k.native)
        )
        value, owner = mx.broadcast_to(value, x.shape), x.base
        if owner is None:
            x._value = value
            x.version += 1
            return
        if not x.size:
            return
        if owner.k.native == x.k.native and x.size == owner.size and is_dense(x.shape, x.strides):
            owner.replace(mx.reshape(mx.transpose(value, _outermost_first(x)), (-1,)))
            return
        memory, value = owner.memory(), mx.reshape(value, (-1,))
        if owner.k.native != x.k.native:
            memory = mx.view(memory, x.k.native)
        if is_contiguous(x.shape, x.strides):
            memory = mx.slice_update(memory, value, mx.array([x.offset]), axes=(0,))
        else:
            memory = mx.put_along_axis(memory, x.positions(), value, axis=0)
        owner.replace(mx.view(memory, owner.k.native) if owner.k.native != x.k.native else memory)

    def resized(self, x, shape, strides=None):
        out = MetaWords.resized(self, x, shape, strides)
        if out.base is None:
            n = min(out.size, x.size)
            head = mx.reshape(x.value, (-1,))[:n]
            out._value = mx.reshape(mx.concatenate([head, mx.zeros((out.size - n,), x.k.native)]), out.shape)
        return out


class _Layout:
    def __init__(self, shape, strides):
        self.shape, self.strides = shape, strides


# ---- words made of an outline (a meta word) and values (a function of mlx arrays)


def outlined(name, values):
    """A word whose result looks as meta says and holds what values(k, *mlx arrays and options) gives."""
    outline = getattr(MetaWords, name)

    def word(self, *args):
        out = outline(self, *args)
        if out.__class__ is MlxArray and not out.size:  # mlx's kernels are not all safe for empty arrays
            return out
        return fill(out, values(self, *[raw(a) for a in args]))

    word.__name__ = name
    return word


def elementwise(name, values, count):
    """The same for a word of `count` operands, arrays or numbers, that broadcast."""
    outline = getattr(MetaWords, name)

    def word(self, *args):
        if len(args) == count == 2:
            a, b = args
            out = outline(self, a, b)
            return fill(out, values(self, value_of(a), value_of(b))) if out.size else out
        operands = args[:count]
        out = outline(self, *operands)
        if out is operands[0] or not out.size:
            return out
        options = args[count:]
        to = options[0] if options and options[0].__class__ is MlxArray else None  # numpy's out=, third by position
        fill(out, values(self, *[value_of(a) for a in operands], *(() if to is not None else options)))
        if to is None:
            return out
        self.write(to, out)
        return to

    word.__name__ = name
    return word


def on_numpy(name):
    """A word that mlx has no functions for: computed by numpy, on copies."""

    def word(self, *args):
        k = cpu.table(self.dtype)
        return _from_numpy(self, getattr(k, name)(*[_to_numpy(self, a) for a in args]))

    word.__name__ = name
    return word


def _to_numpy(k, value):
    if value.__class__ is MlxArray:
        return k.to_numpy(value)
    return type(value)([_to_numpy(k, v) for v in value]) if isinstance(value, (list, tuple)) else value


def _from_numpy(k, got):
    if isinstance(got, tuple):
        return tuple([_from_numpy(k, g) for g in got])
    got = np.asarray(got)
    return k.sibling(cpu.TABLES[got.dtype].dtype).import_from(got, cpu.TABLES[got.dtype])


def install(name, values):
    """Make values(k, *mlx arrays and options) the word `name`."""
    row = WORDS.get(name)
    made = elementwise(name, values, operands(name)) if row and row.family == "pointwise" else outlined(name, values)
    made.__doc__ = row and f"{row.call}: see words.py."
    setattr(MlxWords, name, made)


def word(values):
    """Declare a word: the decorated function computes its values."""
    install(values.__name__.removesuffix("_"), values)
    return values


def through_numpy(names):
    """Declare words that mlx has no functions for."""
    for name in names.split():
        setattr(MlxWords, name, on_numpy(name))


def one(x, value):
    """A number as an array of x's type."""
    return mx.array(value, x.dtype)


# What may be taken from meta as it is: views, copies, and what is made of other words.
INHERITED = frozenset(
    """apart widen narrow new asarray of strides preserved storage_offset storage_bytes may_overlap write_view copy
    contiguous with_strides reshape view permute transpose expand broadcast_to slice select squeeze unsqueeze
    diagonal unfold as_strided view_dtype view_as_real view_as_complex select_backward slice_backward
    diagonal_backward select_scatter slice_scatter diagonal_scatter as_strided_scatter need_unbatched adopt
    settled beside detached refuse_out drawn_like""".split()
) | frozenset(SPELLED)


def refuse_outlines():
    """Every other word that only meta answers goes through numpy: an outline alone must not pass for a result."""
    for cls in MetaWords.__mro__[:-1]:
        for name, word in vars(cls).items():
            if callable(word) and name not in vars(MlxWords) and name not in INHERITED and not name.startswith("_"):
                setattr(MlxWords, name, on_numpy(name))


# ---- the tables

TABLES: dict = {}


def table(dtype, place="mlx") -> MlxWords:
    """The table of an element type on `mlx` (mlx's default device) or `mps` (the same, where that is Apple's GPU)."""
    kind, index = getattr(place, "type", place), getattr(place, "index", None)
    if index:
        raise RuntimeError(f"{kind} has one device, {kind}:0; there is no {kind}:{index}")
    found = TABLES.get((dtype, kind))
    if found is None:
        found = TABLES[dtype, kind] = _make_table(dtype, kind)
    return found


def _make_table(dtype, kind):
    if kind == "mps" and not mx.metal.is_available():
        raise RuntimeError("PyTorch is not linked with support for mps devices")
    if dtype not in KINDS:
        raise TypeError(f"mlx has no element type {dtype.name}: use a tensor on the CPU, or another type")
    if dtype is dtypes.float64 and mx.default_device().type == mx.gpu:
        raise TypeError(
            "Cannot convert a MPS Tensor to float64 dtype as the MPS framework doesn't support float64. Please use "
            "float32 instead."
        )
    return MlxWords(dtype, device(kind, 0))
