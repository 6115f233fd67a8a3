"""The engine of the random functions against torch's: seeds, all 5056 bytes of the state, recorded numbers, arithmetic."""

import hashlib
import json
import math
import pathlib
import random as python_random
import subprocess
import sys

import numpy as np
import pytest
import torch
from twins import FILLS, FLOATS, HALVES, SEEDS, Twins, dtype_of

from lucid._array.random import engine as core
from lucid._array.random import exact, rejection
from lucid._array.random.engine import Engine
from lucid._array.random.normal import fill_log_normal, fill_normal

GOLDEN = json.loads((pathlib.Path(__file__).parent / "data" / "rng_golden.json").read_text())


# ----------------------------------------------------------------------------------------------------------- the engine
def test_importing_does_not_load_numpy_random():
    code = (
        "import sys, lucid._array.random.engine as r, lucid._array.random.rejection; e = r.Engine(3); e.manual_seed(4); "
        "assert 'numpy.random' not in sys.modules and 'scipy' not in sys.modules; e.words32(1)"
    )
    root = pathlib.Path(__file__).resolve().parents[1]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)


@pytest.mark.parametrize("seed", SEEDS)
def test_seed_and_state(seed):
    twins = Twins(seed)
    assert twins.engine.initial_seed() == twins.generator.initial_seed()
    twins.check_state("fresh")
    for n in (1, 622, 1, 1, 623, 624, 2000):  # both sides of the twist
        theirs = torch.empty(n, dtype=torch.int64).random_(2**27, generator=twins.generator)
        twins.check(twins.engine.words32(n).astype(np.int64) % 2**27, theirs, n)


def test_default_seed():
    assert Engine().initial_seed() == torch.Generator().initial_seed()
    assert Engine().get_state().tobytes() == torch.Generator().get_state().numpy().tobytes()


@pytest.mark.parametrize("seed", (2**64, -(2**63) - 1, None))
def test_refused_seed(seed):
    with pytest.raises((ValueError, TypeError)) as theirs:
        torch.manual_seed(seed)
    with pytest.raises(theirs.type) as ours:
        Engine().manual_seed(seed)
    assert str(ours.value) == str(theirs.value)


def test_seed_from_entropy():
    engine = Engine()
    seeds = {engine.seed() for _ in range(4)}
    assert len(seeds) == 4 and engine.initial_seed() in seeds
    assert engine.get_state().tobytes() == Engine(engine.initial_seed()).get_state().tobytes()


def bad_states():
    good = torch.Generator().get_state()
    yield good.float()
    yield good[:-8]
    yield torch.zeros(5056, dtype=torch.uint8)
    for offset, value in ((12, 0), (8, 0), (8, 250), (16, 255)):  # seeded, left, left, next
        state = good.clone()
        state[offset : offset + 2] = value
        yield state


@pytest.mark.parametrize("state", list(bad_states()), ids=range(7))
def test_refused_state(state):
    with pytest.raises((TypeError, RuntimeError)) as theirs:
        torch.Generator().set_state(state)
    with pytest.raises(theirs.type) as ours:
        Engine().set_state(state.numpy())
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("drawn", (0, 1, 623, 624, 625, 1000))
def test_states_are_exchanged(drawn):
    generator = torch.Generator().manual_seed(77)
    torch.empty(drawn).uniform_(generator=generator)
    torch.empty(3).normal_(generator=generator)  # leaves a cached normal
    twins = Twins(5)
    twins.engine.set_state(generator.get_state().numpy())
    twins.generator.set_state(generator.get_state())
    assert twins.engine.initial_seed() == 77
    twins.check_state()
    odd = torch.from_numpy(twins.engine.get_state())
    odd[12:14] = 2  # any nonzero "seeded" counts as 1
    twins.engine.set_state(odd.numpy())
    twins.generator.set_state(odd)
    twins.check_state()
    twins.fill("float32", (5,), "normal_")
    twins.generator.set_state(torch.from_numpy(twins.engine.get_state()))
    twins.fill("float32", (20,), "normal_")


