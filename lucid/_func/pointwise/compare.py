"""Comparisons: eq, lt, isnan, isclose, equal, logical_and and their like; maximum, minimum, fmax, fmin."""

from ..._backend.core import binary_func_op, unary_func_op
from ..._backend.families import Compare, Pointwise, not_implemented_error
from ..._backend.registry import public
from ..._base.dtype import FLOATING, SCALAR_NAMES, bool_
from ..._base.state import defaults
from ..creation.gfunc import ones_like
from .operands import need_tensors


class _Comparison(Compare):
    """Of two operands; complex numbers have no order."""

    @classmethod
    def refusal(cls, k):
        return not_implemented_error(f"{cls.name}_cpu", k.dtype)


class eq(Compare):
    """eq(input, other) -> bool Tensor: input == other."""

    methods, flat_inplace_name = ("__eq__",), "EqBackward"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.eq(input, other)


class ne(Compare):
    """ne(input, other) -> bool Tensor: input != other."""

    methods, aliases, flat_inplace_name = ("__ne__",), ("not_equal",), "NeBackward"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.ne(input, other)


class lt(_Comparison):
    """lt(input, other) -> bool Tensor: input < other."""

    methods, aliases, flat_inplace_name = ("__lt__",), ("less",), "LtBackward"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.lt(input, other)


class le(_Comparison):
    """le(input, other) -> bool Tensor: input <= other."""

    methods, aliases, flat_inplace_name = ("__le__",), ("less_equal",), "LeBackward"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.le(input, other)


class gt(_Comparison):
    """gt(input, other) -> bool Tensor: input > other."""

    methods, aliases, flat_inplace_name = ("__gt__",), ("greater",), "GtBackward"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.gt(input, other)


class ge(_Comparison):
    """ge(input, other) -> bool Tensor: input >= other."""

    methods, aliases, flat_inplace_name = ("__ge__",), ("greater_equal",), "GeBackward"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.ge(input, other)


# ---- logic


class logical_not(Compare):
    """logical_not(input) -> bool Tensor: is it zero?"""

    writes_leaves = True

    @unary_func_op()
    def forward(xp, input):
        return xp.logical_not(input)


class logical_and(Compare):
    """logical_and(input, other) -> bool Tensor: are both other than zero?"""

    scalar_operands, writes_leaves = "none", True

    @binary_func_op()
    def forward(xp, input, other):
        return xp.logical_and(input, other)


class logical_or(Compare):
    """logical_or(input, other) -> bool Tensor: is either other than zero?"""

    scalar_operands, writes_leaves = "none", True

    @binary_func_op()
    def forward(xp, input, other):
        return xp.logical_or(input, other)


class logical_xor(Compare):
    """logical_xor(input, other) -> bool Tensor: is exactly one other than zero?"""

    scalar_operands, writes_leaves = "none", True

    @binary_func_op()
    def forward(xp, input, other):
        return xp.logical_xor(input, other)


# ---- kinds of floating point numbers


class isnan(Compare):
    """isnan(input) -> bool Tensor: is it NaN?"""

    inplace, has_out = False, False

    @unary_func_op()
    def forward(xp, input):
        return xp.isnan(input)


class isinf(Compare):
    """isinf(input) -> bool Tensor: is it an infinity?"""

    inplace, has_out = False, False

    @unary_func_op()
    def forward(xp, input):
        return xp.isinf(input)


class isfinite(Compare):
    """isfinite(input) -> bool Tensor: is it neither NaN nor an infinity?"""

    inplace, has_out = False, False

    @unary_func_op()
    def forward(xp, input):
        return xp.isfinite(input)


class isposinf(Compare):
    """isposinf(input) -> bool Tensor: is it +infinity?"""

    out_takes = "same"
    inplace = False

    @classmethod
    def refusal(cls, k):
        return RuntimeError("isposinf does not support complex inputs.")

    @unary_func_op()
    def forward(xp, input):
        return xp.isposinf(input)


class isneginf(Compare):
    """isneginf(input) -> bool Tensor: is it -infinity?"""

    out_takes = "same"
    inplace = False

    @classmethod
    def refusal(cls, k):
        return RuntimeError("isneginf does not support complex inputs.")

    @unary_func_op()
    def forward(xp, input):
        return xp.isneginf(input)


@public(method=True)
def isreal(input):
    """isreal(input) -> bool Tensor: is the imaginary part 0?"""
    if input.is_complex():
        return input.imag == 0
    return ones_like(input, dtype=bool_)


# ---- closeness and equality


