"""Arrays that carry torch's sizes, strides and offset themselves: what the `meta` and `mlx` devices have in common.

A StridedArray is a window into memory that its `base` (or itself, when base is None) owns. Views are arithmetic on
strides. What the memory is, if anything, is the subclass's affair.
"""

import math

from ..._base import dtype as dtypes
from ..._base.shape import (
    contiguous_strides,
    is_contiguous,
    is_dense,
    ordered_strides,
    preserved_strides,
    view_strides,
)
from ..._base.symbolic import slice_indices
from ..table import owner


class _Flags:
    writeable = c_contiguous = True


class StridedArray:
    """A window: table `k`, shape, strides and offset in elements, and the array that owns the memory (None: itself)."""

    __slots__ = ("k", "shape", "strides", "offset", "size", "base", "rows", "__weakref__")
    __array_ufunc__ = None
    __hash__ = object.__hash__
    flags = _Flags

    def __init__(self, k, shape, strides=None, offset=0, base=None):
        self.k, self.shape, self.offset, self.base = k, shape, offset, base
        self.rows = strides is None  # made row-major: a quick yes, no says nothing
        self.strides = contiguous_strides(shape) if strides is None else strides
        self.size = math.prod(shape)

    def twin(self, k):
        """A new array of table k like this one, which is row-major and an owner or as good as one."""
        out = object.__new__(self.__class__)
        out.k, out.shape, out.strides, out.size = k, self.shape, self.strides, self.size
        out.offset, out.base, out.rows = 0, None, True
        return out

    ndim = property(lambda self: len(self.shape))
    dtype = property(lambda self: self.k.dtype)
    itemsize = property(lambda self: self.k.dtype.itemsize)
    nbytes = property(lambda self: self.size * self.k.dtype.itemsize)

    def window(self, shape, strides, offset=0):
        """The same memory read otherwise; offset counts from the first element of self."""
        return self.__class__(
            self.k, tuple(shape), tuple(strides), self.offset + offset, self if self.base is None else self.base
        )

    def __repr__(self):
        return f"<{self.k!r} {self.shape}>"

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    __iter__ = None

    def __bool__(self):
        return bool(self.item())

    def __int__(self):
        return int(self.item())

    def __float__(self):
        return float(self.item())

    def __index__(self):
        return self.item().__index__()

    def item(self):
        """The only element as a Python number."""
        return self.k.to_numpy(self).item()

    def __array__(self, dtype=None, copy=None):
        return self.k.to_numpy(self)


def _number_first(word):
    def reverse(self, other):
        return getattr(self.k, word)(other, self)

    return reverse


def _operator(word):
    def operate(self, other):
        return getattr(self.k, word)(self, other)

    return operate


def _unary(word):
    def operate(self):
        return getattr(self.k, word)(self)

    return operate


for _sign, _word in {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "pow": "pow",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "matmul": "matmul",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}.items():
    setattr(StridedArray, f"__{_sign}__", _operator(_word))
    setattr(StridedArray, f"__r{_sign}__", _number_first(_word))
for _sign in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(StridedArray, f"__{_sign}__", _operator(_sign))
for _sign, _word in {"neg": "neg", "abs": "abs", "invert": "bitwise_not"}.items():
    setattr(StridedArray, f"__{_sign}__", _unary(_word))


# ---- the layout of an elementwise result


def joint_shape(arrays):
    """The shape that arrays broadcast to; ValueError if they do not."""
    shape = arrays[0].shape
    for a in arrays[1:]:
        other = a.shape
        if other == shape:
            continue
        if len(other) > len(shape):
            shape, other = other, shape
        skip = len(shape) - len(other)
        merged = list(shape)
        for i, n in enumerate(other, skip):
            if merged[i] == 1:
                merged[i] = n
            elif n != 1 and n != merged[i]:
                raise ValueError(
                    f"operands could not be broadcast together with shapes {' '.join(str(a.shape) for a in arrays)}"
                )
        shape = tuple(merged)
    return shape


def _last_channel_strides(shape):
    """The strides of the channels_last formats, or None for other numbers of dimensions."""
    if len(shape) not in (4, 5):
        return None
    strides, step = [0] * len(shape), 1
    for d in (1, *range(len(shape) - 1, 1, -1), 0):
        strides[d] = step
        step *= max(shape[d], 1)
    return tuple(strides)


def is_channels_last(shape, strides) -> bool:
    """torch's test: dense in the order N, H, W, C."""
    wanted = _last_channel_strides(shape)
    return wanted is not None and all(n == 1 or s == w for n, s, w in zip(shape, strides, wanted))


