"""Several parts of a tensor at once, sharing its memory: unbind, split, chunk, tensor_split and relatives."""

from ..._backend.core import func_op
from ..._backend.families import Own, View
from ..._backend.registry import public
from ..._backend.signatures import int_list
from ..._base.dtype import SCALAR_NAMES
from ..._base.shape import wrap_dim
from ..._base.state import DISPATCH
from ..._tensor.tensor import Tensor
from .slicing import plain_int, slice_of
from .view import sizes


class unbind(View):
    """unbind(input, dim=0) -> tuple of the slices along dim."""

    @func_op(1, None)
    def forward(xp, input, dim=0):
        return tuple([xp.select(input, dim, i) for i in range(input.shape[dim])])

    def numpy(k, input, dim):
        if dim == 0 and input.ndim > 1 and input.size:
            return tuple(input)
        return tuple([k.select(input, dim, i) for i in range(input.shape[dim])])

    def prepare(input, dim):
        dim = wrap_dim(dim, input.ndim)
        if not input.ndim:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        return (dim,)

    def backward(xp, needs, g, dim, shape):
        part = shape[:dim] + shape[dim + 1 :]
        return (xp.stack([xp.zeros(part) if x is None else x for x in g], dim),)


def _split_forward(xp, input, sizes, dim):
    parts, start = [], 0
    for n in sizes:
        parts.append(xp.slice(input, dim, start, start + n, 1))
        start += n
    return tuple(parts)


def _split_backward(xp, g, sizes, dim, shape):
    def part(n):
        return shape[:dim] + (n,) + shape[dim + 1 :]

    return (xp.cat([xp.zeros(part(n)) if x is None else x for x, n in zip(g, sizes)], dim),)


