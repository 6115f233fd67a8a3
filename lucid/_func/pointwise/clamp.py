"""Values kept within bounds: clamp (clip), clamp_min, clamp_max, nan_to_num."""

from ..._backend.core import binary_func_op, func_op, unary_func_op
from ..._backend.families import Pointwise, not_implemented_error
from ..._backend.inplace import inplace
from ..._backend.registry import public
from ..._base.dtype import BOOL, COMPLEX, FLOATING, INTEGRAL, bool_, finfo
from ..._tensor.tensor import Tensor
from .operands import bound

_NO_BOUND = "torch.clamp: At least one of 'min' or 'max' must not be None"
_COMPLEX = "clamp is not supported for complex types"


def _limit(xp, value, kernel):
    """A bound in the tensor's type. torch has no such kernel for truth values, only one beside tensors."""
    if xp.dtype is bool_ and xp.has_data:
        raise not_implemented_error(kernel, bool_)
    return bound(xp, value)


class _Clamp(Pointwise):
    """What both forms refuse."""

    refuses_complex = True

    @classmethod
    def refusal(cls, k):
        return NotImplementedError(_COMPLEX) if k.is_complex else super().refusal(k)


class clamp_scalar(_Clamp):
    """clamp with numbers for bounds."""

    name, node_name, namespace, inplace, scalar_options = "clamp", "ClampBackward1", None, False, ("min", "max")
    fits_in = (BOOL, INTEGRAL, FLOATING)
    fits_type = ("min", "max")

    @unary_func_op()
    def forward(xp, input, min=None, max=None):
        if xp.is_complex:
            raise NotImplementedError(_COMPLEX)
        kernel = (
            "clamp_min_scalar_cpu" if max is None else "clamp_max_scalar_cpu" if min is None else "clamp_scalar_cpu"
        )
        if min is not None:
            input = xp.maximum(input, _limit(xp, min, kernel))
        return input if max is None else xp.minimum(input, _limit(xp, max, kernel))

    def grad_input(xp, g, input, min, max):
        if min is None:
            return xp.where(xp.le(input, xp.scalar(max)), g, xp.scalar(0))
        inside = xp.ge(input, xp.scalar(min))
        if max is not None:
            inside = xp.logical_and(inside, xp.le(input, xp.scalar(max)))
        return xp.where(inside, g, xp.scalar(0))


class clamp_tensor(_Clamp):
    """clamp with tensors for bounds."""

    name, node_name, namespace, inplace, scalar_operands = "clamp", "ClampBackward0", None, False, "second"

    @func_op(3)
    def forward(xp, input, min=None, max=None):
        if xp.is_complex:
            raise NotImplementedError(_COMPLEX)
        if min is not None:
            input = xp.maximum(input, min)
        return input if max is None else xp.minimum(input, max)

    def grad_input(xp, g, input, min, max):
        inside = None if min is None else xp.ge(input, min)
        if max is not None:
            below = xp.le(input, max)
            inside = below if inside is None else xp.logical_and(inside, below)
        return xp.where(inside, g, xp.scalar(0))

    def grad_min(xp, g, input, min, max):
        taken = xp.lt(input, min)
        if max is not None:
            taken = xp.logical_and(taken, xp.lt(min, max))
        return xp.where(taken, g, xp.scalar(0))

    def grad_max(xp, g, input, min, max):
        taken = xp.gt(input, max)
        if min is not None:
            taken = xp.logical_or(taken, xp.gt(min, max))
        return xp.where(taken, g, xp.scalar(0))


_NUMBERS = (int, float)


def _clamp_case(input, min, max):
    """(the op that these bounds ask for, min, max): beside a number, a tensor without dimensions is one too."""
    if type(min) in _NUMBERS and type(max) in _NUMBERS:
        return clamp_scalar, min, max
    if min is None and max is None:
        raise RuntimeError(_NO_BOUND)
    if min is not None and max is not None and isinstance(min, Tensor) is not isinstance(max, Tensor):
        min, max = (b.item() if isinstance(b, Tensor) and not b.ndim and not b.requires_grad else b for b in (min, max))
    if (isinstance(min, complex) or isinstance(max, complex)) and input.dtype.category < COMPLEX:
        if input.dtype.category == FLOATING:
            raise RuntimeError("value cannot be converted to type double without overflow")
        raise NotImplementedError(_COMPLEX)
    tensors = [isinstance(b, Tensor) for b in (min, max) if b is not None]
    if any(tensors) and not all(tensors):
        raise TypeError(
            "clamp() received an invalid combination of arguments - got (Tensor, "
            f"{type(min).__name__}, {type(max).__name__}), but expected one of:\n"
            " * (Tensor input, Tensor min = None, Tensor max = None, *, Tensor out = None)\n"
            " * (Tensor input, Number min = None, Number max = None, *, Tensor out = None)\n"
        )
    return clamp_tensor if any(tensors) else clamp_scalar, min, max


@public(method=True)
def clamp(input, min=None, max=None, *, out=None):
    """clamp(input, min=None, max=None) -> Tensor: limited to [min, max]; bounds are numbers or tensors, None for none.

    Where min > max the result is max. RuntimeError without any bound.
    """
    op, min, max = _clamp_case(input, min, max)
    return op.fn(input, min, max, out=out)


