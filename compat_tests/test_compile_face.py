"""torch.compile as programs meet it: what it takes and refuses, backends, compiled modules, counters, symbolic sizes."""

import math
import pickle

import pytest
import torch
import torch._dynamo.testing
from both import BOTH, same, same_outcome

import lucid
import lucid._dynamo.testing

pytestmark = pytest.mark.filterwarnings("ignore:Guards may run slower on Python 3.13.0")  # torch's


@pytest.fixture(autouse=True)
def fresh():
    for m in BOTH:
        m._dynamo.reset()


def counted(m, f, *calls, **how):
    """f compiled and called: ([results], graphs)."""
    counter = m._dynamo.testing.CompileCounter()
    compiled = m.compile(f, backend=counter, **how)
    return [compiled(*call) for call in calls], counter.frame_count, counter.op_count


# ---- how it is called


def test_forms():
    def program(m):
        def f(x):
            return x.sin() + 1

        x = m.arange(3.0)
        yield m.compile(f, backend="eager")(x)
        yield m.compile(backend="eager")(f)(x)
        yield m.compile(f, backend="eager", fullgraph=True, dynamic=False)(x)
        yield m.compile(f, disable=True) is f
        yield m.compile(f, backend="eager").__name__
        yield m.compile(m.compile(f, backend="eager"), backend="eager")(x)
        yield type(m.compile(m.nn.Linear(2, 2), backend="eager")).__name__

        class Callable:
            def __call__(self, x):
                return x * 2

        yield m.compile(Callable(), backend="eager")(x)
        yield m.compile(m.nn.functional.relu, backend="eager")(x - 1)

    same(lambda m: list(program(m)), rtol=1e-6)


@pytest.mark.parametrize(
    "how",
    [
        dict(mode="no such"),
        dict(mode="default", options={"trace": True}),
        dict(backend="no such"),
    ],
    ids=str,
)
def test_refusals(how):
    def program(m):
        return m.compile(lambda x: x + 1, **how)(m.ones(2))

    want, got = (pytest.raises(Exception, program, m) for m in BOTH)
    assert type(got.value).__name__ == type(want.value).__name__
    assert str(got.value).split(",")[0] == str(want.value).split(",")[0]


def test_unsupported_says_where():
    def program(m):
        def f(x):
            y = x + 1
            if y.sum() > 0:
                y = y * 2
            return y

        with pytest.raises(m._dynamo.exc.Unsupported) as caught:
            m.compile(f, backend="eager", fullgraph=True)(m.ones(2))
        return "from user code:" in str(caught.value) and "test_compile_face.py" in str(caught.value)

    same(program)


def test_backends():
    def program(m):
        seen = []

        @m._dynamo.register_backend(name=f"mine_{m.__name__}")
        def mine(gm, inputs):
            seen.append(([n.op for n in gm.graph.nodes], [tuple(t.shape) for t in inputs]))
            return gm.forward

        m.compile(lambda x, y: x @ y, backend=f"mine_{m.__name__}")(m.ones(2, 3), m.ones(3, 4))
        assert f"mine_{m.__name__}" in m._dynamo.list_backends()
        assert m._dynamo.lookup_backend(f"mine_{m.__name__}") is mine
        return seen

    same(program)


def test_a_backend_that_fails():
    def program(m):
        def bad(gm, inputs):
            raise ValueError("no")

        with pytest.raises(m._dynamo.exc.BackendCompilerFailed) as caught:
            m.compile(lambda x: x + 1, backend=bad)(m.ones(2))
        return "backend='bad' raised:\nValueError: no" in str(caught.value), type(caught.value.inner_exception).__name__

    same(program)


# ---- compiled modules


