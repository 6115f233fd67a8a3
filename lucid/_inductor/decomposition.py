"""ATen ops that are taken apart before they are lowered, where other ops make better loops."""

from .._aten.overloads import aten
from .._backend.registry import OPS


def _max_pool_backward(g, x, kernel, stride, padding, dilation, ceil_mode, indices):
    """From the maxima, which the forward graph has: the winners are found again, so that no indices are kept."""
    options = tuple(kernel), tuple(stride) or None, tuple(padding), tuple(dilation)
    maxima, _ = OPS[f"max_pool{len(kernel)}d_with_indices"].fn(x, *options, ceil_mode)
    stride = options[1] or options[0]
    return OPS["max_pool_backward"].fn(g, x, maxima, options[0], stride, *options[2:])


def select_decomp_table():
    """select_decomp_table() -> {overload: function}: what Inductor takes apart."""
    return {aten(f"max_pool{n}d_with_indices_backward"): _max_pool_backward for n in (2, 3)}