def suggests_channels_last(shape, strides) -> bool:
    """torch's `suggest_memory_format`: do these strides say that channels come last?"""
    if len(shape) not in (4, 5) or 0 in shape or strides[1] == 0:
        return False
    least = 0
    for d in (1, *range(len(shape) - 1, 1, -1), 0):
        if strides[d] < least or d == 0 and least == strides[1]:
            return False
        least = strides[d] * max(shape[d], 1)
    return True


def joint_layout(arrays, numbers=False):
    """(shape, strides) of an elementwise result of these arrays, as torch's TensorIterator lays it out.

    numbers: does a Python number take part (torch makes it a 0-dim operand)?
    """
    first = arrays[0]
    shape, strides = first.shape, first.strides
    alike = not numbers or not shape
    for a in arrays[1:]:
        if a.shape != shape:
            alike = False
            break
    if alike:
        if all(a.strides == strides for a in arrays) and is_dense(shape, strides):
            return shape, contiguous_strides(shape) if is_contiguous(shape, strides) else strides
        if all(is_contiguous(shape, a.strides) for a in arrays):
            return shape, contiguous_strides(shape)
        if all(is_channels_last(shape, a.strides) for a in arrays):
            return shape, _last_channel_strides(shape)
    shape = joint_shape(arrays)
    return shape, ordered_strides(shape, [_stretched(a.shape, a.strides, shape) for a in arrays])


def _stretched(shape, strides, wanted):
    """Strides for a broadcast: 0 along what is repeated."""
    skip = len(wanted) - len(shape)
    return (0,) * skip + tuple([0 if n == 1 != m else s for n, s, m in zip(shape, strides, wanted[skip:])])


# ---- views


