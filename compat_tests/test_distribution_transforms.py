"""Transforms, constraints and the ways from one to the other against torch: values, inverses, log |dy/dx|, shapes."""

import copy
import pickle

import pytest
import torch
from both import as_torch, attempt, same, same_outcome

import lucid

HOW = {"rtol": 1e-9, "atol": 1e-11, "looks": "requires_grad", "reword": as_torch}

# how it is made, and the shape of its x
TRANSFORMS = {
    "Abs": (lambda m, D: D.AbsTransform(), (2, 3)),
    "Affine": (
        lambda m, D: D.AffineTransform(m.tensor([0.5, 1.0, 2.0]).double(), m.tensor([-1.5, 2.0, 3.0]).double()),
        (2, 3),
    ),
    "Affine of numbers": (lambda m, D: D.AffineTransform(0.5, -2), (2, 3)),
    "Affine of vectors": (
        lambda m, D: D.AffineTransform(m.zeros(3).double(), 2 * m.ones(2, 3).double(), event_dim=1),
        (2, 3),
    ),
    "Affine of matrices": (lambda m, D: D.AffineTransform(0.5, 3.0, event_dim=2), (2, 3)),
    "Cat": (
        lambda m, D: D.CatTransform([D.ExpTransform(), D.AffineTransform(1.0, 2.0)], dim=-1, lengths=[1, 2]),
        (2, 3),
    ),
    "Cat of rows": (lambda m, D: D.CatTransform([D.ExpTransform(), D.identity_transform], dim=0), (2, 3)),
    "Cat of vectors": (lambda m, D: D.CatTransform([D.AffineTransform(1.0, 2.0, event_dim=1)] * 2, dim=0), (2, 3)),
    "Compose": (
        lambda m, D: D.ComposeTransform([D.AffineTransform(0.1, 0.5), D.TanhTransform(), D.ExpTransform()]),
        (2, 3),
    ),
    "Compose to shares": (
        lambda m, D: D.ComposeTransform([D.AffineTransform(0.1, 0.5), D.StickBreakingTransform()]),
        (2, 3),
    ),
    "Compose of none": (lambda m, D: D.ComposeTransform([]), (2, 3)),
    "CorrCholesky": (lambda m, D: D.CorrCholeskyTransform(), (2, 6)),
    "CumulativeDistribution": (
        lambda m, D: D.CumulativeDistributionTransform(D.Normal(0.5, m.tensor(2.0).double())),
        (2, 3),
    ),
    "Exp": (lambda m, D: D.ExpTransform(), (2, 3)),
    "Independent": (lambda m, D: D.IndependentTransform(D.ExpTransform(), 1), (2, 3)),
    "LowerCholesky": (lambda m, D: D.LowerCholeskyTransform(), (2, 3, 3)),
    "PositiveDefinite": (lambda m, D: D.PositiveDefiniteTransform(), (2, 3, 3)),
    "Power": (lambda m, D: D.PowerTransform(m.tensor([0.5, -1.0, 2.0]).double()), (2, 3)),
    "Power of a number": (lambda m, D: D.PowerTransform(2.0), (2, 3)),
    "Reshape": (lambda m, D: D.ReshapeTransform((2, 3), (6,)), (4, 2, 3)),
    "Sigmoid": (lambda m, D: D.SigmoidTransform(), (2, 3)),
    "Softmax": (lambda m, D: D.SoftmaxTransform(), (2, 3)),
    "Softplus": (lambda m, D: D.SoftplusTransform(), (2, 3)),
    "Stack": (
        lambda m, D: D.StackTransform([D.ExpTransform(), D.SigmoidTransform(), D.identity_transform], dim=1),
        (2, 3),
    ),
    "StickBreaking": (lambda m, D: D.StickBreakingTransform(), (2, 3)),
    "Tanh": (lambda m, D: D.TanhTransform(), (2, 3)),
}
NAMES = pytest.mark.parametrize("name", TRANSFORMS)
FACTS = "domain codomain event_dim bijective sign inv"


def _x(m, name, requires_grad=False):
    m.manual_seed(0)
    x = m.randn(TRANSFORMS[name][1], dtype=m.float64)
    x = x.abs() + 0.1 if name.startswith("Power") else x
    return x.requires_grad_(requires_grad)


