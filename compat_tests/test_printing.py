"""Tensors print as torch prints them: thousands of random tensors, all options, suffixes, subclasses."""

import random

import numpy as np
import pytest
import torch

import lucid

TYPES = """float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool complex64 complex128 uint16 uint32 uint64
    float8_e4m3fn float8_e5m2""".split()
CHOICES = {
    "precision": [0, 1, 2, 6, 8],
    "threshold": [0, 5, 50, float("inf")],
    "edgeitems": [0, 1, 2, 5],
    "linewidth": [20, 40, 120],
    "sci_mode": [True, False, None],
    "profile": ["short", "full", "default"],
}


@pytest.fixture(autouse=True)
def defaults():
    yield
    for api in (torch, lucid):
        api.set_printoptions(profile="default")
        api.set_default_dtype(api.float32)


def values(rng, shape):
    n = int(np.prod(shape))
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 2e9])
    kinds = [
        lambda: rng.standard_normal(n),
        lambda: rng.integers(-50, 50, n).astype(float),
        lambda: rng.standard_normal(n) * 10.0 ** rng.integers(-12, 12, n),
        lambda: rng.standard_normal(n) * 10.0 ** rng.integers(-3, 8),
        lambda: np.where(rng.random(n) < 0.3, special[rng.integers(0, 5, n)], rng.standard_normal(n) * 100),
        lambda: special[rng.integers(0, 7, n)],
        lambda: rng.integers(-5, 5, n) * 10.0 ** rng.integers(0, 10),
        lambda: rng.random(n) * 1e-3,
    ]
    return kinds[rng.integers(len(kinds))]().reshape(shape)


def pair(rng, shape, name):
    """The same tensor in torch and lucid."""
    x = values(rng, shape)
    kind = getattr(torch, name)
    if kind.is_complex:
        with np.errstate(all="ignore"):
            t = torch.tensor(x + 1j * values(rng, shape)).to(kind)
    elif name == "bool":
        t = torch.tensor(x > 0)
    elif not kind.is_floating_point:
        bounded = np.clip(np.nan_to_num(x), 0 if name[0] == "u" else -(2**62), 2**62)
        t = torch.tensor(bounded.astype("int64")).to(kind)
    else:
        t = torch.tensor(x).to(kind)
    exact = t.double() if name in ("bfloat16", "float8_e4m3fn", "float8_e5m2") else t
    return t, lucid.from_numpy(np.array(exact.numpy())).to(getattr(lucid, name))


@pytest.mark.parametrize("seed", range(4))
def test_random_tensors_and_options(seed):
    rng, chance = np.random.default_rng(seed), random.Random(seed)
    for _ in range(150):
        shape = tuple(int(v) for v in rng.choice([0, 1, 1, 2, 3, 5, 7, 9, 40], rng.integers(0, 4)))
        if rng.random() < 0.05:
            shape = (int(rng.integers(900, 1100)),)
        name = TYPES[rng.integers(len(TYPES))]
        t, ours = pair(rng, shape, name)
        given = {k: chance.choice(v) for k, v in CHOICES.items() if rng.random() < 0.2} if rng.random() < 0.6 else {}
        default = chance.choice(["float32", "float32", "float64"])
        for api in (torch, lucid):
            api.set_printoptions(profile="default")
            api.set_printoptions(**given)
            api.set_default_dtype(getattr(api, default))
        if t.dtype.is_floating_point and t.dtype.itemsize > 1 and rng.random() < 0.2:
            t.requires_grad_()
            ours.requires_grad_()
        assert repr(ours) == repr(t), (name, shape, given, default)


EXPRESSIONS = """
api.ones(2, requires_grad=True) * 2
api.ones(20, 3, requires_grad=True).exp().sum(1)
api.ones(30, requires_grad=True).mul(1.2345678)
api.arange(2000.0)
api.empty(2, 3, device="meta")
api.empty(2, device="meta", dtype=api.int64)
api.zeros(0, 3)
api.zeros(0)
api.zeros(2, 0, dtype=api.float64)
api.zeros(3, 4, 5, 6)
api.nn.Parameter(api.ones(3))
api.nn.Parameter(api.ones(3).double())
api.tensor(3.14159)
api.tensor(True)
api.tensor(1 + 2j)
api.eye(40)
api.max(api.eye(2), 0)
api.sort(api.tensor([3.0, 1.0]))
api.ones(2).as_subclass(type("Sub", (api.Tensor,), {}))
api.nn.Parameter(api.ones(2).as_subclass(type("Sub", (api.Tensor,), {})))
api.Size([2, 3])
(api.float32, api.device("cuda", 1), api.strided, api.channels_last)
f"{api.tensor(1.5)} {api.tensor(1.5):.3f} {api.tensor(3)} {api.ones(2)}"
""".strip().splitlines()


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expression(expression):
    assert str(eval(expression, {"api": lucid})) == str(eval(expression, {"api": torch}))


def test_format_of_more_than_a_number():
    for api in (torch, lucid):
        with pytest.raises(TypeError, match="unsupported format string passed to Tensor.__format__"):
            format(api.ones(2), ".3f")


def test_options_and_context():
    assert lucid.get_printoptions() == torch._tensor_str.get_printoptions()
    with lucid._tensor_str.printoptions(precision=2):
        assert str(lucid.tensor([1.23456])) == "tensor([1.23])"
    assert str(lucid.tensor([1.23456])) == "tensor([1.2346])"


def test_return_types():
    for api in (torch, lucid):
        r = api.max(api.eye(2), 0)
        assert type(r).__module__ == "torch.return_types" and type(r).__name__ == "max"
        assert r.values is r[0] and r.n_fields == 2 and isinstance(r, tuple)
        with pytest.raises(AttributeError, match="readonly attribute"):
            r.values = 1
        with pytest.raises(TypeError, match="takes a 2-sequence"):
            type(r)((1,))
        values, indices = r
        assert type(r)((values, indices)).indices is indices
    assert lucid.return_types.max is type(lucid.max(lucid.eye(2), 0))
