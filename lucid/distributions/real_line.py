"""Distributions by place and width on the real line (Normal, Cauchy, Uniform ...), and VonMises on the circle."""

import math

from .._base.dtype import bool_, finfo, float64
from ..autograd.grad_mode import no_grad
from ..nn._ops import ops
from . import constraints
from .distribution import Distribution, ExponentialFamily
from .gamma_family import Chi2
from .utils import _standard_normal, broadcast_all, lazy_property, like

__all__ = ["Cauchy", "GeneralizedPareto", "Laplace", "Normal", "StudentT", "Uniform", "VonMises"]

PLACE_AND_WIDTH = {"loc": constraints.real, "scale": constraints.positive}


class _AroundLoc(Distribution):
    """Symmetric around `loc`."""

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc


class Normal(_AroundLoc, ExponentialFamily):
    """Normal(loc, scale, validate_args=None): Gauss's; exp(-z**2 / 2) / (scale * sqrt(2 pi)), z = (x - loc) / scale.

    loc real, scale > 0, broadcast together.
    """

    arg_constraints = PLACE_AND_WIDTH
    support = constraints.real
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, loc, scale, validate_args=None):
        self._adopt(validate_args, loc=loc, scale=scale)

    @property
    def stddev(self):
        return self.scale

    @property
    def variance(self):
        return self.stddev.pow(2)

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        return ops.normal(self.loc.detach().expand(shape), self.scale.detach().expand(shape))

    def rsample(self, sample_shape=()):
        return self.loc + _standard_normal(self._extended_shape(sample_shape), **like(self.loc)) * self.scale

    def log_prob(self, value):
        self._check(value)
        return -((value - self.loc) ** 2) / (2 * self.scale**2) - self.scale.log() - 0.5 * math.log(2 * math.pi)

    def cdf(self, value):
        self._check(value)
        return 0.5 * (1 + ops.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value):
        return self.loc + self.scale * ops.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self):
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()

    @property
    def _natural_params(self):
        return self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()

    def _log_normalizer(self, x, y):
        return -0.25 * x.pow(2) / y + 0.5 * (-math.pi / y).log()


class Cauchy(_AroundLoc):
    """Cauchy(loc, scale, validate_args=None): 1 / (pi * scale * (1 + z**2)), z = (x - loc) / scale; no moments.

    loc real, scale > 0, broadcast together.
    """

    arg_constraints = PLACE_AND_WIDTH
    support = constraints.real
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        self._adopt(validate_args, loc=loc, scale=scale)

    @property
    def mean(self):
        """NaN: there is none."""
        return ops.full(self._extended_shape(), math.nan, **like(self.loc))

    @property
    def variance(self):
        """Infinite."""
        return ops.full(self._extended_shape(), math.inf, **like(self.loc))

    def rsample(self, sample_shape=()):
        z = ops.empty(self._extended_shape(sample_shape), **like(self.loc)).cauchy_()
        return self.loc + z * self.scale

    def log_prob(self, value):
        self._check(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value):
        self._check(value)
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value):
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self):
        return math.log(4 * math.pi) + self.scale.log()


