"""Sizes, strides and dimensions: the arithmetic of shapes, with torch's messages."""

import math
from typing import SupportsIndex, overload

from .symbolic import SymInt


class Size(tuple[int, ...]):
    """The shape of a tensor: a tuple of ints that prints as torch.Size([2, 3])."""

    __slots__ = ()

    def __new__(cls, sizes=()):
        if type(sizes) is tuple:
            return tuple.__new__(cls, sizes)
        if hasattr(type(sizes), "__torch_function__"):  # a tensor has its elements as tensors
            raise TypeError("torch.Size() takes an iterable of 'int' (item 0 is 'Tensor')")
        sizes = tuple(sizes)
        for i, n in enumerate(sizes):
            if not isinstance(n, int) and not hasattr(n, "__index__"):
                raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(n).__name__}')")
        return tuple.__new__(cls, [n if isinstance(n, SymInt) else int(n) for n in sizes])

    def numel(self) -> int:
        """The number of elements of a tensor of this size."""
        return math.prod(self)

    def __repr__(self):
        return f"torch.Size([{', '.join(map(str, self))}])"

    __str__ = __repr__

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> "Size": ...

    def __getitem__(self, index):
        got = tuple.__getitem__(self, index)
        return Size(got) if type(index) is slice else got

    def __add__(self, other) -> "Size":
        return Size(tuple.__add__(self, tuple(other)))

    def __radd__(self, other) -> "Size":
        return Size(tuple(other) + tuple(self))

    def __mul__(self, times) -> "Size":
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__

    def __reduce__(self):
        return Size, (tuple(self),)


def wrap_dim(dim: int, ndim: int) -> int:
    """A dimension counted from the front; IndexError with torch's message when there is none such."""
    limit = ndim or 1
    if -limit <= dim < limit:
        return dim + limit if dim < 0 else dim
    raise IndexError(f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})")


def wrap_dims(dim, ndim: int) -> tuple:
    """Several dimensions (an int, a sequence, or None for all) as a tuple counted from the front, none twice."""
    if dim is None:
        return tuple(range(ndim))
    if isinstance(dim, int):
        return (wrap_dim(dim, ndim),)
    if hasattr(dim, "__index__") and not isinstance(dim, (tuple, list)):
        return (wrap_dim(int(dim), ndim),)
    dims = tuple(wrap_dim(int(d), ndim) for d in dim)
    if len(set(dims)) != len(dims):
        twice = next(d for d in dims if dims.count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return dims


def broadcast_shapes(*shapes) -> Size:
    """broadcast_shapes(*shapes) -> Size: the shape that all of them expand to."""
    ndim = max((len(s) for s in shapes if not isinstance(s, int)), default=0)
    result = [1] * max(ndim, 1 if any(isinstance(s, int) for s in shapes) else 0)
    for at, shape in enumerate(shapes):
        shape = (shape,) if isinstance(shape, int) else shape
        for i in range(-1, -1 - len(shape), -1):
            n = shape[i]
            if n < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            if n == 1 or n == result[i]:
                continue
            if result[i] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {n} at {i}! Mismatching argument at index {at} had "
                    f"{shape}; but expected shape should be broadcastable to {result}"
                )
            result[i] = n
    return Size(tuple(result))


def broadcast_pair(a: tuple, b: tuple) -> tuple:
    """The broadcast shape of two operands, with the message of torch's elementwise operators."""
    if a == b or not a:
        return tuple(b)
    result, long = list(a if len(a) >= len(b) else b), max(len(a), len(b))
    for i in range(1, min(len(a), len(b)) + 1):
        m, n = a[-i], b[-i]
        if m != n and m != 1 and n != 1:
            raise RuntimeError(
                f"The size of tensor a ({m}) must match the size of tensor b ({n}) "
                f"at non-singleton dimension {long - i}"
            )
        result[-i] = n if m == 1 else m
    return tuple(result)


def contiguous_strides(shape) -> tuple:
    """The strides, in elements, of a dense row-major tensor."""
    strides, step = [0] * len(shape), 1
    for i in range(len(shape) - 1, -1, -1):
        strides[i] = step
        step *= shape[i] or 1
    return tuple(strides)


def is_contiguous(shape, strides) -> bool:
    """Row-major and dense; size-1 dimensions may have any stride, and empty tensors any strides."""
    if 0 in shape:
        return True
    step = 1
    for n, s in zip(reversed(shape), reversed(strides)):
        if n == 0:
            return True
        if n != 1:
            if s != step:
                return False
            step *= n
    return True


def memory_order(shape, strides) -> list:
    """The dimensions from the outermost to the innermost in memory, as torch's TensorIterator sorts them."""
    order = list(range(len(shape) - 1, -1, -1))  # innermost first while sorting

    def inner_first(a, b):  # < 0: a goes further in than b; 0: cannot tell
        if strides[a] == 0 or strides[b] == 0:
            return 0
        if strides[a] != strides[b]:
            return -1 if strides[a] < strides[b] else 1
        return -1 if shape[a] < shape[b] else 0

    return settled(order, inner_first)[::-1]


