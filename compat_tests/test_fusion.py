"""Fused gradients equal unfused ones, overflow included, and fusion is never seen by a program."""

import pytest
from both import same

import lucid
from lucid._fusion import FusedBackwardOp, match_fusion_table
from lucid._fusion.base import _fusion_table


@pytest.fixture(autouse=True)
def fusion_on():
    lucid.ENABLE_FUSION = True
    yield
    lucid.ENABLE_FUSION = False


def gradient(api, f, values):
    x = api.tensor(values, requires_grad=True)
    f(x).sum().backward()
    return x.grad


CHAINS = {
    "log exp": lambda x: x.exp().log() * 3,
    "neg neg": lambda x: (-(-(-(-x)))) * x,
    "reciprocal": lambda x: x.reciprocal().reciprocal() * 2,
    "reshapes": lambda x: x.reshape(-1, 2).reshape(2, -1).exp(),
    "squeeze unsqueeze": lambda x: x[None].squeeze(0).unsqueeze(0) ** 2,
    "unsqueeze squeeze": lambda x: x.unsqueeze(1).squeeze(1) ** 2,
}


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("n", [6, 60_000])
def test_values(name, n):
    values = [0.25 + i % 7 for i in range(n)]
    same(gradient, CHAINS[name], values, rtol=1.3e-6, atol=1e-5)


@pytest.mark.parametrize("extreme", [800.0, 89.0, -104.0, -90.0, float("nan"), float("inf")])
def test_overflow_is_torchs(extreme):
    values = [1.0] * 60_000 + [extreme]
    same(gradient, CHAINS["log exp"], values, rtol=1.3e-6, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name, value", [("reciprocal", 0.00075), ("reciprocal", 1000.0), ("log exp", -16.0)])
def test_halves_round_as_without_fusion(name, value, dtype):
    got, wanted = [], []
    for found, on in ((got, True), (wanted, False)):
        lucid.ENABLE_FUSION = on
        x = lucid.full((60_000,), 1.0, dtype=getattr(lucid, dtype))
        x[0] = value
        x.requires_grad_()
        CHAINS[name](x).sum().backward()
        found.append(x.grad[:2].tolist())
    assert got == wanted


def test_fires(monkeypatch):
    fired = []
    pattern = match_fusion_table("neg", "neg")
    monkeypatch.setattr(pattern, "__grad__", staticmethod(lambda g: fired.append(1) or g))
    gradient(lucid, lambda x: -(-(-(-x))), [1.0])
    assert len(fired) == 2


def test_second_use_of_the_middle_keeps_its_gradient():
    x = lucid.tensor([1.0], requires_grad=True)
    e = x.exp()
    e.log().backward(retain_graph=True)
    x.grad = None
    (e * 2).backward()
    assert abs(x.grad.item() - 2 * 2.718281828) < 1e-5


def test_hooks_captures_and_retained_gradients_see_the_middle():
    x = lucid.full((60_000,), 1.0, requires_grad=True)
    e, seen = x.exp(), []
    e.register_hook(lambda g: seen.append(g[0].item()))
    e.log().sum().backward()
    assert seen and abs(seen[0] - 1 / 2.718281828) < 1e-6
    e = x.exp()
    e.retain_grad()
    e.log().sum().backward()
    assert abs(e.grad[0].item() - 1 / 2.718281828) < 1e-6
    e = x.exp()
    (g,) = lucid.autograd.grad(e.log().sum(), e)
    assert abs(g[0].item() - 1 / 2.718281828) < 1e-6


def test_freed_pair_raises_on_a_second_walk():
    x = lucid.full((60_000,), 1.0, requires_grad=True)
    y = x.exp().log().sum()
    y.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


def test_the_table_refuses_a_second_pattern_for_a_pair():
    with pytest.raises(ValueError, match="fused by LogExp already"):
        type("Again", (FusedBackwardOp,), {"op1": "exp", "op2": "log", "__grad__": staticmethod(lambda g: g)})
    with pytest.raises(TypeError, match="not to be instantiated"):
        match_fusion_table("exp", "log")()
    assert match_fusion_table("exp", "exp") is None
    assert {p.__name__ for p in _fusion_table.values()} >= {
        "DoubleNeg",
        "DoubleReciprocal",
        "LogExp",
        "DoubleReshape",
        "SqueezeUnsqueeze",
        "UnsqueezeSqueeze",
    }