class StridedViews:
    """The view words: exact arithmetic on sizes and strides."""

    def view(self, x, shape):
        """x's memory in another shape, or None where torch cannot view it so."""
        strides = view_strides(x.shape, x.strides, tuple(shape))
        return None if strides is None else x.window(shape, strides)

    def reshape(self, x, shape):
        got = self.view(x, shape)
        if got is None:
            got = self.view(self.with_strides(x, None), shape)
        if got is None:  # as an array library has it: never None, which is a missing operand to many a rule
            raise ValueError(f"cannot reshape array of shape {tuple(x.shape)} into shape {tuple(shape)}")
        return got

    def permute(self, x, dims):
        return x.window([x.shape[d] for d in dims], [x.strides[d] for d in dims])

    def transpose(self, x, dim0, dim1):
        dims = list(range(len(x.shape)))
        if dims:
            dims[dim0], dims[dim1] = dim1, dim0
        return self.permute(x, dims)

    def expand(self, x, shape):
        shape = tuple(shape)
        new = len(shape) - len(x.shape)
        if new < 0 or any(n != m and n != 1 for n, m in zip(x.shape, shape[new:])):
            raise ValueError(f"cannot expand {x.shape} to {shape}")
        strides = [0] * new + [0 if n == 1 != m else s for n, s, m in zip(x.shape, x.strides, shape[new:])]
        for i in range(new - 1, -1, -1):  # torch: a new dimension of size 1 is unsqueezed, only longer ones repeat
            if shape[i] == 1:
                strides[i] = strides[i + 1] * shape[i + 1] if i + 1 < len(shape) else 1
        return x.window(shape, strides)

    broadcast_to = expand

    def slice(self, x, dim, start, end, step):
        n, s = x.shape[dim], x.strides[dim]
        start, end, step = slice_indices(slice(start, end, step), n)
        count = max(0, -(-(end - start) // step))
        return x.window(
            (*x.shape[:dim], count, *x.shape[dim + 1 :]), (*x.strides[:dim], s * step, *x.strides[dim + 1 :]), start * s
        )

    def select(self, x, dim, index):
        index = int(index)
        if index < 0:
            index += x.shape[dim]
        return x.window(
            x.shape[:dim] + x.shape[dim + 1 :], x.strides[:dim] + x.strides[dim + 1 :], index * x.strides[dim]
        )

    def squeeze(self, x, dim):
        keep = [d for d in range(len(x.shape)) if d not in dim or x.shape[d] != 1]
        return x.window([x.shape[d] for d in keep], [x.strides[d] for d in keep])

    def unsqueeze(self, x, dim):
        step = x.strides[dim] * x.shape[dim] if dim < len(x.shape) else 1
        return x.window((*x.shape[:dim], 1, *x.shape[dim:]), (*x.strides[:dim], step, *x.strides[dim:]))

    def diagonal(self, x, offset, dim1, dim2):
        rows, columns = x.shape[dim1], x.shape[dim2]
        down, right = x.strides[dim1], x.strides[dim2]
        n = max(0, min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns))
        start = 0 if not n else offset * right if offset >= 0 else -offset * down
        rest = [d for d in range(len(x.shape)) if d not in (dim1, dim2)]
        return x.window([*[x.shape[d] for d in rest], n], [*[x.strides[d] for d in rest], down + right], start)

    def unfold(self, x, dim, size, step):
        if not x.shape:
            return x.window((size,), (1,))
        count, s = (x.shape[dim] - size) // step + 1, x.strides[dim]
        return x.window(
            (*x.shape[:dim], count, *x.shape[dim + 1 :], size), (*x.strides[:dim], s * step, *x.strides[dim + 1 :], s)
        )

    def as_strided(self, x, size, stride, offset):
        """A window into the memory behind x; offset counts elements from x's first."""
        return x.window(size, stride, offset)

    def view_dtype(self, x, dtype):
        """The bytes of x as elements of another type; the last dimension grows or shrinks with their size."""
        old, new = x.itemsize, dtype.itemsize
        out = x.window(x.shape, x.strides)
        out.k = self.sibling(dtype)
        if old != new:
            last, strides = x.shape[-1] * old // new, [s * old // new for s in x.strides[:-1]]
            out.shape, out.strides, out.offset = (*x.shape[:-1], last), (*strides, 1), x.offset * old // new
            out.size = math.prod(out.shape)
        return out

    def view_as_real(self, x):
        """Complex numbers as pairs of real ones, in a new last dimension."""
        out = x.window((*x.shape, 2), (*[2 * s for s in x.strides], 1))
        out.k, out.offset = x.k.sibling(x.dtype.to_real()), 2 * x.offset
        return out

    def view_as_complex(self, x):
        out = x.window(x.shape[:-1], [s // 2 for s in x.strides[:-1]])
        out.k, out.offset = x.k.sibling(dtypes.complex_of(x.dtype)), x.offset // 2
        return out

    # ---- the transposes of views: zeros of `shape` with g where the view was

    def _with_part(self, g, shape, read, *how):
        out = self.of(g).zeros(shape)
        self.write(read(out, *how), g)
        return out

    def select_backward(self, g, shape, dim, index):
        return self._with_part(g, shape, self.select, dim, index)

    def slice_backward(self, g, shape, dim, start, end, step):
        return self._with_part(g, shape, self.slice, dim, start, end, step)

    def diagonal_backward(self, g, shape, offset, dim1, dim2):
        return self._with_part(g, shape, self.diagonal, offset, dim1, dim2)

    # ---- copies of x with src where the view is

    def _with_view(self, x, src, read, *how):
        out = self.copy(x)
        self.write(read(out, *how), src)
        return out

    def select_scatter(self, x, src, dim, index):
        return self._with_view(x, src, self.select, dim, index)

    def slice_scatter(self, x, src, dim, start, end, step):
        return self._with_view(x, src, self.slice, dim, start, end, step)

    def diagonal_scatter(self, x, src, offset, dim1, dim2):
        return self._with_view(x, src, self.diagonal, offset, dim1, dim2)

    def as_strided_scatter(self, x, src, size, stride, offset, in_stride):
        """A copy of x, laid out as in_stride says, in which the window (size, stride, offset) holds src."""
        out = self.with_strides(x, in_stride)
        self.write(self.as_strided(out, size, stride, offset), src)
        return out

    def strides(self, x):
        return x.strides

    def storage_offset(self, x, home=None):
        return x.offset

    def data_ptr(self, x):
        return x.offset * x.itemsize

    def storage_bytes(self, x):
        """How many bytes the memory that x lies in has."""
        return (x if x.base is None else x.base).nbytes

    def may_overlap(self, a, b):
        """Do the stretches of memory of two arrays meet?"""
        (a0, a1), (b0, b1) = _stretch(a), _stretch(b)
        return owner(a) is owner(b) and a0 < b1 and b0 < a1

    def preserved(self, x):
        """The strides of a copy of x: its own when dense, else dense ones in the same order."""
        return preserved_strides(x.shape, x.strides)


def _stretch(x):
    """(the first byte of x's memory, the byte after its last), counted from its owner's first."""
    start = x.offset * x.itemsize
    return start, start + (x.itemsize * (1 + sum((n - 1) * s for n, s in zip(x.shape, x.strides))) if x.size else 0)


__all__ = [
    "StridedArray",
    "StridedViews",
    "contiguous_strides",
    "is_channels_last",
    "is_contiguous",
    "is_dense",
    "joint_layout",
    "joint_shape",
    "ordered_strides",
    "preserved_strides",
    "suggests_channels_last",
]
