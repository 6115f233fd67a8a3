"""Elementwise arithmetic of two and more operands: add, sub, mul, div, pow, remainders and their like."""
import cmath
import math

from .._backend.core import binary_func_op, func_op, public, unary_func_op
from .._backend.families import Pointwise
from .._backend.interpret import PLAIN, ask_overrides, inplace, interpret_operator, is_number
from .._base.dtype import BOOL, FLOATING
from .._base.state import UNUSUAL
from .._tensor.tensor import Tensor

_TWO_BOOLS = ("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
              "instead.")
_ONE_BOOL = ("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
             "`~` or `logical_not()` operator instead.")


def check_alpha(xp, alpha):
    """torch's rules for the multiplier of add and sub."""
    if isinstance(alpha, bool):
        if xp.dtype.category != BOOL:
            raise RuntimeError("Boolean alpha only supported for Boolean results.")
    elif isinstance(alpha, float) and xp.dtype.category < FLOATING:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    elif isinstance(alpha, complex) and not xp.is_complex:
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")


def is_bool(x):
    """A bool tensor or a Python bool."""
    return x.dtype.category == BOOL if isinstance(x, Tensor) else isinstance(x, bool)


def conj_number(x):
    return x.conjugate() if isinstance(x, complex) else x


class add(Pointwise):
    """add(input, other, *, alpha=1) -> Tensor: input + alpha * other."""

    methods, word, kernel_name = ("__add__", "__radd__"), "add", "add_stub"

    @binary_func_op()
    def forward(xp, input, other, *, alpha=1):
        if alpha is True or alpha != 1 or isinstance(alpha, float):
            check_alpha(xp, alpha)
            other = xp.mul(other, xp.scalar(alpha))
        return xp.add(input, other)

    def grad_input(xp, g):
        return g

    def grad_other(xp, g, alpha):
        return g if alpha == 1 else g * conj_number(alpha)


class sub(Pointwise):
    """sub(input, other, *, alpha=1) -> Tensor: input - alpha * other. RuntimeError for bools."""

    methods, aliases, word = ("__sub__",), ("subtract",), "sub"

    @binary_func_op()
    def forward(xp, input, other, *, alpha=1):
        if alpha is True or alpha != 1 or isinstance(alpha, float):
            check_alpha(xp, alpha)
            other = xp.mul(other, xp.scalar(alpha))
        return xp.sub(input, other)

    def check(tensors, options):
        check_no_bool(*tensors)

    @classmethod
    def refusal(cls, k):
        return RuntimeError(_TWO_BOOLS)

    def grad_input(xp, g):
        return g

    def grad_other(xp, g, alpha):
        return -g if alpha == 1 else g * -conj_number(alpha)


def check_no_bool(a, b):
    """Subtraction of bools is an error in torch."""
    if is_bool(a) or is_bool(b):
        raise RuntimeError(_TWO_BOOLS if is_bool(a) and is_bool(b) else _ONE_BOOL)


class rsub_tensor(Pointwise):
    """The form of rsub in which other is a tensor."""

    name, node, home, method, inplace, has_out = "rsub", "RsubBackward0", None, False, False, False

    @binary_func_op()
    def forward(xp, input, other, *, alpha=1):
        check_alpha(xp, alpha)
        return xp.sub(other, input if alpha == 1 else xp.mul(input, xp.scalar(alpha)))

    def check(tensors, options):
        check_no_bool(*tensors)

    refusal = sub.refusal

    def grad_input(xp, g, alpha):
        return -g if alpha == 1 else g * -conj_number(alpha)

    def grad_other(xp, g):
        return g


class rsub_scalar(Pointwise):
    """The form of rsub in which other is a Python number."""

    name, node, scalars = "rsub", "RsubBackward1", ("other",)
    home, method, inplace, has_out = None, False, False, False

    @unary_func_op()
    def forward(xp, input, other, *, alpha=1):
        check_alpha(xp, alpha)
        return xp.sub(xp.scalar(other), input if alpha == 1 else xp.mul(input, xp.scalar(alpha)))

    def check(tensors, options):
        check_no_bool(*tensors, options[0])

    def grad_input(xp, g, alpha):
        return -g if alpha == 1 else g * -conj_number(alpha)


@public()
def rsub(input, other, *, alpha=1):
    """rsub(input, other, *, alpha=1) -> Tensor: other - alpha * input."""
    return (rsub_tensor if isinstance(other, Tensor) else rsub_scalar).fn(input, other, alpha=alpha)


rsub_tensor.face = rsub_scalar.face = rsub


