"""Choosing between values: where, maximum, minimum, clamp, masked_fill, fill, nan_to_num."""

from ..._backend.core import binary_func_op, func_op, unary_func_op
from ..._backend.families import Pointwise
from ..._backend.inplace import inplace
from ..._backend.promotion import is_number
from ..._backend.registry import public
from ..._base.dtype import BOOL, C_NAMES, DTYPES, SCALAR_NAMES, finfo, fitted
from ..._tensor.tensor import Tensor
from ..creation.gfunc import number_dtype, tensor
from .bfunc import bound

# ---- where


class where_op(Pointwise):
    """The three-operand form of where; the condition keeps its own type."""

    name, node_name, namespace, method, inplace = "where", "WhereBackward0", None, False, False
    index_inputs, scalar_operands = ("condition",), "all"

    @func_op(3)
    def forward(xp, input, other, condition):
        return xp.where(condition, input, other)

    def check(tensors, options):
        kind = tensors[2].dtype
        if kind.category != BOOL and kind is not DTYPES["uint8"]:
            raise RuntimeError(
                f"where expected condition to be a boolean tensor, but got a tensor with dtype {SCALAR_NAMES[kind]}"
            )

    def grad_input(xp, g, condition):
        return xp.where(condition, g, xp.scalar(0))

    def grad_other(xp, g, condition):
        return xp.where(condition, xp.scalar(0), g)


@public()
def where(condition, input=None, other=None, *, out=None):
    """where(condition, input, other) -> Tensor: input where condition is true, else other; all broadcast and promote.

    where(condition) -> the indices of true elements, one tensor a dimension.
    """
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        input = scalar_tensor(input, condition)
    if condition._table.dtype.category != BOOL:
        where_op.check((input, other, condition), ())
        condition = condition.bool()
    return where_op.fn(input, other, condition, out=out)


def scalar_tensor(value, like):
    """A Python number as a 0-dim tensor on another tensor's device."""
    return tensor(value, dtype=number_dtype(value), device=like.device)


def _where_method(self, condition, other):
    """where(condition, other) -> Tensor: self where condition is true, else other."""
    return where(condition, self, other)


where_op.public_function, Tensor.where = where, _where_method


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

    @binary_func_op()
    def forward(xp, input, other):
        return xp.fmax(input, other)

    def grad_input(xp, g, input, other):
        return xp.where(xp.logical_or(xp.ge(input, other), xp.isnan(other)), g, xp.scalar(0))

    def grad_other(xp, g, input, other):
        return xp.where(xp.logical_or(xp.ge(input, other), xp.isnan(other)), xp.scalar(0), g)


class fmin(Pointwise):
    """fmin(input, other) -> Tensor: the less of two elements; a number beats NaN."""

    scalar_operands = "none"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.fmin(input, other)

    def grad_input(xp, g, input, other):
        return xp.where(xp.logical_or(xp.le(input, other), xp.isnan(other)), g, xp.scalar(0))

    def grad_other(xp, g, input, other):
        return xp.where(xp.logical_or(xp.le(input, other), xp.isnan(other)), xp.scalar(0), g)


# ---- clamp: the gradient passes at the bounds themselves

_NO_BOUND = "torch.clamp: At least one of 'min' or 'max' must not be None"


class clamp_scalar(Pointwise):
    """clamp with numbers for bounds."""

    name, node_name, namespace, inplace, scalar_options = "clamp", "ClampBackward1", None, False, ("min", "max")

    @unary_func_op()
    def forward(xp, input, min=None, max=None):
        if xp.is_complex:
            raise NotImplementedError("clamp is not supported for complex types")
        if min is not None:
            input = xp.maximum(input, bound(xp, min))
        return input if max is None else xp.minimum(input, bound(xp, max))

    def grad_input(xp, g, input, min, max):
        if min is None:
            return xp.where(xp.le(input, xp.scalar(max)), g, xp.scalar(0))
        inside = xp.ge(input, xp.scalar(min))
        if max is not None:
            inside = xp.logical_and(inside, xp.le(input, xp.scalar(max)))
        return xp.where(inside, g, xp.scalar(0))