def _seen(m, t, x):
    yield repr(t)
    yield from [attempt(getattr, t, fact) for fact in FACTS.split()]
    y = t(x)
    yield y, attempt(t.inv, y), attempt(t.log_abs_det_jacobian, x, y), attempt(t.inv.log_abs_det_jacobian, y, x)
    for shape in (x.shape, y.shape, m.Size([]), m.Size([5]), m.Size([4, 3, 3]), m.Size([6, 4])):
        yield attempt(t.forward_shape, shape), attempt(t.inverse_shape, shape)


@NAMES
def test_values(name):
    def program(m):
        t = TRANSFORMS[name][0](m, m.distributions)
        yield from _seen(m, t, _x(m, name))
        yield attempt(lambda: repr(t.inv)), attempt(lambda: [getattr(t.inv, fact) for fact in ("domain", "codomain")])
        yield t.inv.inv is t, t == t.inv, t == TRANSFORMS[name][0](m, m.distributions), t != t  # noqa: PLR0124

    same(program, **HOW)


@NAMES
def test_gradients(name):
    def program(m):
        x = _x(m, name, True)
        t = TRANSFORMS[name][0](m, m.distributions)
        y = t(x)
        for result in (y, attempt(t.log_abs_det_jacobian, x, y), attempt(t.inv, y.detach().requires_grad_())):
            if isinstance(result, m.Tensor) and result.grad_fn is not None:
                weights = m.linspace(0.5, 1.5, result.numel(), dtype=m.float64).reshape(result.shape)
                yield m.autograd.grad((result * weights).sum(), [x], retain_graph=True, allow_unused=True)

    same(program, **HOW | {"rtol": 1e-7})


@NAMES
def test_caches(name):
    def program(m):
        t = attempt(TRANSFORMS[name][0](m, m.distributions).with_cache)
        yield type(t).__name__, t._cache_size, t.with_cache() is t, t.with_cache(0)._cache_size
        x = _x(m, name)
        y = t(x)
        back = attempt(t.inv, y)
        yield back is x, t(x) is y, y, back

    same(program, **HOW)


@NAMES
def test_copies(name):
    t, x = TRANSFORMS[name][0](lucid, lucid.distributions), _x(lucid, name)
    t.inv  # noqa: B018
    for other in (pickle.loads(pickle.dumps(t)), copy.deepcopy(t)):
        assert repr(other) == repr(t) and lucid.equal(other(x), t(x))


def test_own_transforms():
    def program(m):
        D = m.distributions

        class Cube(D.Transform):
            domain = codomain = D.constraints.real
            bijective, sign = True, +1

            def _call(self, x):
                return x**3

            def _inverse(self, y):
                return y.sign() * y.abs() ** (1 / 3)

            def log_abs_det_jacobian(self, x, y):
                return (3 * x**2).log()

        class Told(Cube):
            def __init__(self, power):
                super().__init__()

        t, x = Cube(), m.linspace(0.5, 1.5, 3, dtype=m.float64)
        yield from _seen(m, t, x)
        yield t.with_cache()._cache_size, attempt(lambda: Told(3).with_cache()).__class__.__name__
        d = D.TransformedDistribution(D.Normal(x, 1.0), [t, D.ExpTransform()])
        yield d.sample((2,)), d.log_prob(x), d.cdf(x), d.icdf(x / 2), d.support, d
        bare = D.Transform()
        for what in ("__call__", "inv", "log_abs_det_jacobian"):
            yield type(
                attempt(lambda: getattr(bare, what)(x, x) if what[0] == "l" else getattr(bare, what)(x))
            ).__name__  # noqa: B023
        yield attempt(D.Transform, cache_size=2), attempt(lambda: hash(t)).__class__.__name__

    same(program, **HOW)


