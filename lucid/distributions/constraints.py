"""What values a parameter or a sample may have: `constraints.positive.check(x)` says it element by element.

A constraint on vectors or matrices (event_dim 1 or 2) gives one answer for each of them. Some depend on a
distribution's parameters (`dependent`), so that only its instances know them.
"""

from .._base.dtype import bool_, finfo
from ..nn._ops import ops

__all__ = [
    "Constraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "independent",
    "integer_interval",
    "interval",
    "half_open_interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "MixtureSameFamilyConstraint",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_semidefinite",
    "positive_definite",
    "positive_integer",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]


class Constraint:
    """A region of values. `is_discrete`: of separate points only; `event_dim`: how many dimensions one value has."""

    is_discrete = False
    event_dim = 0

    def check(self, value):
        """check(value) -> bool Tensor: which values lie in the region; value's shape without event dimensions."""
        raise NotImplementedError

    def __repr__(self):
        return f"{type(self).__name__[1:]}()"


# ---- known only to instances


class _Dependent(Constraint):
    """A region that depends on other values; what is known of it beforehand may be said."""

    def __init__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        self._is_discrete, self._event_dim = is_discrete, event_dim
        super().__init__()

    @property
    def is_discrete(self):
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self):
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, x):
        raise ValueError("Cannot determine validity of dependent constraint")


def is_dependent(constraint):
    """is_dependent(constraint) -> bool: whether it can only be checked by an instance."""
    return isinstance(constraint, _Dependent)


class _DependentProperty(property, _Dependent):
    """@dependent_property(is_discrete=..., event_dim=...): a property that gives a constraint; a dependent one on the
    class."""

    def __init__(self, fn=None, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        super().__init__(fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn):
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


# ---- of another constraint


def _expect(condition, message):
    if not condition:
        raise AssertionError(message)


class _OfBase(Constraint):
    """A constraint that asks another one."""

    def __init__(self, base_constraint):
        _expect(
            isinstance(base_constraint, Constraint),
            f"base_constraint must be a Constraint, got {type(base_constraint).__name__}",
        )
        self.base_constraint = base_constraint
        super().__init__()

    @property
    def is_discrete(self):
        return self.base_constraint.is_discrete

    @property
    def event_dim(self):
        return self.base_constraint.event_dim


def _all_of(answers, dims):
    """Whether all answers are yes, over all dimensions after the first `dims`."""
    return answers.reshape((*answers.shape[:dims], -1)).all(-1)


class _IndependentConstraint(_OfBase):
    """Holds where the base constraint holds all over the last `reinterpreted_batch_ndims` batch dimensions."""

    def __init__(self, base_constraint, reinterpreted_batch_ndims):
        super().__init__(base_constraint)
        n = reinterpreted_batch_ndims
        _expect(isinstance(n, int), f"reinterpreted_batch_ndims must be an int, got {type(n).__name__}")
        _expect(n >= 0, f"reinterpreted_batch_ndims must be >= 0, got {n}")
        self.reinterpreted_batch_ndims = n

    @property
    def event_dim(self):
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value):
        answers = self.base_constraint.check(value)
        kept = answers.dim() - self.reinterpreted_batch_ndims
        if kept < 0:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return _all_of(answers, kept)

    def __repr__(self):
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(_OfBase):
    """Holds where the base constraint holds for every component of a mixture, which lie before the event dimensions."""

    def check(self, value):
        answers = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        kept = value.dim() - self.event_dim
        if kept < 0:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return _all_of(answers, kept)

    def __repr__(self):
        return f"MixtureSameFamilyConstraint({self.base_constraint!r})"


class _Several(Constraint):
    """Constraints on the parts of a value along `dim`."""

    def __init__(self, cseq, dim):
        _expect(all(isinstance(c, Constraint) for c in cseq), "All elements of cseq must be Constraint instances")
        self.cseq, self.dim = list(cseq), dim
        super().__init__()

    @property
    def is_discrete(self):
        return any(c.is_discrete for c in self.cseq)

    @property
    def event_dim(self):
        return max(c.event_dim for c in self.cseq)

    def _check_dim(self, value):
        n = value.dim()
        _expect(-n <= self.dim < n, f"dim {self.dim} out of range for value with {n} dimensions")


class _Cat(_Several):
    """The i-th constraint holds for the i-th stretch of dimension `dim`; `lengths` says how long each is."""

    def __init__(self, cseq, dim=0, lengths=None):
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        n, m = len(self.lengths), len(self.cseq)
        _expect(n == m, f"lengths ({n}) must match cseq ({m})")

    def check(self, value):
        self._check_dim(value)
        starts = [sum(self.lengths[:i]) for i in range(len(self.lengths))]
        pieces = [value.narrow(self.dim, at, n) for at, n in zip(starts, self.lengths, strict=True)]
        return ops.cat([c.check(v) for c, v in zip(self.cseq, pieces, strict=True)], self.dim)


