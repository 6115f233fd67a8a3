"""Functions of three operands, element by element: addcmul, addcdiv, lerp."""

import builtins

from ..._backend.core import binary_func_op, func_op
from ..._backend.families import Pointwise, not_implemented_error
from ..._backend.inplace import inplace
from ..._backend.registry import public
from ..._backend.rules import wide_times
from ..._backend.slow_path import broadcast_all
from ..._base.dtype import C_NAMES, COMPLEX, FLOATING, bool_
from ..._tensor.tensor import Tensor
from .operands import conj_number


class addcmul(Pointwise):
    """addcmul(input, tensor1, tensor2, *, value=1) -> Tensor: input + value * tensor1 * tensor2."""

    scalar_operands = "none"
    fits_float = ("value",)

    @func_op(3)
    def forward(xp, input, tensor1, tensor2, *, value=1):
        if xp.dtype is bool_:
            raise not_implemented_error("addcmul_cpu_out", bool_)
        return xp.add(input, scaled(xp, tensor1, value) * tensor2)

    def grad_input(xp, g):
        return g

    def grad_tensor1(xp, g, tensor2, value):
        return g * xp.conj(wide_times(xp, tensor2, value))

    def grad_tensor2(xp, g, tensor1, value):
        return g * xp.conj(wide_times(xp, tensor1, value))


def scaled(xp, x, value):
    """value * x; a fractional value counts whole for integers, as in torch."""
    return x if value == 1 else xp.mul(x, xp.scalar(value))


class addcdiv(Pointwise):
    """addcdiv(input, tensor1, tensor2, *, value=1) -> Tensor: input + value * tensor1 / tensor2; not of integers."""

    scalar_operands = "none"
    fits_in = (FLOATING, COMPLEX)
    fits_float = ("value",)

    @func_op(3)
    def forward(xp, input, tensor1, tensor2, *, value=1):
        if not xp.inexact:
            raise RuntimeError(_ADDCDIV)
        return xp.add(input, xp.div(scaled(xp, tensor1, value), tensor2))

    def check(tensors, options):
        if not any(t.dtype.category >= FLOATING for t in tensors[1:] if isinstance(t, Tensor)):
            raise RuntimeError(_ADDCDIV)

    def grad_input(xp, g, tensor2):  # which torch keeps for every gradient
        return g

    def grad_tensor1(xp, g, tensor2, value):
        return g * xp.conj(wide_times(xp, xp.reciprocal(tensor2), value))

    def grad_tensor2(xp, g, tensor1, tensor2, value):
        return -g * xp.conj(wide_times(xp, tensor1, value) / (tensor2 * tensor2))


_ADDCDIV = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
    "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
    "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for "
    "float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), "
    "for all dtypes."
)


class lerp_scalar(Pointwise):
    """lerp with a number for weight."""

    name, node_name, namespace = "lerp", "LerpBackward0", None
    inplace, scalar_operands = False, "none"
    fits_in = (FLOATING, COMPLEX)
    fits_float = ("weight",)

    @binary_func_op()
    def forward(xp, input, end, weight):
        if not xp.inexact:
            broadcast_all([input, end])
            raise not_implemented_error("lerp_kernel_scalar", xp.dtype)
        apart = end - input
        return input + apart * weight if builtins.abs(weight) < 0.5 else end + apart * (weight - 1)

    def check(tensors, options):
        same_types(tensors, ("input", "end"))

    def grad_input(xp, g, weight):
        return wide_times(xp, g, 1 - conj_number(weight))

    def grad_end(xp, g, weight):
        return wide_times(xp, g, conj_number(weight))


class lerp_tensor(Pointwise):
    """lerp with a tensor of weights."""

    out_takes = "same"
    name, node_name, namespace = "lerp", "LerpBackward1", None
    inplace, scalar_operands = False, "none"

    @func_op(3)
    def forward(xp, input, end, weight):
        if not xp.inexact:
            broadcast_all([input, end, weight])
            raise not_implemented_error("lerp_kernel_tensor", xp.dtype)
        return xp.lerp(input, end, weight)

    def check(tensors, options):
        same_types(tensors if tensors[2].ndim else tensors[:2], ("input", "end", "weight"))

    def grad_input(xp, g, weight):
        return g * xp.conj(1 - weight)

    def grad_end(xp, g, weight):
        return g * xp.conj(weight)

    def grad_weight(xp, g, input, end, weight):  # which torch keeps for every gradient
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
    weight = _weight(weight)
    if isinstance(weight, Tensor) and weight._table is not input._table and not weight._array.ndim:
        weight = weight.to(input.dtype)
    if out is not None and isinstance(weight, Tensor) and not weight._array.ndim and not weight.requires_grad:
        weight = weight.item()  # which out= may be of another type beside
    return (lerp_tensor if isinstance(weight, Tensor) else lerp_scalar).fn(input, end, weight, out=out)


def _weight(weight):
    """An integer tensor without dimensions is a number."""
    integer = isinstance(weight, Tensor) and not weight._array.ndim and weight._table.dtype.category < FLOATING
    return weight.item() if integer else weight


@public(namespace=None, method=True)
def lerp_(self, end, weight):
    """In-place form of lerp."""
    weight = _weight(weight)
    if isinstance(weight, Tensor):
        return inplace(lerp_tensor, self, (end, weight), ())
    return inplace(lerp_scalar, self, (end,), (weight,))


lerp_tensor.public_function = lerp_scalar.public_function = lerp
