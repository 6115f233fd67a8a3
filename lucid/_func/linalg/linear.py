"""The linear layer: F.linear."""

import math

from ..._backend.fused_linear import linear_call
from ..._backend.overrides import PLAIN, ask_overrides
from ..._backend.registry import public
from ..._base.state import UNUSUAL
from ..pointwise.operands import need_tensors
from ..shape.transpose import t
from .matmul import addmm, matmul, mm


def _any_linear(input, weight, bias):
    if UNUSUAL or type(input) not in PLAIN or type(weight) not in PLAIN:
        handled, result = ask_overrides(linear, (input, weight, bias), (input, weight, bias), {})
        if handled:
            return result
    need_tensors("linear", input=input, weight=weight, **({} if bias is None else {"bias": bias}))
    ndim = input._array.ndim
    if bias is None:
        return mm.fn(input, weight.t()) if ndim == 2 == weight._array.ndim else matmul(input, weight.t())
    if ndim == 2:
        return addmm.fn(bias, input, weight.t())
    if ndim and bias._array.ndim == 1 and weight._array.ndim == 2 and input.is_contiguous():
        shape = input._array.shape
        flat = input.view(1, -1) if ndim == 1 else input.reshape(math.prod(shape[:-1]), shape[-1])
        return linear(flat, weight, bias).view(*shape[:-1], weight._array.shape[0])
    return matmul(input, weight.t()).add_(bias)


linear = linear_call(addmm, t, _any_linear)
linear.__doc__ = """linear(input, weight, bias=None) -> Tensor: input @ weight.T + bias, (*, in) -> (*, out).

weight: (out, in), or (in,) for one output; bias: (out,). torch's graph: one addmm where input is a matrix, or can be
viewed as one and has a bias; else a matmul and a sum.
"""
public(namespace="nn.functional")(linear)
