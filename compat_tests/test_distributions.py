"""torch.distributions: every class of distribution_cases.py against torch: samples to the bit where no function of
numpy's rounds otherwise, formulas, gradients, larger batches, bad arguments, pictures."""

import copy
import pickle
import warnings

import numpy as np
import pytest
import torch
from both import as_torch, attempt, close, same, same_outcome, told
from distribution_cases import CASES, made

import lucid

HOW = {"looks": "requires_grad", "quiet": True, "reword": as_torch}
FLOATS = {"rtol": 1e-9, "atol": 1e-11, **HOW}
# torch compares the concentration with a float32 zero there, so only float32 works.
SINGLE = ("GeneralizedPareto",)
NAMES = pytest.mark.parametrize("name", CASES)


@pytest.fixture(autouse=True)
def arguments_are_checked():
    """torch.compile switches torch's checks off in the whole process, whenever it is first used."""
    for m in (torch, lucid):
        m.distributions.Distribution.set_default_validate_args(True)


# Samples that are computed of the numbers drawn with exp, log, pow or matrix products, which round otherwise in numpy.
ROUNDED = """ContinuousBernoulli GeneralizedPareto Gumbel InverseGamma Kumaraswamy LKJCholesky Laplace LogNormal LogisticNormal
LowRankMultivariateNormal MixtureSameFamily MultivariateNormal Pareto RelaxedBernoulli RelaxedOneHotCategorical StudentT
TransformedDistribution VonMises Weibull Wishart""".split()


def _samples(m, name, dtype, shapes):
    d, _ = made(m, name, dtype)
    for shape in shapes:
        yield attempt(d.sample, shape)
        yield attempt(d.rsample, shape)


@NAMES
def test_samples(name):
    """The same numbers in the same order, and the generator left in the same state."""
    near = {"rtol": 2e-5, "atol": 2e-6} if name.split()[0] in ROUNDED else {}
    same(_samples, name, "float32", [(), (4,), (2, 3), (0,)], looks="requires_grad stride", quiet=True, **near)
    near = {"rtol": 1e-13, "atol": 1e-14} if near else near
    same(_samples, name, "float64", [(5,)], looks="requires_grad stride", quiet=True, **near)


def _type(name):
    return "float32" if name in SINGLE else "float64"


def _near(name, **how):
    """How near the numbers of a case must be."""
    return {**HOW, **({"rtol": 1e-5, "atol": 1e-6} if name in SINGLE else how)}


