"""The `reduction` of a loss, and the two older arguments that it replaced."""

import warnings

_CODES = {"none": 0, "mean": 1, "sum": 2}


def get_enum(reduction):
    """ "none", "mean", "sum" -> 0, 1, 2"""
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", stacklevel=2)
        reduction = "mean"
    if reduction not in _CODES:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _CODES[reduction]


def legacy_get_string(size_average, reduce, emit_warning=True):
    """The reduction that size_average and reduce (None: True) ask for."""
    average, reduces = size_average is None or size_average, reduce is None or reduce
    reduction = "none" if not reduces else "mean" if average else "sum"
    if emit_warning:
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
            stacklevel=2,
        )
    return reduction


def legacy_get_enum(size_average, reduce, emit_warning=True):
    """The same as 0, 1 or 2."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
