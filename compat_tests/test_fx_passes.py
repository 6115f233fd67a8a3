"""torch.fx.passes and torch.fx.experimental beside torch: what they make of graphs, to the character, and its values."""

import copy
import importlib
import operator
import pathlib

import pytest
from both import as_torch, attempt, same, told


def part(m, name):
    """A module of the library by its path under torch."""
    return importlib.import_module(f"{m.__name__}.{name}")


def _net(m):
    nn = m.nn

    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.p = nn.Linear(4, 4), nn.Parameter(m.ones(4))

        def forward(self, x):
            return self.linear(x).relu() + self.p

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.c = Inner(), Inner(), nn.Linear(4, 2)
            self.register_buffer("k", m.arange(4.0))

        def forward(self, x, y=None):
            left, right = self.a(x), self.b(x + self.k)
            both = m.cat([left, right], dim=1)
            u, v = both.split(4, dim=1)
            return self.c(u * v), both.sum()

    m.manual_seed(0)
    return Net()


def _traced(m):
    return m.fx.symbolic_trace(_net(m))


def _shown(gm):
    """A module's code and that of the graphs inside it."""
    inner = [(name, child.code) for name, child in gm.named_modules() if name and hasattr(child, "code")]
    return gm.code, str(gm.graph), inner


# ---- splitting


