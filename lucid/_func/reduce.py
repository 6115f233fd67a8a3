"""Reductions: sum, mean, amax, var and the like, over some or all dimensions."""
from .._backend.core import unary_func_op
from .._backend.families import Reduction, restore


class sum(Reduction):
    """sum(input, dim=None, keepdim=False, *, dtype=None) -> Tensor: the sum over dim (all dimensions when None)."""

    promote = "int_to_long"

    @unary_func_op()
    def forward(xp, input, dim=None, keepdim=False, *, dtype=None):
        return xp.sum(input, dim, keepdim)

    def grad_input(xp, g, dim, keepdim, shape):
        return xp.expand(restore(xp, g, dim, keepdim, shape), shape)
