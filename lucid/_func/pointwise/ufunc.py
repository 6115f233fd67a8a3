"""Unary functions (ufunc), element by element: exp, log, sqrt, sin, abs, sign, round and their like."""

import builtins
import math

from ..._backend.core import unary_func_op
from ..._backend.families import Pointwise, not_implemented_error, zeros_like
from ..._backend.inplace import inplace as in_place
from ..._backend.registry import public
from ..._backend.rules import wide_times
from ..._base.dtype import BOOL

_LN2, _LN10 = math.log(2), math.log(10)


# ---- sign and size


class neg(Pointwise):
    """neg(input) -> Tensor: -input. RuntimeError for bools."""

    out_takes = "same"
    methods, aliases, linear = ("__neg__",), ("negative",), True

    @unary_func_op()
    def forward(xp, input):
        return xp.neg(input)

    @classmethod
    def refusal(cls, k):
        return RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
            "mask, use the `~` or `logical_not()` operator instead."
        )

    def grad_input(xp, g):
        return -g


class abs(Pointwise):
    """abs(input) -> Tensor: the absolute value (of complex input: a real tensor). Its gradient at 0 is 0."""

    out_takes, inplace_complex = "same", False
    methods, aliases, result = ("__abs__",), ("absolute",), "of"

    @unary_func_op()
    def forward(xp, input):
        return xp.abs(input)

    def grad_input(xp, g, input):
        return g * xp.sgn(input)


class sign(Pointwise):
    """sign(input) -> Tensor: -1, 0 or 1; 0 for NaN."""

    out_takes, refuses_complex = "same", True

    @unary_func_op()
    def forward(xp, input):
        return xp.sign(input)

    @classmethod
    def refusal(cls, k):
        return NotImplementedError(
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead."
        )

    def grad_input(xp, g):
        return zeros_like(xp, g)


class sgn(Pointwise):
    """sgn(input) -> Tensor: input / |input|, 0 for 0: sign, for complex numbers too."""

    out_takes = "same"

    @unary_func_op()
    def forward(xp, input):
        return xp.sgn(input)

    def grad_input(xp, g, input, out):
        if not xp.is_complex:
            return xp.zeros(g.shape)
        size = xp.abs(input)
        along = xp.real(g / out) * out
        return xp.where(xp.eq(size, 0), 0 * g, (g - along) / size)


class signbit(Pointwise):
    """signbit(input) -> bool Tensor: is the sign bit set (so for -0.0 too)?"""

    out_takes = "same"
    promote, result, inplace = "compare", "bool", False

    @classmethod
    def refusal(cls, k):
        return NotImplementedError("signbit is not implemented for complex tensors.")

    @unary_func_op()
    def forward(xp, input):
        return xp.signbit(input)


class reciprocal(Pointwise):
    """reciprocal(input) -> Tensor: 1 / input."""

    promote = "int_to_float"

    @unary_func_op()
    def forward(xp, input):
        return xp.reciprocal(input)

    def grad_input(xp, g, out):
        return -g * xp.conj(out * out)


# ---- powers and roots


class sqrt(Pointwise):
    """sqrt(input) -> Tensor: the square root."""

    promote = "int_to_float"

    @unary_func_op()
    def forward(xp, input):
        return xp.sqrt(input)

    def grad_input(xp, g, out):
        return g / (2 * xp.conj(out))


class rsqrt(Pointwise):
    """rsqrt(input) -> Tensor: 1 / sqrt(input)."""

    promote = "int_to_float"

    @unary_func_op()
    def forward(xp, input):
        return xp.rsqrt(input)

    def grad_input(xp, g, out):
        return -0.5 * g * xp.conj(out * out * out)


# ---- exponentials and logarithms


class exp(Pointwise):
    """exp(input) -> Tensor: e to the power of each element."""

    promote = "int_to_float"

    @unary_func_op()
    def forward(xp, input):
        return xp.exp(input)

    def grad_input(xp, g, out):
        return g * xp.conj(out)


class exp2(Pointwise):
    """exp2(input) -> Tensor: 2 to the power of each element."""

    promote, namespace = "int_to_float", ("torch", "special")

    @unary_func_op()
    def forward(xp, input):
        return xp.exp2(input)

    def grad_input(xp, g, out):
        return wide_times(xp, g * xp.conj(out), _LN2)


class expm1(Pointwise):
    """expm1(input) -> Tensor: exp(input) - 1, exact near 0."""

    promote, namespace = "int_to_float", ("torch", "special")

    @unary_func_op()
    def forward(xp, input):
        return xp.expm1(input)

    def grad_input(xp, g, out):
        return g * (xp.conj(out) + 1)


