"""Changes of variable: y = t(x), its inverse, and log |dy/dx|, by which densities change."""

import math

from .._base.dtype import finfo
from .._base.shape import broadcast_shapes
from ..nn import functional as F
from ..nn._ops import ops
from . import constraints
from .transform_parts import (
    CatTransform,
    ComposeTransform,
    IndependentTransform,
    ReshapeTransform,
    StackTransform,
    Transform,
    identity_transform,
    need_dims,
    with_dims,
)
from .utils import Number, _sum_rightmost, broadcast_all, lazy_property, tril_matrix_to_vec, vec_to_tril_matrix

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftplusTransform",
    "TanhTransform",
    "SoftmaxTransform",
    "StackTransform",
    "StickBreakingTransform",
    "Transform",
    "identity_transform",
]


def _same_kind(self, other):
    """Equality of transforms without parameters."""
    return type(other) is type(self)


# ---- element by element


class ExpTransform(Transform):
    """ExpTransform(cache_size=0): y = exp(x)."""

    domain, codomain = constraints.real, constraints.positive
    bijective, sign = True, +1
    __eq__ = _same_kind

    def _call(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def log_abs_det_jacobian(self, x, y):
        return x


class _ByParameters(Transform):
    """A transform whose parameters broadcast with x."""

    def forward_shape(self, shape):
        return broadcast_shapes(shape, *[getattr(getattr(self, name), "shape", ()) for name in self._tensors])

    inverse_shape = forward_shape


class PowerTransform(_ByParameters):
    """PowerTransform(exponent, cache_size=0): y = x**exponent, of positive x."""

    domain = codomain = constraints.positive
    bijective = True
    _arguments = _tensors = ("exponent",)

    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    @lazy_property
    def sign(self):
        return self.exponent.sign()

    def __eq__(self, other):
        return isinstance(other, PowerTransform) and (self.exponent == other.exponent).all().item()

    def _call(self, x):
        return x.pow(self.exponent)

    def _inverse(self, y):
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x, y):
        return (self.exponent * y / x).abs().log()


def _open(y):
    """Numbers of [0, 1] kept inside (0, 1): from the type's smallest normal number to 1 - eps."""
    info = finfo(y.dtype)
    return y.clamp(min=info.tiny, max=1.0 - info.eps)


class SigmoidTransform(Transform):
    """SigmoidTransform(cache_size=0): y = 1 / (1 + exp(-x)), kept inside (0, 1)."""

    domain, codomain = constraints.real, constraints.unit_interval
    bijective, sign = True, +1
    __eq__ = _same_kind

    def _call(self, x):
        return _open(ops.sigmoid(x))

    def _inverse(self, y):
        y = _open(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x, y):
        return -F.softplus(-x) - F.softplus(x)


class SoftplusTransform(Transform):
    """SoftplusTransform(cache_size=0): y = log(1 + exp(x)), which is x above 20."""

    domain, codomain = constraints.real, constraints.positive
    bijective, sign = True, +1
    __eq__ = _same_kind

    def _call(self, x):
        return F.softplus(x)

    def _inverse(self, y):
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x, y):
        return -F.softplus(-x)


class TanhTransform(Transform):
    """TanhTransform(cache_size=0): y = tanh(x)."""

    domain, codomain = constraints.real, constraints.interval(-1.0, 1.0)
    bijective, sign = True, +1
    __eq__ = _same_kind

    def _call(self, x):
        return x.tanh()

    def _inverse(self, y):
        return y.atanh()

    def log_abs_det_jacobian(self, x, y):
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))  # log(1 - tanh(x)**2) without cancellation


class AbsTransform(Transform):
    """AbsTransform(cache_size=0): y = |x|; its inverse gives the x that is not negative."""

    domain, codomain = constraints.real, constraints.positive
    __eq__ = _same_kind

    def _call(self, x):
        return x.abs()

    def _inverse(self, y):
        return y


class AffineTransform(_ByParameters):
    """AffineTransform(loc, scale, event_dim=0, cache_size=0): y = loc + scale * x; tensors or numbers.

    event_dim says how many of the last dimensions are one value.
    """

    bijective = True
    _arguments, _tensors = ("loc", "scale", "event_dim"), ("loc", "scale")

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @property
    def event_dim(self):
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return with_dims(constraints.real, self.event_dim)

    codomain = domain

    def __eq__(self, other):
        if not isinstance(other, AffineTransform):
            return False
        equal = (self.loc == other.loc, self.scale == other.scale)
        return all(e if isinstance(e, bool) else e.all().item() for e in equal)

    @property
    def sign(self):
        return (self.scale > 0) - (self.scale < 0) if isinstance(self.scale, Number) else self.scale.sign()

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        shape, scale = x.shape, self.scale
        result = ops.full_like(x, math.log(abs(scale))) if isinstance(scale, Number) else scale.abs().log()
        if self.event_dim:
            result, shape = _sum_rightmost(result, self.event_dim), shape[: -self.event_dim]
        return result.expand(shape)