def _split_modules(m):
    split_module = part(m, "fx.passes.split_module").split_module
    x = m.linspace(-1, 1, 8).reshape(2, 4)
    ways = [
        {},
        {"keep_original_order": True},
        {"keep_original_node_name": True},
        {"keep_original_input_name": False},
        {"partition_affix": "part"},
        {"tuple_return": True},
        {"keep_original_order": True, "tuple_return": True, "keep_original_node_name": True},
    ]
    for how in ways:
        for size in (1, 3, 5, 100):
            gm, count, names = _traced(m), iter(range(100)), {}
            made = split_module(gm, gm, lambda node: next(count) // size, names, **how)
            yield _shown(made), names, made(x)
    gm = _traced(m)
    yield attempt(split_module, gm, gm, lambda node: node.name in ("relu", "cat_1", "mul"))
    seen = []
    split_module(gm, gm, lambda node: seen.append(node.name) or 0)
    yield seen


def _split_by_tags(m):
    split = part(m, "fx.passes.split_utils")
    x = m.linspace(-1, 1, 8).reshape(2, 4)
    for how in ({}, {"return_fqn_mapping": True}, {"return_tuple": True}):
        gm = _traced(m)
        for node in gm.graph.nodes:
            if node.op not in ("placeholder", "output", "get_attr"):
                node.tag = "first" if node.name in ("a_linear", "relu", "add") else "second"
        made = split.split_by_tags(gm, ["first", "second"], **how)
        made, paths = made if isinstance(made, tuple) else (made, None)
        yield _shown(made), paths, made(x, None)
    gm = _traced(m)
    yield attempt(split.split_by_tags, gm, ["first"])
    net = _net(m)
    yield split.getattr_recursive(net, "a.linear.weight"), split.getattr_recursive(net, "a.nothing")
    split.setattr_recursive(net, "a.linear.bias", None)
    yield net.a.linear.bias


def _partitions(m):
    support, infra = part(m, "fx.passes.operator_support"), part(m, "fx.passes.infra.partitioner")
    x = m.linspace(-1, 1, 8).reshape(2, 4)

    class Own(support.OperatorSupportBase):
        def is_node_supported(self, submodules, node):
            return node.op == "call_function" and node.target in (operator.add, operator.mul, m.sin, m.cos)

    def f(x):
        a = m.sin(x) + 1
        b = m.cos(x) * 2
        c = m.relu(a)
        d = c + b
        e = d * a
        return e + m.sin(b), d

    ways = [{}, {"allows_single_node_partition": True}, {"skip_horizontal_fusion": True}]
    ways += [{"non_compute_ops": ["torch.sin"]}, {"allowed_single_node_partition_ops": ["torch.cos"]}]
    for how in ways:
        gm = m.fx.symbolic_trace(f)
        found = infra.CapabilityBasedPartitioner(gm, Own(), **how)
        parts = found.propose_partitions()
        yield [sorted(n.name for n in p.nodes) for p in parts], [p.size() for p in parts]
        made = found.fuse_partitions(parts)
        made.recompile()
        yield made(x)
        found = infra.CapabilityBasedPartitioner(m.fx.symbolic_trace(f), Own(), **how).partition_and_fuse()
        yield sorted(name for name, _ in found.named_children()), found(x)
    p = infra.Partition(3, list(gm.graph.nodes)[:1])
    yield p.id, p.size(), repr(p)


def _supports(m):
    support, prop = part(m, "fx.passes.operator_support"), part(m, "fx.passes.shape_prop")
    gm = _traced(m)
    prop.ShapeProp(gm).propagate(m.ones(2, 4))
    modules = dict(gm.named_modules())
    floats = support.OperatorSupport({"torch.nn.modules.linear.Linear": None, "torch.cat": (((m.float32,),), {})})
    rules = [
        floats,
        support.OperatorSupport({"_operator.add": (([m.float32], [m.float32]), {}), "relu": None}),
        support.OpSupports.decline_if_input_dtype(m.float32),
        support.OpSupports.decline_if_node_in_names({"relu"}),
        support.create_op_support(lambda modules, node: node.op == "call_method"),
    ]
    rules += [support.chain(*rules[:2]), support.any_chain(*rules[:2])]
    tools = part(m, "fx.passes.tools_common")
    for rule in rules:
        yield [
            attempt(rule.is_node_supported, modules, n) for n in gm.graph.nodes if n.op not in ("placeholder", "output")
        ]
    yield [attempt(tools.get_node_target, modules, n) for n in gm.graph.nodes if n.op.startswith("call")]
    yield [tools.is_node_output_tensor(n) for n in gm.graph.nodes], tools.get_acc_ops_name(m.nn.Linear)


def _orders(m):
    tools = part(m, "fx.passes.tools_common")
    for sort in (tools.legalize_graph, tools.stable_topological_sort):
        gm = _traced(m)
        nodes = list(gm.graph.nodes)
        nodes[3].prepend(nodes[7])
        nodes[2].prepend(nodes[-2])
        yield [n.name for n in sort(gm).graph.nodes], gm(m.ones(2, 4))
    finder = tools.FxNetAccFusionsFinder(gm, {n for n in gm.graph.nodes if n.op in tools.CALLABLE_NODE_OPS})
    yield sorted((n.name, sorted(x.name for x in group)) for n, group in finder().items())


# ---- small passes


def _manipulation(m):
    manip, prop = part(m, "fx.passes.graph_manipulation"), part(m, "fx.passes.shape_prop")
    gm = _traced(m)
    yield attempt(manip.get_tensor_meta, list(gm.graph.nodes)[0])
    prop.ShapeProp(gm).propagate(m.ones(2, 4))
    for node in gm.graph.nodes:
        found = attempt(manip.get_size_of_node, gm, node)
        yield node.name, tuple(found) if isinstance(found, tuple) else type(found).__name__
    gm = m.fx.symbolic_trace(m.nn.Sequential(m.nn.Linear(2, 3), m.nn.ReLU()))
    manip.get_size_of_all_nodes(gm, [m.ones(1, 2)])
    yield [tuple(n.size_bytes) for n in gm.graph.nodes if hasattr(n, "size_bytes")]
    gm = m.fx.symbolic_trace(lambda x: m.relu(x) + m.relu(x + 1))
    manip.replace_target_nodes_with(gm, "call_function", m.relu, "call_function", m.sin)
    yield gm.code
    fetch = part(m, "fx.passes.param_fetch")
    layers = [m.nn.Linear(1, 1), m.nn.Conv2d(1, 1, 1), m.nn.BatchNorm2d(1), m.nn.ReLU(), m.nn.MaxPool2d(2)]
    m.manual_seed(0)
    yield [list(fetch.extract_attrs_for_lowering(layer)) for layer in layers]
    yield attempt(fetch.extract_attrs_for_lowering, m.nn.Tanh())


def _elements(m):
    import typing

    graph = m.fx.Graph()
    kinds = [tuple[int, float], typing.Tuple[int, ...], list[int], typing.List[m.Tensor], int, None, m.Tensor]
    for i, kind in enumerate(kinds):
        x = graph.placeholder(f"x{i}", type_expr=kind)
        graph.call_function(operator.getitem, (x, 0))
    Pair = typing.NamedTuple("Pair", [("a", int), ("b", m.Tensor)])
    graph.call_function(operator.getitem, (graph.placeholder("p", type_expr=Pair), 1))
    graph.output(None)
    part(m, "fx.passes.annotate_getitem_nodes").annotate_getitem_nodes(graph)
    yield [as_torch(str(n.type)) for n in graph.nodes if n.op == "call_function"]


def _managers(m):
    pm, infra, base = (part(m, f"fx.passes.{n}") for n in ("pass_manager", "infra.pass_manager", "infra.pass_base"))
    ran = []

    def one(gm):
        ran.append("one")
        return gm

    def two(gm):
        ran.append("two")

    plain = pm.PassManager([one, pm.inplace_wrapper(two)], [pm.this_before_that_pass_constraint(one, two)])
    plain.add_pass(pm.loop_pass(one, n_iter=2))
    yield plain(3), ran[:]
    plain.add_constraint(pm.these_before_those_pass_constraint(two, one))
    yield type(attempt(plain, 3)).__name__, attempt(pm.loop_pass, one), attempt(pm.loop_pass(one, n_iter=0), 1)
    plain.remove_pass(["two"])
    plain.replace_pass(one, two)
    yield len(plain.passes), pm.loop_pass(lambda x: x + 1, predicate=lambda x: x < 5)(0), pm.log_hook(len)("ab")

    class Relu(base.PassBase):
        def requires(self, gm):
            ran.append("requires")

        def call(self, gm):
            changed = False
            for node in gm.graph.nodes:
                if node.target == m.relu:
                    node.target, changed = m.sigmoid, True
            return base.PassResult(gm, changed)

    def fails(gm):
        raise ValueError("no")

    gm = m.fx.symbolic_trace(lambda x: m.relu(x))
    wrapped = infra.pass_result_wrapper(two)
    manager = infra.PassManager([wrapped, Relu()], [infra.this_before_that_pass_constraint(Relu, two)], steps=3)
    result = infra.PassManager([Relu()], steps=3)(gm)
    yield result.graph_module.code, result.modified, type(result).__name__, result[1]
    yield attempt(infra.PassManager([Relu(), fails]), gm), attempt(infra.PassManager([one]), gm)
    manager = infra.PassManager([one, two], [infra.this_before_that_pass_constraint(two, one)])
    manager.solve_constraints()
    yield [p.__name__ for p in manager.passes], attempt(manager.add_checks, lambda a, b: None)
    manager.add_constraint(infra.this_before_that_pass_constraint(one, two))
    yield type(attempt(manager.solve_constraints)).__name__, type(attempt(manager.validate_constraints)).__name__
    manager = infra.PassManager([Relu()], run_checks_after_each_pass=True)
    manager.add_checks(lambda module: ran.append("checked"))
    manager(gm)
    yield ran, attempt(base.PassBase), infra.pass_result_wrapper(None), wrapped.__name__


def _shapes(m):
    prop = part(m, "fx.passes.shape_prop")
    gm = _traced(m)
    yield prop.ShapeProp(gm).propagate(m.ones(2, 4))
    for node in gm.graph.nodes:
        found = node.meta.get("tensor_meta")
        yield node.name, node.meta["type"].__name__, str(found)
    x = m.ones(1, 2, 3, 4).to(memory_format=m.channels_last)
    yield str(prop._extract_tensor_metadata(x)), str(prop._extract_tensor_metadata(x.T, include_contiguity=False))
    gm = m.fx.symbolic_trace(lambda x: m.matmul(x, x))
    trouble = attempt(prop.ShapeProp(gm).propagate, m.ones(2, 3))
    yield type(trouble).__name__, str(trouble).partition("with meta")[0]
    yield prop.TensorMetadata._fields


def _observed(m, folder):
    observer = part(m, "fx.passes.graph_transform_observer").GraphTransformObserver
    gm = _traced(m)
    before = observer.get_current_pass_count()
    with observer(gm, "own", log_url=str(folder)) as watching:
        for node in gm.graph.nodes:
            if node.target == m.cat:
                with gm.graph.inserting_after(node):
                    new = gm.graph.call_function(m.concat, node.args, node.kwargs)
                node.replace_all_uses_with(new)
                gm.graph.erase_node(node)
    yield sorted(watching.created_nodes), sorted(watching.erased_nodes), observer.get_current_pass_count() - before
    yield [(s.name, s.pass_name, [a.name for a in s.action]) for s in new.meta["from_node"]]


# ---- comparing and matching


def _matching(m):
    common, utils = part(m, "fx.passes.utils.common"), part(m, "fx.passes.utils")
    matcher = part(m, "fx.passes.utils.matcher_utils")
    trace = m.fx.symbolic_trace
    f, g = (lambda x, y: m.relu(x) + y), (lambda a, b: m.relu(a) + b)
    yield common.compare_graphs(trace(f).graph, trace(g).graph), utils.compare_graphs is common.compare_graphs
    yield common.compare_graphs(trace(f).graph, trace(lambda a, b: m.relu(a) - b).graph)
    patterns = [
        lambda x: m.relu(x),
        lambda x, y: m.relu(x) + y,
        lambda x: x + 1,
        lambda x: x.clamp(0, 1),
        lambda x: (m.relu(x), x + 1),
    ]
    target = trace(lambda x, y: (m.relu(m.relu(x) + y) + 1).clamp(0, 2) + m.relu(y + 1))
    for pattern in patterns:
        for how in ({}, {"ignore_literals": True}, {"remove_overlapping_matches": False}):
            found = matcher.SubgraphMatcher(trace(pattern).graph, **how).match(target.graph)
            yield [
                ([str(a) for a in x.anchors], {str(k): str(v) for k, v in x.nodes_map.items()}, str(x.returning_nodes))
                for x in found
            ]
    yield attempt(matcher.SubgraphMatcher, m.fx.Graph())
    named = part(m, "fx.passes.utils.matcher_with_name_node_map_utils").SubgraphMatcherWithNameNodeMap

    def pattern(x):
        relu = m.relu(x)
        return relu + 1, {"relu": relu}

    traced = m.fx.symbolic_trace(pattern, concrete_args={"x": m.fx.PH})
    yield type(attempt(named, traced)).__name__
    holder = common.HolderModule({"a": m.nn.ReLU()})
    yield [n for n, _ in holder.named_modules()]
    made, paths = common.lift_subgraph_as_module(_net_graph := _traced(m), _net_graph.graph, "comp")
    yield paths, made(m.ones(2, 4))


def _sources(m):
    sources = part(m, "fx.passes.utils.source_matcher_utils")
    graph = m.fx.Graph()
    x = graph.placeholder("x")
    a = graph.call_function(m.sin, (x,))
    b = graph.call_function(m.cos, (a,))
    c = graph.call_function(m.add, (b, x))
    graph.output(c)
    a.meta["source_fn_stack"] = b.meta["source_fn_stack"] = [("linear", m.nn.Linear)]
    c.meta["nn_module_stack"] = {"L": ("relu", m.nn.ReLU)}
    found = sources.get_source_partitions(graph, [m.nn.Linear, m.nn.ReLU])
    yield [
        (
            k.__name__,
            [
                (str(p.nodes), sorted(map(str, p.input_nodes)), sorted(map(str, p.output_nodes)), str(p.params))
                for p in v
            ],
        )
        for k, v in found.items()
    ]
    linear, relu = found[m.nn.Linear][0], found[m.nn.ReLU][0]
    yield sources.check_subgraphs_connected(linear, relu), sources.check_subgraphs_connected(relu, linear)
    yield len(sources.get_source_partitions(graph, [m.nn.Linear], lambda n: n.name != "sin")[m.nn.Linear])


# ---- experimental


def _optimized(m):
    opt, nn = part(m, "fx.experimental.optimization"), m.nn
    m.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Dropout(), nn.Flatten(), nn.Linear(8, 3))
    net = nn.Sequential(net, nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)))
    x = m.linspace(0, 1, 32).reshape(2, 1, 4, 4)
    net(x)
    net.eval()
    for made in (opt.fuse(net), opt.remove_dropout(net), opt.fuse(m.fx.symbolic_trace(net), no_trace=True)):
        yield _shown(made), made(x)
    made = opt.optimize_for_inference(net, {"mkldnn_layout_optimize": False})
    yield _shown(made), made(x), attempt(opt.optimize_for_inference, net, {"mkldnn_layout_optimize": 1})
    gm = m.fx.symbolic_trace(lambda x: m.relu(x) + 1)
    nodes = list(gm.graph.nodes)
    yield opt.extract_subgraph(gm, nodes[1:3], nodes[:1], nodes[2:3]).code
    union = opt.UnionFind(4)
    for i in range(4):
        union.make_set(i)
    union.join(0, 1)
    union.join(2, 1)
    yield [union.find(i) for i in range(4)], union.join(0, 2), opt._parent_name("a.b.c"), opt._parent_name("a")
    yield attempt(opt.fuse, nn.Sequential(nn.Conv2d(1, 1, 1), nn.BatchNorm2d(1)))