class clamp_tensor(Pointwise):
    """clamp with tensors for bounds."""

    name, node_name, namespace, inplace, scalar_operands = "clamp", "ClampBackward0", None, False, "second"

    @func_op(3)
    def forward(xp, input, min=None, max=None):
        if xp.is_complex:
            raise NotImplementedError("clamp is not supported for complex types")
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


def _clamp_case(min, max):
    """The op that these bounds ask for."""
    if min is None and max is None:
        raise RuntimeError(_NO_BOUND)
    tensors = [isinstance(b, Tensor) for b in (min, max) if b is not None]
    if any(tensors) and not all(tensors):
        raise TypeError(
            "clamp() received an invalid combination of arguments - got (Tensor, "
            f"{type(min).__name__}, {type(max).__name__}), but expected one of:\n"
            " * (Tensor input, Tensor min = None, Tensor max = None, *, Tensor out = None)\n"
            " * (Tensor input, Number min = None, Number max = None, *, Tensor out = None)\n"
        )
    return clamp_tensor if any(tensors) else clamp_scalar


@public(method=True)
def clamp(input, min=None, max=None, *, out=None):
    """clamp(input, min=None, max=None) -> Tensor: limited to [min, max]; bounds are numbers or tensors, None for none.

    Where min > max the result is max. RuntimeError without any bound.
    """
    return _clamp_case(min, max).fn(input, min, max, out=out)


@public(method=True)
def clamp_(self, min=None, max=None):
    """In-place form of clamp."""
    op = _clamp_case(min, max)
    return inplace(op, self, (min, max), ()) if op is clamp_tensor else inplace(op, self, (), (min, max))


clamp_scalar.public_function = clamp_tensor.public_function = clamp
public("clip", method="clip")(clamp)
public("clip_", method="clip_")(clamp_)


class clamp_min_scalar(Pointwise):
    """clamp_min with a number."""

    name, node_name, namespace, inplace, scalar_options = "clamp_min", "ClampMinBackward0", None, False, ("min",)

    @unary_func_op()
    def forward(xp, input, min):
        return xp.maximum(input, bound(xp, min))

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


class clamp_max_scalar(Pointwise):
    """clamp_max with a number."""

    name, node_name, namespace, inplace, scalar_options = "clamp_max", "ClampMaxBackward0", None, False, ("max",)

    @unary_func_op()
    def forward(xp, input, max):
        return xp.minimum(input, bound(xp, max))

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
    return inplace(clamp_max_scalar, self, (), (max,))


clamp_min_scalar.public_function = clamp_min_tensor.public_function = clamp_min
clamp_max_scalar.public_function = clamp_max_tensor.public_function = clamp_max


# ---- filling


class masked_fill_scalar(Pointwise):
    """masked_fill with a number."""

    name, node_name, namespace, inplace, promote, has_out = (
        "masked_fill",
        "MaskedFillBackward0",
        None,
        False,
        "keep",
        False,
    )
    index_inputs = ("mask",)

    @func_op(2)
    def forward(xp, input, mask, value):
        return xp.masked_fill(input, mask, fitting(xp, value))

    def grad_input(xp, g, mask):
        return xp.masked_fill(g, mask, xp.scalar(0))


class masked_fill_tensor(Pointwise):
    """masked_fill with a 0-dim tensor."""

    name, node_name, namespace, inplace, promote, has_out = (
        "masked_fill",
        "MaskedFillBackward1",
        None,
        False,
        "keep",
        False,
    )
    index_inputs = ("mask",)

    @func_op(3)
    def forward(xp, input, mask, value):
        return xp.masked_fill(input, mask, xp.cast(value, xp.dtype))

    def grad_input(xp, g, mask):
        return xp.masked_fill(g, mask, xp.scalar(0))

    def grad_value(xp, g, mask):
        taken = xp.where(mask, g, xp.scalar(0))
        return xp.sum(taken, tuple(range(len(taken.shape))), False)


def fitting(xp, value):
    """A number in the tensor's type; a complex one has no place in a real tensor."""
    if isinstance(value, complex):
        if not xp.is_complex:
            raise RuntimeError(f"value cannot be converted to type {C_NAMES[xp.dtype]} without overflow")
    return xp.scalar(fitted(value, xp.dtype))


