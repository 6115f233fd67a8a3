"""Pointwise functions."""

import math

from .registry import decomposes
from .words import cast, full, like, ops, pick, tt, wide

INF, NAN = float("inf"), float("nan")


@decomposes("addcdiv")
@wide("INT_TO_FLOAT", of="self tensor1 tensor2")
def addcdiv(self, tensor1, tensor2, *, value=1):
    return self + tensor1 * value / tensor2


@decomposes("addcmul")
@wide(of="self tensor1 tensor2")
def addcmul(self, tensor1, tensor2, *, value=1):
    return self + tensor1 * value * tensor2


@decomposes("lerp.Scalar")
@wide(of="self end")
def lerp_scalar(self, end, weight):
    return _between(self, end, full((), weight, self))


@decomposes("lerp.Tensor")
@wide(of="self end weight")
def lerp(self, end, weight):
    return _between(self, end, weight)


def _between(self, end, weight):
    # From the nearer end, so that weights 0 and 1 give the ends to the bit.
    far = abs(weight) >= 0.5
    step = tt.where(far, weight - 1, weight)
    near = tt.where(far, end, self)
    return step * (end - self) + near


@decomposes("sgn")
def sgn(self):
    if not self.is_complex():
        return self.sign()
    size = self.abs()
    return tt.where(size == 0, 0, self / size)


@decomposes("sinc")
@wide("INT_TO_FLOAT")
def sinc(self):
    x = self * math.pi
    return tt.where(x == 0, 1, tt.sin(x) / x)


@decomposes("frac")
def frac(self):
    return self - tt.trunc(self)


@decomposes("rad2deg")
@wide("INT_TO_FLOAT")
def rad2deg(self):
    return self * (180 / math.pi)


@decomposes("deg2rad")
@wide("INT_TO_FLOAT")
def deg2rad(self):
    return self * (math.pi / 180)


@decomposes("isposinf")
def isposinf(self):
    return self == INF if self.is_floating_point() else tt.zeros_like(self, dtype=tt.bool)


@decomposes("isneginf")
def isneginf(self):
    return self == -INF if self.is_floating_point() else tt.zeros_like(self, dtype=tt.bool)


@decomposes("nan_to_num")
def nan_to_num(self, nan=None, posinf=None, neginf=None):
    if not (self.is_floating_point() or self.is_complex()):
        return self.clone()
    if self.is_complex():
        parts = [nan_to_num(part, nan, posinf, neginf) for part in (self.real, self.imag)]
        return tt.complex(*parts)
    limits = tt.finfo(self.dtype)
    nan = 0.0 if nan is None else nan
    posinf = limits.max if posinf is None else posinf
    neginf = limits.min if neginf is None else neginf
    out = tt.where(tt.isnan(self), nan, self)
    out = tt.where(self == -INF, neginf, out)
    return tt.where(self == INF, posinf, out)


def _times_log(log, self, other):
    out = tt.where(self == 0, 0, self * log(other))
    return tt.where(tt.isnan(other), NAN, out)


def _number(x, like):
    """A number as a tensor of the type that it and `like` compute in."""
    dtype = like.dtype if like.is_floating_point() or like.is_complex() else tt.get_default_dtype()
    return tt.scalar_tensor(float(x), dtype=dtype, device=like.device)


@decomposes("xlogy.Tensor")
@wide("INT_TO_FLOAT")
def xlogy(self, other):
    return _times_log(tt.log, self, other)


@decomposes("xlogy.Scalar_Self")
@wide("INT_TO_FLOAT", of="other")
def xlogy_of_number(self, other):
    return _times_log(tt.log, _number(self, other), other)


@decomposes("xlogy.Scalar_Other")
@wide("INT_TO_FLOAT", of="self")
def xlogy_with_number(self, other):
    return _times_log(tt.log, self, _number(other, self))


@decomposes("special_xlog1py")
@wide("INT_TO_FLOAT")
def special_xlog1py(self, other):
    return _times_log(tt.log1p, self, other)


@decomposes("special_xlog1py.self_scalar")
@wide("INT_TO_FLOAT", of="other")
def xlog1py_of_number(self, other):
    return _times_log(tt.log1p, _number(self, other), other)


