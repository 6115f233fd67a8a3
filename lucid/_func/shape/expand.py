"""Dimensions of size 1: unsqueeze, squeeze, expand, broadcast_to, broadcast_tensors, atleast_1d to atleast_3d."""

from ..._backend.core import unary_func_op
from ..._backend.families import View
from ..._backend.registry import public, tensor_method
from ..._backend.rules import unbroadcast
from ..._base.dtype import DTYPES, SCALAR_NAMES
from ..._base.shape import broadcast_pair, wrap_dim, wrap_dims
from .view import reshape, sizes


class expand(View):
    """expand(*sizes) -> Tensor: dimensions of size 1 repeated without a copy (-1: as it is); new ones in front."""

    varargs, namespace, linear = "size", None, True

    @unary_func_op()
    def forward(xp, input, size, *, implicit=False):
        return xp.expand(input, size)

    def prepare(input, size, implicit):
        size, shape = sizes(size), input.shape
        if size == shape:
            return size, implicit
        new = len(size) - len(shape)
        if new < 0:
            raise RuntimeError(
                f"expand(torch.{_type_name(input)}{{{list(shape)}}}, size={list(size)}): the number of sizes provided "
                f"({len(size)}) must be greater or equal to the number of dimensions in the tensor ({len(shape)})"
            )
        done = list(size)
        for i, n in enumerate(size):
            if n == -1:
                if i < new:
                    raise RuntimeError(
                        f"The expanded size of the tensor ({n}) isn't allowed in a leading, non-existing dimension {i}"
                    )
                done[i] = shape[i - new]
            elif n < 0:
                raise RuntimeError(
                    f"The expanded size of the tensor ({n}) isn't allowed in a leading, non-existing dimension {i}"
                    if i < new
                    else f"The expanded size of the tensor ({n}) must match the existing "
                    f"size ({shape[i - new]}) at non-singleton dimension {i}.  Target "
                    f"sizes: {list(size)}.  Tensor sizes: {list(shape)}"
                )
            elif i >= new and shape[i - new] not in (1, n):
                raise RuntimeError(
                    f"The expanded size of the tensor ({n}) must match the existing size ({shape[i - new]}) at "
                    f"non-singleton dimension {i}.  Target sizes: {list(size)}.  Tensor sizes: {list(shape)}"
                )
        return tuple(done), implicit

    def grad_input(xp, g, shape):
        return unbroadcast(xp, g, shape)


def _type_name(array):
    found = DTYPES.get(array.dtype.name) if hasattr(array.dtype, "name") else None
    return f"{SCALAR_NAMES.get(found, 'Float')}Tensor"


@tensor_method
def expand_as(self, other):
    """expand_as(other) -> Tensor: expand(other.size())."""
    return expand.fn(self, other._array.shape)


@public(method=True)
def broadcast_to(input, size):
    """broadcast_to(input, size) -> Tensor: expand(size)."""
    return expand.fn(input, sizes(size))


@public()
def broadcast_tensors(*tensors):
    """broadcast_tensors(*tensors) -> tuple: each expanded to the shape they broadcast to."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    shape = ()
    for x in tensors:
        shape = broadcast_pair(shape, x._array.shape)
    return tuple([x if x._array.shape == shape else expand.fn(x, shape) for x in tensors])


class unsqueeze(View):
    """unsqueeze(input, dim) -> Tensor: with a dimension of size 1 at dim."""

    @unary_func_op()
    def forward(xp, input, dim):
        return xp.unsqueeze(input, dim)

    def prepare(input, dim):
        return (wrap_dim(dim, input.ndim + 1),)

    def grad_input(xp, g, dim):
        return xp.squeeze(g, (dim,))


class squeeze_all(View):
    """squeeze(input): without any dimension of size 1."""

    name, node_name, method, namespace = "squeeze_all", "SqueezeBackward0", False, None

    @unary_func_op()
    def forward(xp, input):
        return xp.squeeze(input, tuple([i for i, n in enumerate(input.shape) if n == 1]))

    def grad_input(xp, g, shape):
        return xp.reshape(g, shape)


class squeeze_dim(View):
    """squeeze(input, dim): without dimension dim if its size is 1."""

    name, node_name, method, namespace = "squeeze_dim", "SqueezeBackward1", False, None

    @unary_func_op()
    def forward(xp, input, dim):
        return xp.squeeze(input, (dim,))

    def prepare(input, dim):
        return (wrap_dim(dim, input.ndim),)

    def grad_input(xp, g, shape):
        return xp.reshape(g, shape)


class squeeze_dims(View):
    """squeeze(input, dims): without those of the dimensions whose size is 1."""

    name, node_name, method, namespace = "squeeze_dims", "SqueezeBackward2", False, None

    @unary_func_op()
    def forward(xp, input, dim):
        return xp.squeeze(input, dim)

    def prepare(input, dim):
        return (wrap_dims(tuple(dim), input.ndim),)

    def grad_input(xp, g, shape):
        return xp.reshape(g, shape)


_squeeze_all, _squeeze_dim, _squeeze_dims = squeeze_all.fn, squeeze_dim.fn, squeeze_dims.fn


@public(method=True)
def squeeze(input, dim=None):
    """squeeze(input, dim=None) -> Tensor: without dimensions of size 1 (all, dim, or those in a tuple of dims)."""
    if dim is None:
        return _squeeze_all(input)
    return _squeeze_dims(input, dim) if isinstance(dim, (tuple, list)) else _squeeze_dim(input, dim)


squeeze_all.fn = squeeze_dim.fn = squeeze_dims.fn = squeeze


@public()
def atleast_1d(*tensors):
    """atleast_1d(*tensors) -> Tensor or tuple: 0-dim tensors as shape (1,), others as they are."""
    return _each(tensors, lambda x: reshape(x, (1,)) if not x._array.ndim else x)


@public()
def atleast_2d(*tensors):
    """atleast_2d(*tensors) -> Tensor or tuple: with at least two dimensions, new ones in front."""

    def one(x):
        if x._array.ndim < 2:
            return unsqueeze.fn(x, 0) if x._array.ndim else reshape(x, (1, 1))
        return x

    return _each(tensors, one)


@public()
def atleast_3d(*tensors):
    """atleast_3d(*tensors) -> Tensor or tuple:
    with at least three dimensions: (n,) -> (1, n, 1), (m, n) -> (m, n, 1).
    """

    def one(x):
        n = x._array.ndim
        if n == 0:
            return reshape(x, (1, 1, 1))
        if n == 1:
            return unsqueeze.fn(unsqueeze.fn(x, 0), -1)
        return unsqueeze.fn(x, -1) if n == 2 else x

    return _each(tensors, one)


def _each(tensors, one):
    if len(tensors) == 1 and not isinstance(tensors[0], (tuple, list)):
        return one(tensors[0])
    return tuple([one(x) for x in (tensors[0] if len(tensors) == 1 else tensors)])
