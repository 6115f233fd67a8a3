"""Pooling by the p-norm of each window: lp_pool1d to lp_pool3d."""

from ..._backend.registry import FUNCTIONS, NAMESPACES, public
from .conv import numel
from .pool import window


def _lp_pool(n, input, norm_type, kernel_size, stride, ceil_mode):
    pool = NAMESPACES["nn.functional"][f"avg_pool{n}d"]
    kernel = window(f"lp_pool{n}d", "kernel_size", kernel_size, n) if n > 1 else (kernel_size,)
    out = pool(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (FUNCTIONS["sign"](out) * FUNCTIONS["relu"](out.abs())).mul(numel(kernel)).pow(1.0 / norm_type)


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