class Laplace(_AroundLoc):
    """Laplace(loc, scale, validate_args=None): exp(-|x - loc| / scale) / (2 * scale).

    loc real, scale > 0, broadcast together.
    """

    arg_constraints = PLACE_AND_WIDTH
    support = constraints.real
    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        self._adopt(validate_args, loc=loc, scale=scale)

    @property
    def variance(self):
        return 2 * self.scale.pow(2)

    @property
    def stddev(self):
        return 2**0.5 * self.scale

    def rsample(self, sample_shape=()):
        u = ops.empty(self._extended_shape(sample_shape), **like(self.loc)).uniform_(finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    def log_prob(self, value):
        self._check(value)
        return -(2 * self.scale).log() - (value - self.loc).abs() / self.scale

    def cdf(self, value):
        self._check(value)
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * (-away.abs() / self.scale).expm1()

    def icdf(self, value):
        away = value - 0.5
        return self.loc - self.scale * away.sign() * (-2 * away.abs()).log1p()

    def entropy(self):
        return 1 + (2 * self.scale).log()


class StudentT(_AroundLoc):
    """StudentT(df, loc=0.0, scale=1.0, validate_args=None): loc + scale * N / sqrt(Chi2(df) / df), N standard normal.

    Density proportional to (1 + z**2 / df)**(-(df + 1) / 2); df > 0, loc real, scale > 0, broadcast together.
    """

    arg_constraints = {"df": constraints.positive, **PLACE_AND_WIDTH}
    support = constraints.real
    has_rsample = True

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.shape, validate_args=validate_args)

    @property
    def mean(self):
        """loc, NaN up to 1 degree of freedom."""
        return self.loc.masked_fill(self.df <= 1, math.nan)

    @property
    def variance(self):
        """scale**2 * df / (df - 2), infinite up to 2 degrees of freedom, NaN up to 1."""
        usual = self.df > 2
        df = self.df.masked_fill(~usual, 3.0)  # keeps gradients finite where the formula does not hold
        result = (self.scale.pow(2) * df / (df - 2)).masked_fill(~usual, math.inf)
        return result.masked_fill(self.df <= 1, math.nan)

    def rsample(self, sample_shape=()):
        x = _standard_normal(self._extended_shape(sample_shape), **like(self.df))
        z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (x * (z / self.df).rsqrt())

    def _log_beta(self):
        """log B(df / 2, 1 / 2)"""
        return (0.5 * self.df).lgamma() + 0.5 * math.log(math.pi) - (0.5 * (self.df + 1)).lgamma()

    def log_prob(self, value):
        self._check(value)
        z = (value - self.loc) / self.scale
        constant = self.scale.log() + 0.5 * self.df.log() + self._log_beta()
        return -0.5 * (self.df + 1.0) * (z**2.0 / self.df).log1p() - constant

    def entropy(self):
        half = 0.5 * (self.df + 1)
        slope = half * (half.digamma() - (0.5 * self.df).digamma())
        return self.scale.log() + slope + 0.5 * self.df.log() + self._log_beta()


class Uniform(Distribution):
    """Uniform(low, high, validate_args=None): 1 / (high - low) in [low, high).

    low < high, broadcast together.
    """

    has_rsample = True

    def __init__(self, low, high, validate_args=None):
        self._adopt(validate_args, low=low, high=high)

    @property
    def arg_constraints(self):
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.interval(self.low, self.high)

    @property
    def mean(self):
        return (self.high + self.low) / 2

    @property
    def mode(self):
        """NaN: all numbers are equally likely."""
        return math.nan * self.high

    @property
    def stddev(self):
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self):
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape=()):
        u = ops.rand(self._extended_shape(sample_shape), **like(self.low))
        return self.low + u * (self.high - self.low)

    def log_prob(self, value):
        self._check(value)
        inside = (self.low <= value) & (self.high > value)
        return inside.type_as(self.low).log() - (self.high - self.low).log()

    def cdf(self, value):
        self._check(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value):
        return value * (self.high - self.low) + self.low

    def entropy(self):
        return (self.high - self.low).log()


class GeneralizedPareto(Distribution):
    """GeneralizedPareto(loc, scale, concentration, validate_args=None): the tail of other distributions beyond loc.

    P(X > x) = (1 + c * z)**(-1 / c), z = (x - loc) / scale >= 0, exp(-z) for c = 0; bounded above for c < 0. loc real,
    scale > 0, concentration c real, broadcast together.
    """

    arg_constraints = {**PLACE_AND_WIDTH, "concentration": constraints.real}
    has_rsample = True

    def __init__(self, loc, scale, concentration, validate_args=None):
        self._adopt(validate_args, loc=loc, scale=scale, concentration=concentration)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        bounded = self.concentration < 0
        return constraints.interval(self.loc, ops.where(bounded, self.loc - self.scale / self.concentration, math.inf))

    def _by_concentration(self, usual, exponential):
        """usual(c), or the limit for c = 0."""
        zero = ops.isclose(self.concentration, ops.zeros_like(self.concentration))
        return ops.where(zero, exponential, usual(self.concentration.masked_fill(zero, 1.0)))

    def rsample(self, sample_shape=()):
        return self.icdf(ops.rand(self._extended_shape(sample_shape), **like(self.loc)))

    def log_prob(self, value):
        self._check(value)
        z = (value - self.loc) / self.scale

        def usual(c):
            power = 1 + 1 / c  # 0 for c = -1, a uniform distribution
            return -ops.where(power == 0, power, power * (c * z).log1p())

        return self._by_concentration(usual, -z) - self.scale.log()

    def log_survival_function(self, value):
        """log_survival_function(value) -> Tensor: log P(X > value)."""
        self._check(value)
        z = (value - self.loc) / self.scale
        return self._by_concentration(lambda c: -(c * z).log1p() / c, -z)

    def log_cdf(self, value):
        """log_cdf(value) -> Tensor: log P(X <= value)."""
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value):
        return self.log_cdf(value).exp()

    def icdf(self, value):
        log_above = (-value).log1p()
        bent = self._by_concentration(lambda c: (-c * log_above).expm1() / c, -log_above)
        return self.loc + self.scale * bent

    def _where_finite(self, limit, moment):
        """moment(c) for c < limit, else NaN."""
        finite = self.concentration < limit
        return moment(self.concentration.masked_fill(~finite, limit / 2)).masked_fill(~finite, math.nan)

    @property
    def mean(self):
        return self._where_finite(1, lambda c: self.loc + self.scale / (1 - c))

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return self._where_finite(0.5, lambda c: self.scale**2 / ((1 - c) ** 2 * (1 - 2 * c)))

    def entropy(self):
        return self.scale.log() + self.concentration + 1