def _masked_fill_case(input, mask, value):
    if mask.dtype.category != BOOL:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {C_NAMES[mask.dtype]}")
    if not isinstance(value, Tensor):
        return masked_fill_scalar
    if value.ndim:
        raise RuntimeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    if value.is_complex() and not input.is_complex():
        raise RuntimeError(f"value cannot be converted to type {C_NAMES[input.dtype]} without overflow")
    return masked_fill_tensor


@public(method=True)
def masked_fill(input, mask, value):
    """masked_fill(input, mask, value) -> Tensor: value where the bool tensor mask is true; the type stays input's."""
    return _masked_fill_case(input, mask, value).fn(input, mask, value)


@public(namespace=None, method=True)
def masked_fill_(self, mask, value):
    """In-place form of masked_fill."""
    op = _masked_fill_case(self, mask, value)
    return inplace(op, self, (mask,), (value,)) if op is masked_fill_scalar else inplace(op, self, (mask, value), ())


masked_fill_scalar.public_function = masked_fill_tensor.public_function = masked_fill


class fill_scalar(Pointwise):
    """fill with a number."""

    name, node_name, inplace_node_name = "fill", "FillBackward0", "FillBackward2"
    namespace, inplace, promote, has_out = None, False, "keep", False

    @unary_func_op()
    def forward(xp, input, value):
        return xp.full(input.shape, fitting(xp, value))

    def grad_input(xp, g):
        return xp.zeros(g.shape)


class fill_tensor(Pointwise):
    """fill with a 0-dim tensor."""

    name, node_name, inplace_node_name = "fill", "FillBackward1", "FillBackward3"
    namespace, inplace, promote, has_out = None, False, "keep", False

    @binary_func_op()
    def forward(xp, input, value):
        return xp.copy(xp.expand(xp.cast(value, xp.dtype), input.shape))

    def grad_input(xp, g):
        return xp.zeros(g.shape)

    def grad_value(xp, g):
        return xp.sum(g, tuple(range(len(g.shape))), False)


def _fill_case(value):
    if isinstance(value, Tensor) and value.ndim:
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    if not isinstance(value, Tensor) and not is_number(value):
        raise TypeError(
            f"fill_() received an invalid combination of arguments - got ({type(value).__name__}), but expected "
            "one of:\n * (Tensor value)\n * (Number value)"
        )
    return fill_tensor if isinstance(value, Tensor) else fill_scalar


@public()
def fill(input, value):
    """fill(input, value) -> Tensor like input, every element value."""
    return _fill_case(value).fn(input, value)


@public(method=True)
def fill_(self, value):
    """fill_(value) -> self, every element value (a number or a 0-dim tensor)."""
    op = _fill_case(value)
    return inplace(op, self, (value,), ()) if op is fill_tensor else inplace(op, self, (), (value,))


fill_scalar.public_function = fill_tensor.public_function = fill


class zero(Pointwise):
    """The record of zero_: every element 0."""

    method, namespace, promote, has_out = False, None, "keep", False

    @unary_func_op()
    def forward(xp, input):
        return xp.zeros(input.shape)

    def grad_input(xp, g):
        return xp.zeros(g.shape)


public("zero_")(Tensor.zero_)


# ---- NaN


class nan_to_num(Pointwise):
    """nan_to_num(input, nan=0.0, posinf=None, neginf=None) -> Tensor: NaN and infinities replaced (None: by the type's
    limits)."""

    compute_in_float32 = False  # the limits are those of the type itself

    @unary_func_op()
    def forward(xp, input, nan=None, posinf=None, neginf=None):
        if not xp.inexact:
            return xp.copy(input)
        limits = finfo(xp.dtype)
        nan = 0.0 if nan is None else nan
        posinf = limits.max if posinf is None else posinf
        neginf = limits.min if neginf is None else neginf
        if xp.is_complex:
            part = xp.sibling(xp.dtype.to_real())
            parts = [_finite(part, p, nan, posinf, neginf) for p in (xp.real(input), xp.imag(input))]
            return part.complex(*parts)
        return _finite(xp, input, nan, posinf, neginf)

    def grad_input(xp, g, input):
        return g * xp.isfinite(input)


def _finite(xp, x, nan, posinf, neginf):
    x = xp.where(xp.isnan(x), xp.scalar(nan), x)
    x = xp.where(xp.eq(x, float("inf")), xp.scalar(posinf), x)
    return xp.where(xp.eq(x, -float("inf")), xp.scalar(neginf), x)
