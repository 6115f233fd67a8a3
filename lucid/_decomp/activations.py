"""Activations, and the formulas of their gradients."""

import math

from .registry import decomposes
from .words import full, ops, pick, tt, wide

_SQRT_HALF = 0.7071067811865476
_SQRT_2_OVER_PI = 0.7978845608028654
_KAPPA = 0.044715


@decomposes("celu")
@wide()
def celu(self, alpha=1.0):
    below = tt.expm1(self) if alpha == 1.0 else tt.expm1(self / alpha) * alpha
    return tt.where(self > 0, self, below)


@decomposes("elu", core=False)
@wide()
def elu(self, alpha=1.0, scale=1.0, input_scale=1.0):
    return tt.where(self > 0, self * scale, tt.expm1(self * input_scale) * (alpha * scale))


@decomposes("elu_backward")
@wide(of="grad_output self_or_result")
def elu_backward(grad_output, alpha, scale, input_scale, is_result, self_or_result):
    left = self_or_result <= 0
    below = grad_output * input_scale
    if is_result:
        below = below * (self_or_result + alpha * scale)
    else:
        below = below * (alpha * scale) * tt.exp(self_or_result * input_scale)
    return tt.where(left, below, grad_output * scale)


@decomposes("silu")
@wide()
def silu(self):
    return self * self.sigmoid()


@decomposes("silu_backward")
@wide()
def silu_backward(grad_output, self):
    s = self.sigmoid()
    return grad_output * s * (1 + self * (1 - s))


@decomposes("mish")
@wide("INT_TO_FLOAT")
def mish(self):
    return self * ops.softplus.default(self).tanh()


@decomposes("mish_backward")
@wide()
def mish_backward(grad_output, self):
    t = ops.softplus.default(self).tanh()
    return grad_output * (t + self * self.sigmoid() * (1 - t * t))


@decomposes("softplus")
@wide("INT_TO_FLOAT", of="self")
def softplus(self, beta=1, threshold=20):
    z = self if beta == 1 else self * beta
    soft = z.exp().log1p()
    soft = soft if beta == 1 else soft / beta
    return tt.where(z > threshold, self, soft)


@decomposes("softplus_backward")
@wide(of="grad_output self")
def softplus_backward(grad_output, self, beta, threshold):
    z = (self * beta).exp()
    return tt.where((self * beta) > threshold, grad_output, grad_output * z / (z + 1.0))


@decomposes("gelu", core=False)
@wide()
def gelu(self, approximate="none"):
    if approximate == "tanh":
        inner = (self + self * self * self * _KAPPA) * _SQRT_2_OVER_PI
        return self * 0.5 * (1 + inner.tanh())
    return self * 0.5 * (1 + tt.erf(self * _SQRT_HALF))


@decomposes("gelu_backward")
@wide(of="grad self")
def gelu_backward(grad, self, approximate="none"):
    if approximate == "tanh":
        square = self * self
        t = tt.tanh((self + square * self * _KAPPA) * _SQRT_2_OVER_PI)
        half = self * 0.5
        right = (t + 1) * 0.5
        slope = 1 - t * t
        inner = (square * (3 * _KAPPA) + 1) * _SQRT_2_OVER_PI
        return grad * (right + half * slope * inner)
    area = (tt.erf(self * _SQRT_HALF) + 1) * 0.5
    density = tt.exp(self * self * -0.5) * (1 / math.sqrt(2 * math.pi))
    return grad * (area + self * density)


@decomposes("leaky_relu", core=False)
@wide()
def leaky_relu(self, negative_slope=0.01):
    return tt.where(self > 0, self, self * negative_slope)


@decomposes("leaky_relu_backward")
@wide(of="grad_output self")
def leaky_relu_backward(grad_output, self, negative_slope, self_is_result):
    return tt.where(self > 0, grad_output, grad_output * negative_slope)


@decomposes("relu", core=False)
@wide()
def relu(self):
    return tt.where(self <= 0, 0, self)


@decomposes("hardtanh", core=False)
def hardtanh(self, min_val=-1, max_val=1):
    if self.dtype == tt.bool:
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if not self.is_floating_point():
        min_val, max_val = int(min_val), int(max_val)
    return self.clamp(min_val, max_val)


@decomposes("hardtanh_backward")
@wide(of="grad_output self")
def hardtanh_backward(grad_output, self, min_val, max_val):
    return tt.where((self <= min_val) | (self >= max_val), 0.0, grad_output)