def test_modules():
    def program(m):
        class Net(m.nn.Module):
            scale = 3

            def __init__(self):
                super().__init__()
                self.a = m.nn.Linear(2, 3)
                self.register_buffer("seen", m.zeros(()))

            def forward(self, x):
                self.seen += 1
                return self.a(x) * self.scale

            def other(self):
                return "other"

        m.manual_seed(0)
        net = Net()
        compiled = m.compile(net, backend="eager")
        x = m.ones(1, 2)
        assert m.allclose(compiled(x), net.a(x) * 3)
        yield list(compiled.state_dict()), list(dict(compiled.named_parameters())), compiled._orig_mod is net
        yield compiled.other(), compiled.scale, compiled.a is net.a, compiled.seen.item(), isinstance(compiled, Net)
        compiled.scale = 5
        yield net.scale, compiled.scale
        yield compiled.training, compiled.eval().training, net.training, compiled.train().training, net.training
        compiled.load_state_dict(compiled.state_dict())
        counter = m._dynamo.testing.CompileCounter()
        net.compile(backend=counter)
        net(x)
        yield counter.frame_count
        yield list(net.state_dict()), type(net).__name__, m.allclose(net(x), net.a(x) * 5)
        yield [n for n, _ in compiled.named_modules()]
        compiled.register_forward_hook(lambda *a: None)
        compiled(x)

    same(lambda m: list(program(m)))


def test_pickling_of_a_module_that_compiled_itself():
    model = lucid.nn.Linear(2, 2)
    model.compile(backend="eager")
    model(lucid.ones(1, 2))
    copy = pickle.loads(pickle.dumps(model))
    assert lucid.equal(copy(lucid.ones(1, 2)), model(lucid.ones(1, 2)))


# ---- how often