class log(Pointwise):
    """log(input) -> Tensor: the natural logarithm."""

    promote = "int_to_float"

    @unary_func_op()
    def forward(xp, input):
        return xp.log(input)

    def grad_input(xp, g, input):
        return g / xp.conj(input)


class log2(Pointwise):
    """log2(input) -> Tensor: the logarithm to base 2."""

    promote = "int_to_float"

    @unary_func_op()
    def forward(xp, input):
        return xp.log2(input)

    def grad_input(xp, g, input):
        return g / wide_times(xp, xp.conj(input), _LN2)


class log10(Pointwise):
    """log10(input) -> Tensor: the logarithm to base 10."""

    promote = "int_to_float"

    @unary_func_op()
    def forward(xp, input):
        return xp.log10(input)

    def grad_input(xp, g, input):
        return g / wide_times(xp, xp.conj(input), _LN10)


class log1p(Pointwise):
    """log1p(input) -> Tensor: log(1 + input), exact near 0."""

    promote, namespace, node_name = "int_to_float", ("torch", "special"), "Log1PBackward0"

    @unary_func_op()
    def forward(xp, input):
        return xp.log1p(input)

    def grad_input(xp, g, input):
        return g / (xp.conj(input) + 1)


# ---- angles


class sin(Pointwise):
    """sin(input) -> Tensor: the sine of angles in radians."""

    promote = "int_to_float"

    @unary_func_op()
    def forward(xp, input):
        return xp.sin(input)

    def grad_input(xp, g, input):
        return g * xp.conj(xp.cos(input))


class cos(Pointwise):
    """cos(input) -> Tensor: the cosine of angles in radians."""

    promote = "int_to_float"

    @unary_func_op()
    def forward(xp, input):
        return xp.cos(input)

    def grad_input(xp, g, input):
        return g * -xp.conj(xp.sin(input))


class tan(Pointwise):
    """tan(input) -> Tensor: the tangent of angles in radians."""

    promote = "int_to_float"

    @unary_func_op()
    def forward(xp, input):
        return xp.tan(input)

    def grad_input(xp, g, out):
        return g * xp.conj(out * out + 1)


class asin(Pointwise):
    """asin(input) -> Tensor: the angle, in radians, whose sine is input."""

    promote, aliases = "int_to_float", ("arcsin",)

    @unary_func_op()
    def forward(xp, input):
        return xp.asin(input)

    def grad_input(xp, g, input):
        return g * xp.conj(xp.rsqrt(1 - input * input))


class acos(Pointwise):
    """acos(input) -> Tensor: the angle, in radians, whose cosine is input."""

    promote, aliases = "int_to_float", ("arccos",)

    @unary_func_op()
    def forward(xp, input):
        return xp.acos(input)

    def grad_input(xp, g, input):
        return g * -xp.conj(xp.rsqrt(1 - input * input))


class atan(Pointwise):
    """atan(input) -> Tensor: the angle, in radians, whose tangent is input."""

    promote, aliases = "int_to_float", ("arctan",)

    @unary_func_op()
    def forward(xp, input):
        return xp.atan(input)

    def grad_input(xp, g, input):
        return g / xp.conj(input * input + 1)


class sinh(Pointwise):
    """sinh(input) -> Tensor: the hyperbolic sine."""

    promote = "int_to_float"

    @unary_func_op()
    def forward(xp, input):
        return xp.sinh(input)

    def grad_input(xp, g, input):
        return g * xp.conj(xp.cosh(input))


class cosh(Pointwise):
    """cosh(input) -> Tensor: the hyperbolic cosine."""

    promote = "int_to_float"

    @unary_func_op()
    def forward(xp, input):
        return xp.cosh(input)

    def grad_input(xp, g, input):
        return g * xp.conj(xp.sinh(input))


class tanh(Pointwise):
    """tanh(input) -> Tensor: the hyperbolic tangent."""

    promote, namespace, gradient_kernel = "int_to_float", ("torch", "nn.functional"), True

    @unary_func_op()
    def forward(xp, input):
        return xp.tanh(input)

    def grad_input(xp, g, out):
        return g * xp.conj(1 - out * out)


class asinh(Pointwise):
    """asinh(input) -> Tensor: the number whose hyperbolic sine is input."""

    promote, aliases = "int_to_float", ("arcsinh",)

    @unary_func_op()
    def forward(xp, input):
        return xp.asinh(input)

    def grad_input(xp, g, input):
        return g * xp.conj(xp.rsqrt(input * input + 1))


class acosh(Pointwise):
    """acosh(input) -> Tensor: the number whose hyperbolic cosine is input."""

    promote, aliases = "int_to_float", ("arccosh",)

    @unary_func_op()
    def forward(xp, input):
        return xp.acosh(input)

    def grad_input(xp, g, input):
        if xp.is_complex:
            return g * xp.conj(xp.rsqrt(input - 1) * xp.rsqrt(input + 1))
        return g * xp.rsqrt(input * input - 1)