@decomposes("hardsigmoid")
@wide()
def hardsigmoid(self):
    return (self + 3).clamp(min=0).clamp(max=6) / 6


@decomposes("hardsigmoid_backward")
@wide()
def hardsigmoid_backward(grad_output, self):
    return tt.where((self > -3.0) & (self < 3.0), grad_output * (1.0 / 6.0), 0.0)


@decomposes("hardswish")
@wide()
def hardswish(self):
    return self * (self + 3).clamp(min=0).clamp(max=6) / 6


@decomposes("hardswish_backward")
@wide()
def hardswish_backward(grad_output, self):
    at_most = self <= -3
    middle = tt.where(self < 3, grad_output * ((self / 3) + 0.5), grad_output)
    return tt.where(at_most, 0.0, middle)


@decomposes("hardshrink")
def hardshrink(self, lambd=0.5):
    return tt.where(abs(self) <= lambd, 0, self)


@decomposes("softshrink")
def softshrink(self, lambd=0.5):
    return tt.where(abs(self) > lambd, self - tt.sign(self) * lambd, self * 0)


@decomposes("threshold")
def threshold(self, threshold, value):
    return tt.where(self <= threshold, value, self)


@decomposes("threshold_backward")
@wide(of="grad_output self")
def threshold_backward(grad_output, self, threshold):
    return tt.where(self <= threshold, 0, grad_output)


@decomposes("glu")
def glu(self, dim=-1):
    first, gate = _halves(self, dim)
    return first * gate.sigmoid()


@decomposes("glu_backward")
@wide(of="grad_output self")
def glu_backward(grad_output, self, dim):
    first, gate = _halves(self, dim)
    s = gate.sigmoid()
    of_gate = (1.0 - s) * s * first * grad_output
    return tt.cat([s * grad_output, of_gate], dim if dim >= 0 else dim + self.ndim)


def _halves(x, dim):
    dim = dim + x.ndim if dim < 0 else dim
    if x.shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {x.shape[dim]}")
    half = x.shape[dim] // 2
    return x.narrow(dim, 0, half), x.narrow(dim, half, half)


@decomposes("log_sigmoid_forward", in_place=False)
@wide(of="self")
def log_sigmoid_forward(self):
    least = tt.minimum(self.new_zeros(()), self)
    z = tt.exp(-abs(self))
    return least - tt.log1p(z), z


@decomposes("log_sigmoid_backward")
@wide(of="grad_output self")
def log_sigmoid_backward(grad_output, self, buffer):
    below = self < 0
    limit = pick(below, 1, 0)
    sign = pick(below, 1, -1)
    z = tt.exp(-abs(self))
    return grad_output * (limit - sign * (z / (z + 1)))


@decomposes("_prelu_kernel")
def _prelu_kernel(self, weight):
    return tt.where(self > 0, self, weight * self)


@decomposes("_prelu_kernel_backward")
def _prelu_kernel_backward(grad_output, self, weight):
    to_self = tt.where(self > 0, grad_output, weight * grad_output)
    return to_self, tt.where(self > 0, 0.0, self * grad_output)


@decomposes("rrelu_with_noise_backward", core=False)
def rrelu_with_noise_backward(grad_output, self, noise, lower, upper, training, self_is_result):
    if training and upper - lower > 1e-6:
        return grad_output * noise
    return leaky_relu_backward(grad_output, self, (lower + upper) / 2, self_is_result)


@decomposes("sigmoid_backward")
@wide("INT_TO_FLOAT")
def sigmoid_backward(grad_output, output):
    return grad_output * _conjugate(output * (1 - output))


@decomposes("tanh_backward")
@wide("INT_TO_FLOAT")
def tanh_backward(grad_output, output):
    return grad_output * _conjugate(1 - output * output)


def _conjugate(x):
    return tt.conj_physical(x) if x.is_complex() else x


@decomposes("logit")
@wide("INT_TO_FLOAT")
def logit(self, eps=None):
    low, high = (-1.0, 2.0) if eps is None else (eps, 1 - eps)
    below = self < low
    z = tt.where(below, low, tt.where(self > high, high, self))
    return tt.log(z / (1 - z))


@decomposes("logit_backward")
@wide(of="grad_output self")
def logit_backward(grad_output, self, eps=None):
    low, high = (0.0, 1.0) if eps is None else (eps, 1.0 - eps)
    inside = tt.logical_and(self >= low, self <= high)
    slope = grad_output / (self * (1.0 - self))
    outside = full((), float("nan"), self) if eps is None else 0.0
    return tt.where(inside, slope, outside)
