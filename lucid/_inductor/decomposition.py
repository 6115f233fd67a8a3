"""ATen ops that are taken apart before they are lowered, where other ops make better loops."""

from .._aten.overloads import aten
from .._backend.registry import FUNCTIONS, OPS
from .._base.dtype import bool_


def _max_pool_backward(g, x, kernel, stride, padding, dilation, ceil_mode, indices):
    """From the maxima, which the forward graph has: the winners are found again, so that no indices are kept."""
    options = tuple(kernel), tuple(stride) or None, tuple(padding), tuple(dilation)
    maxima, _ = OPS[f"max_pool{len(kernel)}d_with_indices"].fn(x, *options, ceil_mode)
    stride = options[1] or options[0]
    return OPS["max_pool_backward"].fn(g, x, maxima, options[0], stride, *options[2:])


def _native_dropout(x, p, train):
    """The mask by the engine, with eager's random numbers, and the rest as loops."""
    if not train or not x.numel():
        return NotImplemented
    mask = FUNCTIONS["empty_like"](x, dtype=bool_).bernoulli_(1 - p)
    return OPS["masked_and_scaled"].fn(x, mask, 0.0 if p == 1 else 1.0 / (1.0 - p)), mask


def select_decomp_table():
    """select_decomp_table() -> {overload: function}: what Inductor takes apart."""
    pools = {aten(f"max_pool{n}d_with_indices_backward"): _max_pool_backward for n in (2, 3)}
    return {aten("native_dropout"): _native_dropout, **pools}
