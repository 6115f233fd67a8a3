"""The samplers by rejection and by classes against torch: every bit of the results and of the state."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from twins import FLOATS, HALVES, Twins, bits_of_torch, dtype_of

from lucid._array.random import rejection
from lucid._array.random.engine import Engine


# ------------------------------------------------------------------------------------------------ rejection and classes
@pytest.mark.parametrize("dtype", FLOATS)
def test_multinomial(dtype):
    twins = Twins(15)
    torch.manual_seed(0)
    for shape in ((1,), (10,), (5, 7), (3, 300), (1, 2000)):
        p = torch.rand(shape, dtype=getattr(torch, dtype))
        p[..., : shape[-1] // 4] = 0
        ours = p.float().numpy().astype(dtype_of(dtype)) if dtype == "bfloat16" else p.numpy()
        for n, replacement in ((1, False), (1, True), (shape[-1] // 2, False), (40, True)):
            if n == 0 or (dtype in HALVES and n > 1 and not replacement):  # ties: the order is not specified
                continue
            theirs = torch.multinomial(p, n, replacement, generator=twins.generator)
            twins.check(rejection.multinomial(twins.engine, ours, n, replacement), theirs, shape, n, replacement)
    p = torch.rand(9, 4).to(getattr(torch, dtype))
    ours = p.float().numpy().astype(dtype_of(dtype))
    theirs = torch.multinomial(p.t(), 1, generator=twins.generator)
    twins.check(rejection.multinomial(twins.engine, ours.T, 1), theirs, "transposed")


@pytest.mark.parametrize("replacement", (False, True))
@pytest.mark.parametrize(
    "weights",
    ([0.0, 0.0], [1.0, -1.0], [1.0, math.inf], [1.0, math.nan], [math.inf, -1.0], [[1.0, 2.0], [0.0, 0.0]]),
    ids=str,
)
def test_multinomial_refuses(weights, replacement):
    with pytest.raises(RuntimeError) as theirs:
        torch.multinomial(torch.tensor(weights), 2, replacement)
    with pytest.raises(RuntimeError) as ours:
        rejection.multinomial(Engine(), np.array(weights, np.float32), 2, replacement)
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("dtype", FLOATS)
def test_poisson(dtype):
    twins = Twins(16)
    for rate, n in ((0.0, 10), (0.3, 100), (4.5, 300), (9.99, 50), (10.0, 100), (10.0, 300), (30.0, 2000), (1e3, 400)):
        rates = torch.full((n,), rate, dtype=getattr(torch, dtype))
        theirs = torch.poisson(rates, generator=twins.generator)
        twins.check(rejection.poisson(twins.engine, np.full(n, rate, dtype_of(dtype))), theirs, rate, n)
    rates = (torch.rand(20, 30) * 40).to(getattr(torch, dtype))
    ours = rates.float().numpy().astype(dtype_of(dtype))
    twins.check(rejection.poisson(twins.engine, ours.T), torch.poisson(rates.t(), generator=twins.generator))
    with pytest.raises(RuntimeError, match="invalid Poisson rate"):
        rejection.poisson(twins.engine, -np.ones(3))


def test_poisson_of_many():
    twins = Twins(17)
    theirs = torch.poisson(torch.full((200000,), 12.5), generator=twins.generator)
    twins.check(rejection.poisson(twins.engine, np.full(200000, 12.5, np.float32)), theirs)


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_binomial(dtype):
    twins = Twins(18)
    kind = getattr(torch, dtype)
    for count, p in (
        (40, 0.3),
        (40, 0.7),
        (3, 0.5),
        (1000, 0.01),
        (1000, 0.4),
        (1000, 0.999),
        (0, 0.5),
        (5, 0),
        (5, 1),
        (1e6, 0.37),
        (20, 0.5),
    ):
        counts, ps = torch.full((200,), float(count), dtype=kind), torch.full((200,), float(p), dtype=kind)
        theirs = torch.binomial(counts, ps, generator=twins.generator)
        twins.check(rejection.binomial(twins.engine, counts.numpy(), ps.numpy()), theirs, count, p)
    counts, ps = torch.randint(0, 300, (40, 50)).to(kind), torch.rand(40, 50, dtype=kind)
    theirs = torch.binomial(counts, ps, generator=twins.generator)
    twins.check(rejection.binomial(twins.engine, counts.numpy(), ps.numpy()), theirs)
    assert np.isnan(rejection.binomial(twins.engine, np.ones(2), np.full(2, math.nan))).all()


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_gamma_and_dirichlet(dtype):
    twins = Twins(19)
    kind = getattr(torch, dtype)
    for alpha in (0.0, 1e-3, 0.5, 1.0, 2.5, 30.0):
        alphas = torch.full((150,), alpha, dtype=kind)
        theirs = torch._standard_gamma(alphas, generator=twins.generator)
        twins.check(rejection.standard_gamma(twins.engine, alphas.numpy()), theirs, alpha)
        twins.fill(dtype, (3,), "normal_")  # they share the cached normal
    alphas = torch.rand(30, 10, dtype=kind) * 5 + 0.01
    theirs = torch._sample_dirichlet(alphas, generator=twins.generator)
    ours = rejection.sample_dirichlet(twins.engine, alphas.numpy())
    if dtype == "float32":
        twins.check(ours, theirs)
    twins.check_state()
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-15 if dtype == "float64" else 0)


@pytest.mark.parametrize("dtype", ("bfloat16", "float32", "float64"))
def test_rrelu_slopes(dtype):
    torch.manual_seed(20)
    x = torch.randn(30, 20).to(getattr(torch, dtype))
    engine = Engine().set_state(torch.get_rng_state().numpy())
    for bounds in ((), (0.1, 0.6)):
        theirs = F.rrelu(x, *bounds, training=True)
        ours = x.float().numpy().astype(dtype_of(dtype))
        ours = (ours.astype(np.float32) if dtype in HALVES else ours) * rejection.rrelu_slopes(engine, ours, *bounds)
        assert ours.astype(dtype_of(dtype)).tobytes() == bits_of_torch(theirs)
        assert engine.get_state().tobytes() == torch.get_rng_state().numpy().tobytes()
