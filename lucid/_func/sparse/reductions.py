"""Sums and softmax over the elements that are there: torch.sparse.sum, softmax, log_softmax."""

from ..._backend.core import func_op, unary_func_op
from ..._backend.registry import public
from ..._base.shape import wrap_dim, wrap_dims
from .checks import need_tensor
from .construct import Unlisted
from .layouts import coalesce, need_layout, unsupported, values


class sparse_sum_op(Unlisted):
    """sparse_sum_op(input, dims): the sum over some dimensions, whose gradient has input's places only."""

    node_name, result = "SparseSumBackward0", "of"

    @unary_func_op()
    def forward(xp, input, dims):
        return xp.sum_over(input, dims)

    def grad_input(xp, g, input, dims):
        return xp.sparse_sum_backward(g, input, dims)


class sparse_sum_backward(Unlisted):
    """sparse_sum_backward(input, like, dims): the gradient of a sum, at like's places."""

    name, index_inputs, result = "sparse_sum_backward", ("like",), "of"

    @func_op(2)
    def forward(xp, input, like, dims):
        return xp.sparse_sum_backward(input, like, dims)

    def grad_input(xp, g, dims):
        return xp.sparse_sum_op(g, dims)


@public("sum", namespace="sparse")
def sparse_sum(input, dim=None, dtype=None):
    """sum(input, dim=None, dtype=None) -> Tensor: the sum of a COO tensor's elements over dim (all when None).

    It is sparse unless all sparse dimensions are summed; the gradient has input's places only.
    """
    if dim is None:
        need_layout("coalesce", input, ("sparse_coo",), "sparse coordinate")
        total = values(coalesce(input))
        return total.sum() if dtype is None else total.sum(dtype=dtype)
    if not input.is_sparse:
        raise unsupported("_indices", input)
    dims = tuple(sorted(wrap_dims(dim, input.ndim)))
    if not dims:
        return input if dtype is None else input.to(dtype)
    if dtype is not None:
        input = input.to(dtype)
    return sparse_sum_op.fn(input, dims)


class _Softmax(Unlisted):
    """The family of the two."""

    promote = "int_to_float"

    def prepare(input, dim):
        return (wrap_dim(dim, input.ndim),)


class sparse_softmax(_Softmax):
    """sparse_softmax(input, dim): softmax over the elements that are there."""

    node_name = "SparseSoftmaxBackward0"

    @unary_func_op()
    def forward(xp, input, dim):
        return xp.sparse_softmax(input, dim)

    def grad_input(xp, g, out, dim):
        return xp.sparse_softmax_backward(g, out, dim)


class sparse_log_softmax(_Softmax):
    """sparse_log_softmax(input, dim): its logarithm."""

    node_name = "SparseLogSoftmaxBackward0"

    @unary_func_op()
    def forward(xp, input, dim):
        return xp.sparse_softmax(input, dim, True)

    def grad_input(xp, g, out, dim):
        return xp.sparse_softmax_backward(g, out, dim, True)


def _softmax(name, op, doc):
    def f(input, dim, *, dtype=None):
        need_tensor(name, input)
        if not input._table.is_sparse:
            raise unsupported("_sparse_" + name, input)
        return op.fn(input if dtype is None else input.to(dtype), dim)

    f.__name__ = f.__qualname__ = name
    f.__doc__ = doc
    return public(name, namespace="sparse", word=False)(f)


_softmax(
    "softmax",
    sparse_softmax,
    "softmax(input, dim, *, dtype=None) -> Tensor, sparse: softmax along dim of the elements that are there; others "
    "are as if they were -inf.",
)
_softmax(
    "log_softmax",
    sparse_log_softmax,
    "log_softmax(input, dim, *, dtype=None) -> Tensor, sparse: the logarithm of softmax.",
)

__all__ = ["sparse_sum"]
