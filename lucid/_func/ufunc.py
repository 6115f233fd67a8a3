"""Elementwise ops of one operand: exp, log, sin, abs, round and their like."""
from .._backend.core import unary_func_op
from .._backend.families import Pointwise


class exp(Pointwise):
    """exp(input) -> Tensor: e to the power of each element."""

    promote = "int_to_float"

    @unary_func_op()
    def forward(xp, input):
        return xp.exp(input)

    def grad_input(xp, g, out):
        return g * xp.conj(out)
