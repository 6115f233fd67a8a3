"""The linear layer and the bilinear one: F.linear, F.bilinear."""

import functools
import math
import operator

from ..._backend.autocast import as_called
from ..._backend.core import func_op
from ..._backend.families import Contraction
from ..._backend.fused_linear import linear_call
from ..._backend.out_argument import store_out
from ..._backend.overrides import PLAIN, ask_overrides
from ..._backend.registry import public
from ..._base.state import DISPATCH, UNUSUAL, local
from ..pointwise.operands import need_tensors
from ..shape.transpose import t
from .matmul import addmm, matmul, mm


def _any_linear(input, weight, bias, out=None):
    if UNUSUAL or type(input) not in PLAIN or type(weight) not in PLAIN:
        more = {} if out is None else {"out": out}
        handled, result = ask_overrides(linear, (input, weight, bias), (input, weight, bias), more)
        if handled:
            return result
        if local.cast_to is not None and out is None:
            return as_called(linear, input, weight, bias)
    need_tensors("linear", input=input, weight=weight, **({} if bias is None else {"bias": bias}))
    if out is not None:
        result, by_batches = linear(input, weight, bias), input._array.ndim > 2
        return store_out("linear", result, out, expanded=True, resized=by_batches, read=() if bias is None else (bias,))
    ndim = input._array.ndim
    if bias is None:
        return mm.fn(input, weight.t()) if ndim == 2 == weight._array.ndim else matmul(input, weight.t())
    if ndim == 2:
        return addmm.fn(bias, input, weight.t())
    if ndim and bias._array.ndim == 1 and weight._array.ndim == 2 and input.is_contiguous():
        shape = input._array.shape
        flat = input.view(1, -1) if ndim == 1 else input.reshape(math.prod(shape[:-1]), shape[-1])
        return linear(flat, weight, bias).view(*shape[:-1], weight._array.shape[0])
    product = matmul(input, weight.t())
    # Where a mode or a class watches, torch shows a sum: what is written cannot be taken apart.
    return product + bias if DISPATCH else product.add_(bias)


linear = linear_call(addmm, t, _any_linear)
linear.__doc__ = """linear(input, weight, bias=None, *, out=None) -> (*, out) Tensor: input @ weight.T + bias.

weight: (out, in), or (in,) for one output; bias: (out,). torch's graph: one addmm where input is a matrix, or can be
viewed as one and has a bias; else a matmul and a sum.
"""
public(namespace="nn.functional")(linear)


def _outer_rows(xp, a, b):
    """(n, p) and (n, q) -> (n, p * q): all products in each row."""
    n, p = a.shape
    return xp.reshape(xp.unsqueeze(a, 2) * xp.unsqueeze(b, 1), (n, p * b.shape[1]))


def _dots(xp, rows, x):
    """(n, p, q) and (n, q) -> (n, p)"""
    n, p, q = rows.shape
    return xp.reshape(xp.matmul(rows, xp.reshape(x, (n, q, 1))), (n, p))


def _one_by_one(parts):
    return functools.reduce(operator.add, parts)


class trilinear(Contraction):
    """sum over i, j of input1[n, i] * weight[o, i, j] * input2[n, j]

    Halves go torch's way, whose steps round: input1 first, and gradients of the inputs output by output.
    """

    node_name, namespace, method, has_out, stepwise = "TrilinearBackward0", None, False, False, True

    @func_op(3)
    def forward(xp, input1, weight, input2):
        o, i, j = weight.shape
        if xp.is_half:
            first = xp.matmul(input1, xp.reshape(xp.permute(weight, (1, 0, 2)), (i, o * j)))
            return _dots(xp, xp.reshape(first, (input1.shape[0], o, j)), input2)
        return xp.matmul(_outer_rows(xp, input1, input2), xp.permute(xp.reshape(weight, (o, i * j)), (1, 0)))

    def grad_input1(xp, g, weight, input2):
        o, i, j = weight.shape
        if xp.is_half:
            shares = [xp.reshape(xp.select(g, 1, k), (g.shape[0], 1, 1)) * xp.select(weight, 0, k) for k in range(o)]
            return _one_by_one([_dots(xp, share, input2) for share in shares])
        w = xp.reshape(xp.permute(weight, (0, 2, 1)), (o * j, i))
        return xp.matmul(_outer_rows(xp, g, xp.conj(input2)), xp.conj(w))

    def grad_input2(xp, g, input1, weight):
        o, i, j = weight.shape
        if xp.is_half:
            rows = [xp.matmul(input1, xp.select(weight, 0, k)) for k in range(o)]
            return _one_by_one([xp.unsqueeze(xp.select(g, 1, k), 1) * row for k, row in enumerate(rows)])
        return xp.matmul(_outer_rows(xp, g, xp.conj(input1)), xp.conj(xp.reshape(weight, (o * i, j))))

    def grad_weight(xp, g, input1, input2):
        if xp.is_half:
            sent = xp.matmul(xp.permute(_outer_rows(xp, g, input1), (1, 0)), input2)
            return xp.reshape(sent, (g.shape[1], input1.shape[1], input2.shape[1]))
        pairs = _outer_rows(xp, xp.conj(input1), xp.conj(input2))
        return xp.reshape(xp.matmul(xp.permute(g, (1, 0)), pairs), (g.shape[1], input1.shape[1], input2.shape[1]))


@public(namespace=("torch", "nn.functional"))
def bilinear(input1, input2, weight, bias=None):
    """bilinear(input1, input2, weight, bias=None) -> Tensor:
    input1 @ weight[o] @ input2 + bias, (*, in1), (*, in2) -> (*, out).
    """
    if input1._array.ndim != input2._array.ndim:
        raise RuntimeError(
            f"bilinear(): input dimensions do not match: got {input1._array.ndim} and {input2._array.ndim}"
        )
    lead = input1._array.shape[:-1]
    if lead != input2._array.shape[:-1]:
        raise RuntimeError(
            f"bilinear(): input batch dimensions do not match at dim 0: got {lead[0]} and {input2._array.shape[0]}"
        )
    for n, x in ((1, input1), (2, input2)):
        if x._array.shape[-1] != weight._array.shape[n]:
            raise RuntimeError(
                f"bilinear(): input{n} size does not match weight size: got {x._array.shape[-1]} but expected "
                f"{weight._array.shape[n]}"
            )
    if bias is not None and bias._array.shape[0] != weight._array.shape[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias._array.shape[0]} but expected "
            f"{weight._array.shape[0]}"
        )
    flat1, flat2 = (x.reshape(-1, x._array.shape[-1]) for x in (input1, input2))
    result = trilinear.fn(flat1, weight, flat2).reshape(*lead, weight._array.shape[0])
    return result if bias is None else result + bias
