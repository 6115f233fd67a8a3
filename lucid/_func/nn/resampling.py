"""Tensors read at other points, each output a weighted sum of inputs: what interpolate and F.pad are made of."""

from ..._backend.core import unary_func_op
from ..._backend.families import Layer
from .channels_last import formatted


class resample(Layer):
    """resample(x, dim, taps): each output along dim a weighted sum of inputs, as `taps` says."""

    namespace, linear, node_name = None, True, "IndexBackward0"

    @unary_func_op()
    def forward(xp, x, dim, taps):
        return xp.resample(x, dim, taps)

    def grad_x(xp, g, dim, taps):
        return xp.resample_backward(g, dim, taps)


class resample_backward(Layer):
    """resample_backward(g, dim, taps): the transpose of resample."""

    namespace, linear, node_name = None, True, "IndexBackward0"

    @unary_func_op()
    def forward(xp, g, dim, taps):
        return xp.resample_backward(g, dim, taps)

    def grad_g(xp, g_, dim, taps):
        return xp.resample(g_, dim, taps)


def _resampled(xp, input, taps):
    """Along the last len(taps) dimensions, the innermost first."""
    for i in range(len(taps) - 1, -1, -1):
        if taps[i] is not None:
            input = xp.resample(input, input.ndim - len(taps) + i, taps[i])
    return input


def _resampled_backward(xp, g, taps):
    for i in range(len(taps)):
        if taps[i] is not None:
            g = xp.resample_backward(g, g.ndim - len(taps) + i, taps[i])
    return g


def resampling_op(name, node, in_order=False):
    """An op that reads its last dimensions at other points; one per node name that torch has.

    `back`: taps of the gradient, where torch's kernel of it reads other points than its forward one. in_order: that
    kernel adds up in the tensor's own type, output by output.
    """

    def forward(xp, input, taps, back=None):
        return _resampled(xp, input, taps)

    def grad_input(xp, g, taps, back):
        if in_order and xp.is_half:
            return xp.points_back(g, taps)
        return _resampled_backward(xp, g, taps if back is None else back)

    return type(
        name,
        (Layer,),
        {
            "namespace": None,
            "linear": True,
            "node_name": node,
            "forward": unary_func_op()(forward),
            "numpy": formatted(forward),
            "grad_input": grad_input,
            "gradient_kernel": not in_order,
            "__module__": __name__,
            "__doc__": f"{name}(input, taps) -> Tensor: {node[:-9]} by taps, one per trailing dimension.",
        },
    )