class atanh(Pointwise):
    """atanh(input) -> Tensor: the number whose hyperbolic tangent is input."""

    promote, aliases = "int_to_float", ("arctanh",)

    @unary_func_op()
    def forward(xp, input):
        return xp.atanh(input)

    def grad_input(xp, g, input):
        return g / xp.conj(1 - input * input)


class sinc(Pointwise):
    """sinc(input) -> Tensor: sin(pi x) / (pi x), 1 at 0."""

    promote, namespace = "int_to_float", ("torch", "special")

    @unary_func_op()
    def forward(xp, input):
        return xp.sinc(input)

    def grad_input(xp, g, input):
        x, square = wide_times(xp, input, math.pi), wide_times(xp, input * input, math.pi)
        slope = (x * xp.cos(x) - xp.sin(x)) / square
        return g * xp.conj(xp.where(xp.eq(square, 0), xp.scalar(0), slope))


class deg2rad(Pointwise):
    """deg2rad(input) -> Tensor: degrees as radians."""

    promote, linear, node_name = "int_to_float", True, "Deg2RadBackward0"

    @unary_func_op()
    def forward(xp, input):
        if xp.is_complex:
            raise RuntimeError("deg2rad is not supported for complex tensors.")
        return input * (math.pi / 180)

    def grad_input(xp, g):
        return wide_times(xp, g, math.pi / 180)


class rad2deg(Pointwise):
    """rad2deg(input) -> Tensor: radians as degrees."""

    promote, linear, node_name = "int_to_float", True, "Rad2DegBackward0"

    @unary_func_op()
    def forward(xp, input):
        if xp.is_complex:
            raise RuntimeError("rad2deg is not supported for complex tensors.")
        return input * (180 / math.pi)

    def grad_input(xp, g):
        return wide_times(xp, g, 180 / math.pi)


# ---- rounding: gradients are 0


class _Rounding(Pointwise):
    """Integers stay as they are; a bool has no rounding."""

    out_takes, refuses_complex = "same", True

    @classmethod
    def refusal(cls, k):
        if k.is_complex and cls.name != "round":
            return NotImplementedError(f"{cls.name} is not supported for complex inputs")
        return not_implemented_error(f"{cls.name}_vml_cpu", k.dtype)

    def grad_input(xp, g):
        return zeros_like(xp, g)


class floor(_Rounding):
    """floor(input) -> Tensor: the largest integer that is not larger."""

    @unary_func_op()
    def forward(xp, input):
        return xp.floor(input)


class ceil(_Rounding):
    """ceil(input) -> Tensor: the smallest integer that is not smaller."""

    @unary_func_op()
    def forward(xp, input):
        return xp.ceil(input)


class trunc(_Rounding):
    """trunc(input) -> Tensor: the integer part, towards 0."""

    aliases = ("fix",)

    @unary_func_op()
    def forward(xp, input):
        return xp.trunc(input)


class frac(Pointwise):
    """frac(input) -> Tensor: what trunc leaves, with input's sign."""

    out_takes = "same"

    @unary_func_op()
    def forward(xp, input):
        return xp.frac(input)

    def grad_input(xp, g):
        return g


class round_whole(_Rounding):
    """round without decimals: to the nearest integer, halves to the even one."""

    name, node_name, namespace, refuses_complex, inplace = "round", "RoundBackward0", None, False, False

    @unary_func_op()
    def forward(xp, input):
        return xp.round(input)


class round_decimals(_Rounding):
    """round to some decimals (negative: to tens, hundreds ...)."""

    name, node_name, namespace, refuses_complex, inplace = "round", "RoundBackward1", None, False, False

    @unary_func_op()
    def forward(xp, input, *, decimals=0):
        if not xp.inexact:
            raise not_implemented_error("round_cpu", xp.dtype)
        if decimals == 0:
            return xp.round(input)
        scale = 10.0 ** builtins.abs(decimals)
        return xp.round(input * scale) / scale if decimals > 0 else xp.round(input / scale) * scale


@public(namespace=("torch",), method=True)
def round(input, *, decimals=None, out=None):
    """round(input, *, decimals=0) -> Tensor: to the nearest multiple of 10**-decimals, halves to the even one."""
    if decimals is None:
        return round_whole.fn(input, out=out)
    return round_decimals.fn(input, decimals=decimals, out=out)


@public(method=True)
def round_(input, *, decimals=None):
    """In-place form of round."""
    if decimals is None:
        return in_place(round_whole, input, (), ())
    return in_place(round_decimals, input, (), (decimals,))


@public(method=("positive", "__pos__"))
def positive(input):
    """positive(input) -> input itself. RuntimeError for bools."""
    if input.dtype.category == BOOL:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input
