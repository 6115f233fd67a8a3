"""What every distribution is: shapes, samples, checks of parameters and values, and copies with a larger batch."""

import warnings

from .._base.shape import Size
from .._base.state import is_compiling
from .._tensor.tensor import Tensor
from ..autograd import grad
from ..autograd.grad_mode import no_grad
from ..nn._ops import ops
from . import constraints
from .utils import broadcast_all, lazy_property

__all__ = ["Distribution"]  # ExponentialFamily is in torch's module exp_family

HOUSE = __name__.rpartition(".")[0]
LATER = object()
SCALAR = Size()


class Distribution:
    """Distribution(batch_shape=Size(), event_shape=Size(), validate_args=None): the base of all distributions.

    A sample has the shape sample_shape + batch_shape + event_shape: one event (a number, a vector ...) for each of the
    independent distributions of the batch. `has_rsample`: rsample gives samples that move with the parameters, so that
    gradients flow through them; `has_enumerate_support`: `enumerate_support` lists all values.
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value):
        """set_default_validate_args(value): whether distributions check arguments if they are not told."""
        if value not in [True, False]:
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape=SCALAR, event_shape=SCALAR, validate_args=None):
        self._batch_shape, self._event_shape = batch_shape, event_shape
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args and not is_compiling():
            self._check_parameters()
        super().__init__()

    def _check_parameters(self):
        try:
            wanted = self.arg_constraints
        except NotImplementedError:
            wanted = {}
            warnings.warn(
                f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize "
                "the distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
        for name, constraint in wanted.items():
            if constraints.is_dependent(constraint):
                continue
            if name not in vars(self) and isinstance(getattr(type(self), name), lazy_property):
                continue  # follows from another parameter
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    def _adopt(self, validate_args, **parameters):
        """Ends a constructor: parameters, broadcast together, become attributes; their shape is the batch shape."""
        tensors = broadcast_all(*parameters.values())
        for name, t in zip(parameters, tensors, strict=True):
            setattr(self, name, t)
        Distribution.__init__(self, tensors[0].shape, validate_args=validate_args)

    # ---- a larger batch

    def expand(self, batch_shape, _instance=None):
        """expand(batch_shape) -> Distribution: the same with its batch expanded to that shape, without copies.

        Parameters and distributions that it is made of are expanded, anything else is shared. `_instance` is the new
        object, from a subclass whose constructor has other arguments.
        """
        owner = next(c for c in type(self).__mro__ if c.__module__.startswith(HOUSE))
        if owner in (Distribution, ExponentialFamily):
            raise NotImplementedError
        new, batch_shape = self._get_checked_instance(owner, _instance), Size(batch_shape)
        made = {name: self._expanded(name, value, batch_shape) for name, value in vars(self).items()}
        for name, value in made.items():
            if value is not LATER and name not in vars(new):
                setattr(new, name, value)
        new._batch_shape, new._validate_args = batch_shape, self._validate_args
        return new

    def _expanded(self, name, value, batch_shape):
        """An attribute as an expanded copy has it, LATER where the copy is to compute it anew."""
        dims = len(self._batch_shape)
        if isinstance(value, Distribution):  # its batch may have dimensions that are parts of our event
            return value.expand(batch_shape + value.batch_shape[dims:])
        if name in self.arg_constraints and isinstance(value, Tensor):
            return value.expand(batch_shape + value.shape[dims:])
        return LATER if isinstance(getattr(type(self), name, None), lazy_property) else value

    def _get_checked_instance(self, cls, _instance=None):
        if _instance is not None:
            return _instance
        if type(self).__init__ != cls.__init__:
            raise NotImplementedError(
                f"Subclass {type(self).__name__} of {cls.__name__} that defines a custom __init__ method must also "
                "define a custom .expand() method."
            )
        return self.__new__(type(self))

    # ---- what it is

    @property
    def batch_shape(self):
        """The shape of the independent distributions."""
        return self._batch_shape

    @property
    def event_shape(self):
        """The shape of one sample of one distribution."""
        return self._event_shape

    @property
    def arg_constraints(self):
        """Constraints of the parameters, by their names."""
        raise NotImplementedError

    @property
    def support(self):
        """The constraint that all samples satisfy."""
        raise NotImplementedError

    @property
    def mean(self):
        """The expected value."""
        raise NotImplementedError

    @property
    def mode(self):
        """The likeliest value."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self):
        """The expected square of the distance from the mean."""
        raise NotImplementedError

    @property
    def stddev(self):
        """The square root of the variance."""
        return self.variance.sqrt()

    # ---- samples and probabilities

    def sample(self, sample_shape=()):
        """sample(sample_shape=()) -> Tensor of random numbers, outside the graph."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        """rsample(sample_shape=()) -> Tensor of random numbers that are differentiable in the parameters."""
        raise NotImplementedError

    def sample_n(self, n):
        """sample_n(n): sample((n,)); deprecated."""
        warnings.warn(
            "`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", category=FutureWarning, stacklevel=2
        )
        return self.sample(Size((n,)))

    def log_prob(self, value):
        """log_prob(value) -> Tensor: the logarithm of the density, or of the probability, of each event in value."""
        raise NotImplementedError

    def cdf(self, value):
        """cdf(value) -> Tensor: the probability of at most that."""
        raise NotImplementedError

    def icdf(self, value):
        """icdf(value) -> Tensor: the number whose cdf is value."""
        raise NotImplementedError

    def enumerate_support(self, expand=True):
        """enumerate_support(expand=True) -> Tensor of all values in its first dimension; the batch dimensions that
        follow have size 1 unless expanded."""
        raise NotImplementedError

    def _enumerated(self, values, expand):
        """A list of numbers in the shape of `enumerate_support`."""
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values

    def entropy(self):
        """entropy() -> Tensor: the expectation of -log_prob, for each distribution of the batch."""
        raise NotImplementedError

    def perplexity(self):
        """perplexity() -> Tensor: exp(entropy)."""
        return ops.exp(self.entropy())

    def _extended_shape(self, sample_shape=()):
        return Size(Size(sample_shape) + self._batch_shape + self._event_shape)

    # ---- checks of values

    def _check(self, value):
        """Checks a value given to log_prob or cdf, unless that is switched off, as in programs that are compiled."""
        if self._validate_args and not is_compiling():
            self._validate_sample(value)

    def _validate_sample(self, value):
        """ValueError unless value could be a sample: a tensor that broadcasts to our shapes, in the support."""
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        got, wanted = value.shape, self._batch_shape + self._event_shape
        if got[len(got) - len(self._event_shape) :] != self._event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {got} vs {self._event_shape}.")
        if any(n != 1 and m != 1 and n != m for n, m in zip(reversed(got), reversed(wanted), strict=False)):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {got} vs {wanted}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{type(self)} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation.",
                stacklevel=3,
            )
            return
        if support is None:
            raise AssertionError("support is unexpectedly None")
        if not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def __repr__(self):
        shown = {name: vars(self)[name] for name in self.arg_constraints if name in vars(self)}
        listed = ", ".join(f"{name}: {t if t.numel() == 1 else t.size()}" for name, t in shown.items())
        return f"{type(self).__name__}({listed})"


class ExponentialFamily(Distribution):
    """ExponentialFamily(batch_shape, event_shape, validate_args): densities exp(<t(x), theta> - F(theta) + k(x)).

    A subclass says theta (`_natural_params`), F (`_log_normalizer`) and the mean of k (`_mean_carrier_measure`).
    """

    @property
    def _natural_params(self):
        raise NotImplementedError

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self):
        raise NotImplementedError

    def entropy(self):
        """entropy() -> Tensor: F - <theta, dF/dtheta> - E[k], the gradient by autograd (Nielsen and Nock, 2010)."""
        result = -self._mean_carrier_measure
        theta = [t.detach().requires_grad_() for t in self._natural_params]
        normalizer = self._log_normalizer(*theta)
        slopes = grad(normalizer.sum(), theta, create_graph=True)
        result = result + normalizer
        for t, slope in zip(theta, slopes, strict=True):
            result = result - (t * slope).reshape((*self._batch_shape, -1)).sum(-1)
        return result
