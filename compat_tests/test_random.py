"""Random tensors beside torch: the same bits, layouts, graphs, errors, and the same generator afterwards."""

import copy
import pickle

import numpy as np
import pytest
import torch
from both import DRAWN, close, same, same_outcome

import lucid

REALS = "float32 float64 float16 bfloat16".split()
OTHERS = "uint8 int8 int16 int32 int64 bool uint16 uint32 uint64 complex64 complex128".split()
FILLS = {
    "uniform_": [(), (-0.5, 2.0), (1, 0), (0.0, float("inf")), (-3e38, 3e38)],
    "normal_": [(), (1.5, 0.3), (0, -1)],
    "exponential_": [(), (2.5,), (0,), (-1,), (float("inf"),)],
    "cauchy_": [(), (1.0, 0.2), (0, -1)],
    "log_normal_": [(), (0.1, 0.4), (0, 0)],
    "geometric_": [(0.3,), (0,), (1,)],
    "bernoulli_": [(), (0.2,), (1.5,), ("a",)],
    "random_": [
        (),
        (5,),
        (2, 9),
        (-3, None),
        (-(2**63), None),
        (3, 3),
        (0, 300),
        (-1, 30),
        (0, 2**27),
        (0, 2**40),
        (1.5,),
        (1, 2, 3),
    ],
}


@pytest.mark.parametrize("name", FILLS)
@pytest.mark.parametrize("dtype", REALS + OTHERS)
@pytest.mark.filterwarnings("ignore:.*is out of bounds")
def test_fill(name, dtype):
    for args in FILLS[name]:
        for shape in ((), (3,), (40,), (5, 7), (0, 2)):

            def filled(m, args=args, shape=shape):
                return getattr(m.zeros(shape, dtype=getattr(m, dtype)), name)(*args)

            same_outcome(filled, name=(name, dtype, args, shape), rtol=DRAWN)


@pytest.mark.parametrize("name", FILLS)
def test_fill_layout_and_graph(name):
    args = FILLS[name][0]
    same(lambda m: getattr(m.zeros(4, 6).t(), name)(*args))
    same(lambda m: getattr(m.zeros(4, 6)[:, ::2], name)(*args))
    same_outcome(lambda m: getattr(m.zeros(4, 6).expand(2, 4, 6), name)(*args))
    same_outcome(lambda m: getattr(m.ones(3, requires_grad=True), name)(*args))

    def through(m):
        w = m.ones(4, requires_grad=True)
        x = w * 2
        y = getattr(x, name)(*args)
        version = x._version
        (y.sum() + w.sum()).backward()
        return y is x, version, y, w.grad

    same(through)

    def view(m):
        x = m.ones(4, requires_grad=True) * 2
        getattr(x[1:3], name)(*args)
        return x.grad_fn.name(), x

    same(view)


def test_fill_unrecorded_on_a_leaf():
    def program(m):
        w = m.ones(3, requires_grad=True)
        with m.no_grad():
            w.normal_()
        return w, w._version, w.is_leaf

    same(program)


def test_stale_saved_value():
    def program(m):
        w = m.ones(3, requires_grad=True)
        x = w * 1
        y = x * x
        x.uniform_()
        y.sum().backward()

    same_outcome(program)


