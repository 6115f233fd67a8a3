"""Distributions made of others: through changes of variable, with batch dimensions as parts of an event, mixtures."""

import types

from .._base.shape import Size
from ..autograd.grad_mode import no_grad
from ..nn._ops import ops
from . import constraints
from .categorical_family import Categorical
from .distribution import Distribution
from .transforms import ComposeTransform, Transform
from .utils import _sum_rightmost

__all__ = ["Independent", "MixtureSameFamily", "TransformedDistribution"]


class Independent(Distribution):
    """Independent(base_distribution, reinterpreted_batch_ndims, validate_args=None)

    The same distribution whose last batch dimensions belong to the event: log_prob and entropy are summed over them.
    """

    arg_constraints = {}
    __class_getitem__ = classmethod(types.GenericAlias)  # annotations say Independent[Normal]

    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        batch, n = base_distribution.batch_shape, reinterpreted_batch_ndims
        if n > len(batch):
            raise ValueError(
                f"Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual {n} vs {len(batch)}"
            )
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, n
        cut = len(batch) - n
        super().__init__(batch[:cut], batch[cut:] + base_distribution.event_shape, validate_args=validate_args)

    @property
    def has_rsample(self):
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self):
        return self.reinterpreted_batch_ndims <= 0 and self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self):
        inner, n = self.base_dist.support, self.reinterpreted_batch_ndims
        return constraints.independent(inner, n) if n else inner

    @property
    def mean(self):
        return self.base_dist.mean

    @property
    def mode(self):
        return self.base_dist.mode

    @property
    def variance(self):
        return self.base_dist.variance

    def sample(self, sample_shape=()):
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape=()):
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value):
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self):
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand=True):
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Distribution):
    """TransformedDistribution(base_distribution, transforms, validate_args=None)

    The distribution of y = t_n(...t_1(x)) for x of the base: log p(y) = log p(x) - log |dy/dx|. `transforms` is one or
    a list, the first of which is applied first.
    """

    arg_constraints = {}

    def __init__(self, base_distribution, transforms, validate_args=None):
        self.transforms = [transforms] if isinstance(transforms, Transform) else transforms
        if not isinstance(self.transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        if not all(isinstance(t, Transform) for t in self.transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        whole = ComposeTransform(self.transforms)
        inner, outer = whole.domain.event_dim, whole.codomain.event_dim
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        base_dims = len(base_distribution.event_shape)
        if len(base_shape) < inner:
            raise ValueError(f"base_distribution needs to have shape with size at least {inner}, but got {base_shape}.")
        shape = whole.forward_shape(base_shape)
        needed = whole.inverse_shape(shape)
        if needed != base_shape:  # the transforms' parameters have a larger batch
            base_distribution = base_distribution.expand(needed[: len(needed) - base_dims])
        if inner > base_dims:
            base_distribution = Independent(base_distribution, inner - base_dims)
        self.base_dist = base_distribution
        cut = len(shape) - max(outer, base_dims + outer - inner)
        if cut < 0:
            raise AssertionError(f"forward_shape length {len(shape)} must be >= event_dim {len(shape) - cut}")
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def _expanded(self, name, value, batch_shape):
        if name != "base_dist":
            return super()._expanded(name, value, batch_shape)
        shape = batch_shape + self.event_shape
        for t in reversed(self.transforms):
            shape = t.inverse_shape(shape)
        return value.expand(shape[: len(shape) - len(value.event_shape)])

    @constraints.dependent_property(is_discrete=False)
    def support(self):
        if not self.transforms:
            return self.base_dist.support
        region, dims = self.transforms[-1].codomain, len(self.event_shape)
        return constraints.independent(region, dims - region.event_dim) if dims > region.event_dim else region

    @property
    def has_rsample(self):
        return self.base_dist.has_rsample

    def _transformed(self, x):
        for t in self.transforms:
            x = t(x)
        return x

    def sample(self, sample_shape=()):
        x = self.base_dist.sample(sample_shape)
        with no_grad():
            return self._transformed(x)

    def rsample(self, sample_shape=()):
        return self._transformed(self.base_dist.rsample(sample_shape))

    def log_prob(self, value):
        self._check(value)
        dims, result, y = len(self.event_shape), 0.0, value
        for t in reversed(self.transforms):
            x, inner = t.inv(y), t.domain.event_dim
            dims += inner - t.codomain.event_dim
            result = result - _sum_rightmost(t.log_abs_det_jacobian(x, y), dims - inner)
            y = x
        return result + _sum_rightmost(self.base_dist.log_prob(y), dims - len(self.base_dist.event_shape))

    def _mirrored(self, p):
        """p, or 1 - p where the transforms together decrease."""
        sign = ComposeTransform(self.transforms).sign
        return p if isinstance(sign, int) and sign == 1 else sign * (p - 0.5) + 0.5

    def cdf(self, value):
        for t in reversed(self.transforms):
            value = t.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._mirrored(self.base_dist.cdf(value))

    def icdf(self, value):
        return self._transformed(self.base_dist.icdf(self._mirrored(value)))


class MixtureSameFamily(Distribution):
    """MixtureSameFamily(mixture_distribution, component_distribution, validate_args=None)

    One of K components, chosen by a Categorical of K weights; the components are the last batch dimension of a
    distribution. log p(x) = logsumexp_k(log w_k + log p_k(x)).
    """

    arg_constraints = {}
    has_rsample = False

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        weights, batch = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        if any(n != 1 and m != 1 and n != m for n, m in zip(reversed(weights), reversed(batch), strict=False)):
            raise ValueError(
                f"`mixture_distribution.batch_shape` ({weights}) is not compatible with "
                f"`component_distribution.batch_shape`({batch})"
            )
        n, m = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if n != m:
            raise ValueError(
                f"`mixture_distribution component` ({n}) does not equal `component_distribution.batch_shape[-1]` ({m})"
            )
        self._num_component, event = n, component_distribution.event_shape
        self._event_ndims = len(event)
        super().__init__(batch, event, validate_args=validate_args)

    @constraints.dependent_property
    def support(self):
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self):
        """The Categorical that chooses."""
        return self._mixture_distribution

    @property
    def component_distribution(self):
        """The components, in the last batch dimension."""
        return self._component_distribution

    def _pad(self, x):
        """x with a dimension for the components."""
        return x.unsqueeze(-1 - self._event_ndims)

    def _averaged(self, values):
        """The average of the components' values, by their weights."""
        p = self._mixture_distribution.probs
        p = p.reshape(p.shape + Size((1,) * self._event_ndims))
        return (p * values).sum(-1 - self._event_ndims)

    @property
    def mean(self):
        return self._averaged(self._component_distribution.mean)

    @property
    def variance(self):
        parts = self._component_distribution
        return self._averaged(parts.variance) + self._averaged((parts.mean - self._pad(self.mean)).pow(2.0))

    def cdf(self, x):
        parts = self._component_distribution.cdf(self._pad(x))
        return (parts * self._mixture_distribution.probs).sum(-1)

    def log_prob(self, x):
        self._check(x)
        parts = self._component_distribution.log_prob(self._pad(x))
        return ops.logsumexp(parts + ops.log_softmax(self._mixture_distribution.logits, dim=-1), dim=-1)

    def sample(self, sample_shape=()):
        chosen = self._mixture_distribution.sample(sample_shape)
        parts = self._component_distribution.sample(sample_shape)
        dim = len(sample_shape) + len(self.batch_shape)  # the components'
        index = chosen.reshape(chosen.shape + Size((1,) * (self._event_ndims + 1)))
        index = index.expand(chosen.shape + (1,) + self.event_shape)
        return parts.gather(dim, index).squeeze(dim)

    def __repr__(self):
        return f"MixtureSameFamily(\n  {self._mixture_distribution},\n  {self._component_distribution})"
