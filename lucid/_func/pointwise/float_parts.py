"""Floating point numbers taken apart: copysign, nextafter, ldexp, frexp."""

import math

from ..._backend.core import binary_func_op, func_op, unary_func_op
from ..._backend.families import Pointwise, not_implemented_error
from ..._backend.rules import wide_times
from ..._base.dtype import FLOATING, bool_
from ..._tensor.return_types import return_type
from .operands import by_operand


class copysign_tensor(Pointwise):
    """copysign with a tensor of signs."""

    name, node_name, namespace, inplace, promote = "copysign", "CopysignBackward0", None, False, "int_to_float"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.copysign(input, other)

    def grad_input(xp, g, input, out):
        return _copysign_slope(xp, g, input, out)

    def grad_other(xp, g, out):  # torch keeps the result though it needs none
        return xp.zeros(g.shape)


class copysign_scalar(Pointwise):
    """copysign with a number for the sign."""

    name, node_name, namespace, inplace = "copysign", "CopysignBackward1", None, False
    promote, scalar_options = "int_to_float", ("other",)

    @unary_func_op()
    def forward(xp, input, other):
        return xp.copysign(input, xp.scalar(other))

    def grad_input(xp, g, input, out):
        return _copysign_slope(xp, g, input, out)


def _copysign_slope(xp, g, input, out):
    return g * xp.where(xp.eq(input, 0), xp.scalar(0), out / input)


copysign = by_operand(
    "copysign",
    "copysign(input, other) -> Tensor: the size of input with the sign of other; the gradient at 0 is 0.",
    copysign_tensor,
    copysign_scalar,
)


class nextafter(Pointwise):
    """nextafter(input, other) -> Tensor: the next representable number from input towards other."""

    scalar_operands = "none"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.nextafter(input, other)

    def grad_input(xp, g, input, other):
        return xp.where(xp.ne(input, other), g, xp.scalar(0))

    def grad_other(xp, g):
        return xp.zeros(g.shape)


class ldexp(Pointwise):
    """ldexp(input, other) -> Tensor: input * 2**other."""

    promote, scalar_operands, wide_numbers = "int_to_float", "none", True

    @binary_func_op()
    def forward(xp, input, other):
        return xp.ldexp(input, other)

    def check(tensors, options):
        exponent = tensors[1]
        if exponent.dtype is bool_ and tensors[0].dtype.category == FLOATING:
            raise not_implemented_error("ldexp_cpu_exp", bool_)

    def grad_input(xp, g, other):
        return g * xp.conj(xp.exp2(other))

    def grad_other(xp, g, out):
        return wide_times(xp, g * xp.conj(out), math.log(2))


class frexp(Pointwise):
    """frexp(input) -> (mantissa, exponent): input = mantissa * 2**exponent, 0.5 <= |mantissa| < 1, exponent int32."""

    inplace, differentiable, broadcasts, out_takes, out_resized = False, (0,), False, "same", "last"
    composite_results = return_type("frexp", "mantissa exponent")

    @func_op(1, 2)
    def forward(xp, input):
        if not xp.inexact or xp.is_complex:
            raise RuntimeError("torch.frexp() only supports floating-point dtypes")
        return xp.frexp(input)

    def grad_input(xp, g, out1):
        return g / xp.exp2(xp.cast(out1, xp.dtype))
