"""One of several categories: as a number, as a one-hot vector, relaxed to a point between them."""

import math

from .._base.dtype import finfo, int64
from .._base.shape import Size
from ..nn import functional as F
from ..nn._ops import ops
from . import constraints
from .distribution import Distribution
from .probabilities import OfCategorical, ProbsOrLogits, one_of
from .utils import broadcast_all, clamp_probs, like

__all__ = ["Categorical", "ExpRelaxedCategorical", "OneHotCategorical", "OneHotCategoricalStraightThrough"]

SHARES = {"probs": constraints.simplex, "logits": constraints.real_vector}


class Categorical(ProbsOrLogits, Distribution):
    """Categorical(probs=None, logits=None, validate_args=None): numbers 0 to K - 1 with the probabilities in the last
    dimension.

    probs (..., K) are divided by their sum; logits (..., K) are logarithms of weights, kept less their logsumexp.
    """

    arg_constraints = SHARES
    has_enumerate_support = True
    _binary = False

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._given, value = one_of(probs, logits)
        if value.dim() < 1:
            raise ValueError(f"`{self._given}` parameter must be at least one-dimensional.")
        if logits is None:
            self.probs = probs / probs.sum(-1, keepdim=True)
        else:
            self.logits = logits - logits.logsumexp(-1, keepdim=True)
        self._num_events = value.shape[-1]
        super().__init__(value.shape[:-1], validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self):
        """NaN: categories have no order."""
        return ops.full(self._extended_shape(), math.nan, **like(self.probs))

    @property
    def mode(self):
        return self.probs.argmax(-1)

    @property
    def variance(self):
        """NaN: categories have no distances."""
        return self.mean

    def sample(self, sample_shape=()):
        sample_shape = Size(sample_shape)
        rows = self.probs.reshape(-1, self._num_events)
        drawn = ops.multinomial(rows, sample_shape.numel(), True).T
        return drawn.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value):
        self._check(value)
        value, logits = ops.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self):
        logits = self.logits.clamp(min=finfo(self.logits.dtype).min)  # 0 * -inf would be NaN
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand=True):
        return self._enumerated(ops.arange(self._num_events, dtype=int64, device=self._param.device), expand)


class OneHotCategorical(OfCategorical, Distribution):
    """OneHotCategorical(probs=None, logits=None, validate_args=None): vectors with a one at a Categorical's
    number.

    Parameters as in Categorical, (..., K).
    """

    arg_constraints = SHARES
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._categorical = c = Categorical(probs, logits)
        super().__init__(c.batch_shape, c.param_shape[-1:], validate_args=validate_args)

    @property
    def mean(self):
        return self.probs

    @property
    def mode(self):
        return F.one_hot(self.probs.argmax(-1), self.probs.shape[-1]).to(self.probs)

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        return F.one_hot(self._categorical.sample(sample_shape), self.event_shape[0]).to(self.probs)

    def log_prob(self, value):
        self._check(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self):
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        n = self.event_shape[0]
        values = ops.eye(n, **like(self._param)).view((n,) + (1,) * len(self.batch_shape) + (n,))
        return values.expand((n, *self.batch_shape, n)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """OneHotCategoricalStraightThrough(probs=None, logits=None, validate_args=None)

    OneHotCategorical whose samples have the gradient of probs (Bengio et al., 2013).
    """

    has_rsample = True

    def rsample(self, sample_shape=()):
        probs = self.probs
        return self.sample(sample_shape) + (probs - probs.detach())


class ExpRelaxedCategorical(OfCategorical, Distribution):
    """ExpRelaxedCategorical(temperature, probs=None, logits=None, validate_args=None)

    Logarithms of points on the simplex: x = z - logsumexp(z), z = (logits + Gumbel noise) / temperature. Towards
    temperature 0 they are one-hot (Maddison et al., 2017; Jang et al., 2017).
    """

    arg_constraints = SHARES
    support = constraints.real_vector  # not all of it: exp(x) sums to 1
    has_rsample = True

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self._categorical, self.temperature = Categorical(probs, logits), temperature
        c = self._categorical
        super().__init__(c.batch_shape, c.param_shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape=()):
        u = clamp_probs(ops.rand(self._extended_shape(sample_shape), **like(self.logits)))
        z = (self.logits - (-u.log()).log()) / self.temperature
        return z - z.logsumexp(-1, keepdim=True)

    def log_prob(self, value):
        self._check(value)
        n = self._categorical._num_events
        logits, value = broadcast_all(self.logits, value)
        constant = ops.full_like(self.temperature, float(n)).lgamma() + (n - 1) * self.temperature.log()
        score = logits - value * self.temperature
        return (score - score.logsumexp(-1, keepdim=True)).sum(-1) + constant
