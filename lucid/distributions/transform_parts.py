"""Transforms in general: the base class, inverses, and transforms that are made of others."""

import functools
import operator

from .._base.shape import Size
from ..nn._ops import ops
from . import constraints
from .utils import _sum_rightmost, lazy_property

__all__ = [
    "CatTransform",
    "ComposeTransform",
    "IndependentTransform",
    "ReshapeTransform",
    "StackTransform",
    "Transform",
    "identity_transform",
]


def _expect(condition, message):
    if not condition:
        raise AssertionError(message)


def need_dims(shape, n):
    """ValueError for a shape of fewer than n dimensions."""
    if len(shape) < n:
        raise ValueError("Too few dimensions on input")


class Transform:
    """Transform(cache_size=0): the base of changes of variable, y = t(x) and x = t.inv(y).

    `domain` and `codomain` are constraints of x and y; `bijective`: t.inv undoes t; `sign`, of monotone ones: +1 or -1.
    With cache_size 1 the last pair (x, y) is kept, so that t.inv(t(x)) is x itself. A subclass writes `_call`,
    `_inverse` and `log_abs_det_jacobian`.
    """

    bijective = False
    _arguments = ()  # attributes that the constructor takes, in order

    def __init__(self, cache_size=0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size, self._inv = cache_size, None
        self._cached_x_y = (None, None)
        super().__init__()

    def __getstate__(self):
        return {**vars(self), "_inv": None}

    @property
    def event_dim(self):
        """How many dimensions one value has, where that is the same before and after."""
        if self.domain.event_dim != self.codomain.event_dim:
            raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")
        return self.domain.event_dim

    @property
    def inv(self):
        """The inverse transform, whose inverse is this one."""
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    @property
    def sign(self):
        """+1 for an increasing transform, -1 for a decreasing one (a tensor where it depends on a parameter)."""
        raise NotImplementedError

    def with_cache(self, cache_size=1):
        """with_cache(cache_size=1) -> Transform: the same with that cache."""
        if self._cache_size == cache_size:
            return self
        kind = next(c for c in type(self).__mro__ if "_arguments" in vars(c))
        if kind is Transform:
            if type(self).__init__ is not Transform.__init__:
                raise NotImplementedError(f"{type(self)}.with_cache is not implemented")
            kind = type(self)
        return kind(*[getattr(self, name) for name in kind._arguments], cache_size=cache_size)

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return not self.__eq__(other)

    def __call__(self, x):
        """t(x) -> Tensor y."""
        if self._cache_size and x is self._cached_x_y[0]:
            return self._cached_x_y[1]
        return self._kept(x, self._call(x))[1]

    def _inv_call(self, y):
        if self._cache_size and y is self._cached_x_y[1]:
            return self._cached_x_y[0]
        return self._kept(self._inverse(y), y)[0]

    def _kept(self, *pair):
        if self._cache_size:
            self._cached_x_y = pair
        return pair

    def _call(self, x):
        raise NotImplementedError

    def _inverse(self, y):
        raise NotImplementedError

    def log_abs_det_jacobian(self, x, y):
        """log_abs_det_jacobian(x, y) -> Tensor: log |dy/dx|, of the determinant for vectors and matrices."""
        raise NotImplementedError

    def __repr__(self):
        return f"{type(self).__name__}()"

    def forward_shape(self, shape):
        """forward_shape(shape) -> the shape of y for that of x."""
        return shape

    def inverse_shape(self, shape):
        """inverse_shape(shape) -> the shape of x for that of y."""
        return shape


class _InverseTransform(Transform):
    """The inverse of another transform, which does the work."""

    def __init__(self, transform):
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    def __getstate__(self):
        return dict(vars(self))

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return self._inv.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return self._inv.domain

    @property
    def bijective(self):
        return self._inv.bijective

    @property
    def sign(self):
        return self._inv.sign

    def with_cache(self, cache_size=1):
        return self.inv.with_cache(cache_size).inv

    def __eq__(self, other):
        return isinstance(other, _InverseTransform) and self._inv == other._inv

    def __repr__(self):
        return f"{type(self).__name__}({self._inv!r})"

    def __call__(self, x):
        return self._inv._inv_call(x)

    def log_abs_det_jacobian(self, x, y):
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape):
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape):
        return self._inv.forward_shape(shape)


def with_dims(constraint, event_dim):
    """A constraint as one on values of event_dim dimensions."""
    more = event_dim - constraint.event_dim
    _expect(more >= 0, f"event_dim {event_dim} must be >= event_dim {constraint.event_dim} of the constraint")
    return constraints.independent(constraint, more) if more else constraint


