"""Pooling by the p-norm of each window: lp_pool1d to lp_pool3d."""

import math

from ..._backend.registry import public
from ..pointwise.activation import relu
from ..pointwise.ufunc import sign
from .pool import avg_pool1d, avg_pool2d, avg_pool3d, window

_MEANS = {1: avg_pool1d, 2: avg_pool2d, 3: avg_pool3d}


def _lp_pool(n, input, norm_type, kernel_size, stride, ceil_mode):
    kernel = window(f"lp_pool{n}d", "kernel_size", kernel_size, n) if n > 1 else (kernel_size,)
    out = _MEANS[n](input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (sign.fn(out) * relu.fn(out.abs())).mul(math.prod(kernel)).pow(1.0 / norm_type)


@public(namespace="nn.functional")
def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor: each window's p-norm."""
    return _lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


@public(namespace="nn.functional")
def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor: each window's p-norm."""
    return _lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


@public(namespace="nn.functional")
def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor: each window's p-norm."""
    return _lp_pool(3, input, norm_type, kernel_size, stride, ceil_mode)
