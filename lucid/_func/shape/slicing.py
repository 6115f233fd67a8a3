"""Parts of a tensor that share its memory: torch.select, narrow, diagonal, diag_embed, unfold, as_strided."""

from ..._backend.core import unary_func_op
from ..._backend.families import Own, View
from ..._backend.registry import public, tensor_method
from ..._base.shape import wrap_dim
from ..._base.symbolic import slice_indices
from ..._tensor.tensor import Tensor
from ..pointwise.complex import turned_like
from .inplace_shape import become
from .view import sizes


def plain_int(n):
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
        dim, index = wrap_dim(dim, input.ndim), plain_int(index)
        n = input.shape[dim]
        if not -n <= index < n:
            raise IndexError(
                f"select(): index {index} out of range for tensor of size {list(input.shape)} at dimension {dim}"
            )
        return dim, index + n if index < 0 else index

    def grad_input(xp, g, dim, index, shape):
        return xp.select_backward(g, shape, dim, index)


class slice_of(View):
    """The elements start:end:step of one dimension."""

    name, node_name, method, namespace = "slice", "SliceBackward0", False, None

    @unary_func_op()
    def forward(xp, input, dim=0, start=None, end=None, step=1):
        return xp.slice(input, dim, start, end, step)

    def prepare(input, dim, start, end, step):
        if not input.ndim:
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        dim = wrap_dim(dim, input.ndim)
        if step < 1:
            raise RuntimeError("slice step must be positive")
        start, end, step = slice_indices(slice(start, end, step), input.shape[dim])
        return dim, start, max(start, end), step

    def grad_input(xp, g, dim, start, end, step, shape):
        return xp.slice_backward(g, shape, dim, start, end, step)


class select_backward(Own):
    """select_backward(grad, shape, dim, index): zeros of `shape` with grad as one slice."""

    promote, method, namespace, linear = "keep", False, None, True

    @unary_func_op()
    def forward(xp, grad, shape, dim, index):
        return xp.select_backward(grad, shape, dim, index)

    def grad_grad(xp, g, dim, index):
        return xp.select(g, dim, index)


class slice_backward(Own):
    """slice_backward(grad, shape, dim, start, end, step): zeros of `shape` with grad as a range of slices."""

    promote, method, namespace, linear = "keep", False, None, True

    @unary_func_op()
    def forward(xp, grad, shape, dim, start, end, step):
        return xp.slice_backward(grad, shape, dim, start, end, step)

    def grad_grad(xp, g, dim, start, end, step):
        return xp.slice(g, dim, start, end, step)


@public(method=True)
def narrow(input, dim, start, length):
    """narrow(input, dim, start, length) -> Tensor: `length` slices of dim from start on, a view."""
    if not input._array.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if isinstance(start, Tensor):
        if start._array.ndim or start._table.inexact or start._table is start._table.bool:
            raise RuntimeError("start must be an 0-dim integral Tensor.")
        start = int(start.item())
    dim = wrap_dim(dim, input._array.ndim)
    n, start, length = input._array.shape[dim], plain_int(start), plain_int(length)
    if not -n <= start <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
    start = start + n if start < 0 else start
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return slice_of.fn(input, dim, start, start + length, 1)


class narrow_copy(Own):
    """narrow_copy(input, dim, start, length) -> Tensor: like narrow, in memory of its own."""

    promote, linear, has_out = "keep", True, True

    @unary_func_op()
    def forward(xp, input, dim, start, length):
        return xp.with_strides(xp.slice(input, dim, start, start + length, 1), None)

    def sparse(k, input, dim, start, length):
        return k.part_along(input, dim, start, length)

    def prepare(input, dim, start, length):
        if not input.ndim:
            raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
        if dim >= input.ndim:
            raise RuntimeError("Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.")
        n = input.shape[dim := wrap_dim(dim, input.ndim)]
        if not -n <= start <= n:
            raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {start})")
        start = start + n if start < 0 else start
        if start + length > n:
            raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
        if length < 0:
            raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
        return dim, start, length

    def grad_input(xp, g, dim, start, length, shape):
        return xp.slice_backward(g, shape, dim, start, start + length, 1)


# ---- diagonals and windows


