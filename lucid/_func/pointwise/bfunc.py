"""Binary functions (bfunc), element by element: add, sub, mul, div, remainder, atan2, hypot, logaddexp, heaviside."""

from ..._array.lookup import table
from ..._backend.core import binary_func_op, unary_func_op
from ..._backend.families import Pointwise, not_implemented_error, zeros_like
from ..._backend.inplace import inplace
from ..._backend.registry import WORDS, public
from ..._backend.rules import wide_times
from ..._base.dtype import BOOL, FLOATING
from ..._tensor.tensor import Tensor
from .operands import by_operand, conj_number, is_bool, not_differentiable, reflected

_TWO_BOOLS = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
    "operator instead."
)
_ONE_BOOL = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use "
    "the `~` or `logical_not()` operator instead."
)


def check_alpha(xp, alpha):
    """torch's rules for the multiplier of add and sub."""
    if isinstance(alpha, bool):
        if xp.dtype.category != BOOL:
            raise RuntimeError("Boolean alpha only supported for Boolean results.")
    elif isinstance(alpha, float) and xp.dtype.category < FLOATING:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    elif isinstance(alpha, complex) and not xp.is_complex:
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")


# ---- sums and products


def _alpha_in_halves(rounded_once):
    """torch's kernels take alpha in the type itself; what gradients are multiplied by keeps its precision."""

    def kernel(k, input, other, alpha):
        alpha = table(k.dtype, "cpu").scalar(alpha).item() if isinstance(alpha, float) else alpha
        return rounded_once(k, input, other, alpha)

    return kernel


class add(Pointwise):
    """add(input, other, *, alpha=1) -> Tensor: input + alpha * other."""

    methods, fast_word, kernel_name, scalar_operands = ("__add__", "__radd__"), "add", "add_stub", "two"
    wide_numbers = False
    fits_type = ("alpha",)

    @binary_func_op()
    def forward(xp, input, other, *, alpha=1):
        if alpha is True or alpha != 1 or isinstance(alpha, float):
            check_alpha(xp, alpha)
            other = xp.mul(other, xp.scalar(alpha))
        return xp.add(input, other)

    halves = _alpha_in_halves

    def grad_input(xp, g):
        return g

    def grad_other(xp, g, alpha):
        return g if alpha == 1 else wide_times(xp, g, conj_number(alpha))


class sub(Pointwise):
    """sub(input, other, *, alpha=1) -> Tensor: input - alpha * other. RuntimeError for bools."""

    methods, aliases, fast_word, scalar_operands = ("__sub__",), ("subtract",), "sub", "two"
    wide_numbers = False
    fits_type = ("alpha",)

    @binary_func_op()
    def forward(xp, input, other, *, alpha=1):
        if alpha is True or alpha != 1 or isinstance(alpha, float):
            check_alpha(xp, alpha)
            other = xp.mul(other, xp.scalar(alpha))
        return xp.sub(input, other)

    halves = _alpha_in_halves

    def check(tensors, options):
        check_no_bool(*tensors)

    @classmethod
    def refusal(cls, k):
        return RuntimeError(_TWO_BOOLS)

    def grad_input(xp, g):
        return g

    def grad_other(xp, g, alpha):
        return -g if alpha == 1 else wide_times(xp, g, -conj_number(alpha))


def check_no_bool(a, b):
    """Subtraction of bools is an error in torch."""
    if is_bool(a) or is_bool(b):
        raise RuntimeError(_TWO_BOOLS if is_bool(a) and is_bool(b) else _ONE_BOOL)


class rsub_tensor(Pointwise):
    """The form of rsub in which other is a tensor."""

    name, node_name, namespace, method, inplace, has_out = "rsub", "RsubBackward0", None, False, False, False
    fits_type, layout_from = ("alpha",), (1, 0)

    @binary_func_op()
    def forward(xp, input, other, *, alpha=1):
        check_alpha(xp, alpha)
        return xp.sub(other, input if alpha == 1 else xp.mul(input, xp.scalar(alpha)))

    def check(tensors, options):
        check_no_bool(*tensors)

    refusal = sub.refusal

    def grad_input(xp, g, alpha):
        return -g if alpha == 1 else wide_times(xp, g, -conj_number(alpha))

    def grad_other(xp, g):
        return g


