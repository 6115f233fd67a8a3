"""Calls of two ops written out as one function: the graph that the ops would leave, for the price of one call."""

from .._base.state import INFERENCE, NO_GRAD, UNUSUAL, clock, local, tick
from .._tensor.tensor import Tensor, new_object
from .graph import verify
from .overrides import PLAIN
from .recording import refuse_inference_saved
from .rules import unbroadcast


def linear_call(addmm, t, otherwise):
    """The function linear(input, weight, bias) for matrices: addmm(bias, input, t(weight)), `otherwise` for anything
    else.

    The transposed weight is not made a Tensor, and the weight's gradient is computed as the weight lies in memory.
    """
    kernels, kernel, plain = addmm.kernels, addmm.forward, PLAIN
    TurnedNode = t.Node

    def on_arrays(self, g, edges):
        if clock.last_write > self.seq:
            verify(self)
        k = self.k
        to_bias, to_input, to_weight = edges
        return (
            None if to_bias is None else unbroadcast(k, g, self.shape_0),
            None if to_input is None else k.matmul(g, k.conj(k.permute(self.mat2, (1, 0)))),
            None if to_weight is None else k.permute(k.matmul(k.permute(g, (1, 0)), k.conj(self.mat1)), (1, 0)),
        )

    LinearNode = type(
        addmm.Node.__name__,
        (addmm.Node,),
        {"__slots__": (), "on_arrays": on_arrays, "__module__": addmm.Node.__module__},
    )

    def linear(input, weight, bias=None, *, out=None):
        k = input._table if isinstance(input, Tensor) else None
        if out is not None:
            return otherwise(input, weight, bias, out)
        if UNUSUAL or type(input) not in plain or type(weight) not in plain or type(bias) not in plain:
            return otherwise(input, weight, bias)
        if weight._table is not k or bias._table is not k:
            return otherwise(input, weight, bias)
        x, w, b = input._array, weight._array, bias._array
        sizes, shape = x.shape, w.shape
        if len(sizes) != 2 or len(shape) != 2 or sizes[1] != shape[1] or b.shape != shape[:1]:
            return otherwise(input, weight, bias)
        turned = k.permute(w, (1, 0))
        out = new_object(Tensor)
        out._array, out._table, out._extra = kernels.get(k.backend, kernel)(k, b, x, turned, 1, 1), k, None
        to_input, to_weight, to_bias = input._node, weight._node, bias._node
        if to_input is to_weight is to_bias is None or NO_GRAD and not local.grad:
            out._node = None
            return out
        if INFERENCE:
            refuse_inference_saved(addmm, (bias, input, weight), (to_bias, to_input, to_weight))
        if to_weight is not None:
            to_weight, leaf = new_object(TurnedNode), to_weight
            to_weight.k, to_weight.seq, to_weight.edges = k, tick(), (leaf,)
        out._node = node = new_object(LinearNode)
        node.k, node.seq, node.edges = k, tick(), (to_bias, to_input, to_weight)
        node.beta = node.alpha = 1
        node.shape_0, node.shape_1, node.shape_2 = b.shape, sizes, turned.shape
        node.mat2 = None if to_input is None else turned
        node.mat1 = None if to_weight is None else x
        return out

    return linear