def test_clone_and_rewind():
    engine = Engine(9)
    fill_normal(engine, np.empty(3))
    twin, before = engine.clone_state(), engine.get_state()
    assert twin.get_state().tobytes() == before.tobytes()
    mark = engine.mark()
    expected = engine.words32(1300)
    engine.rewind(mark, 1000)
    assert (engine.words32(300) == expected[1000:]).all()
    engine.rewind(mark, 0)
    assert engine.get_state().tobytes() == before.tobytes()
    assert (twin.words32(1300) == expected).all()


# ------------------------------------------------------------------------------------------------------------- golden
def empty(*shape, dtype=np.float32):
    return np.empty(shape, dtype)


def named(dtype, n=1000):
    return lambda: empty(n, dtype=dtype_of(dtype))


def full(value):
    return np.full(1000, value, np.float32)


def golden_calls():
    uniform, normal, integers = core.fill_uniform, fill_normal, core.fill_random
    calls = {
        "rand(5)": (uniform, named("float32", 5)),
        "rand(1000)": (uniform, named("float32")),
        "randn(5)*": (normal, named("float32", 5)),
        "randn(16)": (normal, named("float32", 16)),
        "randn(17)": (normal, named("float32", 17)),
        "randn(1000)": (normal, named("float32")),
        "randn(100,complex64)": (normal, named("complex64", 100)),
        "randn(1000,float64)*": (normal, named("float64")),
        "uniform_(-0.05,0.05) 1000": (uniform, named("float32"), -0.05, 0.05),
        "uniform_(-0.1,0.3) 1000": (uniform, named("float32"), -0.1, 0.3),
        "uniform_(-0.1,0.3) 1000 float64": (uniform, named("float64"), -0.1, 0.3),
        "uniform_ on empty(4,6).t()": (uniform, lambda: empty(4, 6).T),
        "normal_(0.5,0.02) 1000": (normal, named("float32"), 0.5, 0.02),
        "normal_ on empty(4,6).t()*": (normal, lambda: empty(4, 6).T),
        "randint(0,10,(1000,))": (integers, named("int64"), 0, 10),
        "randint(0,2**28-1)": (integers, named("int64"), 0, 2**28 - 1),
        "randint(0,2**28)": (integers, named("int64"), 0, 2**28),
        "randint(-7,2**40)": (integers, named("int64"), -7, 2**40),
        "bernoulli_(0.3) 1000": (core.fill_bernoulli, named("float32"), 0.3),
        "exponential_ 1000*": (core.fill_exponential, named("float32")),
        "cauchy_ 1000*": (core.fill_cauchy, named("float32")),
        "log_normal_ 1000*": (fill_log_normal, named("float32")),
        "geometric_(0.1) 1000*": (core.fill_geometric, named("float32"), 0.1),
        "nn.Embedding(30,7).weight": (normal, lambda: empty(30, 7)),
        "xavier_normal_ (16,9)": (normal, lambda: empty(16, 9), 0.0, math.sqrt(2.0 / 25)),
    }
    for name in ("float64", "float16", "bfloat16"):
        calls[f"rand(1000,{name})"] = (uniform, named(name))
    for name in HALVES:
        calls[f"randn(1000,{name})"] = (normal, named(name))
    for name in ("int64", "int32", "float32"):
        calls[f"random_() {name}"] = (integers, named(name))
    calls = {name: lambda engine, call=call: call[0](engine, call[1](), *call[2:]) for name, call in calls.items()}
    weights = np.arange(1, 11, dtype=np.float32), np.arange(1, 101, dtype=np.float32)
    calls.update(
        {
            "randperm(10)": lambda engine: core.randperm(engine, 10),
            "randperm(1000)": lambda engine: core.randperm(engine, 1000),
            "randperm(70000)": lambda engine: core.randperm(engine, 70000),
            "bernoulli(P) 1000": lambda engine: core.fill_bernoulli(
                engine, empty(1000), torch.linspace(0, 1, 1000).numpy()
            ),
            "multinomial(arange(1,11),500,True)": lambda engine: rejection.multinomial(engine, weights[0], 500, True),
            "multinomial(arange(1,101),20)*": lambda engine: rejection.multinomial(engine, weights[1], 20),
            "poisson(4.5) 1000*": lambda engine: rejection.poisson(engine, full(4.5)),
            "poisson(30) 1000*": lambda engine: rejection.poisson(engine, full(30)),
            "binomial(40,0.3) 1000*": lambda engine: rejection.binomial(engine, full(40), full(0.3)),
            "_standard_gamma(2.5) 1000*": lambda engine: rejection.standard_gamma(engine, full(2.5)),
        }
    )
    return calls