def _merged(m):
    merge = part(m, "fx.experimental.merge_matmul")

    class Net(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = m.nn.Parameter(m.arange(6.0).reshape(2, 3))

        def forward(self, a, b, c):
            return m.matmul(a, self.w), m.matmul(b, self.w), m.matmul(a, c)

    made = merge.merge_matmul(Net())
    yield made.code, made(m.ones(1, 2), m.ones(2, 2), m.ones(2, 1))
    nodes = list(made.graph.nodes)
    yield merge.are_nodes_independent(nodes[:2]), merge.may_depend_on(nodes[-1], nodes[0])


def _folded(m):
    fold, nn = part(m, "fx.experimental.const_fold"), m.nn

    class Net(nn.Module):
        def __init__(self, many):
            super().__init__()
            self.a, self.b, self.many = nn.Parameter(m.arange(3.0)), nn.Parameter(m.ones(3)), many
            self.linear = nn.Linear(3, 3)

        def forward(self, x):
            c = self.a + self.b
            d = c * 2
            return (self.linear(x) + d - (c if self.many else 0)) * self.b

    for many in (False, True):
        m.manual_seed(0)
        made = fold.split_const_subgraphs(Net(many))
        yield made.code, made.has_folding_been_run, made.const_subgraph_module.code
        yield made(m.ones(2, 3)), made.has_folding_been_run, sorted(n for n, _ in made.named_parameters())
    yield fold.split_const_subgraphs(nn.Sequential(nn.ReLU())).code
    made = fold.split_const_subgraphs(Net(True), skip_folding_node_fn=lambda n: n.name == "mul")
    yield (
        made.code,
        fold.get_unique_attr_name_in_module(made, "linear"),
        attempt(fold.get_unique_attr_name_in_module, made, "1 a"),
    )


def _normal(m):
    norm, F = part(m, "fx.experimental.normalize"), m.nn.functional

    class Net(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = m.nn.Linear(4, 4)

        def forward(self, x):
            y = F.dropout(F.relu(x, True), 0.5, training=False)
            return self.linear(F.softmax(y, -1)) + F.max_pool1d(x, 2)

    for only in (True, False):
        yield norm.NormalizeArgs(m.fx.symbolic_trace(Net()), only).transform().code
    gm = m.fx.symbolic_trace(lambda x, y: m.add(x, y) - m.mul(x, y) / m.eq(x, 2) + m.add(x, y, alpha=2))
    yield norm.NormalizeOperators(gm).transform().code
    schemas = part(m, "fx.operator_schemas")
    yield schemas.normalize_function(F.linear, (1, 2), {}) is None
    yield schemas.normalize_function(F.relu, (1,), {}, normalize_to_only_use_kwargs=True)
    yield schemas.normalize_function(F.relu, (1,)), attempt(schemas.normalize_function, F.relu, ())
    yield schemas.normalize_module(Net(), "linear", (1,)), attempt(schemas.normalize_module, Net(), "nothing", (1,))
    yield schemas.normalize_function(lambda *a: a, (1,)), schemas.normalize_function(lambda a, b=2: a, (1,))
    hints = [1, [], [int, bool], (int, str), (m.Tensor, m.nn.Parameter), [3]]
    yield [as_torch(str(attempt(schemas.create_type_hint, h))) for h in hints]
    kinds = [int, float, bool, m.Tensor, list[int], m.dtype, tuple[int, ...]]
    yield [[schemas.type_matches(a, b) for b in kinds] for a in kinds if a is not tuple[int, ...]]


PROGRAMS = [
    _split_modules,
    _split_by_tags,
    _partitions,
    _supports,
    _orders,
    _manipulation,
    _elements,
    _managers,
    _shapes,
    _matching,
    _sources,
    _optimized,
    _merged,
    _folded,
    _normal,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__.strip("_"))
def test_pass(program):
    same(program, quiet=True, rtol=1e-5, atol=1e-6)


def test_observer(tmp_path):
    import sys

    if "pydot" not in sys.modules and importlib.util.find_spec("pydot") is None:
        import lucid

        made = list(_observed(lucid, tmp_path))
        assert made[0] == (["concat"], ["cat"], 1) and len(list(tmp_path.glob("*.dot"))) == 2
        assert made[1] == [("cat", "own", ["REPLACE", "CREATE"])]
    else:
        same(_observed, tmp_path, quiet=True)


def test_drawings_are_whole():
    import xml.dom.minidom

    import lucid

    drawer = part(lucid, "fx.passes.graph_drawer").FxGraphDrawer(_traced(lucid), "net")
    drawing = drawer.get_dot_graph()
    assert xml.dom.minidom.parseString(drawing.create_svg()).documentElement.tagName == "svg"
    assert drawing.to_string().startswith("digraph net") and "->" in drawing.to_string()
    assert pathlib.Path(part(lucid, "fx.passes.graph_drawer").__file__).exists() and copy.copy(drawing).name == "net"
    assert told(drawer.get_all_dot_graphs)[0].keys() == {"net"}


def _rewritten(m):
    rewriter = part(m, "fx.experimental.rewriter")

    def checked(x, n=2, *, k=1):
        assert x.shape[0] == 2, "two"
        assert n
        return x * n + k

    checked.__globals__["torch"] = m
    tracer = rewriter.RewritingTracer()
    graph = tracer.trace(checked)
    yield str(graph), m.fx.GraphModule(tracer.root, graph)(m.ones(2))

    class Net(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = m.nn.Linear(2, 2)

        def forward(self, x):
            assert x.dim() == 2
            return self.linear(x)

    yield str(rewriter.RewritingTracer().trace(Net()))
    del checked.__globals__["torch"]


def test_rewriting():
    same(_rewritten, quiet=True)


def _faked(m):
    """What every value is like, without numbers; nothing real is written to."""
    prop = part(m, "fx.passes.fake_tensor_prop")
    if m.__name__ == "torch":
        mode = part(m, "_subclasses.fake_tensor").FakeTensorMode(allow_non_fake_inputs=True)
    else:
        mode = prop._Faking()
    nn = m.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.w, self.l = nn.Parameter(m.ones(4)), nn.Linear(4, 2)
            self.seq = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU())

        def forward(self, x):
            y = self.seq(x).mean((2, 3)) * self.w
            a, b = self.l(y).chunk(2, 1)
            return a + b, y.shape

    net = Net()
    mean = net.seq[1].running_mean.clone()
    gm = m.fx.symbolic_trace(net)
    prop.FakeTensorProp(gm, mode).propagate(m.ones(2, 1, 8, 8))
    for node in gm.graph.nodes:
        found = node.meta.get("val")
        for t in found if isinstance(found, (list, tuple)) else [found]:
            known = (tuple(t.shape), str(t.dtype), t.stride(), str(t.device)) if isinstance(t, m.Tensor) else t
            yield node.name, known
    yield m.equal(net.seq[1].running_mean, mean)


def test_fakes():
    same(_faked, quiet=True)
