"""Backward steps that are one ATen call in torch: `tanh_backward(grad, result)` and its like."""


def backward_call(node, g, edges):
    """The gradients of a node by torch's own backward op; None where torch makes several calls."""
    return None