class diagonal(View):
    """diagonal(input, offset=0, dim1=0, dim2=1) -> Tensor:
    the elements i, i + offset of two dimensions, as the last one.
    """

    turns = True

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

    promote, method, namespace, linear = "keep", False, None, True

    @unary_func_op()
    def forward(xp, grad, shape, offset, dim1, dim2):
        return xp.diagonal_backward(grad, shape, offset, dim1, dim2)

    def grad_grad(xp, g, offset, dim1, dim2):
        return xp.diagonal(g, offset, dim1, dim2)


class diag_embed(Own):
    """diag_embed(input, offset=0, dim1=-2, dim2=-1) -> Tensor:
    input's last dimension as the diagonal of new matrices.
    """

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


class unfold(View):
    """unfold(dimension, size, step) -> Tensor:
    every window of `size` slices along dimension, `step` apart, as a last one.
    """

    namespace = None
    turns = True

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

    promote, method, namespace, linear = "keep", False, None, True

    @unary_func_op()
    def forward(xp, grad, shape, dim, size, step):
        return xp.unfold_backward(grad, shape, dim, size, step)

    def grad_grad(xp, g, dim, size, step):
        return xp.unfold(g, dim, size, step)


class window(View):
    """A view with any sizes and strides; offset counts elements from input's first. (`as_strided` counts from the
    storage's.)
    """

    node_name, method, namespace = "AsStridedBackward0", False, None
    turns = True

    @unary_func_op()
    def forward(xp, input, size, stride, offset, input_stride):
        return xp.as_strided(input, size, stride, offset)

    def grad_input(xp, g, shape, size, stride, offset, input_stride):
        return xp.as_strided_backward(g, shape, input_stride, size, stride, offset)


class as_strided_backward(Own):
    """The gradient of `window`: grad added into the memory of a tensor (shape, in_stride)."""

    promote, method, namespace, linear = "keep", False, None, True

    @unary_func_op()
    def forward(xp, grad, shape, in_stride, size, stride, offset):
        return xp.as_strided_backward(grad, shape, in_stride, size, stride, offset)

    def grad_grad(xp, g, in_stride, size, stride, offset):
        return xp.as_strided(xp.with_strides(g, in_stride), size, stride, offset)


class with_strides(Own):
    """A copy with these strides (None: row-major); part of the graph."""

    promote, method, namespace, linear = "keep", False, None, True

    @unary_func_op()
    def forward(xp, input, stride):
        return xp.with_strides(input, stride)

    def grad_input(xp, g):
        return g


def window_options(input, size, stride, storage_offset):
    """(size, stride, offset from input's first element, input's stride), checked to stay inside the storage."""
    size, stride = sizes(size), sizes(stride)
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    here = input.storage_offset()
    start = here if storage_offset is None else plain_int(storage_offset)
    if start < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {start}")
    k = input._table
    if 0 not in size and k.has_data and not k.is_transform:
        item, room = input.element_size(), k.storage_bytes(input._array)
        need = (start + 1 + sum((n - 1) * s for n, s in zip(size, stride))) * item
        if need > room:
            raise RuntimeError(
                f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {start}, and itemsize {item} "
                f"requiring a storage size of {need} are out of bounds for storage of size {room}"
            )
    return size, stride, start - here, input.stride()


@public(method=True)
def as_strided(input, size, stride, storage_offset=None):
    """as_strided(input, size, stride, storage_offset=None) -> Tensor: a view of input's storage with these strides."""
    if input.is_conj() or input.is_neg():
        return turned_like(input, as_strided(turned_like(input, input), size, stride, storage_offset))
    return window.fn(input, *window_options(input, size, stride, storage_offset))


@public(method=True)
def slice_inverse(input, src, dim=0, start=None, end=None, step=1):
    """slice_inverse(input, src, dim=0, start=None, end=None, step=1) -> Tensor: src, of which input is a slice, as a
    view of input's storage."""
    return as_strided(input, tuple(src.shape), src.stride(), src.storage_offset())


@tensor_method
def as_strided_(self, size, stride, storage_offset=None):
    """as_strided_(size, stride, storage_offset=None) -> self, now reading its storage with these strides."""
    return become(self, window, *window_options(self, size, stride, storage_offset))
