"""The array half of the random functions against torch: every bit of the results and all 5056 bytes of the state."""

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
import torch.nn.functional as F

from lucid._array.random import engine as core
from lucid._array.random import rejection
from lucid._array.random.engine import Engine, memory_order
from lucid._array.random.normal import fill_log_normal, fill_normal

GOLDEN = json.loads((pathlib.Path(__file__).parent / "data" / "rng_golden.json").read_text())
SEEDS = (0, 1, 42, 2**32 - 1, 2**32 + 7, 2**63 + 5, 2**64 - 1, -1, -(2**63))
SIZES = (0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 127, 128, 255, 256, 257, 511, 512, 513, 1000)
LARGE = (core.CHUNK - 1, core.CHUNK, core.CHUNK + 17, 4 * core.CHUNK, 4 * core.CHUNK + 16, 8 * core.CHUNK + 7, 200003)
HALVES = ("float16", "bfloat16")
FLOATS = HALVES + ("float32", "float64")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")


def dtype_of(name):
    if name == "bfloat16":
        return np.dtype(pytest.importorskip("ml_dtypes").bfloat16)
    return np.dtype(name)


def bits_of_torch(tensor):
    tensor = tensor.detach().contiguous()
    return (tensor.view(torch.int16) if tensor.dtype == torch.bfloat16 else tensor).numpy().tobytes()


class Twins:
    """An engine and a torch generator in the same state; `check` compares one call on each."""

    def __init__(self, seed=0):
        self.engine, self.generator = Engine(seed), torch.Generator().manual_seed(seed)

    def check(self, ours, theirs, *what):
        assert np.ascontiguousarray(ours).tobytes() == bits_of_torch(theirs), what
        self.check_state(*what)

    def check_state(self, *what):
        assert self.engine.get_state().tobytes() == self.generator.get_state().numpy().tobytes(), what

    def fill(self, name, shape, method, *args, sampler=None, strided=None):
        """`method` of torch and its twin on new arrays; strided makes a layout from a dense tensor or array."""
        dtype = dtype_of(name)
        ours, theirs = np.zeros(shape, dtype), torch.zeros(shape, dtype=getattr(torch, name))
        if strided is not None:
            ours, theirs = strided(ours), strided(theirs)
        sampler = sampler or SAMPLERS[method]
        assert sampler(self.engine, ours, *args) is ours
        getattr(theirs, method)(*args, generator=self.generator)
        self.check(ours, theirs, name, shape, method, args)


SAMPLERS = {
    "uniform_": core.fill_uniform,
    "normal_": fill_normal,
    "random_": None,
    "bernoulli_": core.fill_bernoulli,
    "exponential_": core.fill_exponential,
    "cauchy_": core.fill_cauchy,
    "log_normal_": fill_log_normal,
    "geometric_": core.fill_geometric,
}


def fill_random(engine, out, *bounds):
    return core.fill_random(engine, out, *((0,) + bounds if len(bounds) == 1 else bounds))


SAMPLERS["random_"] = fill_random


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


# -------------------------------------------------------------------------------------------------------- sizes, dtypes
FILLS = [
    ("uniform_", ()),
    ("uniform_", (-0.3, 0.3)),
    ("uniform_", (-0.1, 0.7)),
    ("uniform_", (0.0, 3.0)),
    ("uniform_", (-1.0, 0.0)),
    ("normal_", ()),
    ("normal_", (0.0, 0.02)),
    ("normal_", (-1.5, 0.3)),
    ("bernoulli_", (0.3,)),
    ("exponential_", ()),
    ("exponential_", (0.7,)),
    ("cauchy_", ()),
    ("cauchy_", (0.4, 2.5)),
    ("log_normal_", ()),
    ("log_normal_", (0.3, 0.2)),
    ("geometric_", (0.1,)),
    ("random_", ()),
    ("random_", (100,)),
    ("random_", (-5, 120)),
]