@decomposes("special_xlog1py.other_scalar")
@wide("INT_TO_FLOAT", of="self")
def xlog1py_with_number(self, other):
    return _times_log(tt.log1p, self, _number(other, self))


@decomposes("special_entr")
@wide("INT_TO_FLOAT")
def special_entr(self):
    missing = tt.isnan(self)
    positive = self > 0
    inside = -self * tt.log(self)
    return tt.where(missing, self, tt.where(positive, inside, pick(self == 0, 0, -INF)))


@decomposes("special_log_ndtr")
@wide("INT_TO_FLOAT")
def special_log_ndtr(self):
    t = self * 0.7071067811865476
    left_of_one = self < 1.0
    left = tt.log(ops.special_erfcx.default(-t) / 2) - t * t
    return tt.where(left_of_one, left, tt.log1p(-tt.erfc(t) / 2))


@decomposes("logaddexp")
@wide()
def logaddexp(self, other):
    first = self >= other
    high, low = tt.where(first, self, other), tt.where(first, other, self)
    same = tt.logical_and(tt.logical_not(tt.isfinite(self)), self == other)
    return tt.where(same, self, high + tt.log1p(tt.exp(low - high)))


@decomposes("logaddexp2")
@wide()
def logaddexp2(self, other):
    first = self >= other
    high, low = tt.where(first, self, other), tt.where(first, other, self)
    same = tt.logical_and(tt.isinf(self), self == other)
    return tt.where(same, self, high + tt.log1p(tt.exp2(low - high)) * (1 / math.log(2)))


@decomposes("heaviside")
def heaviside(self, values):
    zero = self == 0
    step = pick(tt.logical_or(self < 0, tt.isnan(self)), 0, 1)
    return cast(tt.where(zero, values, step), self.dtype)


@decomposes("floor_divide floor_divide.Scalar")
def floor_divide(self, other):
    return ops.div.Tensor_mode(self, other, rounding_mode="floor")


@decomposes("rsub.Tensor rsub.Scalar")
def rsub(self, other, alpha=1):
    return tt.sub(other, self, alpha=alpha)


@decomposes("clamp_min clamp_min.Tensor")
def clamp_min(self, min):
    return tt.clamp(self, min=min)


@decomposes("clamp_max clamp_max.Tensor")
def clamp_max(self, max):
    return tt.clamp(self, max=max)


@decomposes("masked_fill.Scalar masked_fill.Tensor")
def masked_fill(self, mask, value):
    if isinstance(value, (int, float)):
        value = bool(value) if self.dtype == tt.bool else float(value) if self.is_floating_point() else value
    elif not isinstance(value, (int, float, complex)):
        value = value.to(self.dtype) if value.dtype != self.dtype else value
    return tt.where(mask, value, self)


@decomposes("mvlgamma")
@wide("INT_TO_FLOAT", of="self")
def mvlgamma(self, p):
    halves = tt.arange(1 - p, 1, 1, dtype=self.dtype, device=self.device) * 0.5
    return (self.unsqueeze(-1) + halves).lgamma().sum(-1) + p * (p - 1) / 4 * math.log(math.pi)


@decomposes("ldexp.Tensor", core=False)
def ldexp(self, other):
    kind = self.dtype if self.is_floating_point() else tt.get_default_dtype()
    return self * tt.pow(full((), 2.0, self, kind), other)


@decomposes("native_dropout", core=False, out=False)
def native_dropout(input, p, train):
    if not train or p == 0:
        return input, tt.ones_like(input, dtype=tt.bool)
    if p == 1:
        return tt.zeros_like(input), tt.zeros_like(input, dtype=tt.bool)
    if not input.is_floating_point():
        raise RuntimeError("result type Float can't be cast to the desired output type Long")
    kept = tt.rand_like(input) > p
    return kept * input * float(1.0 / (1.0 - p)), kept


@decomposes("native_dropout_backward", out=True)
def native_dropout_backward(grad_output, mask, scale):
    return (grad_output * (like(mask, grad_output, layout=grad_output.layout) * scale)).clone(
        memory_format=tt.contiguous_format
    )
