"""Batch normalization in evaluation mode folded into the layer before it."""

import copy

from ..._func.creation.gfunc import ones_like, zeros_like
from .._ops import ops
from ..parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def _check(layer, bn):
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    return copy.deepcopy(layer)


def _check_stats(bn):
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")


def fuse_conv_bn_eval(conv, bn, transpose=False):
    """fuse_conv_bn_eval(conv, bn) -> a convolution that does the work of both; transpose: conv is a transposed one."""
    fused = _check(conv, bn)
    _check_stats(bn)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    """(weight, bias) of the fused convolution, from the parts of both; conv_b, bn_w and bn_b may be None."""
    kinds = conv_w.dtype, conv_w.dtype if conv_b is None else conv_b.dtype
    conv_b = zeros_like(bn_rm) if conv_b is None else conv_b
    bn_w = ones_like(bn_rm) if bn_w is None else bn_w
    bn_b = zeros_like(bn_rm) if bn_b is None else bn_b
    inverse = ops.rsqrt(bn_rv + bn_eps)
    ones = [1] * (conv_w.dim() - 2)
    w = conv_w * (bn_w * inverse).reshape([1, -1, *ones] if transpose else [-1, 1, *ones])
    b = (conv_b - bn_rm) * inverse * bn_w + bn_b
    return Parameter(w.to(dtype=kinds[0]), conv_w.requires_grad), Parameter(b.to(dtype=kinds[1]), conv_b.requires_grad)


def fuse_linear_bn_eval(linear, bn):
    """fuse_linear_bn_eval(linear, bn) -> a Linear that does the work of both."""
    fused = _check(linear, bn)
    if bn.num_features not in (1, linear.out_features):
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    _check_stats(bn)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    """(weight, bias) of the fused Linear, from the parts of both; linear_b may be None."""
    kinds = linear_w.dtype, linear_w.dtype if linear_b is None else linear_b.dtype
    linear_b = zeros_like(bn_rm) if linear_b is None else linear_b
    scale = bn_w * ops.rsqrt(bn_rv + bn_eps)
    w = linear_w * scale.unsqueeze(-1).to(dtype=kinds[0])
    b = ((linear_b - bn_rm) * scale + bn_b).to(dtype=kinds[1])
    return Parameter(w, linear_w.requires_grad), Parameter(b, linear_b.requires_grad)
