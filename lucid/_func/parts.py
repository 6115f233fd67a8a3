"""Parts of a tensor that share its memory: select, slice, narrow, diagonal, unfold, as_strided, split, chunk, unbind."""
import math

from .._backend.core import FUNCTIONS, func_op, public, tensor_method, unary_func_op
from .._backend.families import Indexing, Own, View
from .._base.shape import wrap_dim
from .._tensor.tensor import Tensor
from .view import sizes


def _plain_int(n):
    return n if type(n) is int else n.__index__()


# ---- one slice, or a range of them

class select(View):
    """select(input, dim, index) -> Tensor: the slice at index, without dimension dim."""

    @unary_func_op()
    def forward(xp, input, dim, index):
        return xp.select(input, dim, index)

    def prepare(input, dim, index):
        if not input.ndim:
            raise IndexError("select() cannot be applied to a 0-dim tensor.")
        dim, index = wrap_dim(dim, input.ndim), _plain_int(index)
        n = input.shape[dim]
        if not -n <= index < n:
            raise IndexError(f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {dim}")
        return dim, index + n if index < 0 else index

    def grad_input(xp, g, dim, index, shape):
        return xp.select_backward(g, shape, dim, index)


class slice_of(View):
    """The elements start:end:step of one dimension."""

    name, node, method, home = "slice", "SliceBackward0", False, None

    @unary_func_op()
    def forward(xp, input, dim=0, start=None, end=None, step=1):
        return xp.slice(input, dim, start, end, step)

    def prepare(input, dim, start, end, step):
        if not input.ndim:
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        dim = wrap_dim(dim, input.ndim)
        if step < 1:
            raise RuntimeError("slice step must be positive")
        start, end, step = slice(start, end, step).indices(input.shape[dim])
        return dim, start, max(start, end), step

    def grad_input(xp, g, dim, start, end, step, shape):
        return xp.slice_backward(g, shape, dim, start, end, step)


class select_backward(Own):
    """select_backward(grad, shape, dim, index): zeros of `shape` with grad as one slice."""

    promote, method, home, linear = "keep", False, None, True

    @unary_func_op()
    def forward(xp, grad, shape, dim, index):
        return xp.select_backward(grad, shape, dim, index)

    def grad_grad(xp, g, dim, index):
        return xp.select(g, dim, index)


class slice_backward(Own):
    """slice_backward(grad, shape, dim, start, end, step): zeros of `shape` with grad as a range of slices."""

    promote, method, home, linear = "keep", False, None, True

    @unary_func_op()
    def forward(xp, grad, shape, dim, start, end, step):
        return xp.slice_backward(grad, shape, dim, start, end, step)

    def grad_grad(xp, g, dim, start, end, step):
        return xp.slice(g, dim, start, end, step)


@public(method=True)
def narrow(input, dim, start, length):
    """narrow(input, dim, start, length) -> Tensor: `length` slices of dim from start on, a view."""
    if not input._d.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if isinstance(start, Tensor):
        if start._d.ndim or start._k.inexact or start._k is start._k.bool:
            raise RuntimeError("start must be an 0-dim integral Tensor.")
        start = int(start.item())
    dim = wrap_dim(dim, input._d.ndim)
    n, start, length = input._d.shape[dim], _plain_int(start), _plain_int(length)
    if not -n <= start <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
    start = start + n if start < 0 else start
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return slice_of.fn(input, dim, start, start + length, 1)


class narrow_copy(Own):
    """narrow_copy(input, dim, start, length) -> Tensor: like narrow, in memory of its own."""

    promote, linear = "keep", True

    @unary_func_op()
    def forward(xp, input, dim, start, length):
        return xp.contiguous(xp.copy(xp.slice(input, dim, start, start + length, 1)))

    def prepare(input, dim, start, length):
        if not input.ndim:
            raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
        if length < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
        dim = wrap_dim(dim, input.ndim)
        n = input.shape[dim]
        if not -n <= start <= n:
            raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
        start = start + n if start < 0 else start
        if start + length > n:
            raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
        return dim, start, length

    def grad_input(xp, g, dim, start, length, shape):
        return xp.slice_backward(g, shape, dim, start, start + length, 1)


# ---- diagonals and windows

class diagonal(View):
    """diagonal(input, offset=0, dim1=0, dim2=1) -> Tensor: the elements i, i + offset of two dimensions, as the last one."""

    @unary_func_op()
    def forward(xp, input, offset=0, dim1=0, dim2=1):
        return xp.diagonal(input, offset, dim1, dim2)

    def prepare(input, offset, dim1, dim2):
        a, b = wrap_dim(dim1, input.ndim), wrap_dim(dim2, input.ndim)
        if a == b:
            raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
        return offset, a, b

    def grad_input(xp, g, offset, dim1, dim2, shape):
        return xp.diagonal_backward(g, shape, offset, dim1, dim2)


class diagonal_backward(Own):
    """diagonal_backward(grad, shape, offset, dim1, dim2): zeros of `shape` with grad as a diagonal."""

    promote, method, home, linear = "keep", False, None, True

    @unary_func_op()
    def forward(xp, grad, shape, offset, dim1, dim2):
        return xp.diagonal_backward(grad, shape, offset, dim1, dim2)

    def grad_grad(xp, g, offset, dim1, dim2):
        return xp.diagonal(g, offset, dim1, dim2)


class diag_embed(Own):
    """diag_embed(input, offset=0, dim1=-2, dim2=-1) -> Tensor: input's last dimension as the diagonal of new matrices."""

    promote, linear = "keep", True

    @unary_func_op()
    def forward(xp, input, offset=0, dim1=-2, dim2=-1):
        shape = list(input.shape[:-1])
        n = input.shape[-1] + abs(offset)
        for d in sorted((dim1, dim2)):
            shape.insert(d, n)
        return xp.diagonal_backward(input, tuple(shape), offset, dim1, dim2)

    def prepare(input, offset, dim1, dim2):
        a, b = wrap_dim(dim1, input.ndim + 1), wrap_dim(dim2, input.ndim + 1)
        if a == b:
            raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
        return offset, a, b

    def grad_input(xp, g, offset, dim1, dim2):
        return xp.diagonal(g, offset, dim1, dim2)


class diagonal_copy(Own):
    """diagonal_copy(input, offset=0, dim1=0, dim2=1) -> Tensor: like diagonal, in memory of its own."""

    promote, linear, node = "keep", True, "DiagonalBackward0_copy"

    @unary_func_op()
    def forward(xp, input, offset=0, dim1=0, dim2=1):
        return xp.contiguous(xp.copy(xp.diagonal(input, offset, dim1, dim2)))

    prepare = diagonal.prepare

    def grad_input(xp, g, offset, dim1, dim2, shape):
        return xp.diagonal_backward(g, shape, offset, dim1, dim2)


@public(method=True)
def diag(input, diagonal=0, *, out=None):
    """diag(input, diagonal=0) -> Tensor: a matrix's diagonal as a vector, or a matrix with a vector on its diagonal."""
    n = input._d.ndim
    if n not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {n}D")
    got = diag_embed.fn(input, diagonal) if n == 1 else diagonal_copy.fn(input, diagonal)
    return got if out is None else FUNCTIONS["store_out"]("diag", got, out)


@public(method=True)
def diagflat(input, offset=0):
    """diagflat(input, offset=0) -> 2-D Tensor with input's elements on its diagonal."""
    return diag_embed.fn(input.contiguous().view(-1), offset)


class unfold(View):
    """unfold(dimension, size, step) -> Tensor: every window of `size` slices along dimension, `step` apart, as a last one."""

    home = None

    @unary_func_op()
    def forward(xp, input, dimension, size, step):
        return xp.unfold(input, dimension, size, step)

    def prepare(input, dimension, size, step):
        dim = wrap_dim(dimension, input.ndim)
        n = input.shape[dim] if input.ndim else 1
        if size < 0:
            raise RuntimeError(f"size is {size} but must be >= 0")
        if size > n:
            raise RuntimeError(f"maximum size for tensor at dimension {dim} is {n} but size is {size}")
        if step <= 0:
            raise RuntimeError(f"step is {step} but must be > 0")
        return dim, size, step

    def grad_input(xp, g, dimension, size, step, shape):
        return xp.unfold_backward(g, shape, dimension, size, step)


class unfold_backward(Own):
    """unfold_backward(grad, shape, dim, size, step): zeros of `shape` with every window's gradient added in."""

    promote, method, home, linear = "keep", False, None, True

    @unary_func_op()
    def forward(xp, grad, shape, dim, size, step):
        return xp.unfold_backward(grad, shape, dim, size, step)

    def grad_grad(xp, g, dim, size, step):
        return xp.unfold(g, dim, size, step)


class window(View):
    """A view with any sizes and strides; offset counts elements from input's first. (`as_strided` counts from the storage's.)"""

    node, method, home = "AsStridedBackward0", False, None

    @unary_func_op()
    def forward(xp, input, size, stride, offset, input_stride):
        return xp.as_strided(input, size, stride, offset)

    def grad_input(xp, g, shape, size, stride, offset, input_stride):
        return xp.as_strided_backward(g, shape, input_stride, size, stride, offset)


class as_strided_backward(Own):
    """The gradient of `window`: grad added into the memory of a tensor (shape, in_stride)."""

    promote, method, home, linear = "keep", False, None, True

    @unary_func_op()
    def forward(xp, grad, shape, in_stride, size, stride, offset):
        return xp.as_strided_backward(grad, shape, in_stride, size, stride, offset)

    def grad_grad(xp, g, in_stride, size, stride, offset):
        return xp.window(xp.with_strides(g, in_stride), size, stride, offset, in_stride)


class with_strides(Own):
    """A copy with these strides (None: row-major); part of the graph."""

    promote, method, home, linear = "keep", False, None, True

    @unary_func_op()
    def forward(xp, input, stride):
        return xp.with_strides(input, stride)

    def grad_input(xp, g):
        return g


class window_scatter(Indexing):
    """A copy of input in which the window (size, stride, offset) holds src."""

    node, method, home = "AsStridedScatterBackward0", False, None

    @func_op(2)
    def forward(xp, input, src, size, stride, offset, input_stride):
        return xp.as_strided_scatter(input, src, size, stride, offset, input_stride)

    def grad_input(xp, g, size, stride, offset, input_stride):
        return xp.window_scatter(g, xp.zeros(size), size, stride, offset, input_stride)

    def grad_src(xp, g, size, stride, offset, input_stride):
        return xp.window(xp.with_strides(g, input_stride), size, stride, offset, input_stride)


def _window_options(input, size, stride, storage_offset):
    """(size, stride, offset from input's first element, input's stride), checked to stay inside the storage."""
    size, stride = sizes(size), sizes(stride)
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    here = input.storage_offset()
    start = here if storage_offset is None else _plain_int(storage_offset)
    if start < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {start}")
    if 0 not in size and input._k.lib == "numpy":
        item, room = input.element_size(), input._k.storage_bytes(input._d)
        need = (start + 1 + sum((n - 1) * s for n, s in zip(size, stride))) * item
        if need > room:
            raise RuntimeError(f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {start}, and itemsize {item} "
                               f"requiring a storage size of {need} are out of bounds for storage of size {room}")
    return size, stride, start - here, input.stride()


@public(method=True)
def as_strided(input, size, stride, storage_offset=None):
    """as_strided(input, size, stride, storage_offset=None) -> Tensor: a view of input's storage with these strides."""
    return window.fn(input, *_window_options(input, size, stride, storage_offset))


@tensor_method
def as_strided_(self, size, stride, storage_offset=None):
    """as_strided_(size, stride, storage_offset=None) -> self, now reading its storage with these strides."""
    from .view import become
    return become(self, window, *_window_options(self, size, stride, storage_offset))


@public(method=True)
def as_strided_scatter(input, src, size, stride, storage_offset=None):
    """as_strided_scatter(input, src, size, stride, storage_offset=None) -> Tensor: a copy whose as_strided part is src."""
    options = _window_options(input, size, stride, storage_offset)
    if src._d.shape != options[0]:
        raise RuntimeError(f"expected src to have a size equal to the slice of self. src size = {list(src._d.shape)}, slice size = "
                           f"{list(options[0])}")
    return window_scatter.fn(input, src, *options)


# ---- several parts at once

class unbind(View):
    """unbind(input, dim=0) -> tuple of the slices along dim."""

    @func_op(1, None)
    def forward(xp, input, dim=0):
        return tuple([xp.select(input, dim, i) for i in range(input.shape[dim])])

    def prepare(input, dim):
        dim = wrap_dim(dim, input.ndim)
        if not input.ndim:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        return (dim,)

    def backward(xp, needs, g, dim, shape):
        part = shape[:dim] + shape[dim + 1:]
        return (xp.stack([xp.zeros(part) if x is None else x for x in g], dim),)


def _split_forward(xp, input, sizes, dim):
    parts, start = [], 0
    for n in sizes:
        parts.append(xp.slice(input, dim, start, start + n, 1))
        start += n
    return tuple(parts)


def _split_backward(xp, g, sizes, dim, shape):
    def part(n):
        return shape[:dim] + (n,) + shape[dim + 1:]
    return (xp.cat([xp.zeros(part(n)) if x is None else x for x, n in zip(g, sizes)], dim),)


def _even(n, size):
    """Sizes of the parts of n cut every `size`."""
    count = max((n + size - 1) // size, 1) if size else 1
    return [size] * (count - 1) + [n - size * (count - 1)] if size else [0]


class split_every(View):
    """Parts of split_size slices each, the last one smaller if need be."""

    name, node, method, home = "split_every", "SplitBackward0", False, None

    @func_op(1, None)
    def forward(xp, input, split_size, dim=0):
        return _split_forward(xp, input, _even(input.shape[dim], split_size), dim)

    def prepare(input, split_size, dim):
        dim = wrap_dim(dim, input.ndim)
        if not input.ndim:
            raise RuntimeError("split expects at least a 1-dimensional tensor")
        if split_size < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={split_size}")
        if split_size == 0 and input.shape[dim]:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {input.shape[dim]}")
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
            raise RuntimeError(f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes="
                               f"{list(split_sizes)}")
        if sum(split_sizes) != input.shape[dim]:
            raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {input.shape[dim]} (input tensor's size at "
                               f"dimension {dim}), but got split_sizes={list(split_sizes)}")
        return split_sizes, dim

    def backward(xp, needs, g, split_sizes, dim, shape):
        return _split_backward(xp, g, split_sizes, dim, shape)


class unsafe_split_every(Own):
    """Like split, each part in memory of its own as far as the graph is concerned."""

    name, node, method, home, promote = "unsafe_split_every", "UnsafeSplitBackward0", False, None, "keep"

    @func_op(1, None)
    def forward(xp, input, split_size, dim=0):
        return tuple([xp.copy(p) for p in _split_forward(xp, input, _even(input.shape[dim], split_size), dim)])

    prepare = split_every.prepare

    def backward(xp, needs, g, split_size, dim, shape):
        return _split_backward(xp, g, _even(shape[dim], split_size), dim, shape)


class unsafe_split_with_sizes(Own):
    """unsafe_split_with_sizes(input, split_sizes, dim=0) -> tuple: like split_with_sizes; the parts are not views to autograd."""

    promote = "keep"

    @func_op(1, None)
    def forward(xp, input, split_sizes, dim=0):
        return tuple([xp.copy(p) for p in _split_forward(xp, input, split_sizes, dim)])

    prepare = split_with_sizes.prepare

    def backward(xp, needs, g, split_sizes, dim, shape):
        return _split_backward(xp, g, split_sizes, dim, shape)


_split_every, _unsafe_split_every = split_every.fn, unsafe_split_every.fn


@public()
def split(tensor, split_size_or_sections, dim=0):
    """split(tensor, split_size_or_sections, dim=0) -> tuple of views: parts of one size, or of the sizes given."""
    if isinstance(split_size_or_sections, (tuple, list)):
        return split_with_sizes.fn(tensor, split_size_or_sections, dim)
    return _split_every(tensor, _plain_int(split_size_or_sections), dim)


@tensor_method
def split_(self, split_size, dim=0):
    return split(self, split_size, dim)


def _split_method(self, split_size, dim=0):
    """split(split_size, dim=0) -> tuple of views: parts of one size, or of the sizes given."""
    return split(self, split_size, dim)


Tensor.split = _split_method
del Tensor.split_
split_every.fn = split


@public(method=True)
def unsafe_split(input, split_size, dim=0):
    """unsafe_split(input, split_size, dim=0) -> tuple: like split; the parts are not views to autograd."""
    return _unsafe_split_every(input, _plain_int(split_size), dim)


def _chunk_size(input, chunks, dim):
    if not input._d.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    dim = wrap_dim(dim, input._d.ndim)
    n = input._d.shape[dim]
    return n, (n + chunks - 1) // chunks, dim


@public(method=True)
def chunk(input, chunks, dim=0):
    """chunk(input, chunks, dim=0) -> tuple of at most `chunks` views, all of one size but the last."""
    n, size, dim = _chunk_size(input, chunks, dim)
    if not n:
        return split_with_sizes.fn(input, (0,) * chunks, dim)
    return _split_every(input, size, dim)


@public(method=True)
def unsafe_chunk(input, chunks, dim=0):
    """unsafe_chunk(input, chunks, dim=0) -> tuple: like chunk; the parts are not views to autograd."""
    n, size, dim = _chunk_size(input, chunks, dim)
    if not n:
        return unsafe_split_with_sizes.fn(input, (0,) * chunks, dim)
    return _unsafe_split_every(input, size, dim)


@public(method=True)
def tensor_split(input, indices_or_sections, dim=0):
    """tensor_split(input, indices_or_sections, dim=0) -> tuple of views: that many nearly equal parts, or cut at the indices."""
    d = input._d
    if not d.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    dim = wrap_dim(dim, d.ndim)
    if isinstance(indices_or_sections, Tensor):
        given = indices_or_sections
        if given._d.ndim > 1 or given.dtype.name != "int64":
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got a "
                f"tensor with {given._d.ndim} dims" if given._d.ndim > 1 else
                f"tensor_split expected tensor_indices_or_sections to have dtype of long, but got {_name(given)}")
        indices_or_sections = given.tolist()
    n = d.shape[dim]
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        if count <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {count}")
        small, more = divmod(n, count)
        cuts = [i * small + min(i, more) for i in range(1, count)]
    else:
        cuts = [_plain_int(i) for i in indices_or_sections]
    parts, start = [], 0
    for cut in [*cuts, n]:
        parts.append(slice_of.fn(input, dim, start, cut, 1))
        start = cut
    return tuple(parts)


def _name(t):
    from .._base.dtype import SCALAR_NAMES
    return SCALAR_NAMES[t.dtype]


def _split_along(name, dim_of, least, what):
    def f(input, indices_or_sections, *more, **kwargs):
        given = kwargs.get("indices", kwargs.get("sections", indices_or_sections)) if kwargs else indices_or_sections
        if more:
            given = (given, *more)
        d = input._d
        if d.ndim < least:
            raise RuntimeError(f"torch.{name} requires a tensor with at least {what}, but got a tensor with {d.ndim} dimensions!")
        dim = dim_of(d.ndim)
        if isinstance(given, int):
            if given == 0 or d.shape[dim] % given:
                raise RuntimeError(f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
                                   f"{d.shape[dim]} is not divisible by the split_size {given}!")
        return tensor_split(input, given, dim)
    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"{name}(input, indices_or_sections) -> tuple of views, cut along one dimension (see tensor_split)."
    return public(method=True)(f)


hsplit = _split_along("hsplit", lambda n: 0 if n == 1 else 1, 1, "1 dimension")
vsplit = _split_along("vsplit", lambda n: 0, 2, "2 dimensions")
dsplit = _split_along("dsplit", lambda n: 2, 3, "3 dimensions")