@public(method=True)
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> bool Tensor:
    is |input - other| at most atol + rtol * |other|?
    """
    need_tensors("isclose", input=input, other=other)
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{SCALAR_NAMES[input.dtype]} did not match {SCALAR_NAMES[other.dtype]}")
    if not rtol >= 0:
        raise RuntimeError(f"rtol must be greater than or equal to zero, but got {rtol}")
    if not atol >= 0:
        raise RuntimeError(f"atol must be greater than or equal to zero, but got {atol}")
    close = input == other
    if equal_nan and input._table.inexact:
        close = close | (isnan.fn(input) & isnan.fn(other))
    if rtol == 0 and atol == 0:
        return close
    input, other = input.detach(), other.detach()
    if input.dtype.category < FLOATING:
        input, other = input.to(defaults.dtype), other.to(defaults.dtype)
    allowed = (float(rtol) * other).abs() + float(atol)
    error = (input - other).abs()
    return close | (isfinite.fn(error) & (error <= allowed))


@public(method=True)
def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """allclose(input, other, ...) -> bool: is isclose true everywhere?"""
    need_tensors("allclose", input=input, other=other)
    same = isclose(input, other, rtol, atol, equal_nan).all()
    same._table.need_unbatched(same._array, "allclose", "unsupported")
    return bool(same)


@public(method=True)
def equal(input, other):
    """equal(input, other) -> bool: have they the same shape and the same elements?"""
    need_tensors("equal", input=input, other=other)
    if input.device != other.device:
        raise RuntimeError(f"Cannot compare two tensors on different devices. Got: {input.device} and {other.device}")
    if input.shape != other.shape:
        return False
    if input._table.only_ops is not None and input._table.is_complex:
        raise not_implemented_error("equal_cpu", input._table.dtype)
    same = (input == other).all()
    same._table.need_unbatched(same._array, "equal", "fallback")
    return bool(same)


# ---- the greater and the less: a tie shares the gradient


class maximum(Pointwise):
    """maximum(input, other) -> Tensor: the greater of two elements; NaN if either is. A tie halves the gradient."""

    scalar_operands = "none"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.maximum(input, other)

    @classmethod
    def refusal(cls, k):
        return RuntimeError(f"{cls.name} not implemented for complex tensors.")

    def grad_input(xp, g, input, other):
        return _tie(xp, g, xp.lt(input, other), xp.eq(input, other))

    def grad_other(xp, g, input, other):
        return _tie(xp, g, xp.gt(input, other), xp.eq(input, other))


class minimum(Pointwise):
    """minimum(input, other) -> Tensor: the less of two elements; NaN if either is. A tie halves the gradient."""

    scalar_operands, refusal = "none", maximum.refusal

    @binary_func_op()
    def forward(xp, input, other):
        return xp.minimum(input, other)

    def grad_input(xp, g, input, other):
        return _tie(xp, g, xp.gt(input, other), xp.eq(input, other))

    def grad_other(xp, g, input, other):
        return _tie(xp, g, xp.lt(input, other), xp.eq(input, other))


def _tie(xp, g, lost, tied):
    """g for the winner, half of it at a tie, 0 for the loser."""
    return xp.where(lost, xp.scalar(0), xp.where(tied, g * 0.5, g))


class fmax(Pointwise):
    """fmax(input, other) -> Tensor: the greater of two elements; a number beats NaN."""

    scalar_operands = "none"

    @classmethod
    def refusal(cls, k):
        return RuntimeError("fmax not implemented for complex tensors.")

    @binary_func_op()
    def forward(xp, input, other):
        return xp.fmax(input, other)

    def grad_input(xp, g, input, other):
        taken = xp.logical_or(xp.ge(input, other), xp.isnan(other))
        return xp.masked_fill(g, xp.logical_not(taken), xp.scalar(0))

    def grad_other(xp, g, input, other):
        return xp.masked_fill(g, xp.logical_or(xp.ge(input, other), xp.isnan(other)), xp.scalar(0))


class fmin(Pointwise):
    """fmin(input, other) -> Tensor: the less of two elements; a number beats NaN."""

    scalar_operands = "none"

    @classmethod
    def refusal(cls, k):
        return RuntimeError("fmin not implemented for complex tensors.")

    @binary_func_op()
    def forward(xp, input, other):
        return xp.fmin(input, other)

    def grad_input(xp, g, input, other):
        taken = xp.logical_or(xp.le(input, other), xp.isnan(other))
        return xp.masked_fill(g, xp.logical_not(taken), xp.scalar(0))

    def grad_other(xp, g, input, other):
        return xp.masked_fill(g, xp.logical_or(xp.le(input, other), xp.isnan(other)), xp.scalar(0))
