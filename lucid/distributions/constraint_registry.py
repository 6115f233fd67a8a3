"""Ways into a constraint from all real numbers: `biject_to(c)` one to one, `transform_to(c)` simply into it."""

from . import constraints, transforms
from .utils import Number

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]


class ConstraintRegistry:
    """Transforms by classes of constraints: registry(constraint) -> Transform from the reals into its region."""

    def __init__(self):
        self._registry = {}
        super().__init__()

    def register(self, constraint, factory=None):
        """register(constraint, factory=None): factory(c) makes the transform for constraints of this class (or of this
        one's class); without it, a decorator."""
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, constraints.Constraint):
            raise TypeError(f"Expected constraint to be either a Constraint subclass or instance, but got {kind}")
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint):
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _beyond(bound, sign):
    """exp(x), above a bound or below it."""
    return transforms.ComposeTransform([transforms.ExpTransform(), transforms.AffineTransform(bound, sign)])


def _between(constraint):
    """A sigmoid, stretched to the interval."""
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, Number) and isinstance(high, Number) and (low, high) == (0, 1):
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform([transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)])


def _register(kinds, factory, registries=(biject_to, transform_to)):
    for kind in kinds:
        for registry in registries:
            registry.register(kind, factory)


_register([constraints.real], lambda c: transforms.identity_transform)
_register([constraints.positive, constraints.nonnegative], lambda c: transforms.ExpTransform())
_register([constraints.greater_than, constraints.greater_than_eq], lambda c: _beyond(c.lower_bound, 1))
_register([constraints.less_than], lambda c: _beyond(c.upper_bound, -1))
_register([constraints.interval, constraints.half_open_interval], _between)
_register([constraints.corr_cholesky], lambda c: transforms.CorrCholeskyTransform())
_register([constraints.simplex], lambda c: transforms.StickBreakingTransform(), [biject_to])
_register([constraints.simplex], lambda c: transforms.SoftmaxTransform(), [transform_to])
_register([constraints.lower_cholesky], lambda c: transforms.LowerCholeskyTransform(), [transform_to])
_register(
    [constraints.positive_definite, constraints.positive_semidefinite],
    lambda c: transforms.PositiveDefiniteTransform(),
    [transform_to],
)


def _register_composed(to):
    """The ways into constraints that are made of others, in one of the registries."""
    to.register(
        constraints.independent,
        lambda c: transforms.IndependentTransform(to(c.base_constraint), c.reinterpreted_batch_ndims),
    )
    to.register(constraints.cat, lambda c: transforms.CatTransform([to(one) for one in c.cseq], c.dim, c.lengths))
    to.register(constraints.stack, lambda c: transforms.StackTransform([to(one) for one in c.cseq], c.dim))


_register_composed(biject_to)
_register_composed(transform_to)
