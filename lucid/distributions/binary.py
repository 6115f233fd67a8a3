"""Yes or no with a probability: Bernoulli, its continuous relatives on [0, 1], and the wait for a success."""

import math

from .._base.dtype import finfo
from .._base.state import is_compiling
from ..autograd.grad_mode import no_grad
from ..nn import functional as F
from ..nn._ops import ops
from . import constraints
from .distribution import Distribution, ExponentialFamily
from .probabilities import ProbsOrLogits, one_of
from .utils import broadcast_all, clamp_probs, lazy_property, like, logits_to_probs

__all__ = ["Bernoulli", "ContinuousBernoulli", "Geometric", "LogitRelaxedBernoulli"]

ONE_PROBABILITY = {"probs": constraints.unit_interval, "logits": constraints.real}


class Bernoulli(ProbsOrLogits, ExponentialFamily):
    """Bernoulli(probs=None, logits=None, validate_args=None): 1 with probability p, else 0.

    p**x * (1 - p)**(1 - x); probs in [0, 1], or logits = log(p / (1 - p)), of any shape.
    """

    arg_constraints = ONE_PROBABILITY
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._given, value = one_of(probs, logits)
        self._adopt(validate_args, **{self._given: value})

    @property
    def mean(self):
        return self.probs

    @property
    def mode(self):
        """0 or 1, NaN for a fair coin."""
        return (self.probs >= 0.5).to(self.probs).masked_fill(self.probs == 0.5, math.nan)

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        return ops.bernoulli(self.probs.detach().expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self):
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand=True):
        return self._enumerated(ops.arange(2, **like(self._param)), expand)

    @property
    def _natural_params(self):
        return (ops.logit(self.probs),)

    def _log_normalizer(self, x):
        return x.exp().log1p()


class ContinuousBernoulli(ProbsOrLogits, ExponentialFamily):
    """ContinuousBernoulli(probs=None, logits=None, lims=(0.499, 0.501), validate_args=None)

    Numbers in [0, 1] with density C(p) * p**x * (1 - p)**(1 - x) (Loaiza-Ganem and Cunningham, 2019). Between `lims`,
    where the formulas are 0 / 0, series around p = 0.5 stand for them.
    """

    arg_constraints = ONE_PROBABILITY
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501), validate_args=None):
        self._given, value = one_of(probs, logits)
        (value,) = broadcast_all(value)
        if logits is None:
            if validate_args is not None and not constraints.unit_interval.check(value).all():
                raise ValueError("The parameter probs has invalid values")
            value = clamp_probs(value)
        self._lims = lims
        self._adopt(validate_args, **{self._given: value})

    @lazy_property
    def probs(self):
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _usual(self):
        """Where the formulas hold."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self):
        """probs, and the lower limit where the formulas do not hold."""
        return ops.where(self._usual(), self.probs, self._lims[0])

    def _cont_bern_log_norm(self):
        """log C(p) = log(2 artanh(1 - 2p) / (1 - 2p))"""
        p = self._cut_probs()
        low, high = ops.where(p <= 0.5, p, 0.0), ops.where(p >= 0.5, p, 1.0)
        distance = ops.where(p <= 0.5, (-2.0 * low).log1p(), (2.0 * high - 1.0).log())
        x = (self.probs - 0.5).pow(2)
        series = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return ops.where(self._usual(), ((-p).log1p() - p.log()).abs().log() - distance, series)

    @property
    def mean(self):
        p, x = self._cut_probs(), self.probs - 0.5
        series = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x
        return ops.where(self._usual(), p / (2.0 * p - 1.0) + 1.0 / ((-p).log1p() - p.log()), series)

    @property
    def variance(self):
        p, x = self._cut_probs(), (self.probs - 0.5).pow(2)
        series = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        usual = p * (p - 1.0) / (1.0 - 2.0 * p).pow(2) + 1.0 / ((-p).log1p() - p.log()).pow(2)
        return ops.where(self._usual(), usual, series)

    def sample(self, sample_shape=()):
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        return self.icdf(ops.rand(self._extended_shape(sample_shape), **like(self.probs)))

    def log_prob(self, value):
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    def cdf(self, value):
        self._check(value)
        p = self._cut_probs()
        usual = (p.pow(value) * (1.0 - p).pow(1.0 - value) + p - 1.0) / (2.0 * p - 1.0)
        inside = ops.where(self._usual(), usual, value)
        return ops.where(value <= 0.0, 0.0, ops.where(value >= 1.0, 1.0, inside))

    def icdf(self, value):
        p = self._cut_probs()
        usual = ((-p + value * (2.0 * p - 1.0)).log1p() - (-p).log1p()) / (p.log() - (-p).log1p())
        return ops.where(self._usual(), usual, value)

    def entropy(self):
        no, yes = (-self.probs).log1p(), self.probs.log()
        return self.mean * (no - yes) - self._cont_bern_log_norm() - no

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        low, high = self._lims[0] - 0.5, self._lims[1] - 0.5
        usual = (x <= low) | (x > high)
        cut = ops.where(usual, x, low)
        series = 0.5 * x + x.pow(2) / 24.0 - x.pow(4) / 2880.0
        return ops.where(usual, cut.expm1().abs().log() - cut.abs().log(), series)


class Geometric(ProbsOrLogits, Distribution):
    """Geometric(probs=None, logits=None, validate_args=None): failures before the first success; (1 - p)**k * p.

    probs in (0, 1], or logits = log(p / (1 - p)), of any shape.
    """

    arg_constraints = ONE_PROBABILITY
    support = constraints.nonnegative_integer

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._given, value = one_of(probs, logits)
        self._adopt(validate_args, **{self._given: value})
        if self._validate_args and logits is None and not is_compiling() and not (self.probs > 0).all():
            value = self.probs
            raise ValueError(
                f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                f"{self!r} to be positive but found invalid values:\n{value.data[~(value > 0)]}"
            )

    @property
    def mean(self):
        return 1.0 / self.probs - 1.0

    @property
    def mode(self):
        return ops.zeros_like(self.probs)

    @property
    def variance(self):
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape=()):
        with no_grad():
            u = ops.empty(self._extended_shape(sample_shape), **like(self.probs))
            u.uniform_(finfo(self.probs.dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value):
        self._check(value)
        value, p = broadcast_all(value, self.probs)
        failing = p.masked_fill((p == 1) & (value == 0), 0)  # 0 failures are certain: not 0 * log(0)
        return value * (-failing).log1p() + self.probs.log()

    def entropy(self):
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs


class LogitRelaxedBernoulli(ProbsOrLogits, Distribution):
    """LogitRelaxedBernoulli(temperature, probs=None, logits=None, validate_args=None)

    The logit of a number in (0, 1): (logits + logistic noise) / temperature, which is 0 or 1 towards temperature 0
    (Maddison et al., 2017).
    """

    arg_constraints = ONE_PROBABILITY
    support = constraints.real

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        self._given, value = one_of(probs, logits)
        self._adopt(validate_args, **{self._given: value})

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        p = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(ops.rand(shape, **like(p)))
        return (u.log() - (-u).log1p() + p.log() - (-p).log1p()) / self.temperature

    def log_prob(self, value):
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        diff = logits - value * self.temperature
        return self.temperature.log() + diff - 2 * diff.exp().log1p()
