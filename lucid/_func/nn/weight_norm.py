"""Weights as length times direction: _weight_norm and norm_except_dim, which nn.utils.weight_norm uses."""

from ..._backend.core import func_op
from ..._backend.families import Own
from ..._backend.registry import public
from ..reduction.norms import norm_along


def _others(ndim, dim):
    return tuple([d for d in range(ndim) if d != dim])


class _weight_norm_interface(Own):
    """_weight_norm_interface(v, g, dim=0) -> (w, norms): w = g * v / ||v||, the norms over all dimensions but dim.

    dim is the first or the last one.
    """

    promote, result, node_name, differentiable, method = None, "of", "WeightNormInterfaceBackward0", (0,), False

    @func_op(2, 2)
    def forward(xp, v, g, dim=0):
        norms = xp.sqrt(xp.sum(v * v, _others(v.ndim, dim), True))
        return v * (g / norms), norms

    def backward(xp, needs, grad, v, g, dim):
        others = _others(v.ndim, dim)
        norms = xp.sqrt(xp.sum(v * v, others, True))
        along = xp.sum(grad * v, others, True) / norms  # the gradient in the direction of v, times ||v||
        return ((g / norms) * (grad - v * (along / norms)) if needs[0] else None), along if needs[1] else None


@public()
def norm_except_dim(v, pow=2, dim=0):
    """norm_except_dim(v, pow=2, dim=0) -> the p-norms over all dimensions but dim, as size 1 there; dim=-1:
    of all elements.
    """
    ndim = v.dim()
    if dim == -1:
        return v.norm(pow)
    if dim == 0:
        return norm_along.fn(v.contiguous().view(v.size(0), -1), (1,), False, pow).view(-1, *[1] * (ndim - 1))
    if dim == ndim - 1:
        return norm_along.fn(v.contiguous().view(-1, v.size(-1)), (0,), False, pow).view(*[1] * (ndim - 1), -1)
    return norm_except_dim(v.transpose(0, dim), pow, 0).transpose(0, dim)


@public()
def _weight_norm(v, g, dim=0):
    """_weight_norm(v, g, dim=0) -> g * v / norm_except_dim(v, 2, dim)."""
    if dim in (0, v.dim() - 1):
        return _weight_norm_interface.fn(v, g, dim)[0]
    return v * (g / norm_except_dim(v, 2, dim))