class ComposeTransform(Transform):
    """ComposeTransform(parts, cache_size=0): one transform after the other; the first of the list is applied first."""

    _arguments = ("parts",)

    def __init__(self, parts, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    def __eq__(self, other):
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        if not self.parts:
            return constraints.real
        dims = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            inner, outer = part.domain.event_dim, part.codomain.event_dim
            dims = max(dims + inner - outer, inner)
        return with_dims(self.parts[0].domain, dims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        if not self.parts:
            return constraints.real
        dims = self.parts[0].domain.event_dim
        for part in self.parts:
            inner, outer = part.domain.event_dim, part.codomain.event_dim
            dims = max(dims + outer - inner, outer)
        return with_dims(self.parts[-1].codomain, dims)

    @lazy_property
    def bijective(self):
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self):
        return functools.reduce(operator.mul, [part.sign for part in self.parts], 1)

    @property
    def inv(self):
        if self._inv is None:
            self._inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x, y):
        if not self.parts:
            return ops.zeros_like(x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        dims, terms = self.domain.event_dim, []
        for i, part in enumerate(self.parts):
            inner = part.domain.event_dim
            terms.append(_sum_rightmost(part.log_abs_det_jacobian(values[i], values[i + 1]), dims - inner))
            dims += part.codomain.event_dim - inner
        return functools.reduce(operator.add, terms)

    def forward_shape(self, shape):
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape):
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self):
        return f"{type(self).__name__}(\n    " + ",\n    ".join(map(repr, self.parts)) + "\n)"


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """IndependentTransform(base_transform, reinterpreted_batch_ndims, cache_size=0): the same transform, whose last
    dimensions are counted as parts of one value, so log |dy/dx| is summed over them."""

    _arguments = ("base_transform", "reinterpreted_batch_ndims")

    def __init__(self, base_transform, reinterpreted_batch_ndims, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self):
        return self.base_transform.bijective

    @property
    def sign(self):
        return self.base_transform.sign

    def _call(self, x):
        need_dims(x.shape, self.domain.event_dim)
        return self.base_transform(x)

    def _inverse(self, y):
        need_dims(y.shape, self.codomain.event_dim)
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x, y):
        return _sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self):
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape):
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        return self.base_transform.inverse_shape(shape)


class ReshapeTransform(Transform):
    """ReshapeTransform(in_shape, out_shape, cache_size=0): the last dimensions, of in_shape, in another shape."""

    bijective = True
    _arguments = ("in_shape", "out_shape")

    def __init__(self, in_shape, out_shape, cache_size=0):
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    @constraints.dependent_property
    def domain(self):
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self):
        return constraints.independent(constraints.real, len(self.out_shape))

    def _call(self, x):
        return x.reshape(x.shape[: x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y):
        return y.reshape(y.shape[: y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x, y):
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    @staticmethod
    def _replaced(shape, old, new):
        need_dims(shape, len(old))
        cut = len(shape) - len(old)
        if shape[cut:] != old:
            raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {old}")
        return shape[:cut] + new

    def forward_shape(self, shape):
        return self._replaced(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape):
        return self._replaced(shape, self.out_shape, self.in_shape)


# ---- several side by side


class _Several(Transform):
    """Transforms of the parts of a tensor along `dim`."""

    def __init__(self, tseq, dim=0, cache_size=0):
        _expect(all(isinstance(t, Transform) for t in tseq), "All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq)
        self.dim = dim

    @property
    def bijective(self):
        return all(t.bijective for t in self.transforms)

    def _check_size(self, x, wanted, name):
        n = x.dim()
        _expect(-n <= self.dim < n, f"dim {self.dim} out of range for tensor with {n} dimensions")
        _expect(x.size(self.dim) == wanted, f"x.size({self.dim}) = {x.size(self.dim)} must equal {name} {wanted}")

    def _call(self, x):
        return self._join([t(part) for t, part in zip(self.transforms, self._parts(x), strict=True)])

    def _inverse(self, y):
        return self._join([t.inv(part) for t, part in zip(self.transforms, self._parts(y), strict=True)])


class CatTransform(_Several):
    """CatTransform(tseq, dim=0, lengths=None, cache_size=0): the i-th transform for the i-th stretch of dimension dim,
    lengths[i] long (1 where nothing is said)."""

    _arguments = ("transforms", "dim", "lengths")

    def __init__(self, tseq, dim=0, lengths=None, cache_size=0):
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        n, m = len(self.lengths), len(self.transforms)
        _expect(n == m, f"lengths ({n}) must match transforms ({m})")

    @lazy_property
    def event_dim(self):
        return max(t.event_dim for t in self.transforms)

    @lazy_property
    def length(self):
        """How long dimension dim is."""
        return sum(self.lengths)

    def _parts(self, x):
        self._check_size(x, self.length, "length")
        return x.split(self.lengths, self.dim)

    def _join(self, parts):
        return ops.cat(parts, dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        terms = []
        for t, x_part, y_part in zip(self.transforms, self._parts(x), self._parts(y), strict=True):
            terms.append(_sum_rightmost(t.log_abs_det_jacobian(x_part, y_part), self.event_dim - t.event_dim))
        dim = (self.dim - x.dim() if self.dim >= 0 else self.dim) + self.event_dim
        return ops.cat(terms, dim=dim) if dim < 0 else sum(terms)

    @constraints.dependent_property
    def domain(self):
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self):
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_Several):
    """StackTransform(tseq, dim=0, cache_size=0): the i-th transform for the i-th slice of dimension dim."""

    _arguments = ("transforms", "dim")

    def _parts(self, x):
        self._check_size(x, len(self.transforms), "len(transforms)")
        return x.unbind(self.dim)

    def _join(self, parts):
        return ops.stack(parts, dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        parts = zip(self.transforms, self._parts(x), self._parts(y), strict=True)
        return self._join([t.log_abs_det_jacobian(x_part, y_part) for t, x_part, y_part in parts])

    @constraints.dependent_property
    def domain(self):
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self):
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
