"""Questions asked element by element: comparisons, logic, is-it-NaN, closeness; and whether two tensors are equal."""
from .._backend.core import binary_func_op, public, unary_func_op
from .._backend.families import Compare
from .._backend.interpret import interpret_operator
from .._base.dtype import INTEGRAL, iinfo
from .._base.state import local
from .._tensor.tensor import Tensor


class _Comparison(Compare):
    """Of two operands; complex numbers have no order."""

    @classmethod
    def refusal(cls, k):
        return NotImplementedError(f"\"{cls.name}_cpu\" not implemented for '{'ComplexFloat' if k.is_complex else k.dtype}'")


class eq(Compare):
    """eq(input, other) -> bool Tensor: input == other."""

    methods = ("__eq__",)

    @binary_func_op()
    def forward(xp, input, other):
        return xp.eq(input, other)


class ne(Compare):
    """ne(input, other) -> bool Tensor: input != other."""

    methods, aliases = ("__ne__",), ("not_equal",)

    @binary_func_op()
    def forward(xp, input, other):
        return xp.ne(input, other)


class lt(_Comparison):
    """lt(input, other) -> bool Tensor: input < other."""

    methods, aliases = ("__lt__",), ("less",)

    @binary_func_op()
    def forward(xp, input, other):
        return xp.lt(input, other)


class le(_Comparison):
    """le(input, other) -> bool Tensor: input <= other."""

    methods, aliases = ("__le__",), ("less_equal",)

    @binary_func_op()
    def forward(xp, input, other):
        return xp.le(input, other)


class gt(_Comparison):
    """gt(input, other) -> bool Tensor: input > other."""

    methods, aliases = ("__gt__",), ("greater",)

    @binary_func_op()
    def forward(xp, input, other):
        return xp.gt(input, other)


class ge(_Comparison):
    """ge(input, other) -> bool Tensor: input >= other."""

    methods, aliases = ("__ge__",), ("greater_equal",)

    @binary_func_op()
    def forward(xp, input, other):
        return xp.ge(input, other)


# ---- logic

class logical_not(Compare):
    """logical_not(input) -> bool Tensor: is it zero?"""

    @unary_func_op()
    def forward(xp, input):
        return xp.logical_not(input)


class logical_and(Compare):
    """logical_and(input, other) -> bool Tensor: are both other than zero?"""

    @binary_func_op()
    def forward(xp, input, other):
        return xp.logical_and(input, other)


class logical_or(Compare):
    """logical_or(input, other) -> bool Tensor: is either other than zero?"""

    @binary_func_op()
    def forward(xp, input, other):
        return xp.logical_or(input, other)


class logical_xor(Compare):
    """logical_xor(input, other) -> bool Tensor: is exactly one other than zero?"""

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

    inplace = False

    @unary_func_op()
    def forward(xp, input):
        return xp.isposinf(input)


class isneginf(Compare):
    """isneginf(input) -> bool Tensor: is it -infinity?"""

    inplace = False

    @unary_func_op()
    def forward(xp, input):
        return xp.isneginf(input)
