"""torch.masked: reductions and normalizations of what a mask leaves. Masked tensors are not there."""

from .masking import _combine_input_and_mask as _combine_input_and_mask
from .masking import _input_mask as _input_mask
from .normalizations import cumprod, cumsum, log_softmax, logaddexp, normalize, softmax, softmin
from .reductions import amax, amin, argmax, argmin, logsumexp, mean, median, norm, prod, std, sum, var

__all__ = [
    "MaskedTensor",
    "amax",
    "amin",
    "argmax",
    "argmin",
    "as_masked_tensor",
    "cumprod",
    "cumsum",
    "is_masked_tensor",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "masked_tensor",
    "mean",
    "median",
    "norm",
    "normalize",
    "prod",
    "softmax",
    "softmin",
    "std",
    "sum",
    "var",
]

_INSTEAD = "lucid has no masked tensors; give the functions of torch.masked a mask=, or use torch.where"


class MaskedTensor:
    """MaskedTensor(data, mask): NotImplementedError, lucid has plain tensors only."""

    def __init__(self, data, mask, requires_grad=False):
        raise NotImplementedError(f"torch.masked.MaskedTensor: {_INSTEAD}")


def masked_tensor(data, mask, requires_grad=False):
    """masked_tensor(data, mask): NotImplementedError, lucid has plain tensors only."""
    raise NotImplementedError(f"torch.masked.masked_tensor: {_INSTEAD}")


def as_masked_tensor(data, mask):
    """as_masked_tensor(data, mask): NotImplementedError, lucid has plain tensors only."""
    raise NotImplementedError(f"torch.masked.as_masked_tensor: {_INSTEAD}")


def is_masked_tensor(obj, /):
    """is_masked_tensor(obj) -> bool: is it a MaskedTensor? Nothing is."""
    return isinstance(obj, MaskedTensor)
