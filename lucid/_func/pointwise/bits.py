"""Ops on whole numbers and bits: bitwise logic, shifts, gcd, lcm."""

from ..._backend.core import binary_func_op, unary_func_op
from ..._backend.families import Pointwise
from ..._base.dtype import FLOATING
from ..._tensor.tensor import Tensor


class bitwise_not(Pointwise):
    """bitwise_not(input) -> Tensor: every bit flipped (logical not for bools). Integers and bools only."""

    out_takes = "same"
    kernel_name = "bitwise_not_cpu"

    @unary_func_op(has_gradient=False)
    def forward(xp, input):
        return xp.bitwise_not(input)


def _invert(self):
    """~self"""
    if isinstance(self, Tensor) and self.dtype.category >= FLOATING:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return self.bitwise_not()


Tensor.__invert__ = _invert


class bitwise_and(Pointwise):
    """bitwise_and(input, other) -> Tensor: the bits that both have. Integers and bools only."""

    methods, scalar_operands = ("__and__", "__rand__"), "all"

    @binary_func_op(has_gradient=False)
    def forward(xp, input, other):
        return xp.bitwise_and(input, other)


class bitwise_or(Pointwise):
    """bitwise_or(input, other) -> Tensor: the bits that either has. Integers and bools only."""

    methods, scalar_operands = ("__or__", "__ror__"), "all"

    @binary_func_op(has_gradient=False)
    def forward(xp, input, other):
        return xp.bitwise_or(input, other)


class bitwise_xor(Pointwise):
    """bitwise_xor(input, other) -> Tensor: the bits that exactly one has. Integers and bools only."""

    methods, scalar_operands = ("__xor__", "__rxor__"), "all"

    @binary_func_op(has_gradient=False)
    def forward(xp, input, other):
        return xp.bitwise_xor(input, other)


class bitwise_left_shift(Pointwise):
    """bitwise_left_shift(input, other) -> Tensor: input * 2**other in the type's bits; 0 for a shift out of range."""

    methods, scalar_operands, kernel_name = ("__lshift__", "__rlshift__"), "all", "lshift_cpu"

    @binary_func_op(has_gradient=False)
    def forward(xp, input, other):
        return xp.bitwise_left_shift(input, other)


class bitwise_right_shift(Pointwise):
    """bitwise_right_shift(input, other) -> Tensor: input / 2**other rounded down; one out of range leaves the sign."""

    methods, scalar_operands, kernel_name = ("__rshift__", "__rrshift__"), "all", "rshift_cpu"

    @binary_func_op(has_gradient=False)
    def forward(xp, input, other):
        return xp.bitwise_right_shift(input, other)


class gcd(Pointwise):
    """gcd(input, other) -> Tensor: the greatest common divisor. Integers only."""

    scalar_operands = "none"

    @binary_func_op(has_gradient=False)
    def forward(xp, input, other):
        return xp.gcd(input, other)


class lcm(Pointwise):
    """lcm(input, other) -> Tensor: the least common multiple. Integers only."""

    scalar_operands = "none"

    @binary_func_op(has_gradient=False)
    def forward(xp, input, other):
        return xp.lcm(input, other)
