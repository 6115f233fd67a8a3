"""Named distributions that are a simple one seen through changes of variable: LogNormal is exp of a Normal ..."""

import math

from .._base.dtype import finfo
from ..nn._ops import ops
from . import constraints
from .binary import ONE_PROBABILITY, LogitRelaxedBernoulli
from .categorical_family import SHARES, ExpRelaxedCategorical
from .composed import TransformedDistribution
from .gamma_family import Exponential, Gamma
from .real_line import PLACE_AND_WIDTH, Cauchy, Normal, Uniform
from .transforms import (
    AbsTransform,
    AffineTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    StickBreakingTransform,
)
from .utils import broadcast_all, euler_constant, like

__all__ = [
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "InverseGamma",
    "Kumaraswamy",
    "LogNormal",
    "LogisticNormal",
    "Pareto",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "Weibull",
]


def _of_base(name, doc, levels=1):
    """A parameter that is an attribute of the base distribution (or of its base)."""

    def read(self):
        base = self
        for _ in range(levels):
            base = base.base_dist
        return getattr(base, name)

    return property(read, doc=doc)


# ---- of a Normal or a Cauchy


class LogNormal(TransformedDistribution):
    """LogNormal(loc, scale, validate_args=None): exp(Normal(loc, scale)).

    loc real, scale > 0, broadcast together.
    """

    arg_constraints = PLACE_AND_WIDTH
    support = constraints.positive
    has_rsample = True
    loc = _of_base("loc", "The mean of the logarithm.")
    scale = _of_base("scale", "The standard deviation of the logarithm.")

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    @property
    def mean(self):
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self):
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self):
        v = self.scale.pow(2)
        return v.expm1() * (2 * self.loc + v).exp()

    def entropy(self):
        return self.base_dist.entropy() + self.loc


class LogisticNormal(TransformedDistribution):
    """LogisticNormal(loc, scale, validate_args=None): K shares of 1, by breaking a stick at Normal(loc, scale).

    loc real, scale > 0, of shape (..., K - 1), broadcast together.
    """

    arg_constraints = PLACE_AND_WIDTH
    support = constraints.simplex
    has_rsample = True
    loc = _of_base("loc", "The means of the normal numbers.", 2)
    scale = _of_base("scale", "Their standard deviations.", 2)

    def __init__(self, loc, scale, validate_args=None):
        base = Normal(loc, scale, validate_args=validate_args)
        base = base if base.batch_shape else base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)