def settled(order, inner_first) -> list:
    """TensorIterator's insertion sort: `order` with each dimension moved inwards past those it goes further in than;
    inner_first(a, b) is negative for that, positive for the contrary, 0 where it cannot tell (the search goes on)."""
    for i in range(1, len(order)):
        at = i
        for j in range(i - 1, -1, -1):
            verdict = inner_first(order[at], order[j])
            if verdict < 0:
                order[at], order[j] = order[j], order[at]
                at = j
            elif verdict > 0:
                break
    return order


def ordered_strides(shape, operands) -> tuple:
    """Dense strides in the memory order that the operands' strides ask for, the first operand that tells deciding."""

    def inner_first(a, b):
        for strides in operands:
            s, t = strides[a], strides[b]
            if s == 0 or t == 0:
                continue
            if s != t:
                return -1 if s < t else 1
            if shape[a] < shape[b]:
                return -1
        return 0

    row_major = list(range(len(shape) - 1, -1, -1))
    order = settled(row_major[:], inner_first)
    return contiguous_strides(shape) if order == row_major else _filled(shape, order, 0)


def _filled(shape, order, least=1) -> tuple:
    """Dense strides, the dimensions given from the innermost to the outermost; `least`: what an empty one counts as."""
    strides, step = [0] * len(shape), 1
    for d in order:
        strides[d] = step
        step *= max(shape[d], least)
    return tuple(strides)


def preserved_strides(shape, strides) -> tuple:
    """The strides torch gives `empty_like(x)`: x's own when dense, else dense ones in the same memory order."""
    if is_dense(shape, strides):
        return tuple(strides)
    return _filled(shape, memory_order(shape, strides)[::-1])


def is_dense(shape, strides) -> bool:
    """Non-overlapping and without holes: a permutation of a contiguous tensor."""
    if is_contiguous(shape, strides):
        return True
    if 0 in shape:
        return True
    step = 1
    for s, n in sorted((s, n) for n, s in zip(shape, strides) if n != 1):
        if s != step:
            return False
        step *= n
    return True


def overlaps_itself(shape, strides) -> bool:
    """True when two elements share one place in memory for sure (an expanded dimension)."""
    return 0 not in shape and any(n > 1 and s == 0 for n, s in zip(shape, strides))


def infer_size(shape, numel: int) -> tuple:
    """`shape` with its one -1 filled in so that it holds `numel` elements."""
    shape = tuple(n if isinstance(n, SymInt) else int(n) for n in shape)
    unknown = [i for i, n in enumerate(shape) if n == -1]
    if len(unknown) > 1:
        raise RuntimeError("only one dimension can be inferred")
    bad = next((i for i, n in enumerate(shape) if n < -1), None)
    if bad is not None:
        raise RuntimeError(f"invalid shape dimension {shape[bad]} at index {bad} of shape {list(shape)}")
    known = math.prod(n for n in shape if n != -1)
    if unknown:
        if known == 0 and numel == 0:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
                "dimension size -1 can be any value and is ambiguous"
            )
        if known and numel % known == 0:
            return shape[: unknown[0]] + (numel // known,) + shape[unknown[0] + 1 :]
    elif known == numel:
        return shape
    raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")


def view_strides(shape, strides, new_shape):
    """The strides with which the same memory reads as `new_shape`, or None when it cannot (torch's computeStride)."""
    if math.prod(shape) == 0:
        return tuple(strides) if tuple(shape) == tuple(new_shape) else contiguous_strides(new_shape)
    if not shape:
        return (1,) * len(new_shape)
    result, at = [0] * len(new_shape), len(new_shape) - 1
    base, chunk, taken = strides[-1], 1, 1
    for d in range(len(shape) - 1, -1, -1):
        chunk *= shape[d]
        if d == 0 or (shape[d - 1] != 1 and strides[d - 1] != chunk * base):
            while at >= 0 and (taken < chunk or new_shape[at] == 1):
                result[at] = taken * base
                taken *= new_shape[at]
                at -= 1
            if taken != chunk:
                return None
            if d > 0:
                base, chunk, taken = strides[d - 1], 1, 1
    return tuple(result) if at == -1 else None


def has_channels_last(shape, strides):
    """Are the channels innermost in memory? (torch counts an N111 tensor as ordinary.)"""
    n = len(shape)
    if n not in (4, 5) or strides[1] != 1:
        return False
    step = 0
    for d in (1, *range(n - 1, 1, -1), 0):
        if shape[d] == 0 or strides[d] < step or d == 0 and step == strides[1]:
            return False
        step = strides[d] * max(shape[d], 1)
    return True


def channels_last_strides(shape):
    """Dense strides with the channels innermost."""
    inner = contiguous_strides((shape[0], *shape[2:], shape[1]))
    return (inner[0], inner[-1], *inner[1:-1])


def fft_order(strides, dims, onesided) -> tuple:
    """The dimensions of a Fourier transform's result by memory, the slowest first: those that are not transformed as
    they lie in the input, then those that are, likewise; the last of dims is the fastest where half of it is left out.
    """

    def as_they_lie(chosen):
        return sorted(chosen, key=lambda d: -strides[d])

    last = dims[-1:] if onesided else ()
    batch = [d for d in range(len(strides)) if d not in dims]
    return (*as_they_lie(batch), *as_they_lie(dims[: len(dims) - len(last)]), *last)