@public(method=True)
def clamp_(self, min=None, max=None):
    """In-place form of clamp."""
    op, min, max = _clamp_case(self, min, max)
    return inplace(op, self, (min, max), ()) if op is clamp_tensor else inplace(op, self, (), (min, max))


clamp_scalar.public_function = clamp_tensor.public_function = clamp


public("clip", method="clip")(clamp)


public("clip_", method="clip_")(clamp_)


class clamp_min_scalar(_Clamp):
    """clamp_min with a number."""

    name, node_name, namespace, inplace, scalar_options = "clamp_min", "ClampMinBackward0", None, False, ("min",)
    fits_in = (BOOL, INTEGRAL, FLOATING)
    fits_type = ("min",)

    @unary_func_op()
    def forward(xp, input, min):
        return xp.maximum(input, _limit(xp, min, "clamp_min_scalar_cpu"))

    def grad_input(xp, g, input, min):
        return xp.where(xp.ge(input, xp.scalar(min)), g, xp.scalar(0))


class clamp_min_tensor(Pointwise):
    """clamp_min with a tensor."""

    name, node_name, namespace, inplace = "clamp_min", "ClampMinBackward1", None, False

    @binary_func_op()
    def forward(xp, input, min):
        return xp.maximum(input, min)

    def grad_input(xp, g, input, min):
        return xp.where(xp.ge(input, min), g, xp.scalar(0))

    def grad_min(xp, g, input, min):
        return xp.where(xp.lt(input, min), g, xp.scalar(0))


class clamp_max_scalar(_Clamp):
    """clamp_max with a number."""

    name, node_name, namespace, inplace, scalar_options = "clamp_max", "ClampMaxBackward0", None, False, ("max",)
    fits_in = (BOOL, INTEGRAL, FLOATING)
    fits_type = ("max",)

    @unary_func_op()
    def forward(xp, input, max):
        return xp.minimum(input, _limit(xp, max, "clamp_max_scalar_cpu"))

    def grad_input(xp, g, input, max):
        return xp.where(xp.le(input, xp.scalar(max)), g, xp.scalar(0))


class clamp_max_tensor(Pointwise):
    """clamp_max with a tensor."""

    name, node_name, namespace, inplace = "clamp_max", "ClampMaxBackward1", None, False

    @binary_func_op()
    def forward(xp, input, max):
        return xp.minimum(input, max)

    def grad_input(xp, g, input, max):
        return xp.where(xp.le(input, max), g, xp.scalar(0))

    def grad_max(xp, g, input, max):
        return xp.where(xp.gt(input, max), g, xp.scalar(0))


@public(method=True)
def clamp_min(input, min, *, out=None):
    """clamp_min(input, min) -> Tensor: input, but nothing below min (a number or a tensor)."""
    return (clamp_min_tensor if isinstance(min, Tensor) else clamp_min_scalar).fn(input, min, out=out)


@public(method=True)
def clamp_min_(self, min):
    """In-place form of clamp_min."""
    if isinstance(min, Tensor):
        return inplace(clamp_min_tensor, self, (min,), ())
    if isinstance(min, complex):
        raise NotImplementedError(_COMPLEX)
    return inplace(clamp_min_scalar, self, (), (min,))


@public(method=True)
def clamp_max(input, max, *, out=None):
    """clamp_max(input, max) -> Tensor: input, but nothing above max (a number or a tensor)."""
    return (clamp_max_tensor if isinstance(max, Tensor) else clamp_max_scalar).fn(input, max, out=out)


@public(method=True)
def clamp_max_(self, max):
    """In-place form of clamp_max."""
    if isinstance(max, Tensor):
        return inplace(clamp_max_tensor, self, (max,), ())
    if isinstance(max, complex):
        raise NotImplementedError(_COMPLEX)
    return inplace(clamp_max_scalar, self, (), (max,))


clamp_min_scalar.public_function = clamp_min_tensor.public_function = clamp_min


clamp_max_scalar.public_function = clamp_max_tensor.public_function = clamp_max


class nan_to_num(Pointwise):
    """nan_to_num(input, nan=0.0, posinf=None, neginf=None) -> Tensor:
    NaN and infinities replaced (None: by the type's limits).
    """

    out_takes = "same"
    compute_in_float32 = False  # the limits are those of the type itself
    complex_gradient = False

    @unary_func_op()
    def forward(xp, input, nan=None, posinf=None, neginf=None):
        if not xp.inexact:
            return xp.copy(input)
        limits = finfo(xp.dtype)
        nan = 0.0 if nan is None else float(nan)
        posinf = limits.max if posinf is None else float(posinf)
        neginf = limits.min if neginf is None else float(neginf)
        if xp.is_complex:
            part = xp.sibling(xp.dtype.to_real())
            parts = [_finite(part, p, nan, posinf, neginf) for p in (xp.real(input), xp.imag(input))]
            return part.complex(*parts)
        return _finite(xp, input, nan, posinf, neginf)

    def sparse(k, input, nan, posinf, neginf):
        return k.of_values("nan_to_num", input, lambda v: nan_to_num.forward(k.dense, v, nan, posinf, neginf))

    def grad_input(xp, g, input):
        return g * xp.isfinite(input)


def _finite(xp, x, nan, posinf, neginf):
    x = xp.where(xp.isnan(x), xp.scalar(nan), x)
    x = xp.where(xp.eq(x, float("inf")), xp.scalar(posinf), x)
    return xp.where(xp.eq(x, -float("inf")), xp.scalar(neginf), x)
