"""Control flow as operators beside torch: cond, while_loop, scan, map, associative_scan; values, gradients, refusals."""

import importlib

import pytest
from both import attempt, same


def _ops(m):
    return importlib.import_module(f"{m.__name__}._higher_order_ops")


def _input(m, grad=True):
    return m.tensor([0.5, -1.5], requires_grad=grad)


def _graded(m, make):
    """A result, its nodes' names, and the gradient of its sum."""
    x = _input(m)
    result = make(x)
    leaves = m.utils._pytree.tree_leaves(result)
    total = sum(t.sum() for t in leaves if isinstance(t, m.Tensor) and t.requires_grad)
    names = [type(t.grad_fn).__name__ for t in leaves if isinstance(t, m.Tensor)]
    return result, names, m.autograd.grad(total, x)[0]


def _conds(m):
    yes, no = m.tensor(True), m.tensor([0.0])
    net = m.nn.Linear(2, 2)
    for pred in (yes, no):
        yield _graded(m, lambda x: m.cond(pred, lambda x: x.sin(), lambda x: x.cos() * 2, (x,)))
        yield _graded(m, lambda x: m.cond(pred, lambda a, b: a * b, lambda a, b: a - b, (x, x * 2)))
        yield _graded(m, lambda x: m.cond(pred, lambda: x * 3, lambda: x * x))
        yield _graded(
            m, lambda x: m.cond(pred, lambda d: d["a"] * d["b"][0], lambda d: d["a"].exp(), [{"a": x, "b": [x]}])
        )
        yield m.cond(pred, lambda x: (x + 1, {"k": x.sum()}), lambda x: (x - 1, {"k": x.prod()}), (_input(m, False),))
        x = _input(m)
        m.cond(pred, lambda x: net(x), lambda x: net(x).relu(), (x,)).sum().backward()
        yield x.grad, net.weight.grad
    yield m.cond(True, lambda x: x.sin(), lambda x: x.cos(), (_input(m),))
    yield (
        m.cond(0, lambda x: x, lambda x: [x], (_input(m),)),
        m.cond.__name__,
        m.cond.__module__.replace("lucid", "torch"),
    )
    x = _input(m)
    yield m.cond(x.sum() > 0, lambda x: x * 2, lambda x: m.cond(x[0] > 0, lambda x: x * 3, lambda x: x * 4, (x,)), (x,))


def _loops(m):
    def pair(i, x):
        return i + 1, x * 2

    for start in (m.tensor(0), 0, m.tensor(5)):
        yield m.while_loop(lambda i, x: i < 3, pair, (start, _input(m, False)))
    yield m.while_loop(lambda d: d["i"] < 3, lambda d: ({"i": d["i"] + 1},), ({"i": m.tensor(0)},))
    x = _input(m)
    result = m.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x.sin()), (m.tensor(0), x))
    result[1].sum().backward()
    yield result, type(result[1].grad_fn).__name__, x.grad


def _scans(m):
    scan = _ops(m).scan
    xs = m.arange(6.0).reshape(3, 2)

    def add(c, x):
        c = c + x
        return c, c * 2

    for how in ({}, {"reverse": True}):
        yield (
            scan(add, m.zeros(2), xs, **how),
            scan(add, m.zeros(3), xs, dim=1, **how),
            scan(add, m.zeros(3), xs, dim=-1),
        )
    yield _graded(m, lambda x: scan(add, x, xs)), _graded(m, lambda x: scan(add, m.zeros(2), xs * x, reverse=True))
    yield _graded(m, lambda x: scan(lambda c, y: (c * y * x, c + x), m.ones(2), xs + 1))
    yield scan(
        lambda c, x: ({"s": c["s"] + x["a"]}, (x["a"] * 2, x["b"] + 1)), {"s": m.zeros(2)}, {"a": xs, "b": m.ones(3)}
    )
    yield scan(add, m.zeros(2), [])


def _maps(m):
    run = _ops(m).map
    xs = m.arange(6.0).reshape(3, 2)
    yield run(lambda x: x.sin(), xs), run(lambda x, y: x * y, xs, m.ones(2)), run(lambda x: [x + 1, {"k": x.sum()}], xs)
    yield _graded(m, lambda x: run(lambda v: v * v, x)), _graded(m, lambda x: run(lambda v, w: v * w, xs, x))
    yield _graded(m, lambda x: run(lambda d, y: {"r": d["a"] * y + d["b"][0]}, {"a": xs, "b": [xs + 1]}, x))
    yield _graded(m, lambda x: run(lambda v: v * x, xs))


def _associative(m):
    scan, xs = _ops(m).associative_scan, m.linspace(-1, 1, 14).reshape(7, 2)

    def product(a, b):
        return a * b

    for dim in (0, 1, -1):
        for reverse in (False, True):
            yield scan(lambda a, b: a + b, xs, dim, reverse, combine_mode="generic")
            yield scan(product, xs[:6], dim, reverse=reverse, combine_mode="generic")

    def linear(a, b):
        return {"k": a["k"] * b["k"], "v": b["k"] * a["v"] + b["v"]}

    yield scan(linear, {"k": xs, "v": xs.cos()}, 0, combine_mode="generic")
    x = m.linspace(0.5, 1.5, 5).requires_grad_()
    out = scan(product, x, 0, combine_mode="generic")
    out.sum().backward()
    yield out.detach(), x.grad