class CumulativeDistributionTransform(Transform):
    """CumulativeDistributionTransform(distribution, cache_size=0): y = distribution.cdf(x)."""

    codomain = constraints.unit_interval
    bijective, sign = True, +1
    _arguments = ("distribution",)

    def __init__(self, distribution, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self):
        return self.distribution.support

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x, y):
        return self.distribution.log_prob(x)


# ---- vectors and matrices


class CorrCholeskyTransform(Transform):
    """CorrCholeskyTransform(cache_size=0): (..., D * (D - 1) / 2) reals -> (..., D, D) factors of correlations.

    They are Cholesky's. The tanh of the numbers are partial correlations, filled in below the diagonal row by row; each
    is a share of what the row's length of 1 has left (Lewandowski, Kurowicka and Joe, 2009).
    """

    domain, codomain = constraints.real_vector, constraints.corr_cholesky
    bijective = True

    def _call(self, x):
        eps = finfo(x.dtype).eps
        r = vec_to_tril_matrix(ops.tanh(x).clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - r**2).sqrt().cumprod(-1)
        r = r + ops.eye(r.shape[-1], dtype=r.dtype, device=r.device)
        return r * F.pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y):
        left = F.pad((1 - (y * y).cumsum(-1))[..., :-1], [1, 0], value=1)
        t = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x, y, intermediates=None):
        left = tril_matrix_to_vec(1 - (y * y).cumsum(-1), diag=-2)
        of_tanh = -2 * (x + F.softplus(-2 * x) - math.log(2.0)).sum(-1)
        return 0.5 * left.log().sum(-1) + of_tanh

    def forward_shape(self, shape):
        need_dims(shape, 1)
        n = shape[-1]
        d = round((0.25 + 2 * n) ** 0.5 + 0.5)
        if d * (d - 1) // 2 != n:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return shape[:-1] + (d, d)

    def inverse_shape(self, shape):
        need_dims(shape, 2)
        d = shape[-1]
        if shape[-2] != d:
            raise ValueError("Input is not square")
        return shape[:-2] + (d * (d - 1) // 2,)


class SoftmaxTransform(Transform):
    """SoftmaxTransform(cache_size=0): y = softmax(x) along the last dimension; log(y) for an inverse."""

    domain, codomain = constraints.real_vector, constraints.simplex
    __eq__ = _same_kind

    def _call(self, x):
        weights = (x - x.max(-1, True)[0]).exp()
        return weights / weights.sum(-1, True)

    def _inverse(self, y):
        return y.log()

    def forward_shape(self, shape):
        need_dims(shape, 1)
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(Transform):
    """StickBreakingTransform(cache_size=0): (..., K - 1) reals -> (..., K) shares of 1.

    The k-th number says, through a sigmoid, which part of what is left of a stick is broken off; equal parts for zeros.
    """

    domain, codomain = constraints.real_vector, constraints.simplex
    bijective = True
    __eq__ = _same_kind

    @staticmethod
    def _pieces_left(x, n):
        """log(n), log(n - 1), ... for the numbers of x: how many pieces are still to come."""
        return (n + 1 - x.new_ones(x.shape[-1]).cumsum(-1)).log()

    def _call(self, x):
        z = _open(ops.sigmoid(x - self._pieces_left(x, x.shape[-1])))
        return F.pad(z, [0, 1], value=1) * F.pad((1 - z).cumprod(-1), [1, 0], value=1)

    def _inverse(self, y):
        y, tiny = y[..., :-1], finfo(y.dtype).tiny
        left = (1 - y.cumsum(-1)).clamp(min=tiny)
        return y.log() - left.log() + self._pieces_left(y, y.shape[-1])

    def log_abs_det_jacobian(self, x, y):
        x = x - self._pieces_left(x, x.shape[-1])
        return (-x + F.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape):
        need_dims(shape, 1)
        return shape[:-1] + (shape[-1] + 1,)

    def inverse_shape(self, shape):
        need_dims(shape, 1)
        return shape[:-1] + (shape[-1] - 1,)


def _on_diagonal(x, f):
    """Lower triangular matrices with f of their diagonals."""
    return x.tril(-1) + f(x.diagonal(dim1=-2, dim2=-1)).diag_embed()


class LowerCholeskyTransform(Transform):
    """LowerCholeskyTransform(cache_size=0): square matrices -> lower triangular ones with exp of the diagonal."""

    domain, codomain = constraints.independent(constraints.real, 2), constraints.lower_cholesky
    __eq__ = _same_kind

    def _call(self, x):
        return _on_diagonal(x, ops.exp)

    def _inverse(self, y):
        return _on_diagonal(y, ops.log)


class PositiveDefiniteTransform(Transform):
    """PositiveDefiniteTransform(cache_size=0): square matrices -> L L', where L is their LowerCholeskyTransform."""

    domain, codomain = constraints.independent(constraints.real, 2), constraints.positive_definite
    __eq__ = _same_kind

    def _call(self, x):
        lower = _on_diagonal(x, ops.exp)
        return lower @ lower.mT

    def _inverse(self, y):
        return _on_diagonal(ops.linalg_cholesky(y), ops.log)
