"""Changing torch.fx graphs beside torch: nodes, insertion points, lint, dead code, code generators, hooks, copies."""

import contextlib
import copy
import importlib
import io
import operator
import pickle
import re

import pytest
from both import as_torch, attempt, same, told


def part(m, name):
    """A module of the library by its path under torch."""
    return importlib.import_module(f"{m.__name__}.{name}")


def _printed(f, *args, error=False, **kwargs):
    """What a call prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        result = attempt(f, *args, **kwargs)
    return out.getvalue(), result if error else type(result).__name__


def _net(m):
    class Net(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = m.nn.Sequential(m.nn.Linear(2, 2), m.nn.ReLU())
            self.unused, self.w = m.nn.Sequential(m.nn.Tanh()), m.nn.Parameter(m.ones(2))
            self.register_buffer("k", m.zeros(2))

        def forward(self, x: m.Tensor, n: int = 2):
            return self.inner(x) * self.w + self.k * n

    m.manual_seed(0)
    return Net()


def _insertion(m):
    graph = m.fx.Graph()
    x = graph.placeholder("x")
    y = graph.call_function(m.sin, (x,), name="own")
    out = graph.output(y)
    with graph.inserting_before(y):
        a = graph.call_method("abs", (x,))
        with graph.inserting_after(y):
            b = graph.call_function(m.cos, (y,))
            graph.call_function(m.tan, (b,))
        graph.call_function(m.exp, (a,))
    with graph.inserting_before():
        graph.placeholder("first", type_expr=int, default_value=3)
    with graph.inserting_after():
        graph.call_function(m.neg, (y,))
    yield str(graph), [n.name for n in graph.nodes], attempt(graph.output_node) is not out
    other = m.fx.Graph()
    yield attempt(other.inserting_before, y), attempt(other.inserting_after, y), attempt(other.erase_node, y)
    yield attempt(x.prepend, other.placeholder("z")), attempt(graph.erase_node, x), told(x.append, x)
    yield (
        attempt(graph.create_node, "call_function", m.sin, [x]),
        attempt(graph.create_node, "call_function", m.sin, (), []),
    )
    yield attempt(graph.find_nodes, op="call_function"), graph.find_nodes(op="placeholder"), len(graph.nodes)
    yield graph.find_nodes(op="call_function", target=m.sin), [*reversed(graph.nodes)][0], x < y, y <= y, x > y
    yield [(n.op, n.next.name, n.prev.name) for n in graph.nodes]
    gone = graph.find_nodes(op="call_function", target=m.tan)[0]
    graph.erase_node(gone)
    yield told(graph.erase_node, gone), b.users, b.all_input_nodes
    graph.call_function(m.sin, (gone,))
    yield attempt(graph.lint)


def _nodes(m):
    graph = m.fx.Graph()
    x, y = graph.placeholder("x"), graph.placeholder("y")
    a = graph.call_function(m.add, (x, [y, (1, x)]), {"alpha": slice(y, None)})
    b = graph.call_function(m.stack, ([a, a, x],), {"dim": 0})
    graph.output((a, {"b": b}))
    a.meta["k"] = 1
    yield a.args, a.kwargs, list(x.users), list(y.users), a.all_input_nodes, repr(a.args[1])
    yield attempt(a.args[1].append, 1), attempt(a.kwargs.update, k=1), attempt(operator.setitem, a.args, 0, 1)
    a.update_kwarg("beta", 2)
    a.insert_arg(1, y)
    a.update_arg(0, y)
    yield a.format_node(), attempt(a.insert_arg, 9, x), list(x.users)
    a.replace_input_with(x, b)
    yield a.format_node(), list(x.users)
    c = graph.call_function(m.sin, (x,))
    yield a.replace_all_uses_with(c), list(a.users), b.format_node()
    yield attempt(c.replace_all_uses_with, a, propagate_meta=True)
    d = graph.call_function(m.cos, (x,))
    c.meta["own"] = 3
    yield c.replace_all_uses_with(d, propagate_meta=True), d.meta
    yield a.is_impure(), x.is_impure(), attempt(graph.output_node), a.stack_trace, a.type, a.name, str(a)
    a.stack_trace = "there"
    a.name = "renamed"
    a._rename("again")
    yield a.meta, a.name, a.format_node(include_tensor_metadata=True)
    e = graph.call_function(operator.getitem, (b, 0))
    f = graph.call_method("view", (e, -1))
    yield [n._pretty_print_target(n.target) for n in (a, e, f, x)], part(m, "fx.node")._get_qualified_name(m.relu)
    yield attempt(graph.call_function, "text"), attempt(graph.call_method, 3), attempt(graph.create_node, "op", "t")
    yield attempt(m.fx.Node, graph, "n", "call_function", 3, (), {}), attempt(a.__lt__, 3)
    names, returns = ["self"], [""]
    yield [n.format_node(names, returns) for n in graph.nodes], names, returns
    node = part(m, "fx.node")
    yield node.map_aggregate((1, [x, {"a": y}], slice(1, x)), str), node.map_arg(x, lambda n: n.name)
    yield attempt(node.map_arg, x, 3), [node._type_repr(k) for k in (int, m.Tensor, None, ..., _nodes, list[int])]


def _lint(m):
    def broken(change):
        gm = m.fx.symbolic_trace(_net(m))
        nodes = {n.name: n for n in gm.graph.nodes}
        change(gm, nodes)
        return attempt(gm.graph.lint)

    def swap(gm, n):
        n["inner_0"].prepend(n["add"])

    def twice(gm, n):
        n["mul"].__dict__["name"] = "add" if m.__name__ != "torch" else n["mul"].__dict__.get("name", "mul")

    def wrong_path(gm, n):
        n["inner_0"].target = "inner.7"

    def no_module(gm, n):
        n["inner_0"].target = "w"

    def no_member(gm, n):
        n["w"].target = "nothing"

    def foreign(gm, n):
        n["mul"].args = (m.fx.Graph().placeholder("z"), 1)

    def no_function(gm, n):
        n["mul"].target = "text"

    def no_name(gm, n):
        n["inner_0"].target = len

    for change in (swap, wrong_path, no_module, no_member, foreign, no_function, no_name):
        yield change.__name__, broken(change)
    graph = m.fx.Graph()
    yield attempt(graph.lint), str(graph), len(graph.nodes), attempt(graph.output_node)


def _dead(m):
    def f(x):
        m.sin(x)
        y = m.relu(x)
        m._assert(x.sum() > 0, "no")
        x.add_(1)
        a = m.cos(x)
        m.cos(a)
        return y

    gm = m.fx.symbolic_trace(f)
    yield gm.code, gm.graph.eliminate_dead_code(), gm.graph.eliminate_dead_code(), [n.name for n in gm.graph.nodes]
    gm = m.fx.symbolic_trace(f)
    yield (
        gm.graph.eliminate_dead_code(lambda n: n.op == "placeholder" or n.op == "output" or n.name == "sin"),
        str(gm.graph),
    )

    def own(x):
        return x

    scope = {"own": own, "m": m}
    exec("def g(x):\n    own(x)\n    return x", scope)
    m.fx.has_side_effect(own)
    graph = m.fx.Graph()
    x = graph.placeholder("x")
    graph.call_function(own, (x,))
    graph.call_function(print, (x,))
    graph.call_function(m.manual_seed, (0,))
    graph.call_function(m.rand, (2,))
    graph.call_function(operator.setitem, (x, 0, 1))
    graph.output(x)
    graph.eliminate_dead_code()
    yield [(n.name, n.is_impure()) for n in graph.nodes]

    class Impure(m.nn.Module):
        _is_impure = True

        def forward(self, x):
            return x

    class Net(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.i, self.r = Impure(), m.nn.ReLU()

        def forward(self, x):
            self.i(x)
            self.r(x)
            return x

    class Leaves(m.fx.Tracer):
        def is_leaf_module(self, mod, name):
            return True

    net = Net()
    gm = m.fx.GraphModule(net, Leaves().trace(net))
    yield gm.graph.eliminate_dead_code(), str(gm.graph)


def _members(m):
    gm = m.fx.symbolic_trace(_net(m))
    yield (
        gm.add_submodule("a.b.c", m.nn.ReLU()),
        gm.add_submodule("w.b", m.nn.ReLU()),
        sorted(n for n, _ in gm.named_modules()),
    )
    yield (
        gm.delete_submodule("a.b.c"),
        gm.delete_submodule("a.b.c"),
        gm.delete_submodule("nothing"),
        gm.delete_submodule("w"),
    )
    gm.add_submodule("spare.one", m.nn.ReLU())
    gm.delete_all_unused_submodules()
    yield sorted(n for n, _ in gm.named_modules()), sorted(gm.state_dict())
    yield (
        told(gm.graph.get_attr, "nothing"),
        told(gm.graph.get_attr, "a.nothing"),
        attempt(gm.graph.call_module, "nothing"),
    )
    yield (
        attempt(m.fx.GraphModule, {}, gm.graph),
        attempt(m.fx.GraphModule, 3, m.fx.Graph()),
        attempt(setattr, gm, "graph", 3),
    )
    graph = m.fx.Graph()
    graph.output((graph.get_attr("a.w"), graph.get_attr("b")))
    made = m.fx.GraphModule({"a.w": m.ones(2), "b": m.nn.Parameter(m.zeros(1))}, graph, "Own")
    yield type(made).__name__, made.code, made(), sorted(made.state_dict()), repr(made), str(made)


def _copies(m):
    gm = m.fx.symbolic_trace(_net(m))
    gm.meta["k"], list(gm.graph.nodes)[1].meta["k"] = [1], [2]
    x = m.ones(1, 2)
    for other in (copy.deepcopy(gm), copy.copy(gm), pickle.loads(pickle.dumps(gm))):
        yield other.code == gm.code, other(x), type(other).__name__, other.meta, other.graph is gm.graph
        yield str(other.graph), [n.meta.get("k") for n in other.graph.nodes], other.inner is gm.inner
    graph = copy.deepcopy(gm.graph)
    yield str(graph), graph.owning_module is None, [n.name for n in graph.nodes]
    fresh, known = m.fx.Graph(), {}
    result = fresh.graph_copy(gm.graph, known)
    yield result, [(str(a), str(b)) for a, b in known.items()], fresh.graph_copy(m.fx.Graph(), {})
    z = fresh.placeholder("z")
    node = fresh.node_copy(list(gm.graph.nodes)[2], lambda n: z)
    yield node.format_node(), attempt(fresh.node_copy, list(gm.graph.nodes)[2]) is not None
    pair = fresh.graph_copy(gm.graph, {}, return_output_node=True)
    yield type(pair).__name__, len(pair)


def _written(m):
    gm = m.fx.symbolic_trace(_net(m))
    fx = m.fx

    class Listed(fx.CodeGen):
        def gen_fn_def(self, free_vars, maybe_return_annotation):
            return f"def forward(self, args_list: List[torch.Tensor]){maybe_return_annotation}:\n" + "".join(
                f"    {v.split(':')[0].split('=')[0].strip()} = args_list[{i}]\n" for i, v in enumerate(free_vars)
            )

        def additional_globals(self):
            import typing

            return [("List", typing.List)]

        def process_inputs(self, *inputs):
            assert len(inputs) == 1
            return inputs[0]

        def process_outputs(self, outputs):
            return outputs

        def generate_output(self, output_args):
            return f"return [{output_args!r}]"

    gm.graph.set_codegen(Listed())
    gm.recompile()
    x = m.ones(1, 2)
    yield (
        gm.code,
        gm([x, 2]),
        gm.graph.process_inputs([1, 2]),
        gm.graph.process_outputs(3),
        fx.Interpreter(gm).run([x, 2]),
    )
    yield copy.deepcopy(gm).code, fx.Transformer(gm).transform().code
    gm = fx.symbolic_trace(_net(m))
    with gm.graph.on_generate_code(lambda before: lambda body: ["# first\n", *(before(body) if before else body)]):
        with gm.graph.on_generate_code(lambda before: lambda body: ["# second\n", *before(body)]):
            yield gm.recompile().src
        yield gm.recompile().src
    yield gm.recompile().src, gm.graph.python_code("root").src
    shown = gm.print_readable(print_output=False)
    yield shown, _printed(gm.print_readable), gm.print_readable(print_output=False, colored=True)
    part(m, "fx.passes.shape_prop").ShapeProp(gm).propagate(x, 2)
    for how in ({}, {"colored": True}, {"include_stride": True, "include_device": True}, {"expanded_def": True}):
        yield gm.print_readable(print_output=False, **how)
    yield sorted(gm.graph.python_code("self").globals), re.sub(r"0x\w+", "", _printed(gm.graph.print_tabular)[0])


def _hooks(m):
    gm, seen = m.fx.symbolic_trace(lambda x: m.relu(x) + 1), []
    gm._register_create_node_hook(lambda n: seen.append(("made", n.name)))
    gm._register_erase_node_hook(lambda n: seen.append(("gone", n.name)))
    gm._register_replace_node_hook(lambda old, new, user: seen.append((old.name, new, user.name)))
    gm._register_deepcopy_hook(lambda made: seen.append("copied"))
    relu = gm.graph.find_nodes(op="call_function", target=m.relu)[0]
    with gm.graph.inserting_after(relu):
        new = gm.graph.call_function(m.sin, (relu,))
    relu.replace_all_uses_with(new, lambda user: user is not new)
    new.replace_input_with(relu, list(gm.graph.nodes)[0])
    gm.graph.erase_node(relu)
    copy.deepcopy(gm)
    yield seen, attempt(gm._register_create_node_hook, 3)
    with gm._set_replace_hook(lambda old, new, user: seen.append("within")):
        new.replace_all_uses_with(list(gm.graph.nodes)[0])
    yield seen


def _errors(m):
    class Net(m.nn.Module):
        def forward(self, x):
            y = x + 1
            z = m.matmul(y, x)
            return z * 2

    gm = m.fx.symbolic_trace(Net())
    printed, error = _printed(gm, m.ones(2, 3), error=True)
    yield error, [line for line in printed.split("\n") if "File" not in line][-8:]
    printed, error = _printed(gm, error=True)
    yield error, printed
    for run in (m.fx.Interpreter(gm).run, m.fx.Interpreter(gm, garbage_collect_values=False).run):
        yield attempt(run, m.ones(2, 3)), attempt(run)
    yield attempt(m.fx.Interpreter(gm).boxed_run, []), attempt(m.fx.Interpreter(gm).boxed_run, [1, 2])
    wrong = m.fx.Graph()
    wrong.output(wrong.get_attr("nothing"))
    yield attempt(m.fx.Interpreter(m.nn.Module(), graph=wrong).run)
    keyed = m.fx.Graph()
    keyed.output(keyed.call_function(operator.getitem, (keyed.placeholder("d"), "k")))
    yield attempt(m.fx.Interpreter(m.fx.GraphModule({}, keyed)).run, {})
    values = m.fx.Interpreter(m.fx.symbolic_trace(lambda x: x * 2 + x))
    yield values.run(3), values.run(3, initial_env={}), values.env.keys(), values.boxed_run([4])


def _tracebacks(m):
    tb, fx = part(m, "fx.traceback"), m.fx
    yield tb.has_preserved_node_meta(), tb.get_current_meta(), type(tb.format_stack()).__name__
    gm = fx.symbolic_trace(_net(m))
    for i, node in enumerate(gm.graph.nodes):
        node.meta["stack_trace"], node.meta["custom"], node.meta["own"] = f"at {i}", {"i": i}, i
    made = fx.Transformer(gm).transform()
    for node in made.graph.nodes:
        source = node.meta.get("from_node")
        yield node.name, sorted(set(node.meta) - {"seq_nr"}), node.stack_trace, node.meta.get("custom")
        yield [(s.name, s.target, s.pass_name, [a.value for a in s.action]) for s in source or []]
    with tb.preserve_node_meta():
        tb.set_stack_trace(["one", "two"])
        yield tb.format_stack(), tb.has_preserved_node_meta()
        with tb.annotate({"a": 1}):
            with tb.annotate({"b": 2}):
                yield dict(tb.get_current_meta()["custom"])
            yield dict(tb.get_current_meta()["custom"]), "custom" in tb.get_current_meta()
        with tb.set_current_meta(list(gm.graph.nodes)[2], "pass"):
            yield tb.format_stack(), len(tb.get_current_meta()["from_node"])
        tb.set_grad_fn_seq_nr(3)
        yield tb.get_current_meta()["grad_fn_seq_nr"], tb.reset_grad_fn_seq_nr(), attempt(tb.reset_grad_fn_seq_nr)
        tb.set_stack_trace([])
        yield tb.format_stack()
    yield tb.annotate_fn({"k": 1})(lambda: dict(tb.get_current_meta()["custom"]))(), tb.get_current_meta()
    with tb.set_current_replay_node(3):
        yield tb.get_current_replay_node()
    source = tb.NodeSource(list(gm.graph.nodes)[1], "p", tb.NodeSourceAction.CREATE)
    again = tb.NodeSource._from_dict(source.to_dict())
    yield (
        again == source,
        hash(again) == hash(source),
        source != 3,
        source.name,
        source.target,
        source._get_action_string(),
    )
    yield re.sub(r"\d+\)", ")", str(source)), tb.NodeSource(None).graph_id, attempt(tb.NodeSource, None, "", 3)
    yield list(tb.get_graph_provenance_json(made.graph))


def _small(m):
    tt, fx = part(m, "fx.tensor_type"), m.fx
    Dyn, T = tt.Dyn, tt.TensorType
    kinds = [Dyn, T((1, 2)), T[1, Dyn], T((1, 2, 3)), int, float]
    yield [[(tt.is_consistent(a, b), tt.is_more_precise(a, b)) for a in kinds] for b in kinds], str(kinds), repr(Dyn)
    x = fx.Proxy(fx.Graph().placeholder("x"))
    annotate = part(m, "fx.annotate").annotate
    yield annotate(x, int) is x, x.node.type, annotate(3, int), attempt(annotate, x, float)
    config = part(m, "fx.config")
    yield config.disable_progress, config.verbose_progress, config.do_not_emit_stack_traces
    mark = part(m, "fx._compatibility").compatibility
    yield mark(is_backward_compatible=True)(lambda: 1).__doc__, mark(is_backward_compatible=False)(lambda: 1).__doc__
    imm = part(m, "fx.immutable_collections")
    lists, dicts = imm.immutable_list([1, [2]]), imm.immutable_dict(a=1)
    for change in (
        "append",
        "clear",
        "extend",
        "insert",
        "pop",
        "remove",
        "reverse",
        "sort",
        "__delitem__",
        "__iadd__",
    ):
        yield attempt(getattr(lists, change), 0)
    for change in ("clear", "pop", "popitem", "setdefault", "update", "__delitem__", "__ior__"):
        yield attempt(getattr(dicts, change), {})
    yield (
        hash(imm.immutable_list([1])) == hash((1,)),
        pickle.loads(pickle.dumps(lists)),
        pickle.loads(pickle.dumps(dicts)),
    )
    yield [type(v).__name__ for v in m.utils._pytree.tree_map(lambda v: v, [lists, dicts])]
    lazy = part(m, "fx._lazy_graph_module")
    gm = fx.symbolic_trace(lambda x: x + 1)
    with lazy._use_lazy_graph_module(True):
        made = lazy._make_graph_module(gm, gm.graph)
        yield type(made).__mro__[1].__name__, made._needs_recompile(), made(2), made._needs_recompile(), made.code
        made.recompile()
        yield made._needs_recompile(), str(made), lazy._LazyGraphModule.from_graphmodule(gm)(3)
    yield type(lazy._make_graph_module(gm, gm.graph)).__mro__[1].__name__
    utils = part(m, "fx._utils")
    yield utils.get_node_context(gm.graph.output_node()), utils.first_call_function_nn_module_stack(gm.graph)
    yield re.sub(r"<eval.*?> ?\S* ?\S* ?\S* ?", "", str(utils.lazy_format_graph_code("t", gm, 3)).split("\n")[1])
    with fx.Graph().inserting_after():
        pass
    yield fx._symbolic_trace.is_fx_tracing(), fx._symbolic_trace.is_fx_symbolic_tracing()


PROGRAMS = [
    _insertion,
    _nodes,
    _lint,
    _dead,
    _members,
    _copies,
    _written,
    _hooks,
    _errors,
    _tracebacks,
    _small,
]


def _reworded(text):
    return re.sub(r"0x[0-9a-f]+|(?<=eval_with_key>.)\d+|eval_with_key.*?(?=[,)'\n]|$)", "_", as_torch(text))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__.strip("_"))
def test_editing(program):
    same(program, quiet=True, rtol=1e-5, atol=1e-6, reword=_reworded)


def test_folder(tmp_path):
    def program(m):
        folder = tmp_path / m.__name__
        gm = m.fx.symbolic_trace(_net(m))
        yield told(gm.to_folder, folder, "Foo")[1:] != [], sorted(p.name for p in folder.iterdir())
        text = (folder / "module.py").read_text()
        yield text.replace(str(folder), "folder"), (folder / "__init__.py").read_text()

    same(program, quiet=True)