WRONG = [
    lambda m, D: D.ReshapeTransform((2, 3), (5,)),
    lambda m, D: D.IndependentTransform(D.ExpTransform(), 2)(m.zeros(3)),
    lambda m, D: D.CatTransform([1]),
    lambda m, D: D.CatTransform([D.ExpTransform()], lengths=[1, 2]),
    lambda m, D: D.CatTransform([D.ExpTransform()], lengths=[2])(m.zeros(3)),
    lambda m, D: D.StackTransform([D.ExpTransform()], dim=3)(m.zeros(3)),
    lambda m, D: D.StackTransform([D.ExpTransform()])(m.zeros(3)),
    lambda m, D: D.CorrCholeskyTransform().forward_shape(m.Size([5])),
    lambda m, D: D.LowerCholeskyTransform().log_abs_det_jacobian(m.eye(2), m.eye(2)),
    lambda m, D: D.ComposeTransform([D.AbsTransform()]).sign,
    lambda m, D: D.StickBreakingTransform().event_dim + D.ReshapeTransform((2, 3), (6,)).event_dim,
    lambda m, D: D.biject_to(D.constraints.boolean),
    lambda m, D: D.biject_to(D.constraints.positive_definite),
    lambda m, D: D.transform_to(D.constraints.multinomial(3)),
    lambda m, D: D.biject_to.register(int, lambda c: None),
    lambda m, D: D.constraints.dependent.check(m.zeros(2)),
    lambda m, D: D.constraints.dependent.event_dim,
    lambda m, D: D.constraints.dependent.is_discrete,
    lambda m, D: D.constraints.independent(3, 1),
    lambda m, D: D.constraints.independent(D.constraints.real, -1),
    lambda m, D: D.constraints.independent(D.constraints.real, 1.5),
    lambda m, D: D.constraints.independent(D.constraints.real, 2).check(m.zeros(3)),
    lambda m, D: D.constraints.MixtureSameFamilyConstraint(3),
    lambda m, D: D.constraints.cat([3]),
    lambda m, D: D.constraints.cat([D.constraints.real], lengths=[1, 2]),
    lambda m, D: D.constraints.cat([D.constraints.real], dim=2).check(m.zeros(3)),
    lambda m, D: D.constraints.stack([3]),
    lambda m, D: D.constraints.Constraint().check(m.zeros(3)),
    lambda m, D: D.utils.tril_matrix_to_vec(m.eye(3), 3),
    lambda m, D: D.utils.vec_to_tril_matrix(m.ones(4)),
    lambda m, D: D.utils.broadcast_all("a", 1.0),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_wrong_calls(number):
    same_outcome(lambda m: WRONG[number](m, m.distributions), looks="", reword=as_torch)


# ---- constraints


CONSTRAINTS = {
    "simple": """boolean one_hot nonnegative_integer positive_integer real real_vector positive nonnegative unit_interval simplex
    lower_triangular lower_cholesky corr_cholesky square symmetric positive_semidefinite positive_definite""".split(),
    "made": [
        lambda c, m: c.integer_interval(-1, 2),
        lambda c, m: c.interval(-0.5, m.tensor([0.5, 1.0, 2.0])),
        lambda c, m: c.half_open_interval(0, 1),
        lambda c, m: c.greater_than(0.5),
        lambda c, m: c.greater_than(m.tensor(0.5)),
        lambda c, m: c.greater_than_eq(m.tensor([0.5, 1.0, 2.0])),
        lambda c, m: c.less_than(1),
        lambda c, m: c.multinomial(2),
        lambda c, m: c.independent(c.positive, 1),
        lambda c, m: c.independent(c.real, 0),
        lambda c, m: c.MixtureSameFamilyConstraint(c.positive),
        lambda c, m: c.MixtureSameFamilyConstraint(c.simplex),
        lambda c, m: c.cat([c.positive, c.unit_interval], dim=-1, lengths=[1, 2]),
        lambda c, m: c.stack([c.positive, c.unit_interval, c.real], dim=-1),
        lambda c, m: c._IntegerLessThan(1),
    ],
}


def _checked(m, constraint):
    nan = float("nan")
    for value in (
        m.eye(3),
        m.eye(3) - 0.5,
        -m.eye(3),
        m.ones(3, 3).tril(),
        m.tensor([[0.2, 0.3, 0.5], [0.0, 1.0, 0.0], [2.0, -1.0, 0.5]]),
        m.tensor([[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, 0.8]]),
        m.tensor([[nan, 1.0, 3.0], [1.0, 2.0, -1.0], [3.0, -1.0, 9.0]]),
        m.zeros(2, 3, 3),
    ):
        yield attempt(constraint.check, value)


@pytest.mark.parametrize("name", CONSTRAINTS["simple"])
def test_constraints(name):
    def program(m):
        c = getattr(m.distributions.constraints, name)
        yield repr(c), c.is_discrete, c.event_dim, m.distributions.constraints.is_dependent(c)
        yield from _checked(m, c)

    same(program, **HOW)


@pytest.mark.parametrize("number", range(len(CONSTRAINTS["made"])))
def test_made_constraints(number):
    def program(m):
        c = CONSTRAINTS["made"][number](m.distributions.constraints, m)
        yield repr(c), c.is_discrete, c.event_dim
        yield from _checked(m, c)

    same(program, **HOW)


def _constraints(m):
    c = m.distributions.constraints
    yield from [getattr(c, name) for name in CONSTRAINTS["simple"]]
    yield from [make(c, m) for make in CONSTRAINTS["made"]]


@pytest.mark.parametrize("registry", ["biject_to", "transform_to"])
def test_ways_into_constraints(registry):
    def program(m):
        for constraint in _constraints(m):
            t = attempt(getattr(m.distributions, registry), constraint)
            yield repr(constraint), repr(t)
            if isinstance(t, Exception):
                continue
            m.manual_seed(0)
            x = m.randn(2, 3, 3)
            y = attempt(t, x)
            yield y, attempt(t.inv, y), attempt(t.log_abs_det_jacobian, x, y)
            if isinstance(y, m.Tensor):
                yield attempt(lambda: constraint.check(y).all())  # noqa: B023

    same(program, rtol=1e-4, atol=1e-5, looks="", reword=as_torch)


def test_dependent_properties():
    """Known to instances; the class says what it knows."""

    def program(m):
        D = m.distributions
        for name in sorted(D.__all__):
            cls = getattr(D, name)
            if not isinstance(cls, type) or not issubclass(cls, D.Distribution):
                continue
            support = cls.support
            yield name, D.constraints.is_dependent(support), cls.has_enumerate_support is True
            for fact in ("is_discrete", "event_dim"):
                yield type(attempt(getattr, support, fact)).__name__, str(attempt(getattr, support, fact))[:60]
        d = D.constraints.dependent(is_discrete=True)
        yield d.is_discrete, d(event_dim=2).event_dim, d(event_dim=2).is_discrete

    def told_apart(m):  # a plain property has no such facts, and its message has no name of a library
        return [line for line in program(m) if "property" not in str(line)]

    same(told_apart, looks="")


def test_utilities():
    def program(m):
        u = m.distributions.utils
        yield (
            u.broadcast_all(1, m.ones(2, dtype=m.float64), 2.5),
            u.broadcast_all(1, True),
            u.broadcast_all(m.ones(2, 1), m.ones(3)),
        )
        p = m.tensor([0.0, 0.3, 0.7, 1.0])
        for binary in (True, False):
            yield u.probs_to_logits(p, binary), u.logits_to_probs(p, binary), u.clamp_probs(p)
        matrix = m.arange(9.0).reshape(3, 3)
        for diag in range(-2, 3):
            vector = u.tril_matrix_to_vec(matrix, diag)
            yield vector, attempt(u.vec_to_tril_matrix, vector, diag)
        yield u._sum_rightmost(matrix, 0), u._sum_rightmost(matrix, 1), u._sum_rightmost(matrix, 2)

        class Once:
            count = 0

            @u.lazy_property
            def value(self):
                """Documented."""
                self.count += 1
                return m.ones(2).requires_grad_() * 2

        once = Once()
        with m.no_grad():
            yield once.value.requires_grad, once.value is once.value, once.count, Once.value.__doc__

    same(program, rtol=1e-6, looks="requires_grad", reword=as_torch)


def test_both_libraries_list_the_same_transforms():
    assert torch.distributions.transforms.__all__ == lucid.distributions.transforms.__all__
    assert torch.distributions.constraints.__all__ == lucid.distributions.constraints.__all__