@pytest.mark.parametrize("method, args", FILLS, ids=str)
@pytest.mark.parametrize("dtype", FLOATS)
def test_sizes(method, args, dtype):
    twins = Twins(3)
    for n in SIZES:  # one chain: what a call leaves behind matters to the next
        twins.fill(dtype, (n,), method, *args)


@pytest.mark.parametrize("method, args", [fill for fill in FILLS if fill[0] != "random_"], ids=str)
@pytest.mark.parametrize("dtype", FLOATS)
def test_large_sizes(method, args, dtype):
    twins = Twins(4)
    for n in LARGE[:4] if method in ("log_normal_", "cauchy_", "exponential_", "geometric_") else LARGE:
        twins.fill(dtype, (n,), method, *args)


@pytest.mark.parametrize(
    "method, args", [("uniform_", ()), ("uniform_", (-0.2, 1.3)), ("normal_", ()), ("normal_", (0.5, 2.0))], ids=str
)
@pytest.mark.parametrize("dtype", ("complex64", "complex128"))
def test_complex(method, args, dtype):
    twins = Twins(5)
    for n in SIZES:
        twins.fill(dtype, (n,), method, *args)
    twins.fill(dtype, (), method, *args)
    twins.fill(dtype, (5, 6), method, *args, strided=lambda x: x.swapaxes(0, 1))
    twins.fill(dtype, (5, 6), method, *args, strided=lambda x: x[:, ::2])


