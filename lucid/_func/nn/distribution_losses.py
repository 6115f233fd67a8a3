"""Losses from distributions: Kullback-Leibler divergence, Poisson and Gaussian negative log likelihood."""

import math

from ..._backend.registry import public
from ..._base.warn import warn
from ..._tensor.tensor import Tensor
from ..pointwise.scalar import plus, times
from ..pointwise.special import xlogy
from .loss import REDUCTIONS, checked, legacy, reduced


def _kl(input, target, reduction, log_target):
    for t in (input, target):
        if not t.is_floating_point():
            kind = "Complex" if t.is_complex() else "Integral"
            raise RuntimeError(f"kl_div: {kind} inputs not supported.")
    if log_target:
        loss = target.exp() * (target - input)
    else:
        product = target * input  # first, as torch's compiler takes the operands of a difference
        loss = xlogy(target, target) - product
    return reduced(loss, reduction)


@public("kl_div")
def _torch_kl_div(input, target, reduction=0, *, log_target=False):
    """kl_div(input, target, reduction=0, *, log_target=False) -> Tensor."""
    return _kl(input, target, REDUCTIONS[reduction], log_target)


@public(namespace="nn.functional", word=False)  # torch.kl_div takes its arguments otherwise
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """kl_div(input, target, reduction="mean", log_target=False) -> Tensor: target (log target - input), input logs.

    reduction "batchmean" divides the sum by input.shape[0], which is the divergence's definition.
    """
    reduction = legacy(size_average, reduce, reduction)
    if reduction == "mean":
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' "
            "divides only by the batch size, and aligns with the KL div math definition.'mean' will be changed to "
            "behave the same as 'batchmean' in the next major release.",
        )
    if reduction == "batchmean":
        total = _kl(input, target, "sum", log_target)
        return total / input.shape[0] if input.dim() else total
    return _kl(input, target, checked(reduction), log_target)


def _poisson(input, target, log_input, full, eps, reduction):
    if log_input:
        loss = input.exp() - target * input
    else:
        loss = input - target * plus(input, eps).log()
    if full:  # Stirling's formula for log(target!)
        stirling = target * target.log() - target + times(times(target, 2 * math.pi).log(), 0.5)
        loss = loss + stirling.masked_fill(target <= 1, 0)
    return reduced(loss, reduction)


@public("poisson_nll_loss")
def _torch_poisson_nll_loss(input, target, log_input, full, eps, reduction):
    """poisson_nll_loss(input, target, log_input, full, eps, reduction) -> Tensor."""
    return _poisson(input, target, log_input, full, eps, REDUCTIONS[reduction])


@public(namespace="nn.functional", word=False)  # torch.poisson_nll_loss takes its arguments otherwise
def poisson_nll_loss(
    input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"
):
    """poisson_nll_loss(input, target, log_input=True, full=False, eps=1e-8, reduction="mean") -> Tensor.

    exp(input) - target * input, or input - target * log(input + eps); full adds Stirling's term for target > 1.
    """
    return _poisson(input, target, log_input, full, eps, checked(legacy(size_average, reduce, reduction)))


@public(namespace="nn.functional")
def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean") -> Tensor.

    (log(var) + (input - target)^2 / var) / 2 with var at least eps (its gradient is not cut there); full adds log(2
    pi) / 2. ValueError for negative var or one that does not fit.
    """
    if not isinstance(var, Tensor):
        if not isinstance(var, float):
            raise TypeError(f"any() received an invalid combination of arguments - got ({type(var < 0).__name__})")
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * input.new_ones(input.shape)
    elif (var < 0).any():
        raise ValueError("var has negative entry/entries")
    if var.size() != input.size():
        if input.size()[:-1] == var.size():
            var = var.unsqueeze(-1)
        elif input.dim() != var.dim() or sum([m for n, m in zip(input.shape, var.shape) if n != m]) != 1:
            raise ValueError("var is of incorrect size")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    held = var.clone()
    held.data.clamp_(min=eps)
    loss = 0.5 * (held.log() + (input - target) ** 2 / held)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    return reduced(loss, reduction)
