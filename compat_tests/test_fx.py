"""torch.fx beside torch: the text of graphs and of their code, to the character, and what they compute."""

import copy
import operator
import pickle

import pytest
from both import BOTH, attempt, same

import lucid.fx


def _text(m, root, **how):
    """Everything that a traced function says of itself."""
    traced = attempt(m.fx.symbolic_trace, root, **how)
    if isinstance(traced, Exception):
        return traced
    nodes = [
        (n.op, n.name, str(n.target) if isinstance(n.target, str) else n._pretty_print_target(n.target), len(n.users))
        for n in traced.graph.nodes
    ]
    return str(traced.graph), traced.code, nodes, str(traced), traced.print_readable(print_output=False)


def _functions(m):
    F = m.nn.functional
    constant = m.arange(3.0)

    def annotated(x: m.Tensor, n: int = 3, *, flag: bool = True) -> m.Tensor:
        return x * n if flag else x

    def stars(*args, **kwargs):
        return args[0] + kwargs["a"]

    def changed_in_place(x):
        x = x.clone()
        x[0] = 1
        x += 2
        x @= x
        return x

    def unpacked(x):
        a, b = x.chunk(2, -1)
        return a * b

    def branches(x):
        return x if x.sum() > 0 else -x

    def loops(x):
        return [v for v in x]

    def asserts(x):
        assert x.sum() > 0
        return x

    def nested(x, y):
        return {"a": (x, [y, None]), "b": slice(x, None), "c": 1.5}

    return [
        lambda x: m.relu(x),
        lambda x, y: (m.relu(x) + y.sin()).sum(dim=-1),
        lambda x: F.relu(x, inplace=True),
        lambda x: F.gelu(x, approximate="tanh"),
        lambda x: F.softmax(x, dim=-1),
        lambda x: m.softmax(x, 0),
        lambda x: F.linear(x, constant),
        lambda x, w: F.conv2d(x, w, stride=2, padding=(1, 1)),
        lambda x, w: m.conv2d(x, w),
        lambda x: F.layer_norm(x, (3,)),
        lambda x: F.dropout(x, 0.1, training=True),
        lambda x, t: F.cross_entropy(x, t, reduction="sum"),
        lambda x, t: F.mse_loss(x, t),
        lambda x: F.max_pool2d(x, 2),
        lambda x: F.avg_pool2d(x, kernel_size=2),
        lambda x: F.pad(x, (1, 1)),
        lambda x: F.interpolate(x, scale_factor=2),
        lambda i, w: F.embedding(i, w),
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        lambda x: F.batch_norm(x, m.zeros(3), m.ones(3)),
        lambda x: m.cat([x, x], dim=1),
        lambda x: m.stack((x, x)),
        lambda x: m.where(x > 0, x, 0.0),
        lambda x: m.clamp(x, min=0, max=1),
        lambda x: m.max(x, 1),
        lambda x: m.topk(x, k=2).values,
        lambda x: m.split(x, 2, dim=1),
        lambda x: m.einsum("ij,jk->ik", x, x),
        lambda x: m.zeros_like(x, dtype=m.int32),
        lambda x: m.add(x, 1, alpha=2),
        lambda x: m.linalg.norm(x),
        lambda x: m.special.expit(x),
        lambda x: m.flatten(x, 1),
        lambda x: m.norm(x, p=1),
        lambda x: m.zeros(2) + m.ones(2),
        lambda x: m.randn(3) + x,
        lambda x: constant + x,
        lambda x: x.view(-1, 2).permute(1, 0).contiguous(),
        lambda x: x.size(0) * x.shape[1],
        lambda x: (x.dtype, x.device, x.T, x.ndim),
        lambda x: x.to(m.float64).type(m.int32),
        lambda x: x.max(dim=1)[0],
        lambda x: x.abs().abs_(),
        lambda x: x.mean().item(),
        lambda x: x.sum(None),
        lambda x: x[0],
        lambda x: x[..., None, 1:2:3],
        lambda x: x[x > 0],
        lambda x: abs(x) + (-x) * (+x) - ~x,
        lambda x: 1 + x - 2 * x / 3 // 4 % 5,
        lambda x: x**2 + 2**x,
        lambda x: (x << 1) | (x >> 2) & 3 ^ x,
        lambda x: x @ x,
        lambda x: (x == 1, x != 1, x < 1, x <= 1, x > 1, x >= 1),
        lambda x: float("inf") * x + float("nan"),
        lambda x: getattr(x, "data"),
        lambda x: x.foo.bar(1, k=x).baz,
        lambda x: x(1, x),
        lambda x: operator.add(x, x),
        lambda x: operator.getitem(x, 0),
        lambda a, b, c: a,
        lambda: m.ones(2),
        lambda x: None,
        lambda x: (x,),
        lambda x: [x, (x, 1)],
        lambda x: len(x),
        lambda x: int(x),
        lambda x: bool(x),
        lambda x, _y, Camel_Case, type_: x + Camel_Case + type_,
        annotated,
        stars,
        changed_in_place,
        unpacked,
        branches,
        loops,
        asserts,
        nested,
    ]