FACTORIES = {
    "rand": lambda m: m.rand(3, 4),
    "rand tuple": lambda m: m.rand((3, 4)),
    "rand size": lambda m: m.rand(size=(2,)),
    "rand 0-dim": lambda m: m.rand(()),
    "rand double": lambda m: m.rand(40, dtype=m.float64),
    "rand leaf": lambda m: m.rand(2, requires_grad=True),
    "rand complex": lambda m: m.rand(3, dtype=m.complex64),
    "rand out": lambda m: m.rand(3, out=m.empty(2)),
    "rand out double": lambda m: m.rand(3, out=m.empty(3, dtype=m.float64)),
    "rand long": lambda m: m.rand(2, dtype=m.int64),
    "rand negative": lambda m: m.rand(-1),
    "rand nothing": lambda m: m.rand(),
    "randn": lambda m: m.randn(3, 4),
    "randn odd": lambda m: (m.randn(3), m.randn(3)),
    "randn long": lambda m: m.randn(2, dtype=m.int64),
    "randn complex": lambda m: m.randn(3, 6, dtype=m.complex128),
    "randn half": lambda m: m.randn(33, dtype=m.float16),
    "randint": lambda m: m.randint(5, (4,)),
    "randint low": lambda m: m.randint(-3, 5, (4,)),
    "randint kw": lambda m: m.randint(low=2, high=5, size=(3,), dtype=m.float16),
    "randint high kw": lambda m: m.randint(high=5, size=(2,)),
    "randint empty": lambda m: m.randint(5, 5, (2,)),
    "randint no size": lambda m: m.randint(0, 5),
    "randint int size": lambda m: m.randint(0, 5, 2),
    "randint leaf": lambda m: m.randint(5, (2,), requires_grad=True),
    "randint float leaf": lambda m: m.randint(5, (2,), requires_grad=True, dtype=m.float32),
    "randint byte": lambda m: m.randint(0, 300, (2,), dtype=m.uint8),
    "randint float": lambda m: m.randint(0.5, 3, (2,)),
    "randint tensor": lambda m: m.randint(0, m.tensor(3), (2,)),
    "randint bool": lambda m: m.randint(0, 2, (9,), dtype=m.bool),
    "randint list": lambda m: m.randint(0, 9, [2, 3]),
    "randint generator": lambda m: m.randint(9, (3,), generator=m.Generator()),
    "randperm": lambda m: m.randperm(20),
    "randperm long": lambda m: m.randperm(1000),
    "randperm float": lambda m: m.randperm(5, dtype=m.float32),
    "randperm bool": lambda m: m.randperm(5, dtype=m.bool),
    "randperm half": lambda m: m.randperm(3000, dtype=m.float16),
    "randperm byte": lambda m: m.randperm(300, dtype=m.uint8),
    "randperm negative": lambda m: m.randperm(-1),
    "randperm real": lambda m: m.randperm(3.0),
    "randperm out": lambda m: m.randperm(3, out=m.empty(3, dtype=m.int32)),
    "randperm resized": lambda m: m.randperm(5, out=m.empty(2, dtype=m.int64)),
    "randperm leaf": lambda m: m.randperm(3, requires_grad=True),
    "rand_like": lambda m: m.rand_like(m.ones(2, 3).t()),
    "rand_like long": lambda m: m.rand_like(m.ones(3, dtype=m.int64)),
    "rand_like double": lambda m: m.rand_like(m.ones(3, dtype=m.int64), dtype=m.float64),
    "rand_like number": lambda m: m.rand_like(3),
    "randn_like": lambda m: m.randn_like(m.ones(2, 3, 4, 5), memory_format=m.channels_last),
    "randn_like graph": lambda m: m.randn_like(m.ones(3, requires_grad=True) * 2),
    "randn_like leaf": lambda m: m.randn_like(m.ones(3), requires_grad=True),
    "randint_like": lambda m: m.randint_like(m.ones(3), 5),
    "randint_like low": lambda m: m.randint_like(m.ones(3), 2, 5),
    "randint_like kw": lambda m: m.randint_like(m.ones(3), low=2, high=5),
    "randint_like high": lambda m: m.randint_like(m.ones(3), high=5),
    "normal": lambda m: m.normal(1.0, 0.5, (20,)),
    "normal ints": lambda m: m.normal(0, 1, (3,)),
    "normal kw": lambda m: m.normal(mean=0, std=1, size=[3, 2]),
    "normal leaf": lambda m: m.normal(1.0, 0.5, (3,), requires_grad=True),
    "normal double": lambda m: m.normal(0.0, 1.0, (3,), dtype=m.float64),
    "normal out": lambda m: m.normal(0.0, 1.0, (3,), out=m.empty(3)),
    "normal negative": lambda m: m.normal(1.0, -0.5, (3,)),
    "normal nothing": lambda m: m.normal(1.0, 0.5),
    "normal tf": lambda m: m.normal(m.arange(20.0), 0.5),
    "normal t": lambda m: m.normal(m.arange(3.0)),
    "normal ft": lambda m: m.normal(1.0, m.arange(20.0)),
    "normal tt": lambda m: m.normal(m.arange(3.0), m.ones(2, 1)),
    "normal mixed": lambda m: m.normal(m.ones(3), m.ones(3, dtype=m.float64) / 3),
    "normal mixed2": lambda m: m.normal(m.ones(3, dtype=m.float64), m.ones(3) / 3),
    "normal half": lambda m: m.normal(m.ones(30).half() / 3, m.ones(30).half() / 3),
    "normal complex": lambda m: m.normal(m.zeros(3, dtype=m.complex64), m.ones(3)),
    "normal complex std": lambda m: m.normal(0.0, m.ones(3, dtype=m.complex64)),
    "normal long": lambda m: m.normal(m.ones(3, dtype=m.int64), 1.0),
    "normal bad shapes": lambda m: m.normal(m.ones(3), m.ones(2)),
    "normal negative t": lambda m: m.normal(0.0, -m.ones(3)),
    "normal tt out": lambda m: m.normal(m.ones(3), m.ones(3), out=m.empty(0)),
    "bernoulli": lambda m: m.bernoulli(m.linspace(0, 1, 30)),
    "bernoulli p": lambda m: m.bernoulli(m.ones(2, 30).t(), 0.3),
    "bernoulli double": lambda m: m.bernoulli(m.linspace(0, 1, 30, dtype=m.float64)),
    "bernoulli half": lambda m: m.bernoulli(m.linspace(0, 1, 30).half()),
    "bernoulli int": lambda m: m.bernoulli(m.ones(3, dtype=m.int64)),
    "bernoulli int p": lambda m: m.bernoulli(m.ones(3, dtype=m.int64), 0.5),
    "bernoulli 2": lambda m: m.bernoulli(m.full((2,), 2.0)),
    "bernoulli nan": lambda m: m.bernoulli(m.tensor([float("nan")])),
    "bernoulli out": lambda m: m.bernoulli(m.ones(3) / 2, out=m.empty(2)),
    "bernoulli out long": lambda m: m.bernoulli(m.ones(3) / 2, out=m.empty(3, dtype=m.int64)),
    "bernoulli t": lambda m: m.bernoulli(m.ones(2, 3).t() / 2),
    "bernoulli method": lambda m: (m.ones(3) / 2).bernoulli(p=0.2, generator=None),
    "bernoulli tensors": lambda m: m.bernoulli(m.ones(3), m.ones(3)),
    "bernoulli_ tensor": lambda m: m.zeros(2, 30).bernoulli_(m.linspace(0, 1, 30)),
    "bernoulli_ double": lambda m: m.zeros(30).bernoulli_(m.linspace(0, 1, 30, dtype=m.float64)),
    "bernoulli_ shape": lambda m: m.zeros(3).bernoulli_(m.ones(2, 3)),
    "bernoulli_ long p": lambda m: m.zeros(3).bernoulli_(m.ones(3, dtype=m.int64)),
    "bernoulli_ strided": lambda m: m.zeros(4, 6).t().bernoulli_(m.linspace(0, 1, 24).reshape(6, 4)),
    "multinomial": lambda m: m.multinomial(m.arange(1.0, 11.0), 4),
    "multinomial rows": lambda m: m.multinomial(m.ones(3, 5), 2),
    "multinomial one": lambda m: m.multinomial(m.ones(3, 5), 1, True),
    "multinomial many": lambda m: m.multinomial(m.ones(3, 5), 9, replacement=True),
    "multinomial half": lambda m: m.multinomial(m.ones(5).half(), 9, replacement=True),
    "multinomial too many": lambda m: m.multinomial(m.ones(3), 4),
    "multinomial none": lambda m: m.multinomial(m.ones(3), 0),
    "multinomial 3-D": lambda m: m.multinomial(m.ones(2, 3, 4), 1),
    "multinomial 0-D": lambda m: m.multinomial(m.tensor(1.0), 1),
    "multinomial long": lambda m: m.multinomial(m.ones(3, dtype=m.int64), 1),
    "multinomial negative": lambda m: m.multinomial(-m.ones(3), 1),
    "multinomial zero": lambda m: m.multinomial(m.zeros(3), 1),
    "multinomial empty": lambda m: m.multinomial(m.ones(0, 3), 1),
    "multinomial out": lambda m: m.multinomial(m.ones(2, 3), 1, out=m.empty(0, dtype=m.int64)),
    "multinomial out float": lambda m: m.multinomial(m.ones(2, 3), 1, out=m.empty(0)),
    "multinomial method": lambda m: m.ones(3).multinomial(num_samples=2, replacement=True, generator=None),
    "poisson": lambda m: m.poisson(m.linspace(0, 40, 50)),
    "poisson half": lambda m: m.poisson(m.ones(9).half()),
    "poisson negative": lambda m: m.poisson(-m.ones(3)),
    "poisson long": lambda m: m.poisson(m.ones(3, dtype=m.int64)),
    "poisson nan": lambda m: m.poisson(m.tensor([float("nan")])),
    "binomial": lambda m: m.binomial(m.full((20,), 40.0), m.linspace(0, 1, 20)),
    "binomial 0-d": lambda m: m.binomial(m.ones(9), m.tensor(0.5)),
    "binomial mixed": lambda m: m.binomial(m.ones(3), m.ones(3, dtype=m.float64)),
    "binomial half": lambda m: m.binomial(m.ones(3).half(), m.ones(3).half()),
    "binomial shapes": lambda m: m.binomial(m.ones(3), m.ones(4)),
    "binomial long": lambda m: m.binomial(m.ones(3, dtype=m.int64), m.ones(3)),
    "gamma": lambda m: m._standard_gamma(m.linspace(0.1, 9, 40)),
    "gamma half": lambda m: m._standard_gamma(m.ones(3).half()),
    "dirichlet": lambda m: m._sample_dirichlet(m.linspace(0.1, 9, 40).reshape(8, 5)),
    "dirichlet bf16": lambda m: m._sample_dirichlet(m.ones(3, dtype=m.bfloat16)),
}


