"""torch.cond in an exported program: its functions as submodules, what they use from outside as operands."""

from .._modes.fake import fake_of
from .._modes.torch_dispatch import disable_modes
from .._subclasses.fake_tensor import FakeTensor
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..fx.experimental.proxy_tensor import _track, snapshot
from ..fx.graph_module import GraphModule
from ..fx.proxy import Proxy


class Branch:
    """One function's graph. tracer: a Capturing whose `outer` is the graph that the function is in."""

    def __init__(self, tracer, operands):
        self.tracer, self.lifted = tracer, {}  # node of the outer graph -> placeholder
        tracer.branch = self
        for t in operands:
            outer = tracer.outer.create_arg(t)
            self.hole(outer, t)

    def hole(self, outer, t):
        """The placeholder of a value from outside."""
        if outer in self.lifted:
            return self.lifted[outer]
        graph = self.tracer.graph
        holes = [n for n in graph.nodes if n.op == "placeholder"]
        with graph.inserting_after(holes[-1]) if holes else graph.inserting_before(graph._root.next):
            node = graph.placeholder(getattr(outer, "name", "arg"))
        node.meta["val"] = snapshot(t) if isinstance(t, Tensor) else t
        self.lifted[outer] = node
        if isinstance(t, Tensor):
            self.tracer.track(t, Proxy(node, self.tracer))
        return node

    def run(self, function, operands):
        """The function's results, and the output of the graph."""
        leaves, self.spec = pytree.tree_flatten(function(*operands))
        self.results = leaves
        self.tracer.graph.output(tuple([self.tracer.create_arg(x) if isinstance(x, Tensor) else x for x in leaves]))

    def order(self, outers):
        """Let the placeholders be in the order of these values from outside, which all have one."""
        graph = self.tracer.graph
        made = [self.lifted[o] if o in self.lifted else self.hole(o, o.meta.get("val")) for o in outers]
        for before, after in zip(made, made[1:]):
            before.append(after)
        return graph


def capture_cond(mode, pred, true_fn, false_fn, operands):
    """The node of cond in the graph that is being made; its result."""
    outer = mode.tracer
    branches = []
    for function in (true_fn, false_fn):
        inner = type(outer)(outer)
        branch = Branch(inner, operands)
        with mode.tracing(inner):
            branch.run(function, operands)
        branches.append(branch)
    outers = list(dict.fromkeys([o for b in branches for o in b.lifted]))
    attributes = []
    n = sum(1 for name in vars(outer.root)["_modules"] if name.startswith("true_graph_"))
    for name, branch in zip(("true_graph", "false_graph"), branches):
        branch.order(outers)
        module = GraphModule(branch.tracer.root, branch.tracer.graph, "<lambda>")
        setattr(outer.root, f"{name}_{n}", module)
        attributes.append(outer.create_node("get_attr", f"{name}_{n}", (), {}, name=f"{name}_{n}"))
    choice = outer.create_arg(pred)
    node = outer.create_node("call_function", _op(), (choice, *attributes, tuple(outers)), {}, name="cond")
    with disable_modes():
        made = [_like(x) if isinstance(x, Tensor) else x for x in branches[0].results]
    _track(outer, tuple(made), Proxy(node, outer))
    for i, value in enumerate(made):
        if not isinstance(value, Tensor):
            raise NotImplementedError(f"torch.export: a branch of torch.cond that gives {value!r}, which is no tensor")
    return pytree.tree_unflatten(made, branches[0].spec)


def _op():
    from .._higher_order_ops.cond import cond_op

    return cond_op


def _like(t):
    """A fake tensor like a result of a branch, without its history."""
    made = fake_of(t.detach() if t._node is not None else t, t.shape)
    made.__class__ = FakeTensor
    made.fake_mode = t.fake_mode
    return made


__all__ = ["capture_cond"]
