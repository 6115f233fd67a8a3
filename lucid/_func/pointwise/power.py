"""Powers: pow and its forms, square, float_power."""

import cmath
import math

from ..._backend.core import binary_func_op, unary_func_op
from ..._backend.entries import operands_asked
from ..._backend.families import Pointwise
from ..._backend.inplace import inplace
from ..._backend.overrides import PLAIN, ask_overrides
from ..._backend.promotion import is_number
from ..._backend.registry import public
from ..._backend.rules import wide_times
from ..._base.dtype import FLOATING, SCALAR_NAMES, complex128, fitted, float64
from ..._base.state import UNUSUAL
from ..._tensor.tensor import Tensor
from .operands import bound, reflected


class pow_tensor(Pointwise):
    """The power of two tensors (or a tensor to a tensor's power)."""

    name, node_name, namespace, kernel_name = "pow", "PowBackward1", None, "pow"

    @binary_func_op()
    def forward(xp, input, exponent):
        return xp.pow(input, exponent)

    def grad_input(xp, g, input, exponent, out):  # the result, too: torch saves it, so it may not be overwritten
        slope = g * xp.conj(exponent * xp.pow(input, exponent - 1))
        return xp.where(xp.eq(exponent, 0), xp.scalar(0), slope)

    def grad_exponent(xp, g, input, exponent, out):
        slope = g * xp.conj(out * xp.log(input))
        return xp.where(xp.logical_and(xp.eq(input, 0), _not_below_zero(xp, exponent)), xp.scalar(0), slope)


class pow_scalar(Pointwise):
    """The power of a tensor to a number."""

    name, node_name, namespace, kernel_name, scalar_options = "pow", "PowBackward0", None, "pow", ("exponent",)

    def check(tensors, options):
        kind = tensors[0].dtype
        if kind.category == FLOATING and kind.itemsize < 4 and not isinstance(options[0], (complex, Tensor)):
            fitted(options[0], kind)

    @unary_func_op()
    def forward(xp, input, exponent):
        return power(xp, input, exponent)

    def grad_input(xp, g, input, exponent):
        if exponent == 0:
            return xp.zeros(g.shape)
        if exponent == 2 and not xp.is_complex:
            return g * (input * 2)
        return g * xp.conj(wide_times(xp, power(xp, input, exponent - 1), exponent))


def power(xp, x, exponent):
    """x to the power of a number; the usual exponents have quicker words, with torch's values at -0 and -inf."""
    if exponent == 2:
        return xp.square(x)
    if exponent == 3:
        return xp.mul(xp.square(x), x)
    if xp.inexact and exponent in _ROOTS:
        return _ROOTS[exponent](xp, x)
    if not xp.inexact and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return xp.pow(x, bound(xp, exponent))


_ROOTS = {
    0.5: lambda xp, x: xp.sqrt(x),
    -0.5: lambda xp, x: xp.rsqrt(x),
    -1: lambda xp, x: xp.reciprocal(x),
    -2: lambda xp, x: xp.reciprocal(xp.square(x)),
    0: lambda xp, x: xp.pow(x, 0) if xp.is_sparse else xp.ones(x.shape),
    1: lambda xp, x: xp.copy(x),
}


class pow_base(Pointwise):
    """The power of a number to a tensor."""

    name, node_name, namespace = "pow", "PowBackward2", None
    kernel_name, scalar_options, inplace = "pow", ("input",), False

    @unary_func_op()
    def forward(xp, exponent, input):
        if input == 1:
            return xp.ones(exponent.shape)
        return xp.pow(xp.scalar(input), exponent)

    def grad_exponent(xp, g, exponent, input, out):
        if input == 0:
            slope = g * xp.conj(out * -float("inf"))
            return xp.where(_not_below_zero(xp, exponent), xp.scalar(0), slope)
        return g * xp.conj(out * _log_number(input, xp.is_complex))


def _not_below_zero(xp, x):
    part = xp.real(x)
    return xp.of(part).ge(part, 0)


def _log_number(x, as_complex):
    if as_complex:
        return cmath.log(x)
    return math.log(x) if x > 0 else math.nan


@public(method=True)
def pow(input, exponent, *, out=None):
    """pow(input, exponent) -> Tensor: input to the power exponent; either may be a number.

    RuntimeError for integers to a negative number's power. The gradient is 0 where exponent is 0.
    """
    if isinstance(exponent, Tensor):
        if isinstance(input, Tensor):
            return pow_tensor.fn(input, exponent, out=out)
        if UNUSUAL or type(exponent) not in PLAIN:
            handled, result = ask_overrides(pow, (exponent,), (input, exponent), {} if out is None else {"out": out})
            if handled:
                return result
        return pow_base.fn(exponent, input, out=out)
    return pow_scalar.fn(input, exponent, out=out)


@public(method=True)
def pow_(self, exponent):
    """In-place form of pow."""
    if isinstance(exponent, Tensor):
        return inplace(pow_tensor, self, (exponent,), ())
    return inplace(pow_scalar, self, (), (exponent,))


def _pow_operator(self, exponent):
    """self ** exponent"""
    taken, result = operands_asked(Tensor.__pow__, self, exponent)
    if taken:
        return result
    if isinstance(exponent, Tensor):
        return pow_tensor.fn(self, exponent)
    return pow_scalar.fn(self, exponent) if is_number(exponent) else NotImplemented


def _pow_in_place(self, exponent):
    """self **= exponent"""
    taken, result = operands_asked(Tensor.__ipow__, self, exponent)
    return result if taken else Tensor.pow_(self, exponent)


pow_tensor.public_function = pow_scalar.public_function = pow_base.public_function = pow
_pow_operator.__name__, _pow_in_place.__name__ = "pow", "pow_"  # as torch's
_pow_operator.__qualname__, _pow_in_place.__qualname__ = "Tensor.pow", "Tensor.pow_"
Tensor.__pow__, Tensor.__ipow__ = _pow_operator, _pow_in_place


@reflected("__rpow__")
def _rpow(self, other):
    """other ** self"""
    return pow(other, self)


@public(method=True)
def float_power(input, exponent, *, out=None):
    """float_power(input, exponent) -> float64 (or complex128) Tensor: pow in double precision."""
    as_complex = any(x.is_complex() if isinstance(x, Tensor) else isinstance(x, complex) for x in (input, exponent))
    wide = complex128 if as_complex else float64
    number = complex if as_complex else float
    base, exponent = (x.to(wide) if isinstance(x, Tensor) else number(x) for x in (input, exponent))
    if out is not None and out.dtype is not wide:
        raise RuntimeError(
            f"the output given to float_power has dtype {SCALAR_NAMES[out.dtype]} but the operation's "
            f"result requires dtype {SCALAR_NAMES[wide]}"
        )
    return pow(base, exponent, out=out)


@public(namespace=None, method=True)
def float_power_(self, exponent):
    """In-place form of float_power: self must be float64 (or complex128)."""
    wide = (
        complex128
        if self.is_complex()
        or isinstance(exponent, complex)
        or (isinstance(exponent, Tensor) and exponent.is_complex())
        else float64
    )
    if self.dtype is not wide:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {SCALAR_NAMES[self.dtype]} but the operation's "
            f"result requires dtype {SCALAR_NAMES[wide]}"
        )
    return self.pow_(exponent)


@public(method=True)
def square(input, *, out=None):
    """square(input) -> Tensor: input to the power 2."""
    return pow_scalar.fn(input, 2, out=out)


@public(method=True)
def square_(input):
    """In-place form of square."""
    return inplace(pow_scalar, input, (), (2,))