@pytest.mark.parametrize("name", FACTORIES)
def test_function(name):
    same_outcome(FACTORIES[name], name=name, rtol=DRAWN)


GRAPHS = {
    "bernoulli": lambda m, w: m.bernoulli(w / 2),
    "bernoulli p": lambda m, w: m.bernoulli(w, 0.5),
    "poisson": lambda m, w: m.poisson(w),
    "binomial": lambda m, w: m.binomial(w, w / 2),
    "normal 1": lambda m, w: m.normal(w, 1.0),
    "normal 2": lambda m, w: m.normal(0.0, w),
    "normal 3": lambda m, w: m.normal(w, w * 2),
    "bernoulli_": lambda m, w: m.ones(4).bernoulli_(w / 2),
    "bernoulli_ both": lambda m, w: (w * 1).bernoulli_(w / 2),
    "multinomial": lambda m, w: m.multinomial(w, 2),
    "dirichlet": lambda m, w: m._sample_dirichlet(w),
    "random_": lambda m, w: (w * 1).random_(3),
    "random_ from": lambda m, w: (w * 1).random_(1, 3),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_graph(name):
    def program(m):
        w = m.ones(4, requires_grad=True)
        y = GRAPHS[name](m, w)
        if y.requires_grad and "NotImplemented" not in type(y.grad_fn).__name__:
            return y, m.autograd.grad(y.sum(), w)
        return y

    same(program, name=name)


def test_gamma_moves_with_its_parameters():
    def program(m, dtype):
        alpha = m.tensor(np.exp(np.linspace(-4, 5, 300)), dtype=getattr(m, dtype), requires_grad=True)
        x = m._standard_gamma(alpha)
        return (
            m.autograd.grad(x.sum(), alpha)[0],
            m._standard_gamma_grad(alpha.detach(), x.detach()),
            type(x.grad_fn).__name__,
        )

    same(program, "float32")
    same(program, "float64", rtol=1e-10)


def test_gamma_moves_once():
    def program(m):
        alpha = m.ones(2, requires_grad=True)
        (g,) = m.autograd.grad(m._standard_gamma(alpha).sum(), alpha, create_graph=True)
        g.sum().backward()

    same_outcome(program)


def test_dirichlet_gradient():
    rng = np.random.RandomState(0)
    alpha = torch.tensor(np.exp(rng.uniform(-3, 5, (500, 3))))
    x, total = torch._sample_dirichlet(alpha), alpha.sum(-1, keepdim=True).expand_as(alpha)
    got = lucid._dirichlet_grad(*[lucid.tensor(t.contiguous().numpy()) for t in (x, alpha, total)])
    close(got, torch._dirichlet_grad(x, alpha, total), rtol=1e-9, atol=1e-12)


def test_missing_derivative():
    def program(m):
        w = m.ones(3, requires_grad=True)
        m.binomial(w, w).sum().backward()

    same_outcome(program)


GENERATORS = {
    "seed float": lambda m, g: g.manual_seed(3.5),
    "seed str": lambda m, g: g.manual_seed("a"),
    "seed tensor": lambda m, g: g.manual_seed(m.tensor(3)),
    "seed big": lambda m, g: g.manual_seed(2**64),
    "seed negative": lambda m, g: g.manual_seed(-5).initial_seed(),
    "device": lambda m, g: (g.device, m.Generator("cpu").device),
    "deepcopy": lambda m, g: copy.deepcopy(g),
    "clone": lambda m, g: g.clone_state(),
    "restored": lambda m, g: m.Generator().set_state(g.get_state()),
    "set float": lambda m, g: g.set_state(m.zeros(5)),
    "set short": lambda m, g: g.set_state(m.zeros(5, dtype=m.uint8)),
    "set int": lambda m, g: g.set_state(3),
    "offset": lambda m, g: g.get_offset(),
    "set offset": lambda m, g: g.set_offset(1),
    "graphsafe": lambda m, g: g.graphsafe_get_state(),
    "meta": lambda m, g: m.Generator("meta"),
    "global float": lambda m, g: m.manual_seed(3.5).initial_seed(),
    "global str": lambda m, g: m.manual_seed("a"),
    "global tensor": lambda m, g: m.manual_seed(m.tensor(3)).initial_seed(),
    "global big": lambda m, g: m.manual_seed(2**64),
    "global is default": lambda m, g: m.manual_seed(1) is m.default_generator,
    "initial": lambda m, g: m.initial_seed(),
    "random module": lambda m, g: (
        m.random.default_generator is m.default_generator,
        m.random.__all__,
        m.random.initial_seed(),
    ),
    "global set": lambda m, g: m.set_rng_state(3),
    "with generator": lambda m, g: (m.rand(3, generator=g), m.randn(3, generator=g), g),
}


@pytest.mark.parametrize("name", GENERATORS)
def test_generator(name):
    def program(m):
        g = m.Generator().manual_seed(4)
        m.randn(3, generator=g)
        return GENERATORS[name](m, g)

    same_outcome(program, name=name)


def test_generator_survives_pickling_and_forks():
    def program(m):
        g = m.Generator().manual_seed(4)
        m.randn(3, generator=g)
        again = pickle.loads(pickle.dumps(g))
        with m.random.fork_rng():
            m.manual_seed(7)
            inside = m.rand(3)
        return again, inside, m.rand(3)

    same(program)


def test_kept_normal_survives_seed_only_in_state():
    def program(m):
        m.randn(3)
        state = m.get_rng_state()
        first = m.randn(2)
        m.set_rng_state(state)
        return first, m.randn(2), m.manual_seed(5), m.randn(1)

    same(program)


def test_wrong_generator():
    with pytest.raises(TypeError, match="rand|uniform_"):
        lucid.rand(2, generator=3)


def test_modes_see_random_functions():
    class Marked(lucid.Tensor):
        seen = []

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            cls.seen.append(func.__name__)
            return lucid.zeros(1)

    x = lucid.ones(3).as_subclass(Marked)
    x.uniform_()
    lucid.rand_like(x)
    lucid.bernoulli(x)
    lucid.nn.functional.dropout(x)
    assert Marked.seen == ["uniform_", "rand_like", "bernoulli", "dropout"]