class _Stack(_Several):
    """The i-th constraint holds for the i-th slice of dimension `dim`."""

    def __init__(self, cseq, dim=0):
        super().__init__(cseq, dim)

    @property
    def event_dim(self):
        inner = max(c.event_dim for c in self.cseq)
        return inner + 1 if self.dim + inner < 0 else inner

    def check(self, value):
        self._check_dim(value)
        slices = value.unbind(self.dim)
        return ops.stack([c.check(v) for v, c in zip(slices, self.cseq, strict=False)], self.dim)


# ---- numbers


class _Bounded(Constraint):
    """A constraint with bounds, which its repr shows."""

    def __repr__(self):
        bounds = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"{type(self).__name__[1:]}({bounds})"


class _Above(_Bounded):
    def __init__(self, lower_bound):
        self.lower_bound = lower_bound
        super().__init__()


class _Below(_Bounded):
    def __init__(self, upper_bound):
        self.upper_bound = upper_bound
        super().__init__()


class _Between(_Bounded):
    def __init__(self, lower_bound, upper_bound):
        self.lower_bound, self.upper_bound = lower_bound, upper_bound
        super().__init__()


class _Boolean(Constraint):
    """0 or 1."""

    is_discrete = True

    def check(self, value):
        return (value == 0) | (value == 1)


class _IntegerInterval(_Between):
    """Whole numbers in [lower_bound, upper_bound]."""

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerLessThan(_Below):
    """Whole numbers up to upper_bound."""

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (value <= self.upper_bound)


class _IntegerGreaterThan(_Above):
    """Whole numbers from lower_bound."""

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (value >= self.lower_bound)


class _Real(Constraint):
    """Everything but NaN."""

    def check(self, value):
        return value == value


class _GreaterThan(_Above):
    """Numbers above lower_bound."""

    def check(self, value):
        return self.lower_bound < value


class _GreaterThanEq(_Above):
    """Numbers from lower_bound."""

    def check(self, value):
        return self.lower_bound <= value


class _LessThan(_Below):
    """Numbers below upper_bound."""

    def check(self, value):
        return value < self.upper_bound


class _Interval(_Between):
    """Numbers in [lower_bound, upper_bound]."""

    def check(self, value):
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Between):
    """Numbers in [lower_bound, upper_bound)."""

    def check(self, value):
        return (self.lower_bound <= value) & (value < self.upper_bound)


# ---- vectors


class _OneHot(Constraint):
    """Vectors of zeros and a single one."""

    is_discrete = True
    event_dim = 1

    def check(self, value):
        return boolean.check(value).all(-1) & (value.sum(-1) == 1)


class _Simplex(Constraint):
    """Vectors of shares: nothing below 0, and a sum of 1 to within 1e-6."""

    event_dim = 1

    def check(self, value):
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    """Vectors of counts whose sum is at most upper_bound."""

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound):
        self.upper_bound = upper_bound

    def check(self, x):
        return (x >= 0).all(-1) & (x.sum(-1) <= self.upper_bound)


# ---- matrices


class _LowerTriangular(Constraint):
    """Square matrices with zeros above the diagonal."""

    event_dim = 2

    def check(self, value):
        return (value.tril() == value).flatten(-2).all(-1)


class _LowerCholesky(Constraint):
    """Lower triangular matrices with a positive diagonal."""

    event_dim = 2

    def check(self, value):
        return lower_triangular.check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class _CorrCholesky(Constraint):
    """Cholesky factors of correlation matrices: `lower_cholesky` with rows of length 1."""

    event_dim = 2

    def check(self, value):
        tolerance = finfo(value.dtype).eps * value.size(-1) * 10
        lengths = ops.linalg_norm(value.detach(), dim=-1)
        return lower_cholesky.check(value) & ((lengths - 1).abs() <= tolerance).all(-1)


class _Square(Constraint):
    """Square matrices."""

    event_dim = 2

    def check(self, value):
        rows, columns = value.shape[-2:]
        return ops.full(value.shape[:-2], rows == columns, dtype=bool_, device=value.device)


class _Symmetric(_Square):
    """Square matrices that equal their transpose (to within 1e-6)."""

    def check(self, value):
        shaped = super().check(value)
        return ops.isclose(value, value.mT, atol=1e-6).all(-2).all(-1) if shaped.all() else shaped


class _PositiveSemidefinite(_Symmetric):
    """Symmetric matrices without an eigenvalue below 0."""

    def check(self, value):
        shaped = super().check(value)
        return (ops.linalg_eigvalsh(value) >= 0).all(-1) if shaped.all() else shaped


class _PositiveDefinite(_Symmetric):
    """Symmetric matrices that have a Cholesky factor."""

    def check(self, value):
        shaped = super().check(value)
        return ops.linalg_cholesky_ex(value).info == 0 if shaped.all() else shaped


# ---- torch's names

dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack
