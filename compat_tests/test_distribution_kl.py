"""kl_divergence of every pair of classes that torch has a formula for, how pairs are found, and new ones registered."""

import pytest
import torch
from both import as_torch, attempt, same, told
from distribution_cases import COVARIANCE, LOGITS, LOWER, SHARES

import lucid

REGISTRY = sorted(
    ((p.__name__, q.__name__) for p, q in torch.distributions.kl._KL_REGISTRY), key=lambda pair: (pair[0], pair[1])
)
# Several of each class, so that pairs meet with supports inside and outside of each other, and at their ends.
A, B = [0.5, 1.5, 2.5], [[0.7], [1.3], [2.2]]
OF_CLASS = {
    "Bernoulli": [{"probs": [0.2, 0.5, 0.9]}, {"probs": [[0.0], [1.0], [0.4]]}, {"logits": A}],
    "Beta": [{"concentration1": A, "concentration0": B}, {"concentration1": 3.0, "concentration0": A}],
    "Binomial": [{"total_count": [3.0, 5.0, 5.0], "probs": [0.2, 0.5, 0.9]}, {"total_count": 3.0, "logits": B}],
    "Categorical": [{"probs": SHARES}, {"logits": LOGITS}, {"probs": [0.5, 0.0, 0.5]}],
    "Cauchy": [{"loc": A, "scale": B}, {"loc": 0.3, "scale": A}],
    "ContinuousBernoulli": [{"probs": [0.2, 0.5, 0.9]}, {"logits": B}],
    "Dirichlet": [{"concentration": [A, [0.3, 2.0, 1.0]]}, {"concentration": SHARES}],
    "Exponential": [{"rate": A}, {"rate": B}],
    "ExponentialFamily": [],
    "Gamma": [{"concentration": A, "rate": B}, {"concentration": B, "rate": 1.5}],
    "Geometric": [{"probs": [0.2, 0.5, 0.9]}, {"logits": B}],
    "Gumbel": [{"loc": A, "scale": B}, {"loc": -1.0, "scale": A}],
    "HalfNormal": [{"scale": A}, {"scale": B}],
    "Laplace": [{"loc": A, "scale": B}, {"loc": -1.0, "scale": A}],
    "LowRankMultivariateNormal": [
        {"loc": [A, SHARES[0]], "cov_factor": [[0.5, 0.2], [1.5, 0.5], [2.5, 0.9]], "cov_diag": A},
        {"loc": A, "cov_factor": [[0.7], [0.1], [-0.4]], "cov_diag": SHARES},
    ],
    "MultivariateNormal": [
        {"loc": [A, SHARES[0]], "covariance_matrix": COVARIANCE},
        {"loc": A, "scale_tril": [LOWER, LOWER]},
        {"loc": A, "precision_matrix": COVARIANCE},
    ],
    "Normal": [{"loc": A, "scale": B}, {"loc": -1.0, "scale": A}],
    "OneHotCategorical": [{"probs": SHARES}, {"logits": LOGITS}],
    "Pareto": [{"scale": A, "alpha": B}, {"scale": 0.7, "alpha": [0.9, 1.7, 3.3]}],
    "Poisson": [{"rate": A}, {"rate": B}],
    "Uniform": [
        {"low": [-0.5, 0.0, 0.3], "high": [0.8, 1.0, 1.7]},
        {"low": 0.0, "high": [[0.7], [1.0], [3.0]]},
        {"low": [[0.1], [0.2], [-2.0]], "high": 2.5},
    ],
}


def _all(m, name, requires_grad=False):
    for values in OF_CLASS[name]:
        p = {key: m.tensor(v, dtype=m.float64, requires_grad=requires_grad) for key, v in values.items()}
        yield getattr(m.distributions, name)(**p), list(p.values())


def _divergence(m, p, q):
    """In one batch shape: torch marks whole rows as infinite where a condition has fewer dimensions than the result."""
    shape = m.broadcast_shapes(p.batch_shape, q.batch_shape)
    return attempt(lambda: m.distributions.kl_divergence(p.expand(shape), q.expand(shape)))


def _divergences(m, name_p, name_q):
    for p, _ in _all(m, name_p):
        for q, _ in _all(m, name_q):
            yield _divergence(m, p, q)


PAIRS = pytest.mark.parametrize("pair", [pair for pair in REGISTRY if set(pair) <= set(OF_CLASS)], ids=" ".join)


def _where_torch_can(program, pair):
    """The program without the vectors that torch cannot expand to the other's batch; lucid can."""
    able = [not str(result).startswith("expand(") for result in program(torch, *pair)]
    return lambda m: [result for result, here in zip(program(m, *pair), able, strict=True) if here]


@PAIRS
def test_divergences(pair):
    same(_where_torch_can(_divergences, pair), rtol=1e-9, atol=1e-11, looks="", reword=as_torch)


def _gradients(m, name_p, name_q):
    """With finite results only: the gradient of an infinite one is of no use."""
    for i, _ in enumerate(OF_CLASS[name_p]):
        for j, _ in enumerate(OF_CLASS[name_q]):
            p, inputs_p = list(_all(m, name_p, True))[i]
            q, inputs_q = list(_all(m, name_q, True))[j]
            kl = _divergence(m, p, q)
            if isinstance(kl, Exception) or not kl.requires_grad or not kl.isfinite().all():
                yield kl if isinstance(kl, Exception) else None
            else:
                yield m.autograd.grad(kl.sum(), inputs_p + inputs_q, allow_unused=True)


@PAIRS
def test_gradients(pair):
    same(_where_torch_can(_gradients, pair), rtol=1e-7, atol=1e-9, looks="", reword=as_torch)


def test_all_pairs_are_here():
    ours = {(p.__name__, q.__name__) for p, q in lucid.distributions.kl._KL_REGISTRY}
    assert ours == set(REGISTRY)
    made = set(OF_CLASS) | {"ExponentialFamily", "Independent", "TransformedDistribution"}
    assert {name for pair in REGISTRY for name in pair} == made


def test_of_made_distributions():
    def program(m):
        D = m.distributions
        kl = D.kl_divergence
        a, b = (D.Normal(m.zeros(2, 3), s) for s in (1.0, 2.0))
        yield kl(D.Independent(a, 1), D.Independent(b, 1)), kl(D.Independent(a, 2), D.Independent(b, 2))
        yield attempt(kl, D.Independent(a, 1), D.Independent(b, 2))
        yield kl(D.LogNormal(0.0, 1.0), D.LogNormal(1.0, 2.0)), kl(D.Chi2(m.tensor(1.0)), D.Chi2(m.tensor(2.0)))
        yield attempt(kl, D.LogNormal(0.0, 1.0), D.HalfNormal(2.0))
        yield attempt(kl, D.HalfCauchy(1.0), D.HalfCauchy(2.0))
        yield attempt(kl, D.Normal(0.0, 1.0), D.StudentT(2.0)), attempt(kl, D.VonMises(0.0, 1.0), D.VonMises(0.0, 1.0))
        yield attempt(kl, D.Normal(0.0, 1.0), D.Bernoulli(0.5)), attempt(kl, D.Wishart(3.0, m.eye(2)), D.Poisson(1.0))
        yield kl(D.Wishart(3.0, m.eye(2)), D.Wishart(4.0, 2 * m.eye(2)))
        small, large = (D.MultivariateNormal(m.zeros(n), m.eye(n)) for n in (2, 3))
        yield attempt(kl, small, large)
        low = D.LowRankMultivariateNormal(m.zeros(3), m.ones(3, 1), m.ones(3))
        yield attempt(kl, small, low), attempt(kl, low, small), attempt(kl, low.expand((2,)), low)

    same(program, rtol=1e-5, atol=1e-6, looks="", reword=as_torch)


def test_same_exponential_family_without_a_formula():
    def program(m):
        class Waits(m.distributions.Exponential):
            pass

        family = m.distributions.ExponentialFamily
        p, q = Waits(m.tensor([1.0, 2.0])), Waits(m.tensor([2.0, 2.0]))
        kl = m.distributions.kl
        yield kl.kl_divergence(p, q)
        for name in ("Gamma", "Normal", "Dirichlet", "Beta", "Bernoulli", "Poisson"):
            cls = getattr(m.distributions, name)
            count = {"Gamma": 2, "Normal": 2, "Beta": 2}.get(name, 1)
            p, q = (cls(*[m.tensor([x, x / 3])] * count) for x in (0.5, 0.7))
            yield name, kl._KL_REGISTRY[family, family](p, q)

    same(program, rtol=1e-5, atol=1e-6, looks="")


def test_registering():
    """The nearest pair is taken; where two are as near, the first class decides, with a warning."""

    def program(m):
        D, before = m.distributions, dict(m.distributions.kl._KL_REGISTRY)

        class P(D.Normal):
            pass

        class Q(D.Normal):
            pass

        try:
            yield D.kl_divergence(P(0.0, 1.0), Q(0.0, 1.0))
            D.register_kl(P, D.Normal)(lambda p, q: "P, Normal")
            yield D.kl_divergence(P(0.0, 1.0), Q(0.0, 1.0)), D.kl_divergence(P(0.0, 1.0), D.Normal(0.0, 1.0))
            D.register_kl(D.Normal, Q)(lambda p, q: "Normal, Q")
            yield told(D.kl_divergence, P(0.0, 1.0), Q(0.0, 1.0))
            D.register_kl(P, Q)(lambda p, q: "P, Q")
            yield D.kl_divergence(P(0.0, 1.0), Q(0.0, 1.0))
        finally:
            D.kl._KL_REGISTRY.clear()
            D.kl._KL_REGISTRY.update(before)
            D.kl._KL_MEMOIZE.clear()

    same(program, looks="")
