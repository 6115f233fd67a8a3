"""Mixtures of operands: addcmul, addcdiv, lerp, atan2, hypot; surgery on floats: copysign, ldexp, frexp, nextafter."""

import builtins
import math

from ..._backend.core import binary_func_op, func_op, unary_func_op
from ..._backend.families import Pointwise
from ..._backend.inplace import inplace
from ..._backend.registry import public
from ..._base.dtype import C_NAMES, FLOATING
from ..._tensor.return_types import return_type
from ..._tensor.tensor import Tensor
from .bfunc import by_operand, conj_number, old_order, refused


class addcmul(Pointwise):
    """addcmul(input, tensor1, tensor2, *, value=1) -> Tensor: input + value * tensor1 * tensor2."""

    scalar_operands, compute_in_float32 = "none", True

    @func_op(3)
    def forward(xp, input, tensor1, tensor2, *, value=1):
        return xp.add(input, scaled(xp, tensor1, value) * tensor2)

    def grad_input(xp, g):
        return g

    def grad_tensor1(xp, g, tensor2, value):
        return g * xp.conj(tensor2 * value)

    def grad_tensor2(xp, g, tensor1, value):
        return g * xp.conj(tensor1 * value)


def scaled(xp, x, value):
    """value * x; a fractional value counts whole for integers, as in torch."""
    return x if value == 1 else xp.mul(x, xp.scalar(value))


class addcdiv(Pointwise):
    """addcdiv(input, tensor1, tensor2, *, value=1) -> Tensor: input + value * tensor1 / tensor2; not of integers."""

    scalar_operands, compute_in_float32 = "none", True

    @func_op(3)
    def forward(xp, input, tensor1, tensor2, *, value=1):
        if not xp.inexact:
            raise RuntimeError(_ADDCDIV)
        return xp.add(input, xp.div(scaled(xp, tensor1, value), tensor2))

    def check(tensors, options):
        if not any(t.dtype.category >= FLOATING for t in tensors[1:] if isinstance(t, Tensor)):
            raise RuntimeError(_ADDCDIV)

    def grad_input(xp, g):
        return g

    def grad_tensor1(xp, g, tensor2, value):
        return g * xp.conj(value / tensor2)

    def grad_tensor2(xp, g, tensor1, tensor2, value):
        return -g * xp.conj(tensor1 * value / (tensor2 * tensor2))


_ADDCDIV = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true division "
    "of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / "
    "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future "
    "addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all dtypes."
)


class lerp_scalar(Pointwise):
    """lerp with a number for weight."""

    name, node_name, namespace, inplace, scalar_operands, compute_in_float32 = (
        "lerp",
        "LerpBackward0",
        None,
        False,
        "none",
        True,
    )

    @binary_func_op()
    def forward(xp, input, end, weight):
        if not xp.inexact:
            raise refused("lerp_kernel_scalar", xp)
        apart = end - input
        return input + apart * weight if builtins.abs(weight) < 0.5 else end - apart * (1 - weight)

    def check(tensors, options):
        same_types(tensors, ("input", "end"))

    def grad_input(xp, g, weight):
        return g * (1 - conj_number(weight))

    def grad_end(xp, g, weight):
        return g * conj_number(weight)


class lerp_tensor(Pointwise):
    """lerp with a tensor of weights."""

    name, node_name, namespace, inplace, scalar_operands, compute_in_float32 = (
        "lerp",
        "LerpBackward1",
        None,
        False,
        "none",
        True,
    )

    @func_op(3)
    def forward(xp, input, end, weight):
        if not xp.inexact:
            raise refused("lerp_kernel_tensor", xp)
        return xp.lerp(input, end, weight)

    def check(tensors, options):
        same_types(tensors, ("input", "end", "weight"))

    def grad_input(xp, g, weight):
        return g * xp.conj(1 - weight)

    def grad_end(xp, g, weight):
        return g * xp.conj(weight)

    def grad_weight(xp, g, input, end):
        return g * xp.conj(end - input)


