"""One value written everywhere or where a mask says so: fill, masked_fill, zero_."""

import math

from ..._backend.core import binary_func_op, func_op, unary_func_op
from ..._backend.families import Pointwise, zeros_like
from ..._backend.inplace import inplace
from ..._backend.promotion import is_number
from ..._backend.registry import public
from ..._base.dtype import BOOL, C_NAMES, fitted, fitted_as_element
from ..._tensor.tensor import Tensor


class masked_fill_scalar(Pointwise):
    """masked_fill with a number."""

    name, node_name = "masked_fill", "MaskedFillBackward0"
    namespace, inplace, promote, has_out = None, False, "keep", False
    index_inputs, writes_expanded, may_overlap, layout_from = ("mask",), True, ("value",), ()

    @func_op(2)
    def forward(xp, input, mask, value):
        return xp.masked_fill(input, mask, fitting(xp, value))

    def grad_input(xp, g, mask):
        return xp.masked_fill(g, mask, xp.scalar(0))


class masked_fill_tensor(Pointwise):
    """masked_fill with a 0-dim tensor."""

    name, node_name = "masked_fill", "MaskedFillBackward1"
    namespace, inplace, promote, has_out = None, False, "keep", False
    index_inputs, writes_expanded, may_overlap, layout_from = ("mask",), True, ("value",), ()

    @func_op(3)
    def forward(xp, input, mask, value):
        return xp.masked_fill(input, mask, xp.cast(value, xp.dtype))

    def grad_input(xp, g, mask):
        return xp.masked_fill(g, mask, xp.scalar(0))

    def grad_value(xp, g, mask):
        taken = xp.where(mask, g, xp.scalar(0))
        return xp.sum(taken, tuple(range(len(taken.shape))), False)


def fitting(xp, value):
    """A number in the tensor's type; what has no place in it is an error."""
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
    if value.is_complex() and not input.is_complex() and not (value._table.host and not value.item().imag):
        raise RuntimeError(f"value cannot be converted to type {C_NAMES[input.dtype]} without overflow")
    if value._table.host and value._table is not input._table:
        fitted(value.item(), input.dtype)
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
    namespace, inplace, promote, has_out, writes_expanded = None, False, "keep", False, True

    @unary_func_op()
    def forward(xp, input, value):
        value = fitted_as_element(value, xp.dtype) if math.prod(input.shape) == 1 else fitted(value, xp.dtype)
        return xp.full(input.shape, xp.scalar(value))

    def sparse(k, input, value):
        return k.filled(input, fitting(k, value))

    def grad_input(xp, g):
        return zeros_like(xp, g)


class fill_tensor(Pointwise):
    """fill with a 0-dim tensor."""

    name, node_name, inplace_node_name = "fill", "FillBackward1", "FillBackward3"
    namespace, inplace, promote, has_out, overlap = None, False, "keep", False, None

    @binary_func_op()
    def forward(xp, input, value):
        return xp.copy(xp.expand(xp.cast(value, xp.dtype), input.shape))

    def grad_input(xp, g):
        return zeros_like(xp, g)

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

    method, namespace, promote, has_out, writes_expanded = False, None, "keep", False, True

    @unary_func_op()
    def forward(xp, input):
        return xp.zeros(input.shape)

    def sparse(k, input):
        return k.zeros_like(input)

    def grad_input(xp, g):
        return zeros_like(xp, g)


public("zero_")(Tensor.zero_)