GOLDEN_CALLS = golden_calls()


@pytest.mark.parametrize("seed", (0, 42, -1))
@pytest.mark.parametrize("name", GOLDEN_CALLS)
def test_golden(name, seed):
    golden, engine = GOLDEN[f"seed={seed} {name}"], Engine(seed)
    result = np.ascontiguousarray(GOLDEN_CALLS[name](engine))
    assert hashlib.sha256(result.tobytes()).hexdigest() == golden["sha256"]
    assert hashlib.sha256(engine.get_state().tobytes()).hexdigest() == golden["state_sha256"]


# ------------------------------------------------------------------------------------------------ chains and arithmetic
@pytest.mark.parametrize("seed", SEEDS)
def test_chain_of_mixed_calls(seed):
    choose, twins = python_random.Random(seed), Twins(seed)
    for _ in range(150):
        n = choose.choice((1, 2, 3, 5, 15, 16, 17, 33, 250, 520))
        kind = choose.random()
        if kind < 0.1:
            twins.check(core.randperm(twins.engine, n), torch.randperm(n, generator=twins.generator))
        elif kind < 0.2:
            alphas = torch.full((n,), choose.choice((0.4, 3.0)))
            theirs = torch._standard_gamma(alphas, generator=twins.generator)
            twins.check(rejection.standard_gamma(twins.engine, alphas.numpy()), theirs)
        elif kind < 0.3:
            rates = torch.full((n,), choose.choice((2.0, 25.0)))
            twins.check(rejection.poisson(twins.engine, rates.numpy()), torch.poisson(rates, generator=twins.generator))
        else:
            method, args = choose.choice(FILLS)
            strided = choose.choice((None, lambda x: x.swapaxes(0, 1)))
            twins.fill(choose.choice(FLOATS), (n, 3), method, *args, strided=strided)


def test_fma64_rounds_once():
    from fractions import Fraction

    choose = python_random.Random(1)
    a = np.array([choose.random() * choose.choice((1, -1)) for _ in range(3000)])
    for b, c in ((0.4, -0.1), (1 / 3, 2.0**-60), (1e-5, 1.0), (-7.3, 3e9), (2.5, -1e-20), (1e-150, 1e-160), (3.0, 0)):
        expected = [float(Fraction(x) * Fraction(b) + Fraction(c)) for x in a.tolist()]
        assert exact.fma64(a, b, c).tolist() == expected
        doubtful = (np.arange(1.0, 4000.0) * 2.0**40 + 1) * 2.0**-52  # products that end just beside a midpoint
        expected = [float(Fraction(x) * Fraction(b) + Fraction(c)) for x in doubtful.tolist()]
        assert exact.fma64(doubtful, b, c).tolist() == expected


def test_fma32_rounds_once():
    generator = np.random.default_rng(2)
    from fractions import Fraction

    a = (generator.integers(0, 1 << 24, 4000) * 2.0**-24).astype(np.float32)
    for b, c in ((1 + 2**-23, 2**-30), (1.5, 2.0**24), (3.0, -(2.0**23)), (2**-24, 1 + 2**-23), (0.4, -0.1)):
        b, c = np.float32(b), np.float32(c)
        for value, got in zip(a.tolist(), exact.fma32(a, b, c, np.empty_like(a)).tolist()):
            wanted = Fraction(value) * Fraction(float(b)) + Fraction(float(c))
            near = np.float32(got)
            gaps = [
                abs(Fraction(float(x)) - wanted)
                for x in (np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf)))
            ]
            assert gaps[1] <= min(gaps[0], gaps[2])


@pytest.mark.parametrize("name", ("log", "log1p", "exp", "tan", "sin", "cos"))
@pytest.mark.parametrize("route", (exact.libm, exact._numpy_shifted, exact._python_loop), ids=lambda f: f.__name__)
def test_libm(name, route):
    x = np.random.default_rng(3).random(20000)
    x *= {"log1p": -1, "log": 1}.get(name, 6.28)
    assert route(name, x).tolist() == [getattr(math, name)(value) for value in x.tolist()]