def _even(n, size):
    """Sizes of the parts of n cut every `size`."""
    count = max((n + size - 1) // size, 1) if size else 1
    return [size] * (count - 1) + [n - size * (count - 1)] if size else [0]


class split_every(View):
    """Parts of split_size slices each, the last one smaller if need be."""

    name, node_name, method, namespace = "split_every", "SplitBackward0", False, None

    @func_op(1, None)
    def forward(xp, input, split_size, dim=0):
        return _split_forward(xp, input, _even(input.shape[dim], split_size), dim)

    def prepare(input, split_size, dim):
        if not input.ndim:
            wrap_dim(dim, input.ndim)
            raise RuntimeError("split expects at least a 1-dimensional tensor")
        if split_size < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
        dim = wrap_dim(dim, input.ndim)
        if split_size == 0 and input.shape[dim]:
            raise RuntimeError(
                f"split_size can only be 0 if dimension size is 0, but got dimension size of {input.shape[dim]}"
            )
        return split_size, dim

    def backward(xp, needs, g, split_size, dim, shape):
        return _split_backward(xp, g, _even(shape[dim], split_size), dim, shape)


class split_with_sizes(View):
    """split_with_sizes(input, split_sizes, dim=0) -> tuple of parts of the given sizes."""

    @func_op(1, None)
    def forward(xp, input, split_sizes, dim=0):
        return _split_forward(xp, input, split_sizes, dim)

    def prepare(input, split_sizes, dim):
        dim = wrap_dim(dim, input.ndim)
        if not input.ndim:
            raise RuntimeError("split expects at least a 1-dimensional tensor")
        split_sizes = sizes(split_sizes)
        if any(n < 0 for n in split_sizes):
            raise RuntimeError(
                "split_with_sizes expects split_sizes have only non-negative entries, but got "
                f"split_sizes={list(split_sizes)}"
            )
        if sum(split_sizes) != input.shape[dim]:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {input.shape[dim]} (input "
                f"tensor's size at dimension {dim}), but got split_sizes={list(split_sizes)}"
            )
        return split_sizes, dim

    def backward(xp, needs, g, split_sizes, dim, shape):
        return _split_backward(xp, g, split_sizes, dim, shape)


class unsafe_split_every(Own):
    """Like split; the parts share memory and the graph does not know it (torch's "unsafe")."""

    name, node_name, method, namespace, promote = "unsafe_split_every", "UnsafeSplitBackward0", False, None, "keep"

    @func_op(1, None)
    def forward(xp, input, split_size, dim=0):
        return _split_forward(xp, input, _even(input.shape[dim], split_size), dim)

    prepare = split_every.prepare

    def backward(xp, needs, g, split_size, dim, shape):
        return _split_backward(xp, g, _even(shape[dim], split_size), dim, shape)


class unsafe_split_with_sizes(Own):
    """unsafe_split_with_sizes(input, split_sizes, dim=0) -> tuple:
    like split_with_sizes; the parts are not views to autograd.
    """

    promote = "keep"

    @func_op(1, None)
    def forward(xp, input, split_sizes, dim=0):
        return _split_forward(xp, input, split_sizes, dim)

    prepare = split_with_sizes.prepare

    def backward(xp, needs, g, split_sizes, dim, shape):
        return _split_backward(xp, g, split_sizes, dim, shape)


_split_every, _unsafe_split_every = split_every.fn, unsafe_split_every.fn


@public()
def split(tensor, split_size_or_sections, dim=0):
    """split(tensor, split_size_or_sections, dim=0) -> tuple of views: parts of one size, or of the sizes given."""
    size = split_size_or_sections
    if isinstance(size, Tensor) and size._array.size == 1:
        size = int(size)
    if isinstance(size, int) and not isinstance(size, bool):
        return _split_every(tensor, size, dim)
    if isinstance(size, bool):
        raise TypeError("split(): argument 'split_size' (position 2) must be int, not bool")
    return split_with_sizes.fn(tensor, int_list("split_with_sizes", "split_sizes", size), dim)


def _split_method(self, split_size, dim=0):
    """split(split_size, dim=0) -> tuple of views: parts of one size, or of the sizes given."""
    return split(self, split_size, dim)


Tensor.split = _split_method
split_every.fn = split


@public(method=True)
def unsafe_split(input, split_size, dim=0):
    """unsafe_split(input, split_size, dim=0) -> tuple: like split; the parts are not views to autograd."""
    return _unsafe_split_every(input, plain_int(split_size), dim)


def _chunk_size(input, chunks, dim):
    if not input._array.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    dim = wrap_dim(dim, input._array.ndim)
    n = input._array.shape[dim]
    return n, (n + chunks - 1) // chunks, dim


@public(method=True)
def chunk(input, chunks, dim=0):
    """chunk(input, chunks, dim=0) -> tuple of at most `chunks` views, all of one size but the last."""
    given = dim
    n, size, dim = _chunk_size(input, chunks, dim)
    if not n:
        return split_with_sizes.fn(input, (0,) * chunks, dim)
    return _split_every(input, size, dim if not DISPATCH else given)  # modes see it as it was written


@public(method=True)
def unsafe_chunk(input, chunks, dim=0):
    """unsafe_chunk(input, chunks, dim=0) -> tuple: like chunk; the parts are not views to autograd."""
    n, size, dim = _chunk_size(input, chunks, dim)
    if not n:
        return unsafe_split_with_sizes.fn(input, (0,) * chunks, dim)
    return _unsafe_split_every(input, size, dim)


@public(method=True)
def tensor_split(input, indices_or_sections, dim=0):
    """tensor_split(input, indices_or_sections, dim=0) -> tuple of views:
    that many nearly equal parts, or cut at the indices.
    """
    d = input._array
    if not d.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    dim = wrap_dim(dim, d.ndim)
    if isinstance(indices_or_sections, Tensor):
        given = indices_or_sections
        if given._array.ndim > 1 or given.dtype.name != "int64":
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, "
                f"but got a tensor with {given._array.ndim} dims"
                if given._array.ndim > 1
                else "tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
                f"{SCALAR_NAMES[given.dtype]}"
            )
        indices_or_sections = given.tolist()
    n = d.shape[dim]
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        if count <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {count}")
        small, more = divmod(n, count)
        cuts = [i * small + min(i, more) for i in range(1, count)]
    else:
        cuts = [plain_int(i) for i in indices_or_sections]
    parts, start = [], 0
    for cut in [*cuts, n]:
        parts.append(slice_of.fn(input, dim, start, cut, 1))
        start = cut
    return tuple(parts)


def _split_along(name, dim_of, least, what):
    def f(input, indices_or_sections, *more, **kwargs):
        given = kwargs.get("indices", kwargs.get("sections", indices_or_sections)) if kwargs else indices_or_sections
        if more:
            given = (given, *more)
        d = input._array
        if d.ndim < least:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {what}, but got a tensor with {d.ndim} dimensions!"
            )
        dim = dim_of(d.ndim)
        if isinstance(given, str) or not isinstance(given, (int, tuple, list)):
            raise TypeError(
                f"{name}(): argument 'indices_or_sections' (position 2) must be int or tuple of ints, not "
                f"{type(given).__name__}"
            )
        if isinstance(given, int):
            if given == 0 or d.shape[dim] % given:
                raise RuntimeError(
                    f"torch.{name} attempted to split along dimension {dim}, but the size of the "
                    f"dimension {d.shape[dim]} is not divisible by the split_size {given}!"
                )
        return tensor_split(input, given, dim)

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"{name}(input, indices_or_sections) -> tuple of views, cut along one dimension (see tensor_split)."
    return public(method=True)(f)


hsplit = _split_along("hsplit", lambda n: 0 if n == 1 else 1, 1, "1 dimension")
vsplit = _split_along("vsplit", lambda n: 0, 2, "2 dimension")
dsplit = _split_along("dsplit", lambda n: 2, 3, "3 dimension")