def _refusals(m):
    ops, x, xs = _ops(m), _input(m, False), m.arange(6.0).reshape(3, 2)
    yes = m.tensor(True)
    scan, assoc, loop = ops.scan, ops.associative_scan, m.while_loop

    def add(c, x):
        return c + x, c * 2

    def fails(x):
        raise ValueError("no")

    calls = [
        lambda: m.cond("a", m.sin, m.cos, (x,)),
        lambda: m.cond(m.tensor([True, False]), m.sin, m.cos, (x,)),
        lambda: m.cond(yes, 3, m.cos, (x,)),
        lambda: m.cond(yes, m.sin, m.cos, x),
        lambda: m.cond(yes, m.sin, m.cos, (1,)),
        lambda: loop(3, lambda i: i, (x,)),
        lambda: loop(lambda i: i < 3, lambda i: (i + 1,), ("a",)),
        lambda: scan(add, (), x),
        lambda: scan(3, x, x),
        lambda: scan(add, x, xs, dim=3),
        lambda: scan(add, x, m.ones(0, 2)),
        lambda: scan(add, x, xs, reverse=1),
        lambda: scan(add, 1.0, xs),
        lambda: ops.map(m.sin, 3),
        lambda: ops.map(m.sin, m.ones(0, 2)),
        lambda: ops.map(lambda v: v[0] + v[1], [xs, x]),
        lambda: assoc(m.add, xs, 0),
        lambda: assoc(m.add, xs, 5, combine_mode="generic"),
        lambda: assoc(m.add, xs, 0, combine_mode="x"),
        lambda: assoc(3, xs, 0, combine_mode="generic"),
        lambda: assoc(m.add, xs, 0, reverse=1, combine_mode="generic"),
        lambda: assoc(m.add, m.ones(0, 2), 0, combine_mode="generic"),
    ]
    yield [attempt(call) for call in calls]
    # refused while the functions are captured in torch, while they run here: the class of the error
    captured = [
        lambda: m.cond(yes, lambda x: x, lambda x: x.sin(), (x,)),
        lambda: m.cond(yes, lambda x: x[:1], lambda x: x[:1] * 1, (x,)),
        lambda: m.cond(yes, lambda x: None, lambda x: None, (x,)),
        lambda: m.cond(yes, lambda x: x.add_(1), lambda x: x.sin(), (x,)),
        lambda: m.cond(yes, fails, lambda x: x.sin(), (x,)),
        lambda: m.cond(yes, lambda x, y: x.sin(), lambda x: x.sin(), (x,)),
        lambda: loop(lambda i, x: x < 0, lambda i, x: (i + 1, x * 2), (m.tensor(0), x)),
        lambda: loop(lambda i, x: i < 3, lambda i, x: (i + 1, x.sum()), (m.tensor(0), x)),
        lambda: loop(lambda i, x: i < 3, lambda i, x: (i + 1, x.double()), (m.tensor(0), x)),
        lambda: loop(lambda i, x: i < 3, lambda i, x: (i + 1,), (m.tensor(0), x)),
        lambda: loop(lambda i, x: i < 3, lambda i, x: (i + 1, x), (m.tensor(0), x)),
        lambda: scan(lambda c, x: (c.sum(), x * 1), x, xs),
        lambda: scan(lambda c, y: (c + y, y), x, xs),
        lambda: ops.map(lambda x: x, xs),
        lambda: ops.map(lambda x: 1, xs),
    ]
    yield [type(attempt(call)).__name__ for call in captured]


def _operators(m):
    named = m.ops.higher_order
    import copy

    for name in ("cond", "while_loop", "scan", "map_impl", "associative_scan", "wrap"):
        op = getattr(named, name)
        yield str(op), op.__name__, op.__module__, op.name(), op.namespace, copy.deepcopy(op) is op
    wrap = importlib.import_module(f"{m.__name__}._higher_order_ops.wrap").wrap
    yield wrap(lambda x: x.sin(), _input(m, False)), type(attempt(m.cond, *_proxied(m))).__name__
    graph = m.fx.Graph()
    x = graph.placeholder("x")
    branches = [graph.get_attr(f"cond_{name}_0") for name in ("true", "false")]
    graph.output(graph.call_function(named.cond, (x, *branches, (x,))))
    members = {node.target: m.fx.symbolic_trace(f) for node, f in zip(branches, (m.nn.ReLU(), m.nn.Tanh()))}
    gm = m.fx.GraphModule(members, graph)
    yield gm.code, gm(m.tensor([2.0])), str(gm.graph)


def _proxied(m):
    return m.fx.Proxy(m.fx.Graph().placeholder("p")), m.sin, m.cos, (_input(m),)


PROGRAMS = [_conds, _loops, _scans, _maps, _associative, _refusals, _operators]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__.strip("_"))
def test_program(program):
    same(program, quiet=True, rtol=1e-5, atol=1e-6, looks="requires_grad")


def _symbolic(m):
    """An operator in a symbolic trace: its functions must be graphs already."""
    gm = m.fx.symbolic_trace(m.nn.ReLU())

    class Net(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = gm, gm

        def forward(self, x):
            return m.ops.higher_order.cond(x.sum() > 0, self.a, self.b, (x,))

    p = m.fx.Proxy(m.fx.Graph().placeholder("p"))
    yield type(attempt(m.ops.higher_order.cond, p, lambda x: x, lambda x: x, (1,))).__name__
    yield str(m.ops.higher_order.wrap(m.sin, p))
    traced = attempt(m.fx.symbolic_trace, Net())
    yield type(traced).__name__, str(getattr(traced, "graph", traced))[:60]
    mode = importlib.import_module(f"{m.__name__}.overrides").TorchFunctionMode
    told = []

    class Watch(mode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            told.append(func.__name__)
            return func(*args, **(kwargs or {}))

    with Watch():
        m.nn.functional.relu(_input(m))
    yield told


def test_symbolic():
    same(_symbolic, quiet=True)