class rsub_scalar(Pointwise):
    """The form of rsub in which other is a Python number."""

    name, node_name, scalar_options = "rsub", "RsubBackward1", ("other",)
    fits_type = ("alpha",)
    namespace, method, inplace, has_out = None, False, False, False

    @unary_func_op()
    def forward(xp, input, other, *, alpha=1):
        check_alpha(xp, alpha)
        return xp.sub(xp.scalar(other), input if alpha == 1 else xp.mul(input, xp.scalar(alpha)))

    def check(tensors, options):
        check_no_bool(*tensors, options[0])

    def grad_input(xp, g, alpha):
        return -g if alpha == 1 else wide_times(xp, g, -conj_number(alpha))


@public()
def rsub(input, other, alpha=1):
    """rsub(input, other, *, alpha=1) -> Tensor: other - alpha * input."""
    return (rsub_tensor if isinstance(other, Tensor) else rsub_scalar).fn(input, other, alpha=alpha)


rsub_tensor.public_function = rsub_scalar.public_function = rsub


@reflected("__rsub__")
def _rsub(self, other):
    """other - self"""
    return rsub(self, other)


class mul(Pointwise):
    """mul(input, other) -> Tensor: the product, element by element, broadcast together."""

    methods, aliases, scalar_operands, wide_numbers = ("__mul__", "__rmul__"), ("multiply",), "two", True

    @binary_func_op()
    def forward(xp, input, other):
        return xp.mul(input, other)

    def grad_input(xp, g, other):
        return g * xp.conj(other)

    def grad_other(xp, g, input):
        return g * xp.conj(input)


# ---- division


class div(Pointwise):
    """true_divide(input, other) -> Tensor: the quotient; of integers it is floating point."""

    promote, scalar_operands, methods, aliases = "int_to_float", "two", ("__truediv__",), ("true_divide",)
    namespace, wide_numbers = None, True  # torch.div is the function below, which has a rounding mode

    @binary_func_op()
    def forward(xp, input, other):
        return xp.div(input, other)

    def grad_input(xp, g, other):
        return g / xp.conj(other)

    def grad_other(xp, g, input, other):
        return -g * xp.conj(input / other / other)


class div_rounding(Pointwise):
    """div with a rounding mode: the type stays, the gradient is 0."""

    name, node_name, namespace, inplace, scalar_operands = "div", "DivBackward2", None, False, "two"
    wide_numbers = True

    @binary_func_op()
    def forward(xp, input, other, *, rounding_mode):
        if rounding_mode not in ("floor", "trunc"):
            raise RuntimeError(
                f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
            )
        return xp.floor_divide(input, other) if rounding_mode == "floor" else xp.trunc_divide(input, other)

    @classmethod
    def refusal(cls, k):
        return not_implemented_error("div_floor_cpu", k.dtype)

    def grad_input(xp, g, other):  # torch keeps the operands though it needs none
        return zeros_like(xp, g)

    def grad_other(xp, g, input, other):
        return zeros_like(xp, g)


true_divide = div
public("true_divide")(true_divide.fn)
public("div_")(Tensor.div_)
public("true_divide_")(Tensor.true_divide_)


@public(method=("div", "divide"))
def div(input, other, *, rounding_mode=None, out=None):
    """div(input, other, *, rounding_mode=None) -> Tensor: the quotient; of integers it is floating point.

    rounding_mode "trunc" rounds it towards 0, "floor" down; the type is then the operands'. RuntimeError for an integer
    divided by 0 with a rounding mode.
    """
    if rounding_mode is None:
        return true_divide.fn(input, other, out=out)
    return div_rounding.fn(input, other, rounding_mode=rounding_mode, out=out)


@public(method=("div_", "divide_"), namespace=None)
def div_(self, other, *, rounding_mode=None):
    """In-place form of div."""
    if rounding_mode is None:
        return inplace(true_divide, self, (other,), ())
    return inplace(div_rounding, self, (other,), (rounding_mode,))


public("divide")(div)
# in rules a quotient that is rounded has the gradient 0, whatever floor_divide of the public says of its own
WORDS["floor_divide"] = lambda a, b: div(a, b, rounding_mode="floor")
WORDS["trunc_divide"] = lambda a, b: div(a, b, rounding_mode="trunc")
div_rounding.public_function = div


@reflected("__rtruediv__")
def _rtruediv(self, other):
    """other / self: torch's reciprocal(self) * other"""
    return self.reciprocal() * other


Tensor.__rdiv__, Tensor.__div__, Tensor.__idiv__ = Tensor.__rtruediv__, Tensor.__truediv__, Tensor.__itruediv__


class floor_divide_tensor(Pointwise):
    """floor_divide by a tensor."""

    name, node_name, namespace, inplace, scalar_operands = "floor_divide", "NotImplemented", None, False, "two"
    wide_numbers = True

    @binary_func_op()
    def forward(xp, input, other):
        return xp.floor_divide(input, other)

    @classmethod
    def refusal(cls, k):
        return not_implemented_error("div_floor_cpu", k.dtype)

    grad_input = grad_other = not_differentiable("floor_divide")


