"""Gradients kept small: clip_grad_norm_, clip_grad_value_, get_total_norm."""

import types
import warnings

from ..._tensor.tensor import Tensor
from .._ops import no_recording, ops

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_"]


def _listed(tensors):
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _grouped(tensors):
    """tensors, those of one device and type together (the order in which torch adds their norms)."""
    groups = {}
    for t in tensors:
        groups.setdefault((t.device, t.dtype), []).append(t)
    return [t for group in groups.values() for t in group]


def _get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """get_total_norm(tensors, norm_type=2.0) -> 0-dim Tensor: the norm of all elements together.

    error_if_nonfinite: RuntimeError when it is inf or nan. foreach: accepted, without effect.
    """
    tensors, order = _grouped(_listed(tensors)), float(norm_type)
    with no_recording():
        if not tensors:
            return ops.tensor(0.0)
        device = tensors[0].device
        norms = [ops.linalg_vector_norm(t, order).to(device) for t in tensors]
        total = ops.linalg_vector_norm(ops.stack(norms), order)
        if error_if_nonfinite and (total.isnan() | total.isinf()):
            raise RuntimeError(
                f"The total norm of order {order} for gradients from `parameters` is non-finite, so it "
                "cannot be clipped. To disable this error and scale the gradients by the non-finite "
                "norm anyway, set `error_if_nonfinite=False`"
            )
        return total


def _clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """clip_grads_with_norm_(parameters, max_norm, total_norm): scale gradients of that norm down to max_norm, in
    place."""
    grads = [p.grad for p in _listed(parameters) if p.grad is not None]
    if not grads:
        return
    with no_recording():
        factor = ops.clamp(float(max_norm) / (total_norm + 1e-6), max=1.0)
        for g in grads:
            g.mul_(factor.to(g.device))


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """clip_grad_norm_(parameters, max_norm, norm_type=2.0) -> the norm of all gradients, which are scaled down in place
    to max_norm
    if it is larger. foreach: accepted, without effect."""
    if isinstance(parameters, types.GeneratorType):
        parameters = list(parameters)
        if not parameters:
            warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2)
    parameters = _listed(parameters)
    total = _get_total_norm([p.grad for p in parameters if p.grad is not None], norm_type, error_if_nonfinite, foreach)
    _clip_grads_with_norm_(parameters, max_norm, total, foreach)
    return total


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The old name of clip_grad_norm_."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters, clip_value, foreach=None):
    """clip_grad_value_(parameters, clip_value): cut every gradient off at +-clip_value, in place."""
    limit = float(clip_value)
    with no_recording():
        for p in _listed(parameters):
            if p.grad is not None:
                p.grad.clamp_(min=-limit, max=limit)


get_total_norm, clip_grads_with_norm_ = _get_total_norm, _clip_grads_with_norm_