SIZES = {
    "one dimension": [((4, 3),), ((5, 3),), ((6, 3),), ((7, 3),)],
    "both": [((4, 3),), ((5, 4),), ((6, 5),)],
    "one after the other": [((4, 3),), ((5, 3),), ((6, 4),), ((7, 5),)],
    "to one": [((4, 3),), ((5, 3),), ((1, 3),), ((6, 3),)],
    "rank": [((4, 3),), ((4,),), ((5,),)],
}
FUNCTIONS = {
    "pointwise": lambda m, x: x.sin() + 1,
    "view": lambda m, x: x.reshape(-1, x.shape[-1])[1:],
    "number": lambda m, x: x * x.shape[0] / x.size(-1),
    "branch": lambda m, x: x + 1 if x.shape[0] > 5 else x - 1,
    "flat": lambda m, x: x.flatten()[: x.numel() // 2],
    "zeros": lambda m, x: m.cat([x, m.zeros(x.shape)]),
    "answer": lambda m, x: (x + 1, x.shape[0] + 1),
    "softmax": lambda m, x: x.softmax(-1).sum(0),
}


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dynamic", [None, True, False])
def test_sizes(name, sizes, dynamic):
    def program(m):
        calls = [(m.arange(float(torch.Size(s).numel())).reshape(s),) for (s,) in SIZES[sizes]]
        f = FUNCTIONS[name]
        results, graphs, _ = counted(m, lambda x: f(m, x), *calls, dynamic=dynamic)
        return results, graphs

    same(program, rtol=1e-6, looks="")


@pytest.mark.parametrize(
    "numbers", [(2, 3, 4, 5), (0, 1, 2, 3), (2.5, 3.5, 4.5), (True, False, True), (2, 2.0, 3)], ids=str
)
def test_numbers(numbers):
    def program(m):
        return counted(m, lambda x, n: x * n + 1, *[(m.ones(3), n) for n in numbers])[:2]

    same(program, looks="")


def test_marks():
    def program(m):
        f = FUNCTIONS["pointwise"]
        calls = [(m.ones(n, 3),) for n in (4, 5, 6)]
        m._dynamo.mark_dynamic(calls[0][0], 0)
        yield counted(m, lambda x: f(m, x), *calls)[1]
        m._dynamo.reset()
        calls = [(m.ones(n, 3),) for n in (4, 5, 6)]
        for (t,) in calls:
            m._dynamo.mark_static(t, 0)
        yield counted(m, lambda x: f(m, x), *calls)[1]

    same(lambda m: list(program(m)))


def test_the_limit_of_recompiles():
    def program(m):
        calls = [(m.ones(2), str(n)) for n in range(12)]
        counter = m._dynamo.testing.CompileCounter()
        compiled = m.compile(lambda x, s: x + len(s) + int(s), backend=counter)
        results = [compiled(*c) for c in calls]
        return results, counter.frame_count

    same(program, looks="", quiet=True)


def test_config():
    def program(m):
        config = m._dynamo.config
        with config.patch(recompile_limit=2):
            yield config.recompile_limit
            yield counted(m, lambda x, s: x + len(s), *[(m.ones(2), "a" * n) for n in range(5)])[1]
        yield config.recompile_limit
        with config.patch({"automatic_dynamic_shapes": False}):
            yield counted(m, lambda x: x + 1, *[(m.ones(n),) for n in (2, 3, 4)])[1]

    same(lambda m: list(program(m)), quiet=True)


def test_settings_that_torch_has():
    def program(m):
        config = m._dynamo.config
        config.cache_size_limit = 5
        yield config.recompile_limit, config.cache_size_limit
        config.recompile_limit = 8
        for change in (
            lambda: setattr(config, "no_such", 1),
            lambda: config.no_such,
            lambda: config.patch(no_such=1).__enter__(),
        ):
            try:
                change()
            except AttributeError as error:
                yield str(error)

    same(lambda m: list(program(m)))
    for name, entry in torch._dynamo.config._config.items():
        if name in vars(lucid._dynamo.config) and name not in ("base_dir", "debug_dir_root"):
            assert getattr(lucid._dynamo.config, name) == entry.default, name


def test_stances():
    def program(m):
        counter = m._dynamo.testing.CompileCounter()
        compiled = m.compile(lambda x: x + 1, backend=counter)
        with m.compiler.set_stance("force_eager"):
            compiled(m.ones(2))
            yield counter.frame_count
        compiled(m.ones(2))
        with m.compiler.set_stance("eager_on_recompile"):
            compiled(m.ones(3))
            yield counter.frame_count
        with m.compiler.set_stance("fail_on_recompile"):
            compiled(m.ones(2))
            try:
                compiled(m.ones(3))
            except RuntimeError as error:
                yield "fail_on_recompile" in str(error)

    same(lambda m: list(program(m)))


def test_explain():
    def program(m):
        def f(x):
            y = x + 1
            print("between")
            return y * 2 + x

        told = m._dynamo.explain(f)(m.ones(2))
        return told.graph_count, told.graph_break_count, told.op_count, len(told.ops_per_graph)

    same(program)


def test_is_compiling():
    def program(m):
        def f(x):
            return x + (1 if m.compiler.is_compiling() else 2)

        return f(m.ones(2)), m.compile(f, backend="eager")(m.ones(2)), m.compiler.is_compiling()

    same(program)


def test_disable_and_breaks():
    def program(m):
        @m.compiler.disable
        def aside(x):
            return x * 3

        @m._dynamo.disable(recursive=False)
        def other(x):
            return x - 1

        def f(x):
            y = aside(x + 1)
            m._dynamo.graph_break()
            return other(y) + 1

        return counted(m, f, (m.ones(2),))[:2]

    same(program, looks="")


def test_allowed_functions_are_nodes():
    def program(m):
        def own(x):
            return x.sin().cos()

        m.compiler.allow_in_graph(own)
        return counted(m, lambda x: own(x) + 1, (m.ones(2),))

    same(program, rtol=1e-6, looks="")


def test_results_that_are_constants():
    def program(m):
        asked = []

        @m.compiler.assume_constant_result
        def size():
            asked.append(1)
            return len(asked) + 2

        results, graphs, _ = counted(m, lambda x: x * size(), (m.ones(2),), (m.ones(2),), fullgraph=True)
        return results, graphs, len(asked)

    same(program, looks="")


def test_functions_of_numpy_arrays():
    def program(m):
        import numpy

        return m.compiler.wrap_numpy(lambda x, y: numpy.sum(x * y, axis=0))(m.ones(2, 3), m.ones(3))

    same(program, looks="")


def test_a_zero_and_a_negative_one():
    """They are equal; a function may tell them apart all the same."""
    f = lucid.compile(lambda x, k: x * math.copysign(1.0, k) + k, backend="eager")
    for k in (2.5, 1.5, 0.0, -0.0, 3.5, -0.0):
        assert f(lucid.ones(1), k).item() == math.copysign(1.0, k) + k, k


def test_operators_of_functions_are_in_the_graph():
    def program(m):
        w = m.arange(3.0)
        hop = m._higher_order_ops

        def choose(x, y):
            return m.cond(x.sum() > 3, lambda a: a * w + y, lambda a: a.sin(), (x,)) + 1

        def repeat(x):
            return hop.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2), (m.tensor(0), x))

        def along(x):
            return hop.scan(lambda c, v: (c + v, c * v), m.zeros(2), x)

        def each(x):
            return hop.map(lambda v, k: v * k, x, m.ones(2))

        calls = [
            (choose, m.ones(3), m.ones(3)),
            (choose, m.zeros(3), m.ones(3)),
            (repeat, m.ones(3)),
            (along, m.ones(3, 2)),
            (each, m.ones(3, 2)),
        ]
        for f, *args in calls:
            yield counted(m, f, args, fullgraph=True)[:2]
        x = m.ones(3, requires_grad=True)
        m.compile(choose, backend="eager")(x, m.ones(3)).sum().backward()
        yield x.grad

    same(lambda m: list(program(m)), rtol=1e-6, looks="")