def _modules(m):
    nn = m.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.inner = nn.LayerNorm(4), nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 4))
            self.scale = nn.Parameter(m.ones(4))
            self.register_buffer("shift", m.zeros(4))
            self.plain = m.ones(4)

        def forward(self, x, mask=None):
            return x + self.inner(self.norm(x)) * self.scale + self.shift + self.plain

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList([Block(), Block()])
            self.table = nn.ModuleDict({"a": nn.ReLU()})
            self.p = nn.ParameterList([nn.Parameter(m.ones(1))])

        def forward(self, x):
            for block in self.blocks:
                x = block(x, mask=None)
            return self.table["a"](x) * self.p[0], self.blocks[0].scale

    class Shared(nn.Module):
        def __init__(self):
            super().__init__()
            self.one = self.two = nn.Linear(4, 4)

        def forward(self, x):
            return self.one(self.two(x)) @ self.one.weight

    return [
        Block(),
        Net(),
        Shared(),
        nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(2, 3)),
        nn.Sequential(),
    ]


COUNTS = [len(make(BOTH[0])) for make in (_functions, _modules)]


@pytest.mark.parametrize("i", range(COUNTS[0]))
def test_functions(i):
    same(lambda m: _text(m, _functions(m)[i]), quiet=True, may_raise=True)


@pytest.mark.parametrize("i", range(COUNTS[1]))
def test_modules(i):
    same(lambda m: _text(m, _modules(m)[i]), quiet=True, may_raise=True)


def _concrete(m):
    def f(x, n=2, d=None, flag=True):
        return (x * n, d) if flag else x

    def tree(d, e):
        return {"sum": d["a"] + d["b"][0], "e": e}

    PH = m.fx.PH
    return [
        (f, {"flag": False}),
        (f, {"n": 3, "flag": True}),
        (f, {"d": None}),
        (f, {"d": "text", "n": 1.5}),
        (tree, {"d": {"a": PH, "b": [PH, PH]}}),
        (tree, ({"a": PH, "b": (PH,)}, PH)),
        (f, (PH, 2)),
    ]


@pytest.mark.parametrize("i", range(7))
def test_concrete_args(i):
    def program(m):
        root, fixed = _concrete(m)[i]
        return _text(m, root, concrete_args=fixed)

    same(program, quiet=True, may_raise=True)


def _values(m):
    torch_module = _modules(m)[1]
    traced = m.fx.symbolic_trace(torch_module)
    x = m.linspace(-1, 1, 8).reshape(2, 4)
    yield traced(x)[0]
    for other in (copy.deepcopy(traced), copy.copy(traced), pickle.loads(pickle.dumps(traced))):
        yield other.code == traced.code, m.equal(other(x)[0], traced(x)[0]), type(other).__name__
    yield m.fx.Interpreter(traced).run(x)[0]
    yield sorted(traced.state_dict()) == sorted(n for n in torch_module.state_dict() if "table" not in n)
    traced(x)[0].sum().backward()
    yield traced.p.get_parameter("0").grad


def test_values():
    def program(m):
        m.manual_seed(0)
        yield from _values(m)

    same(program, rtol=1e-5, atol=1e-6)


def _editing(m):
    fx = m.fx
    graph = fx.Graph()
    a = graph.placeholder("a")
    b = graph.call_function(m.sin, (a,))
    c = graph.call_method("relu", (b,))
    d = graph.call_function(operator.add, (c, 1))
    unused = graph.call_function(m.cos, (a,))
    graph.output((d, [c], {"k": slice(b, None, None)}))
    graph.lint()
    yield str(graph), graph.eliminate_dead_code(), str(graph), unused._erased
    gm = fx.GraphModule({}, graph)
    with graph.inserting_after(b):
        new = graph.call_function(m.tanh, (b,))
    b.replace_all_uses_with(new, lambda user: user is not new)
    gm.recompile()
    yield gm.code, [n.name for n in reversed(graph.nodes)], b < new, graph.find_nodes(op="call_function", target=m.sin)
    yield attempt(graph.erase_node, b)
    yield attempt(a.kwargs.__setitem__, "x", 1)
    c.args = (a,)
    c.update_kwarg("inplace", True)
    d.update_arg(1, 2.5)
    d.insert_arg(0, c)
    new.prepend(d)
    yield str(graph), attempt(graph.lint)
    yield attempt(graph.create_node, "call_function", "text"), attempt(graph.create_node, "nothing", "text")
    yield attempt(graph.create_node, "call_method", operator.add)
    other, known = fx.Graph(), {}
    other.output(other.graph_copy(fx.symbolic_trace(lambda x, y: {"sum": x + y, "x": [x]}).graph, known))
    yield str(other), len(known)
    yield fx.map_arg(({"a": a}, [a, 1]), lambda n: n.name)


