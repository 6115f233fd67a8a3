"""Elementwise ops of two and more operands: arithmetic, comparison, logic, bits, selection."""
from .._backend.core import binary_func_op
from .._backend.families import Pointwise


class mul(Pointwise):
    """mul(input, other) -> Tensor: the product, element by element, broadcast together."""

    methods = ("__mul__", "__rmul__")
    aliases = ("multiply",)

    @binary_func_op()
    def forward(xp, input, other):
        return xp.mul(input, other)

    def grad_input(xp, g, other):
        return g * xp.conj(other)

    def grad_other(xp, g, input):
        return g * xp.conj(input)