class floor_divide_scalar(Pointwise):
    """floor_divide by a number."""

    name, node_name, namespace, inplace, scalar_options = "floor_divide", "NotImplemented", None, False, ("other",)
    wide_numbers = True

    @unary_func_op()
    def forward(xp, input, other):
        return xp.floor_divide(input, xp.scalar(other))

    refusal = floor_divide_tensor.refusal
    grad_input = not_differentiable("floor_divide")


class remainder_tensor(Pointwise):
    """remainder by a tensor."""

    name, node_name, namespace, inplace, scalar_operands = "remainder", "RemainderBackward1", None, False, "all"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.remainder(input, other)

    def grad_input(xp, g):
        return g

    def grad_other(xp, g, input, other):
        return -g * xp.floor_divide(input, other)


class remainder_scalar(Pointwise):
    """remainder by a number."""

    name, node_name, namespace, inplace, scalar_options = "remainder", "RemainderBackward0", None, False, ("other",)

    @unary_func_op()
    def forward(xp, input, other):
        return xp.remainder(input, xp.scalar(other))

    def grad_input(xp, g):
        return g


class fmod_tensor(Pointwise):
    """fmod by a tensor."""

    name, node_name, namespace, inplace = "fmod", "FmodBackward1", None, False

    @binary_func_op()
    def forward(xp, input, other):
        return xp.fmod(input, other)

    def grad_input(xp, g):
        return g

    def grad_other(xp, g, input, other):
        return -g * xp.trunc_divide(input, other)


class fmod_scalar(Pointwise):
    """fmod by a number."""

    name, node_name, namespace, inplace, scalar_options = "fmod", "FmodBackward0", None, False, ("other",)

    @unary_func_op()
    def forward(xp, input, other):
        return xp.fmod(input, xp.scalar(other))

    def grad_input(xp, g):
        return g


floor_divide = by_operand(
    "floor_divide",
    """floor_divide(input, other) -> Tensor: the quotient, rounded down; no gradient.

    RuntimeError for an integer divided by 0.""",
    floor_divide_tensor,
    floor_divide_scalar,
    "__floordiv__",
)
remainder = by_operand(
    "remainder",
    """remainder(input, other) -> Tensor: what floor_divide leaves; it has other's sign.

    RuntimeError for an integer divided by 0.""",
    remainder_tensor,
    remainder_scalar,
    "__mod__",
)
fmod = by_operand(
    "fmod",
    """fmod(input, other) -> Tensor: what a division rounded to 0 leaves; it has input's sign.

    RuntimeError for an integer divided by 0.""",
    fmod_tensor,
    fmod_scalar,
)


# ---- coordinates, steps, sums of exponentials


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
        return g * input / out

    def grad_other(xp, g, other, out):
        return g * other / out


_NO_COMPLEX = "heaviside is not yet implemented for complex tensors."


class heaviside(Pointwise):
    """heaviside(input, values) -> Tensor: 0 below 0, values at 0, 1 above. Operands must have one type."""

    out_takes = "same"
    scalar_operands = "none"

    @binary_func_op()
    def forward(xp, input, values):
        if xp.is_complex:
            raise RuntimeError(_NO_COMPLEX)
        return xp.heaviside(input, values)

    node_name = "NotImplemented"
    grad_input = grad_values = not_differentiable("heaviside")

    def check(tensors, options):
        dtypes = {t.dtype for t in tensors if isinstance(t, Tensor)}
        if any(d.is_complex for d in dtypes):
            raise RuntimeError(_NO_COMPLEX)
        if len(dtypes) > 1:
            raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")


class logaddexp(Pointwise):
    """logaddexp(input, other) -> Tensor: log(exp(input) + exp(other)) without overflow on the way."""

    scalar_operands = "none"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.logaddexp(input, other)

    def grad_input(xp, g, input, other):
        return g / xp.conj(xp.exp(other - input) + 1)

    def grad_other(xp, g, input, other):
        return g / xp.conj(xp.exp(input - other) + 1)


class logaddexp2(Pointwise):
    """logaddexp2(input, other) -> Tensor: log2(2**input + 2**other) without overflow on the way."""

    scalar_operands = "none"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.logaddexp2(input, other)

    def grad_input(xp, g, input, other):
        return g / (xp.exp2(other - input) + 1)

    def grad_other(xp, g, input, other):
        return g / (xp.exp2(input - other) + 1)
