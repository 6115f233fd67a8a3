"""Floats that change from call to call: graphs take them as tensors of which `item()` is asked, as torch's do."""

from .._backend.registry import NAMESPACES
from .._base.dtype import float64
from .._base.symbolic import SymFloat
from .._modes.fake import faking


def as_tensor(number):
    """The tensor that a float is for a graph."""
    return NAMESPACES["torch"]["tensor"](float(number), dtype=float64, device="cpu")


def fake_tensor():
    """A fake of such a tensor."""
    with faking():
        return NAMESPACES["torch"]["empty"]((), dtype=float64, device="cpu")


def scalar_tensor_of(graph, node):
    """The node of the tensor in which a graph gives a float."""
    return graph.create_node("call_function", NAMESPACES["torch"]["scalar_tensor"], (node,), {"dtype": float64})


_EXTREMES = {max: "sym_max", min: "sym_min"}


def extreme_of_floats(m, function, values):
    """max() or min() of floats, some of them symbolic; None for other values, which Python compares."""
    if not any(type(v) is SymFloat for v in values) or not all(isinstance(v, float) for v in values):
        return None
    best = values[0]
    for value in values[1:]:
        result = SymFloat(function(best, value))
        m.recorder.computes(NAMESPACES["torch"][_EXTREMES[function]], [best, value], result)
        best = result
    return best