class _Half(TransformedDistribution):
    """|x| of a distribution that is symmetric around 0: twice its density, from 0 on."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    scale = _of_base("scale", "The width.")

    @property
    def mode(self):
        return ops.zeros_like(self.scale)

    def log_prob(self, value):
        self._check(value)
        value = ops.as_tensor(value, **like(self.scale))
        return ops.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value):
        self._check(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob):
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self):
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    """HalfNormal(scale, validate_args=None): |Normal(0, scale)|.

    scale > 0, of any shape.
    """

    def __init__(self, scale, validate_args=None):
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self):
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self):
        return self.scale.pow(2) * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    """HalfCauchy(scale, validate_args=None): |Cauchy(0, scale)|, of infinite mean.

    scale > 0, of any shape.
    """

    def __init__(self, scale, validate_args=None):
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self):
        return ops.full(self._extended_shape(), math.inf, **like(self.scale))

    @property
    def variance(self):
        return self.base_dist.variance


# ---- of a Uniform


class Gumbel(TransformedDistribution):
    """Gumbel(loc, scale, validate_args=None): loc - scale * log(-log(U)); exp(-z - exp(-z)) / scale, z = (x - loc) /
    scale.

    loc real, scale > 0, broadcast together.
    """

    arg_constraints = PLACE_AND_WIDTH
    support = constraints.real

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        info, one = finfo(self.loc.dtype), ops.ones_like(self.scale)
        base = Uniform(
            ops.full_like(self.loc, info.tiny), ops.full_like(self.loc, 1 - info.eps), validate_args=validate_args
        )
        negative_log = [ExpTransform().inv, AffineTransform(loc=0, scale=-one)]
        last = [ExpTransform().inv, AffineTransform(loc=loc, scale=-self.scale)]
        super().__init__(base, negative_log + last, validate_args=validate_args)

    def log_prob(self, value):
        self._check(value)
        y = (self.loc - value) / self.scale
        return y - y.exp() - self.scale.log()

    @property
    def mean(self):
        return self.loc + self.scale * euler_constant

    @property
    def mode(self):
        return self.loc

    @property
    def stddev(self):
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self):
        return self.stddev.pow(2)

    def entropy(self):
        return self.scale.log() + (1 + euler_constant)


class Kumaraswamy(TransformedDistribution):
    """Kumaraswamy(concentration1, concentration0, validate_args=None): (1 - U**(1 / b))**(1 / a), much like Beta(a, b).

    a * b * x**(a - 1) * (1 - x**a)**(b - 1) in [0, 1]; both > 0, broadcast together.
    """

    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1, concentration0, validate_args=None):
        a, b = self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        steps = [
            PowerTransform(exponent=b.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=a.reciprocal()),
        ]
        base = Uniform(ops.zeros_like(b), ops.ones_like(b), validate_args=validate_args)
        super().__init__(base, steps, validate_args=validate_args)

    def _moment(self, n):
        """E[x**n] = b * B(1 + n / a, b)"""
        a, b = 1 + n / self.concentration1, self.concentration0
        return b * (a.lgamma() + b.lgamma() - (a + b).lgamma()).exp()

    @property
    def mean(self):
        return self._moment(1)

    @property
    def mode(self):
        """NaN where the density is infinite at 0 or 1."""
        a, b = self.concentration1, self.concentration0
        log_mode = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        return log_mode.masked_fill((b < 1) | (a < 1), math.nan).exp()

    @property
    def variance(self):
        return self._moment(2) - self.mean.pow(2)

    def entropy(self):
        a, b = self.concentration1, self.concentration0
        harmonic = (b + 1).digamma() + euler_constant
        return (1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - a.log() - b.log()


# ---- of an Exponential or a Gamma


class Pareto(TransformedDistribution):
    """Pareto(scale, alpha, validate_args=None): scale * exp(Exponential(alpha)); alpha * scale**alpha / x**(alpha + 1).

    scale > 0, the least value, and alpha > 0, broadcast together.
    """

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(self, scale, alpha, validate_args=None):
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        steps = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, steps, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self):
        """Infinite for alpha up to 1."""
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self):
        return self.scale

    @property
    def variance(self):
        """Infinite for alpha up to 2."""
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    def entropy(self):
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Weibull(TransformedDistribution):
    """Weibull(scale, concentration, validate_args=None): scale * Exponential(1)**(1 / concentration).

    k / scale * z**(k - 1) * exp(-z**k), z = x / scale, k the concentration; both > 0, broadcast together.
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(self, scale, concentration, validate_args=None):
        self.scale, self.concentration = broadcast_all(scale, concentration)
        base = Exponential(ops.ones_like(self.scale), validate_args=validate_args)
        steps = [PowerTransform(exponent=self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, steps, validate_args=validate_args)

    @property
    def concentration_reciprocal(self):
        """1 / concentration"""
        return self.concentration.reciprocal()

    def _gamma(self, n):
        return (1 + n * self.concentration_reciprocal).lgamma()

    @property
    def mean(self):
        return self.scale * self._gamma(1).exp()

    @property
    def mode(self):
        k = self.concentration
        return self.scale * ((k - 1) / k) ** k.reciprocal()

    @property
    def variance(self):
        return self.scale.pow(2) * (self._gamma(2).exp() - (2 * self._gamma(1)).exp())

    def entropy(self):
        inverse = self.concentration_reciprocal
        return euler_constant * (1 - inverse) + (self.scale * inverse).log() + 1


class InverseGamma(TransformedDistribution):
    """InverseGamma(concentration, rate, validate_args=None): 1 / Gamma(concentration, rate).

    Both > 0, broadcast together.
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True
    concentration = _of_base("concentration", "The shape of the Gamma numbers.")
    rate = _of_base("rate", "The rate of the Gamma numbers.")

    def __init__(self, concentration, rate, validate_args=None):
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    @property
    def mean(self):
        """Infinite for concentrations up to 1."""
        a = self.concentration
        return ops.where(a > 1, self.rate / (a - 1), math.inf)

    @property
    def mode(self):
        return self.rate / (self.concentration + 1)

    @property
    def variance(self):
        """Infinite for concentrations up to 2."""
        a = self.concentration
        return ops.where(a > 2, self.rate.square() / ((a - 1).square() * (a - 2)), math.inf)

    def entropy(self):
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()


# ---- relaxed choices


class RelaxedBernoulli(TransformedDistribution):
    """RelaxedBernoulli(temperature, probs=None, logits=None, validate_args=None)

    Numbers in (0, 1), nearly 0 or 1 at a low temperature, which move with the parameters: the sigmoid of
    LogitRelaxedBernoulli. Parameters as in Bernoulli.
    """

    arg_constraints = ONE_PROBABILITY
    support = constraints.unit_interval
    has_rsample = True
    temperature = _of_base("temperature", "How far from 0 and 1 the numbers are.")
    logits = _of_base("logits", "log(p / (1 - p))")
    probs = _of_base("probs", "The probability of a number above 1/2.")

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)


class RelaxedOneHotCategorical(TransformedDistribution):
    """RelaxedOneHotCategorical(temperature, probs=None, logits=None, validate_args=None)

    K shares of 1, nearly one-hot at a low temperature, which move with the parameters: exp of ExpRelaxedCategorical.
    Parameters as in Categorical, (..., K).
    """

    arg_constraints = SHARES
    support = constraints.simplex
    has_rsample = True
    temperature = _of_base("temperature", "How far from one-hot the shares are.")
    logits = _of_base("logits", "The logarithms of probs.")
    probs = _of_base("probs", "The probabilities of the categories to have the largest share.")

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)
