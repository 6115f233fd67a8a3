"""Counts: of successes (Binomial), of failures (NegativeBinomial), of events (Poisson), of categories (Multinomial)."""

import math

from .._base.shape import Size
from ..nn import functional as F
from ..nn._ops import ops
from . import constraints
from .categorical_family import SHARES, Categorical
from .distribution import Distribution, ExponentialFamily
from .gamma_family import Gamma
from .probabilities import OfCategorical, ProbsOrLogits, one_of
from .utils import broadcast_all, lazy_property, like

__all__ = ["Binomial", "Multinomial", "NegativeBinomial", "Poisson"]


class _CountOf(ProbsOrLogits, Distribution):
    """Has a total_count beside probs or logits, of their type."""

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        self._given, value = one_of(probs, logits)
        count, value = broadcast_all(total_count, value)
        self.total_count = count.type_as(value)
        setattr(self, self._given, value)
        super().__init__(value.shape, validate_args=validate_args)


class Binomial(_CountOf):
    """Binomial(total_count=1, probs=None, logits=None, validate_args=None): successes in total_count trials.

    choose(n, k) * p**k * (1 - p)**(n - k); whole total_count n >= 0 and probs in [0, 1] or logits, broadcast together.
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        super().__init__(total_count, probs, logits, validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self):
        return self.total_count * self.probs

    @property
    def mode(self):
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        return ops.binomial(self.total_count.detach().expand(shape), self.probs.detach().expand(shape))

    def log_prob(self, value):
        self._check(value)
        n, logits = self.total_count, self.logits
        # log(1 + exp(logits)), which neither overflows nor loses the gradient at 0
        positive = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        softplus = positive + (-logits.abs()).exp().log1p()
        ways = (n + 1).lgamma() - (value + 1).lgamma() - (n - value + 1).lgamma()
        return value * logits + ways - n * softplus

    def _one_count(self, asked):
        """The total_count that all of the batch have."""
        n = int(self.total_count.max())
        if self.total_count.min() != n:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{asked}`.")
        return n

    def entropy(self):
        self._one_count("entropy")
        log_p = self.log_prob(self.enumerate_support(False))
        return -(log_p.exp() * log_p).sum(0)

    def enumerate_support(self, expand=True):
        n = self._one_count("enumerate_support")
        return self._enumerated(ops.arange(1 + n, **like(self._param)), expand)


class NegativeBinomial(_CountOf):
    """NegativeBinomial(total_count, probs=None, logits=None, validate_args=None)

    Successes of probability p before total_count failures: gamma(n + k) / (gamma(n) k!) * (1 - p)**n * p**k. Real
    total_count n >= 0 and probs in [0, 1) or logits, broadcast together; drawn as Poisson numbers of Gamma rates.
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    @property
    def mean(self):
        return self.total_count * self.logits.exp()

    @property
    def mode(self):
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self):
        return self.mean / ops.sigmoid(-self.logits)

    @lazy_property
    def _gamma(self):
        return Gamma(self.total_count, (-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape=()):
        return ops.poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value):
        self._check(value)
        n = self.total_count
        ways = (n + value).lgamma() - (1.0 + value).lgamma() - n.lgamma()
        ways = ways.masked_fill(n + value == 0.0, 0.0)
        return n * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits) + ways


class Poisson(ExponentialFamily):
    """Poisson(rate, validate_args=None): events in a time in which `rate` are expected; rate**k * exp(-rate) / k!

    rate >= 0, of any shape.
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate, validate_args=None):
        self._adopt(validate_args, rate=rate)

    @property
    def mean(self):
        return self.rate

    @property
    def mode(self):
        return self.rate.floor()

    @property
    def variance(self):
        return self.rate

    def sample(self, sample_shape=()):
        return ops.poisson(self.rate.detach().expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        self._check(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self):
        return (self.rate.log(),)

    def _log_normalizer(self, x):
        return x.exp()


class Multinomial(OfCategorical, Distribution):
    """Multinomial(total_count=1, probs=None, logits=None, validate_args=None): how often each of K categories comes up
    in total_count draws; n! / prod(x_k!) * prod(p_k**x_k).

    total_count is one int; parameters as in Categorical, (..., K).
    """

    arg_constraints = SHARES

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = c = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count, probs=self.probs)  # of each category alone
        super().__init__(c.batch_shape, c.param_shape[-1:], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self):
        return constraints.multinomial(self.total_count)

    @property
    def mean(self):
        return self.probs * self.total_count

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        sample_shape = Size(sample_shape)
        draws = self._categorical.sample(Size((self.total_count,)) + sample_shape).movedim(0, -1)
        counts = draws.new_zeros(self._extended_shape(sample_shape))
        return counts.scatter_add_(-1, draws, ops.ones_like(draws)).type_as(self.probs)

    def entropy(self):
        """n H(category) - log n! + the expectations of log x_k!."""
        n = ops.tensor(self.total_count)
        counts = self._binomial.enumerate_support(expand=False)[1:]
        expected = (self._binomial.log_prob(counts).exp() * (counts + 1).lgamma()).sum([0, -1])
        return n * self._categorical.entropy() - (n + 1).lgamma() + expected

    def log_prob(self, value):
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.masked_fill((value == 0) & (logits == -math.inf), 0)
        ways = (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1)
        return ways + (logits * value).sum(-1)