def reflected(name):
    """Publish `number <operator> tensor`: other operands are left to their own type."""
    def declare(f):
        def operator(self, other):
            if not (isinstance(other, Tensor) or is_number(other)):
                if not hasattr(other, "__array__"):
                    return NotImplemented
                other = Tensor._from_numpy(other)
            return f(self, other)
        operator.__name__, operator.__qualname__, operator.__doc__ = name, f"Tensor.{name}", f.__doc__
        setattr(Tensor, name, operator)
        return f
    return declare


@reflected("__rsub__")
def _rsub(self, other):
    """other - self"""
    return rsub(self, other)


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


class div(Pointwise):
    """div(input, other, *, rounding_mode=None) -> Tensor: the quotient; of integers it is floating point."""

    promote, methods, aliases = "int_to_float", ("__truediv__",), ("true_divide",)

    @binary_func_op()
    def forward(xp, input, other):
        return xp.div(input, other)

    def grad_input(xp, g, other):
        return g / xp.conj(other)

    def grad_other(xp, g, input, other):
        return -g * xp.conj(input / other / other)


# ---- powers

class pow_tensor(Pointwise):
    """The power of two tensors (or a tensor to a tensor's power)."""

    name, node, home, kernel_name = "pow", "PowBackward1", None, "pow"

    @binary_func_op()
    def forward(xp, input, exponent):
        return xp.pow(input, exponent)

    def grad_input(xp, g, input, exponent):
        slope = g * xp.conj(exponent * xp.pow(input, exponent - 1))
        return xp.where(xp.eq(exponent, 0), xp.scalar(0), slope)

    def grad_exponent(xp, g, input, exponent, out):
        slope = g * xp.conj(out * xp.log(input))
        return xp.where(xp.logical_and(xp.eq(input, 0), xp.ge(xp.real(exponent), 0)), xp.scalar(0), slope)


class pow_scalar(Pointwise):
    """The power of a tensor to a number."""

    name, node, home, kernel_name, scalars = "pow", "PowBackward0", None, "pow", ("exponent",)

    @unary_func_op()
    def forward(xp, input, exponent):
        if exponent == 2:
            return xp.square(input)
        if exponent == 3:
            return xp.mul(xp.square(input), input)
        if xp.inexact and exponent in _ROOTS:
            return _ROOTS[exponent](xp, input)
        return xp.pow(input, xp.scalar(exponent))

    def grad_input(xp, g, input, exponent):
        if exponent == 0:
            return xp.zeros(input.shape)
        if exponent == 2 and not xp.is_complex:
            return g * (input * 2)
        return g * xp.conj(exponent * (input if exponent == 2 else xp.pow(input, xp.scalar(exponent - 1))))


_ROOTS = {
    0.5: lambda xp, x: xp.sqrt(x), -0.5: lambda xp, x: xp.rsqrt(x), -1: lambda xp, x: xp.reciprocal(x),
    -2: lambda xp, x: xp.reciprocal(xp.square(x)), 0: lambda xp, x: xp.ones(x.shape), 1: lambda xp, x: xp.copy(x),
}


class pow_base(Pointwise):
    """The power of a number to a tensor."""

    name, node, home, kernel_name, scalars, inplace = "pow", "PowBackward2", None, "pow", ("input",), False

    @unary_func_op()
    def forward(xp, exponent, input):
        if input == 1:
            return xp.ones(exponent.shape)
        return xp.pow(xp.scalar(input), exponent)

    def grad_exponent(xp, g, exponent, input, out):
        if input == 0:
            slope = g * xp.conj(out * -float("inf"))
            return xp.where(xp.ge(xp.real(exponent), 0), xp.scalar(0), slope)
        return g * xp.conj(out * _log_number(input, xp.is_complex))


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
    if exponent.__class__ is int and exponent < 0 and not input._k.inexact:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return pow_scalar.fn(input, exponent, out=out)


@public(method=True)
def pow_(self, exponent):
    """In-place form of pow."""
    return inplace(*((pow_tensor, self, (exponent,), ()) if isinstance(exponent, Tensor) else (pow_scalar, self, (), (exponent,))))


def _pow_operator(self, exponent):
    """self ** exponent"""
    if isinstance(exponent, Tensor):
        return pow_tensor.fn(self, exponent)
    return pow_scalar.fn(self, exponent) if is_number(exponent) else NotImplemented


pow_tensor.face = pow_scalar.face = pow_base.face = pow
Tensor.__pow__, Tensor.__ipow__ = _pow_operator, pow_


@reflected("__rpow__")
def _rpow(self, other):
    """other ** self"""
    return pow(other, self)


@reflected("__rtruediv__")
def _rtruediv(self, other):
    """other / self: torch's reciprocal(self) * other"""
    return self.reciprocal() * other


Tensor.__rdiv__, Tensor.__div__, Tensor.__idiv__ = Tensor.__rtruediv__, Tensor.__truediv__, Tensor.__itruediv__