def test_recompiles_for_every_reason():
    def program(m):
        def f(x, how, flag=None):
            y = x + 1 if flag else x - 1
            return y * how["n"] + len(how)

        x = m.ones(3)
        with m.no_grad():
            inside = counted(m, f, (x, {"n": 1}))[1]
        m._dynamo.reset()
        counter = m._dynamo.testing.CompileCounter()
        compiled = m.compile(f, backend=counter)
        compiled(x, {"n": 1})
        yield inside, counter.frame_count
        for args in [
            (x, {"n": 1}),
            (x, {"n": 1, "m": 2}),
            (x.double(), {"n": 1}),
            (x.clone().requires_grad_(), {"n": 1}),
            (x, {"n": 1}, True),
            (m.ones(6)[::2], {"n": 1}),
        ]:
            compiled(*args)
            yield counter.frame_count
        with m.no_grad():
            compiled(x, {"n": 1})
        yield counter.frame_count

    same(lambda m: list(program(m)))


def test_random_numbers_are_eagers():
    def f(x):
        noise = lucid.rand(3)
        return lucid.nn.functional.dropout(x + noise, 0.5) * lucid.randn_like(x)

    results = []
    for call in (f, lucid.compile(f, backend="eager")):
        lucid.manual_seed(3)
        results.append((call(lucid.ones(3)), lucid.rand(2)))
    assert all(lucid.equal(a, b) for a, b in zip(*results))


def test_errors_of_the_program():
    def program(m):
        def f(x, log):
            log.append(1)
            raise KeyError("mine")

        log = []
        try:
            m.compile(f, backend="eager")(m.ones(2), log)
        except KeyError as error:
            return error.args, log

    same_outcome(program)


def test_logs(capfd):
    lucid._dynamo.logs.set_logs(graph_code=True, guards=True, recompiles=True, graph_breaks=True)
    try:

        @lucid.compile(backend="eager")
        def f(x):
            y = x + 1
            print("out")
            return y * 2

        f(lucid.ones(2))
        f(lucid.ones(3))
    finally:
        lucid._dynamo.logs.set_logs()
    told = capfd.readouterr().err
    assert "[__graph_code]" in told and "tensor 'x' size mismatch at index 0. expected 2, actual 3" in told
    assert "Graph Break Reason: call of print()" in told and "y = x + 1" in told