def same_types(tensors, names):
    """torch's error for operands whose types differ where they may not."""
    first = tensors[0].dtype
    for t, name in zip(tensors, names):
        if isinstance(t, Tensor) and t.dtype is not first:
            raise RuntimeError(f"expected dtype {C_NAMES[first]} for `{name}` but got dtype {C_NAMES[t.dtype]}")


@public(method=True, word="lerp")
def lerp(input, end, weight, *, out=None):
    """lerp(input, end, weight) -> Tensor: input + weight * (end - input); weight is a number or a tensor."""
    return (lerp_tensor if isinstance(weight, Tensor) else lerp_scalar).fn(input, end, weight, out=out)


@public(namespace=None, method=True)
def lerp_(self, end, weight):
    """In-place form of lerp."""
    if isinstance(weight, Tensor):
        return inplace(lerp_tensor, self, (end, weight), ())
    return inplace(lerp_scalar, self, (end,), (weight,))


lerp_tensor.public_function = lerp_scalar.public_function = lerp


# ---- two coordinates


class atan2(Pointwise):
    """atan2(input, other) -> Tensor: the angle, in radians, of the point (other, input), in (-pi, pi]."""

    promote, aliases, scalar_operands = "int_to_float", ("arctan2",), "none"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.atan2(input, other)

    def grad_input(xp, g, input, other):
        return g * other * _inverse_square(xp, input, other)

    def grad_other(xp, g, input, other):
        return g * -input * _inverse_square(xp, input, other)


def _inverse_square(xp, a, b):
    """1 / (a**2 + b**2), 0 at the origin."""
    square = a * a + b * b
    return xp.where(xp.eq(square, 0), xp.scalar(0), xp.reciprocal(square))


class hypot(Pointwise):
    """hypot(input, other) -> Tensor: sqrt(input**2 + other**2) without overflow on the way."""

    scalar_operands = "none"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.hypot(input, other)

    def grad_input(xp, g, input, out):
        return g * (input / out)

    def grad_other(xp, g, other, out):
        return g * (other / out)


# ---- floating point surgery


class copysign_tensor(Pointwise):
    """copysign with a tensor of signs."""

    name, node_name, namespace, inplace, promote = "copysign", "CopysignBackward0", None, False, "int_to_float"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.copysign(input, other)

    def grad_input(xp, g, input, out):
        return _copysign_slope(xp, g, input, out)

    def grad_other(xp, g):
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

    promote, scalar_operands = "int_to_float", "none"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.ldexp(input, other)

    def grad_input(xp, g, other):
        return g * xp.conj(xp.exp2(other))

    def grad_other(xp, g, out):
        return g * xp.conj(out) * math.log(2)


class frexp(Pointwise):
    """frexp(input) -> (mantissa, exponent): input = mantissa * 2**exponent, 0.5 <= |mantissa| < 1, exponent int32."""

    inplace, differentiable, broadcasts = False, (0,), False
    composite_results = return_type("frexp", "mantissa exponent")

    @func_op(1, 2)
    def forward(xp, input):
        if not xp.inexact:
            raise RuntimeError("torch.frexp() only supports floating-point dtypes")
        return xp.frexp(input)

    def grad_input(xp, g, out1):
        return g / xp.exp2(xp.cast(out1, xp.dtype))


class heaviside(Pointwise):
    """heaviside(input, values) -> Tensor: 0 below 0, values at 0, 1 above. Operands must have one type."""

    scalar_operands = "none"

    @binary_func_op(has_gradient=False)
    def forward(xp, input, values):
        if xp.is_complex:
            raise RuntimeError("heaviside is not yet implemented for complex tensors.")
        return xp.heaviside(input, values)

    def check(tensors, options):
        if len({t.dtype for t in tensors if isinstance(t, Tensor)}) > 1:
            raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")


old_order("addcmul_", 3)
old_order("addcdiv_", 3)