@pytest.mark.parametrize(
    "args",
    [
        (0.0, 1e-40),
        (0.1, 0.0),
        (0.1, math.inf),
        (math.inf, 1.0),
        (math.nan, 1.0),
        (1e-120, 1e-3),
        (1e30, 1e30),
        (1e-3, 1e-38),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", FLOATS)
def test_extreme_normals(args, dtype):
    twins = Twins(6)
    for n in (5, 40):
        if math.isfinite(args[0]) and math.isfinite(args[1]):
            twins.fill(dtype, (n,), "normal_", *args)
        else:  # the bits of a NaN are nobody's promise
            ours, theirs = np.zeros(n, dtype_of(dtype)), torch.zeros(n, dtype=getattr(torch, dtype))
            fill_normal(twins.engine, ours, *args)
            theirs.normal_(*args, generator=twins.generator)
            assert np.array_equal(ours.astype(np.float64), theirs.double().numpy(), equal_nan=True)
            twins.check_state()


@pytest.mark.parametrize(
    "args",
    [
        (-1e-35, 1e-35),
        (0.0, 1e-38),
        (-3e4, 3e4),
        (1.0, 1.0),
        (1.0, 1.0 + 2**-20),
        (-6e-8, 0.0),
        (1000.0, 1001.0),
        (-1.0, 1e-6),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", FLOATS)
def test_extreme_uniforms(args, dtype):
    twins = Twins(7)
    for n in (5, 3000):
        twins.fill(dtype, (n,), "uniform_", *args)


# ------------------------------------------------------------------------------------------------------------- integers
BOUNDS = [(), (1,), (2,), (3,), (7,), (100,), (0, 127), (-100, 100), (-128, 128)]
WIDE_BOUNDS = [(2**28 - 1,), (2**28,), (2**28 + 1,), (-(2**31), 2**31 - 1), (5, None), (-17, None), (0, None)]
WIDEST_BOUNDS = [
    (2**32,),
    (2**40 + 3,),
    (-7, 2**40),
    (-(2**62), 2**62),
    (-(2**63), 2**63 - 1),
    (2**62, 2**63 - 1),
    (-(2**63), None),
    (2**24 + 1, 2**24 + 4),
    (2**53 + 1, 2**53 + 99),
]


@pytest.mark.filterwarnings("ignore:.*out of bounds:UserWarning")
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS + ("bool", "uint16", "uint32", "uint64"))
def test_random(dtype):
    twins = Twins(8)
    tried = 0
    for bounds in BOUNDS + WIDE_BOUNDS + WIDEST_BOUNDS:
        for n in (1, 5, 600):
            try:
                torch.empty(0, dtype=getattr(torch, dtype)).random_(*bounds)
                torch.empty(1, dtype=getattr(torch, dtype)).random_(*bounds)
            except (RuntimeError, NotImplementedError):  # out of this dtype's bounds: the caller's check
                continue
            twins.fill(dtype, (n,), "random_", *bounds)
            tried += 1
    assert tried >= 6


@pytest.mark.parametrize("dtype, bounds", [("int64", (5, 2)), ("int64", (3, 3)), ("float32", (0, 0))])
def test_random_refuses(dtype, bounds):
    with pytest.raises(RuntimeError) as theirs:
        torch.empty(3, dtype=getattr(torch, dtype)).random_(*bounds)
    with pytest.raises(RuntimeError) as ours:
        core.fill_random(Engine(), np.empty(3, dtype), *bounds)
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_dtypes_of_the_others(dtype):
    twins = Twins(9)
    for n in (1, 15, 700):
        twins.fill(dtype, (n,), "bernoulli_", 0.4)
        twins.fill(dtype, (n,), "geometric_", 0.2)
    twins.fill("bool", (100,), "bernoulli_", 0.4)


@pytest.mark.parametrize("seed", (0, 11))
def test_randperm(seed):
    twins = Twins(seed)
    for n in (0, 1, 2, 3, 10, 399, 400, 401, 511, 512, 1000, 65535, 65536, 65537, 150001):
        twins.check(core.randperm(twins.engine, n), torch.randperm(n, generator=twins.generator), n)


@pytest.mark.parametrize("n", (1, 2, 3, 10, 57, 1000))
def test_swaps_without_the_loop(n):
    generator = np.random.default_rng(n)
    for _ in range(20):
        ahead, behind = (
            np.array([f(i) for i in range(n)])
            for f in (lambda i: generator.integers(i, n), lambda i: generator.integers(0, i + 1))
        )
        for targets, function in ((ahead, core.swap_forward), (behind, core.swap_backward)):
            expected = list(range(n))
            for i, j in enumerate(targets):
                expected[i], expected[j] = expected[j], expected[i]
            assert function(targets).tolist() == expected


# -------------------------------------------------------------------------------------------------------------- layouts
LAYOUTS = {
    "transposed": ((7, 9), lambda x: x.swapaxes(0, 1)),
    "sliced": ((8, 10), lambda x: x[1::2, ::3]),
    "channels last": ((2, 4, 5, 3), lambda x: x.swapaxes(1, 3)),
    "column": ((40, 2), lambda x: x[:, :1]),
    "three": ((3, 4, 5), lambda x: x.swapaxes(0, 2)),
    "rolled": ((3, 4, 5), lambda x: x.swapaxes(0, 1)[:, 1:]),
    "size one": ((4, 1, 6), lambda x: x.swapaxes(0, 2)),
    "scalar": ((), None),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_layouts(layout, dtype):
    twins = Twins(12)
    shape, strided = LAYOUTS[layout]
    for method, args in FILLS:
        twins.fill(dtype, shape, method, *args, strided=strided)


def random_layout(choose):
    """A shape and a function that permutes and slices a tensor or an array of that shape."""
    ndim = choose.randint(1, 5)
    shape = [choose.choice((1, 2, 3, 4, 6)) for _ in range(ndim)]
    swaps = [(choose.randrange(ndim), choose.randrange(ndim)) for _ in range(3)]
    steps = tuple(slice(choose.choice((0, 0, 1)), None, choose.choice((1, 1, 2))) for _ in range(ndim))

    def strided(x):
        for pair in swaps:
            x = x.swapaxes(*pair)
        return x[steps]

    return shape, strided


def test_random_layouts():
    choose, twins = python_random.Random(0), Twins(13)
    for _ in range(400):
        shape, strided = random_layout(choose)
        twins.fill("float32", shape, "uniform_", strided=strided)
        theirs = torch.empty_like(strided(torch.empty(shape)))
        ours = strided(np.empty(shape))
        order = memory_order(ours)
        dense = np.empty([ours.shape[d] for d in order], np.float32).transpose(np.argsort(order))
        for our_stride, their_stride, size in zip(dense.strides, theirs.stride(), ours.shape):
            assert our_stride == 4 * their_stride or size <= 1 or not ours.size


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("probabilities", FLOATS)
def test_bernoulli_of_probabilities(layout, probabilities):
    twins = Twins(14)
    shape, strided = LAYOUTS[layout]
    for flipped in (False, True):
        theirs_p = torch.rand(shape, dtype=getattr(torch, probabilities))
        ours_p = (theirs_p.float() if probabilities == "bfloat16" else theirs_p).numpy().astype(dtype_of(probabilities))
        if strided is not None:
            theirs_p, ours_p = strided(theirs_p), strided(ours_p)
        if flipped:  # a dense output, in another order than the probabilities
            ours, theirs = np.empty(ours_p.shape, ours_p.dtype), torch.bernoulli(theirs_p, generator=twins.generator)
        else:
            ours, theirs = np.zeros(shape, np.int32), torch.zeros(shape, dtype=torch.int32)
            if strided is not None:
                ours, theirs = strided(ours), strided(theirs)
            theirs.bernoulli_(theirs_p, generator=twins.generator)
        twins.check(core.fill_bernoulli(twins.engine, ours, ours_p), theirs)
    row = torch.rand(6)
    theirs = torch.zeros(5, 6).bernoulli_(row, generator=twins.generator)
    twins.check(core.fill_bernoulli(twins.engine, np.zeros((5, 6), np.float32), row.numpy()), theirs)
    theirs = torch.zeros(core.CHUNK, 3).bernoulli_(row[:3], generator=twins.generator)
    twins.check(core.fill_bernoulli(twins.engine, np.zeros((core.CHUNK, 3), np.float32), row[:3].numpy()), theirs)


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
        assert core.fma64(a, b, c).tolist() == expected
        doubtful = (np.arange(1.0, 4000.0) * 2.0**40 + 1) * 2.0**-52  # products that end just beside a midpoint
        expected = [float(Fraction(x) * Fraction(b) + Fraction(c)) for x in doubtful.tolist()]
        assert core.fma64(doubtful, b, c).tolist() == expected


def test_fma32_rounds_once():
    generator = np.random.default_rng(2)
    from fractions import Fraction

    a = (generator.integers(0, 1 << 24, 4000) * 2.0**-24).astype(np.float32)
    for b, c in ((1 + 2**-23, 2**-30), (1.5, 2.0**24), (3.0, -(2.0**23)), (2**-24, 1 + 2**-23), (0.4, -0.1)):
        b, c = np.float32(b), np.float32(c)
        for value, got in zip(a.tolist(), core.fma32(a, b, c, np.empty_like(a)).tolist()):
            exact = Fraction(value) * Fraction(float(b)) + Fraction(float(c))
            near = np.float32(got)
            gaps = [
                abs(Fraction(float(x)) - exact)
                for x in (np.nextafter(near, np.float32(-np.inf)), near, np.nextafter(near, np.float32(np.inf)))
            ]
            assert gaps[1] <= min(gaps[0], gaps[2])


@pytest.mark.parametrize("name", ("log", "log1p", "exp", "tan", "sin", "cos"))
@pytest.mark.parametrize("route", (core.libm, core._numpy_shifted, core._python_loop), ids=lambda f: f.__name__)
def test_libm(name, route):
    x = np.random.default_rng(3).random(20000)
    x *= {"log1p": -1, "log": 1}.get(name, 6.28)
    assert route(name, x).tolist() == [getattr(math, name)(value) for value in x.tolist()]