# ---- the circle

# log I0(x) and log(I1(x)) of the modified Bessel functions, by polynomials (Abramowitz and Stegun, 9.8.1 to 9.8.4), in
# (x / 3.75)**2 below 3.75 and in 3.75 / x above.
_BESSEL = (
    (
        (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
        (
            (0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2)
            + (-0.2057706e-1, 0.2635537e-1, -0.1647633e-1, 0.392377e-2)
        ),
    ),
    (
        (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
        (
            (0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1)
            + (0.2282967e-1, -0.2895312e-1, 0.1787654e-1, -0.420059e-2)
        ),
    ),
)


def _polynomial(x, coefficients):
    """c0 + c1 * x + c2 * x**2 ..., by Horner's rule."""
    *rest, result = coefficients
    for c in reversed(rest):
        result = c + x * result
    return result


def _log_modified_bessel_fn(x, order=0):
    """log I_order(x) for x > 0 and order 0 or 1."""
    if order not in (0, 1):
        raise AssertionError(f"order must be 0 or 1, got {order}")
    near, far = _BESSEL[order]
    small = _polynomial((x / 3.75) ** 2, near)
    small = (x.abs() * small if order else small).log()
    large = x - 0.5 * x.log() + _polynomial(3.75 / x, far).log()
    return ops.where(x < 3.75, small, large)


class VonMises(_AroundLoc):
    """VonMises(loc, concentration, validate_args=None): angles; exp(concentration * cos(x - loc)) / (2 pi I0).

    loc real, in radians, concentration > 0, broadcast together. Samples are in [-pi, pi), drawn in float64 by rejection
    (Best and Fisher, 1979), which has no gradient.
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(self, loc, concentration, validate_args=None):
        self._adopt(validate_args, loc=loc, concentration=concentration)

    def log_prob(self, value):
        self._check(value)
        result = self.concentration * (value - self.loc).cos()
        return result - math.log(2 * math.pi) - _log_modified_bessel_fn(self.concentration)

    @lazy_property
    def _loc(self):
        return self.loc.to(float64)

    @lazy_property
    def _concentration(self):
        return self.concentration.to(float64)

    @lazy_property
    def _proposal_r(self):
        """The parameter of the wrapped Cauchy numbers that are proposed."""
        kappa = self._concentration
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return ops.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))

    def sample(self, sample_shape=()):
        shape, r = self._extended_shape(sample_shape), self._proposal_r
        with no_grad():
            x = ops.zeros(shape, **like(self._loc))
            done = ops.zeros(shape, dtype=bool_, device=x.device)
            while not done.all():
                u1, u2, u3 = ops.rand((3, *shape), **like(x)).unbind()
                z = (math.pi * u1).cos()
                f = (1 + r * z) / (r + z)
                c = self._concentration * (r - f)
                accept = (c * (2 - c) - u2 > 0) | ((c / u2).log() + 1 - c >= 0)
                # torch takes a later number, too, where one was accepted before
                x = ops.where(accept, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accept
            return ((x + math.pi + self._loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    @lazy_property
    def variance(self):
        """1 - I1 / I0, the circular variance."""
        return 1 - (_log_modified_bessel_fn(self.concentration, 1) - _log_modified_bessel_fn(self.concentration)).exp()