def _some(name, shape=(4,)):
    """Values of the support, as numpy's."""
    torch.manual_seed(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Wishart's, of singular samples
        return made(torch, name, _type(name))[0].sample(shape).numpy()


PROPERTIES = """mean mode variance stddev support batch_shape event_shape has_rsample has_enumerate_support arg_constraints
probs logits param_shape covariance_matrix precision_matrix scale_tril concentration_reciprocal df""".split()


def _formulas(m, d, values):
    values = m.tensor(values)
    for name in PROPERTIES:
        if name != "param_shape" or not isinstance(d, m.distributions.Geometric):  # which lucid has there, too
            yield name, attempt(getattr, d, name)
    yield from [attempt(getattr(d, name), values) for name in ("log_prob", "cdf")]
    yield attempt(
        d.icdf, m.tensor([0.1, 0.5, 0.8], dtype=values.dtype if values.dtype.is_floating_point else m.float64)
    )
    yield from [attempt(getattr(d, name)) for name in ("entropy", "perplexity", "enumerate_support")]
    yield attempt(d.enumerate_support, expand=False)
    yield repr(d)


@NAMES
def test_formulas(name):
    values = _some(name)
    same(lambda m: list(_formulas(m, made(m, name, _type(name))[0], values)), **_near(name, rtol=1e-9, atol=1e-11))


def _gradients(m, name, values):
    """The gradients of what is differentiable in the parameters and in the value."""
    asked = "log_prob cdf icdf entropy mean variance stddev rsample".split()
    for what in asked:
        d, p = made(m, name, _type(name), requires_grad=True)
        x = m.tensor(values, requires_grad=values.dtype.kind == "f")
        inputs = [*p.values(), x]
        if what == "rsample" and not d.has_rsample:
            continue
        argument = {"log_prob": (x,), "cdf": (x,), "icdf": (x.detach().sigmoid(),), "rsample": ((3,),)}.get(what, ())
        m.manual_seed(1)
        y = (
            attempt(getattr(d, what), *argument)
            if what not in ("mean", "variance", "stddev")
            else attempt(getattr, d, what)
        )
        if isinstance(y, Exception) or y.grad_fn is None:
            yield what, type(y).__name__
            continue
        weights = m.linspace(0.5, 1.5, y.numel(), dtype=y.dtype).reshape(y.shape)
        inputs = [t for t in inputs if t.requires_grad]
        yield what, attempt(m.autograd.grad, (y * weights).sum(), inputs, allow_unused=True)


@NAMES
def test_gradients(name):
    values = _some(name)
    same(_gradients, name, values, **_near(name, rtol=1e-7, atol=1e-9))


def _larger(m, name, values):
    d, _ = made(m, name, _type(name))
    shape = (2, *d.batch_shape)
    repr(d.log_prob(m.tensor(values)))  # what was computed on the way must not be in the way
    larger = d.expand(shape)
    yield larger.batch_shape, larger.event_shape, repr(larger), type(larger).__name__, larger._validate_args
    yield from [attempt(getattr, larger, what) for what in ("mean", "variance", "support")]
    yield larger.sample((2,)), larger.log_prob(m.tensor(values)[:, None])
    if not name.startswith("Multinomial"):  # torch forgets there what it needs for the entropy
        yield attempt(larger.entropy)
    yield larger.expand((3, *shape)).sample()


@NAMES
def test_larger_batches(name):
    same(_larger, name, _some(name), **_near(name, rtol=2e-13, atol=1e-13))


@NAMES
def test_kept_and_copied(name):
    """A distribution survives pickle and copy, and is then the same."""
    d, _ = made(lucid, name)
    values = lucid.tensor(_some(name))
    before = repr(d)
    for other in (pickle.loads(pickle.dumps(d)), copy.deepcopy(d)):
        assert repr(other) == before
        assert lucid.equal(other.log_prob(values), d.log_prob(values))


# ---- bad arguments


def _bad_parameters(m, name):
    """Each parameter, with one bad element at a time."""
    for key, value in CASES[name][1].items():
        for bad in (-1.0, float("nan"), 0.0, 2.0, 1e6):
            changed = np.array(value)
            changed.reshape(-1)[0] = bad
            yield key, bad, told(lambda: repr(made(m, name, **{key: changed.tolist()})[0]))  # noqa: B023
        yield key, told(lambda: repr(made(m, name, **{key: 0.5})[0]))  # noqa: B023


@NAMES
def test_bad_parameters(name):
    same(_bad_parameters, name, reword=as_torch)


def _bad_values(m, name, values):
    d, _ = made(m, name, _type(name))
    for bad in (-1.5, 0.5, 3.0, 1e5, float("nan"), float("inf")):
        changed = values.copy()
        with np.errstate(all="ignore"):
            changed.reshape(-1)[1] = np.array(bad).astype(values.dtype)
        for method in ("log_prob", "cdf"):
            yield bad, method, attempt(getattr(d, method), m.tensor(changed))
    yield attempt(d.log_prob, 0.5)
    yield attempt(d.log_prob, m.zeros(7, dtype=m.float64))
    yield attempt(d.log_prob, m.zeros(5, 7, 3, dtype=m.float64))


@NAMES
def test_bad_values(name):
    same(_bad_values, name, _some(name), **_near(name, rtol=1e-9, atol=1e-11))


def _numbers(m, name):
    """Made of Python's numbers, so in the default type, without a batch."""
    cls = getattr(m.distributions, name)
    options = {"dim": 3} if name == "LKJCholesky" else {}
    count = {"StudentT": 3, "GeneralizedPareto": 3}.get(name, 1)
    names = cls.arg_constraints if isinstance(getattr(cls, "arg_constraints", None), dict) else {"low": 0, "high": 0}
    wanted = [n for n in names if n != "logits"] if count == 1 else list(names)
    given = {n: {"low": 0.25, "high": 2, "total_count": 2}.get(n, 0.75) for n in wanted}
    d = cls(**options, **given)
    yield d, d.batch_shape, [attempt(getattr, d, what) for what in ("mean", "variance")], d.sample((2,))


@pytest.mark.parametrize(
    "name",
    """Bernoulli Beta Binomial Cauchy Chi2 ContinuousBernoulli Exponential FisherSnedecor Gamma GeneralizedPareto Geometric
    Gumbel HalfCauchy HalfNormal InverseGamma Kumaraswamy LKJCholesky Laplace LogNormal LogisticNormal NegativeBinomial
    Normal Pareto Poisson StudentT Uniform VonMises Weibull""".split(),
)
def test_of_numbers(name):
    same(_numbers, name, rtol=2e-5, **HOW)


WRONG_CALLS = [
    lambda m, D: D.Bernoulli(),
    lambda m, D: D.Bernoulli(m.tensor(0.5), m.tensor(0.5)),
    lambda m, D: D.Categorical(m.tensor(0.5)),
    lambda m, D: D.Categorical(logits=m.tensor(0.5)),
    lambda m, D: D.Geometric(m.tensor([0.0, 0.5])),
    lambda m, D: D.Geometric(0.0),
    lambda m, D: D.ContinuousBernoulli(m.tensor(1.5), validate_args=True),
    lambda m, D: D.ContinuousBernoulli(m.tensor(1.5)),
    lambda m, D: D.Dirichlet(m.tensor(0.5)),
    lambda m, D: D.Independent(D.Normal(0.0, 1.0), 1),
    lambda m, D: D.Normal("a", 1.0),
    lambda m, D: D.Normal(m.zeros(2), m.ones(3)),
    lambda m, D: D.Uniform(1.0, 0.0),
    lambda m, D: D.Uniform(m.zeros(2), m.tensor([1.0, 0.0])),
    lambda m, D: D.LKJCholesky(1),
    lambda m, D: D.Multinomial(m.tensor(3), m.tensor([0.5, 0.5])),
    lambda m, D: D.Multinomial(-3, m.tensor([0.5, 0.5])),
    lambda m, D: D.MixtureSameFamily(D.Normal(0.0, 1.0), D.Normal(0.0, 1.0)),
    lambda m, D: D.MixtureSameFamily(D.Categorical(m.ones(3)), m.ones(3)),
    lambda m, D: D.MixtureSameFamily(D.Categorical(m.ones(3)), D.Normal(m.zeros(2), 1.0)),
    lambda m, D: D.MixtureSameFamily(D.Categorical(m.ones(5, 3)), D.Normal(m.zeros(2, 3), 1.0)),
    lambda m, D: D.MultivariateNormal(m.tensor(0.5), m.eye(2)),
    lambda m, D: D.MultivariateNormal(m.zeros(2)),
    lambda m, D: D.MultivariateNormal(m.zeros(2), m.eye(2), m.eye(2)),
    lambda m, D: D.MultivariateNormal(m.zeros(2), m.ones(2)),
    lambda m, D: D.MultivariateNormal(m.zeros(2), scale_tril=m.ones(2)),
    lambda m, D: D.MultivariateNormal(m.zeros(2), precision_matrix=m.ones(2)),
    lambda m, D: D.MultivariateNormal(m.zeros(2), -m.eye(2)),
    lambda m, D: D.LowRankMultivariateNormal(m.tensor(0.5), m.ones(2, 1), m.ones(2)),
    lambda m, D: D.LowRankMultivariateNormal(m.ones(2), m.ones(2), m.ones(2)),
    lambda m, D: D.LowRankMultivariateNormal(m.ones(2), m.ones(3, 1), m.ones(2)),
    lambda m, D: D.LowRankMultivariateNormal(m.ones(2), m.ones(2, 1), m.ones(3)),
    lambda m, D: D.LowRankMultivariateNormal(m.ones(4, 2), m.ones(3, 2, 1), m.ones(2)),
    lambda m, D: D.Wishart(3.0, m.eye(2), m.eye(2)),
    lambda m, D: D.Wishart(3.0, m.ones(2)),
    lambda m, D: D.Wishart(0.5, m.eye(2)),
    lambda m, D: told(D.Wishart, 1.5, m.eye(2)),
    lambda m, D: D.TransformedDistribution(D.Normal(0.0, 1.0), [1]),
    lambda m, D: D.TransformedDistribution(D.Normal(0.0, 1.0), 1),
    lambda m, D: D.TransformedDistribution(D.Normal(0.0, 1.0), D.StickBreakingTransform()),
    lambda m, D: D.Distribution.set_default_validate_args(3),
    lambda m, D: D.Binomial(m.tensor([2.0, 3.0]), m.tensor(0.5)).entropy(),
    lambda m, D: D.Binomial(m.tensor([2.0, 3.0]), m.tensor(0.5)).enumerate_support(),
    lambda m, D: D.Independent(D.Bernoulli(m.ones(2) / 2), 1).enumerate_support(),
    lambda m, D: D.Normal(0.0, 1.0).mode + D.Multinomial(2, m.ones(2)).mode,
    lambda m, D: D.Normal(0.0, 1.0).enumerate_support(),
    lambda m, D: told(D.Normal(0.0, 1.0).sample_n, 3),
]


@pytest.mark.parametrize("number", range(len(WRONG_CALLS)))
def test_wrong_calls(number):
    same_outcome(lambda m: WRONG_CALLS[number](m, m.distributions), looks="requires_grad", reword=as_torch)


def test_validation_can_be_switched_off():
    def program(m):
        D = m.distributions
        for how in ({"validate_args": False}, {"validate_args": True}, {}):
            yield attempt(D.Normal, 0.0, -1.0, **how)
            yield attempt(D.Gamma(1.0, 1.0, **how).log_prob, m.tensor(-1.0))
        D.Distribution.set_default_validate_args(False)
        try:
            yield D.Normal(0.0, -1.0), D.Normal(0.0, 1.0)._validate_args
            yield attempt(D.Normal, 0.0, -1.0, validate_args=True)
        finally:
            D.Distribution.set_default_validate_args(True)

    same(program, reword=as_torch)


# ---- subclasses of one's own


def test_own_classes():
    """Subclasses without constructors expand; others must say how; bare ones warn and refuse."""

    def program(m):
        D = m.distributions

        class Plain(D.Normal):
            pass

        class Narrow(D.Normal):
            def __init__(self, loc):
                super().__init__(loc, 0.1)

        class Careful(Narrow):
            def expand(self, batch_shape, _instance=None):
                new = self._get_checked_instance(Careful, _instance)
                return super().expand(batch_shape, _instance=new)

        class Bare(D.Distribution):
            pass

        yield Plain(m.zeros(2), 1.0).expand((3, 2)), type(Plain(m.zeros(2), 1.0).expand((3, 2))).__name__
        yield attempt(Narrow(m.zeros(2)).expand, (3, 2))
        yield Careful(m.zeros(2)).expand((3, 2)), Careful(m.zeros(2)).expand((3, 2)).sample()
        yield told(Bare)[1:]
        for what in "expand sample rsample log_prob cdf icdf entropy perplexity enumerate_support".split():
            arguments = (
                [] if what in ("entropy", "perplexity", "sample", "rsample", "enumerate_support") else [m.zeros(2)]
            )
            yield attempt(getattr(Bare(validate_args=False), what), *arguments)
        for what in "mean mode variance stddev support arg_constraints".split():
            yield type(attempt(getattr, Bare(validate_args=False), what)).__name__

    same(program, looks="requires_grad", reword=lambda text: text.rpartition(".<locals>.")[2])


@pytest.mark.parametrize("name", ["Normal", "Exponential", "Gamma", "Bernoulli", "ContinuousBernoulli logits"])
def test_entropy_by_the_exponential_family(name):
    def program(m):
        d, p = made(m, name, requires_grad=True)
        entropy = m.distributions.ExponentialFamily.entropy(d)
        return entropy, d.entropy()

    same(program, **FLOATS)


def test_modules_and_names():
    """torch's modules, with the classes where torch has them, by name and in pickles."""
    import importlib
    import pkgutil

    for found in pkgutil.iter_modules(torch.distributions.__path__):
        theirs = importlib.import_module(f"torch.distributions.{found.name}")
        ours = importlib.import_module(f"lucid.distributions.{found.name}")
        assert sorted(getattr(theirs, "__all__", [])) == sorted(getattr(ours, "__all__", [])), found.name
        for name in getattr(theirs, "__all__", []):
            wanted = getattr(theirs, name)
            if isinstance(wanted, type):
                assert getattr(ours, name).__module__ == wanted.__module__.replace("torch.", "lucid."), name
                assert getattr(ours, name).__doc__, name
    assert sorted(torch.distributions.__all__) == sorted(lucid.distributions.__all__)
    assert not [name for name in dir(torch.distributions) if not hasattr(lucid.distributions, name)]


# ---- transformed, and in programs


def _transformed_functions(m, name, values):
    """vmap, jvp and grad of what a distribution gives, by its parameters."""
    kind = getattr(m, _type(name))
    p = {key: m.tensor(value, dtype=kind) for key, value in CASES[name][1].items()}
    x, ones = m.tensor(values), {key: m.ones_like(t) for key, t in p.items()}

    def ask(p, what):
        m.manual_seed(0)
        d = CASES[name][0](m.distributions, p)
        if what == "log_prob":
            return d.log_prob(x)
        return d.rsample((2,)) if what == "rsample" else d.entropy()

    for what in ("log_prob", "rsample", "entropy"):
        twice = {key: m.stack([t, t]) for key, t in p.items()}
        yield attempt(m.func.vmap(lambda p: ask(p, what), randomness="different"), twice)  # noqa: B023
        yield attempt(lambda: m.func.jvp(lambda p: ask(p, what), (p,), (ones,))[1])  # noqa: B023
        yield attempt(lambda: list(m.func.grad(lambda p: ask(p, what).sum())(p).values()))  # noqa: B023


@NAMES
def test_transformed_functions(name):
    """Where torch can, with the same numbers; checks of arguments look at numbers, so they are off."""
    values, results = _some(name), []
    for m in (torch, lucid):
        m.distributions.Distribution.set_default_validate_args(False)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                results.append(list(_transformed_functions(m, name, values)))
        finally:
            m.distributions.Distribution.set_default_validate_args(True)
    near = {"rtol": 1e-5, "atol": 1e-6} if name in SINGLE else {"rtol": 1e-7, "atol": 1e-9}
    for wanted, got in zip(*results, strict=True):
        if not isinstance(wanted, Exception):
            close(got, wanted, name, **near)


def test_one_hot_under_vmap():
    def program(m):
        x, f = m.tensor([[0, 1], [2, 1]]), m.nn.functional.one_hot
        for n in (3, 2, 1, -1):
            yield attempt(m.func.vmap(lambda row: f(row, n)), x)  # noqa: B023

    same(program, looks="")


def _autoencoder(m):
    """A variational autoencoder's loss and gradients, three steps."""
    D, F = m.distributions, m.nn.functional
    m.manual_seed(0)
    encoder, decoder = m.nn.Linear(6, 4), m.nn.Linear(2, 6)
    optimizer = m.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
    x = (m.rand(5, 6) > 0.5).float()
    for _ in range(3):
        loc, scale = encoder(x).chunk(2, -1)
        latent = D.Independent(D.Normal(loc, F.softplus(scale) + 1e-3), 1)
        pixels = D.Independent(D.Bernoulli(logits=decoder(latent.rsample())), 1)
        prior = D.Independent(D.Normal(m.zeros(2), m.ones(2)).expand((5, 2)), 1)
        loss = (D.kl_divergence(latent, prior) - pixels.log_prob(x)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss, encoder.weight.grad


def _policy(m):
    """The score function estimator: actions drawn, their log_prob weighted by rewards."""
    m.manual_seed(0)
    net = m.nn.Linear(3, 4)
    for _ in range(3):
        policy = m.distributions.Categorical(logits=net(m.randn(8, 3)))
        action = policy.sample()
        loss = -(policy.log_prob(action) * (action == 2)).mean() - 0.01 * policy.entropy().mean()
        yield action, loss, m.autograd.grad(loss, list(net.parameters()))


@pytest.mark.parametrize("program", [_autoencoder, _policy])
def test_programs(program):
    same(program, rtol=1e-4, atol=1e-6, looks="requires_grad")


# ---- compiled

# What reads numbers on the way (Wishart, VonMises), calls an autograd.Function (Dirichlet's shares) or expands, so that a
# graph ends there.
BROKEN = "Beta Dirichlet LKJCholesky LogisticNormal Multinomial Binomial VonMises Wishart".split()


@NAMES
def test_compiled(name):
    """torch.compile makes one graph of a constructor, log_prob and sample, without checks of arguments; or several."""
    d, p = made(lucid, name)
    build, _ = CASES[name]
    value = lucid.tensor(_some(name))

    def program(p, value):
        d = build(lucid.distributions, p)
        return d.log_prob(value), d.sample((3,))

    results = []
    lucid._dynamo.reset()
    compiled = lucid.compile(program, backend="eager", fullgraph=name.split()[0] not in BROKEN)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Wishart's
        for run in (program, compiled):
            lucid.manual_seed(0)
            results.append(run(p, value))
    close(list(results[1]), list(results[0]), rtol=1e-12, atol=1e-12)