def test_editing():
    same(_editing, quiet=True)


def _rewriting(m):
    fx = m.fx

    class Swap(fx.Transformer):
        def call_function(self, target, args, kwargs):
            return super().call_function(m.sigmoid if target is m.relu else target, args, kwargs)

        def call_method(self, target, args, kwargs):
            return super().call_method("neg" if target == "abs" else target, args, kwargs)

    yield Swap(fx.symbolic_trace(lambda x: m.relu(x).abs() + 1)).transform().code

    def f(x, w1, w2):
        val1, val2 = m.cat([w1, w2]).sum(), m.cat([w1, w2]).sum()
        return x + m.max(val1) + m.max(val2) + m.cat([w2, w1]).sum()

    gm = fx.symbolic_trace(f)
    found = fx.replace_pattern(gm, lambda a, b: m.cat([a, b]).sum(), lambda a, b: m.stack([a, b]))
    yield gm.code, [(str(x.anchor), {str(k): str(v) for k, v in x.nodes_map.items()}) for x in found]
    yield fx.replace_pattern(gm, lambda a: m.exp(a), lambda a: a), gm.code
    gm = fx.symbolic_trace(lambda x: m.relu(m.relu(x)))
    fx.replace_pattern(gm, lambda x: m.relu(x), lambda x: m.tanh(x) * 2)
    yield gm.code


def test_rewriting():
    same(_rewriting, quiet=True)


def _tracers(m):
    fx, nn = m.fx, m.nn

    class Leaves(fx.Tracer):
        def is_leaf_module(self, mod, name):
            return isinstance(mod, nn.Sequential) or super().is_leaf_module(mod, name)

    net = nn.Sequential(nn.Sequential(nn.Linear(2, 2), nn.ReLU()), nn.Linear(2, 2))

    class Holder(nn.Module):
        def __init__(self):
            super().__init__()
            self.net, self.w = net, nn.Parameter(m.ones(2))

        def forward(self, x):
            return self.net(x) * self.w.shape[0]

    yield str(Leaves().trace(Holder()))
    yield str(fx.Tracer(param_shapes_constant=True).trace(Holder()))
    graph = fx.Tracer().trace(Holder())
    yield [
        (n.name, [(k, v[0], v[1].__name__) for k, v in n.meta.get("nn_module_stack", {}).items()]) for n in graph.nodes
    ]


def test_tracers():
    same(_tracers, quiet=True)


def test_asserts_are_traced():
    """torch knows the instruction of an assert up to Python 3.10 only."""
    scope = {}
    exec("def checked(x):\n    assert x.sum() > 0\n    return x", scope)  # as written: pytest rewrites asserts
    tracer = lucid.fx.Tracer()
    tracer.trace_asserts = True
    assert "assert_fn](args = (%gt,)" in str(tracer.trace(scope["checked"]))


def _passes(m):
    from importlib import import_module

    split_module = import_module(f"{m.__name__}.fx.passes.split_module").split_module
    shape_prop = import_module(f"{m.__name__}.fx.passes.shape_prop").ShapeProp
    net = _modules(m)[0]
    traced = m.fx.symbolic_trace(net)
    for keep in (False, True):
        count, names = iter(range(100)), {}
        parts = split_module(traced, net, lambda node: next(count) // 3, names, keep_original_order=keep)
        yield parts.code, names, [(n, c.code) for n, c in parts.named_children()]
        yield parts(m.ones(2, 4))
    shape_prop(traced).propagate(m.ones(2, 4))
    for node in traced.graph.nodes:
        found = node.meta.get("tensor_meta")
        yield node.name, node.meta["type"].__name__, None if found is None else (tuple(found.shape), str(found.dtype))
    yield traced.print_readable(print_output=False, include_stride=True, include_device=True)


def test_passes():
    def program(m):
        m.manual_seed(0)
        yield from _passes(m)

    same(program, quiet=True, rtol=1e-5, atol=1e-6)
