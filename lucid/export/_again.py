"""An exported graph traced again below autograd, without writes, by a table of decompositions."""

from .._array.meta import fake
from .._aten.overloads import OpOverload, aten
from .._decomp.registry import _composites
from .._functorch.functionalization import Alias, Functionalized
from .._higher_order_ops.cond import cond_op
from .._higher_order_ops.wrap_with_modes import wrap_with_set_grad_enabled
from .._modes.fake import fake_of
from .._modes.torch_dispatch import disable_modes
from .._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from .._tensor.tensor import Tensor, new_object
from ..autograd.grad_mode import no_grad
from ..fx.experimental.proxy_tensor import ProxyTorchDispatchMode, PythonKeyTracer, _track, snapshot
from ..fx.graph import Graph
from ..fx.graph_module import GraphModule
from ..fx.node import map_arg
from ..fx.proxy import Proxy
from ..nn.modules.module import Module

_SAME = (aten("detach_"), aten("detach"))  # nothing asks for gradients here
# Composites whose steps in lucid are an op that torch does not have.
_WHOLE = {"lstm", "gru", "rnn_tanh", "rnn_relu"}
_LIFTED, _DROPOUT = aten("lift_fresh_copy"), aten("dropout")


def fake_with(mode, sizes, strides, dtype, device):
    """A fake tensor of these looks."""
    k = fake.table(dtype, device)
    made = new_object(FakeTensor)
    made._array, made._table = k.empty_strided(tuple(sizes), tuple(strides)), k
    made._node = made._extra = None
    made.fake_mode = mode
    return made


class Carrying(PythonKeyTracer):
    """A tracer whose nodes say where the node that they are made of comes from."""

    origin = None

    def create_node(self, kind, target, args, kwargs, name=None, type_expr=None):
        node = super().create_node(kind, target, args, kwargs, name, type_expr)
        for key in ("stack_trace", "nn_module_stack") if self.origin is not None else ():
            if key in self.origin.meta:
                node.meta[key] = self.origin.meta[key]
        return node


class Again:
    """One tracing of a graph. table: {overload: decomposition}; `made.new` is the new graph, without an output yet."""

    def __init__(self, module, table, fakes=None):
        self.module, self.table = module, table
        self.tracer = Carrying()
        self.tracer.root, self.tracer.tensor_attrs = Module(), {}
        self.tracer.graph = Graph(tracer_cls=PythonKeyTracer)
        plain = {k: v for k, v in table.items() if isinstance(k, OpOverload) and not k.is_composite}
        self.proxies = ProxyTorchDispatchMode(self.tracer, "fake", plain, error_on_data_dependent_ops=False)
        self.made = Functionalized(self.tracer.graph, self.tracer.root)
        self.fakes, self.values, self.holes = fakes or FakeTensorMode(allow_non_fake_inputs=True), {}, []
        with disable_modes(), no_grad(), self.fakes, self.proxies:
            self.results = self._run(module, self.values)

    def _run(self, module, values):
        """What a graph gives, its nodes run one by one."""
        for node in module.graph.nodes:
            if node.op == "placeholder":
                if node not in values:
                    values[node] = self._hole(node)
            elif node.op == "get_attr":
                values[node] = getattr(module, node.target)
            elif node.op == "call_function":
                self.tracer.origin = node
                values[node] = self._call(node, values)
                self.tracer.origin = None
            else:
                return map_arg(node.args[0], values.__getitem__)
        return ()

    def _hole(self, node):
        value = node.meta.get("val")
        if isinstance(value, Tensor):
            with disable_modes():
                value = fake_of(value, value.shape)
                value.__class__ = FakeTensor
                value.fake_mode, value._node = self.fakes, None
        made = self.tracer.graph.placeholder(node.target)
        made.name = node.name  # a name of Python's own, too
        made.meta["val"] = snapshot(value) if isinstance(value, Tensor) else value
        if isinstance(value, Tensor):
            self.tracer.track(value, Proxy(made, self.tracer))
        self.holes.append(made)
        self.made.hole(made)
        self.made.env[made].node.name = node.name
        return value

    def _call(self, node, values):
        target = node.target
        args, kwargs = map_arg(node.args, values.__getitem__), map_arg(node.kwargs, values.__getitem__)
        if target in _SAME:
            return args[0]
        if target is wrap_with_set_grad_enabled:
            holes = [n for n in args[1].graph.nodes if n.op == "placeholder"]
            return self._run(args[1], dict(zip(holes, args[2:])))
        if target is cond_op:
            return self._cond(*args)
        if target is _DROPOUT:
            return self._dropout(*args)
        if target is _LIFTED:
            target = aten("clone")
        if isinstance(target, OpOverload) and target.is_composite:
            if target in _composites() and target not in self.table or target._opname in _WHOLE:
                return self._kept(target, args, kwargs)
            own = self.table.get(target)
            if own is not None and own != target.decompose:
                return own(*args, **kwargs)
        return target(*args, **kwargs)

    def _dropout(self, x, p, train):
        if not train or p == 0:
            return aten("clone")(x) if p == 0 and train else x
        return aten("native_dropout")(x, p, train)[0]

    def _kept(self, target, args, kwargs):
        """A composite that stays: one node."""
        name = self.tracer.graph._target_to_str(target._opname)
        proxy = self.tracer.create_proxy("call_function", target, args, kwargs, name=name)
        with disable_modes(), self.fakes:
            out = target.compute(*args, **kwargs)
        _track(self.tracer, out, proxy)
        return out

    def _cond(self, pred, true_graph, false_graph, operands):
        """torch.cond: its functions traced again, too."""
        nodes, examples = [], None
        n = sum(1 for name in self.tracer.root._modules if name.startswith("true_graph_"))
        for name, module in ((f"true_graph_{n}", true_graph), (f"false_graph_{n}", false_graph)):
            inner = Again(module, self.table, self.fakes)
            if inner.written():
                raise NotImplementedError("run_decompositions: a branch of torch.cond that writes to its operands")
            made = inner.finished([inner.node_of(r) if isinstance(r, Tensor) else r for r in inner.results])
            setattr(self.tracer.root, name, GraphModule(inner.tracer.root, made, "<lambda>"))
            nodes.append(self.tracer.create_node("get_attr", name, (), {}, name=name))
            examples = inner.results
        args = (self.tracer.create_arg(pred), *nodes, tuple([self.tracer.create_arg(o) for o in operands]))
        node = self.tracer.create_node("call_function", cond_op, args, {}, name="cond")
        with disable_modes(), self.fakes:
            out = tuple([e.clone() for e in examples])
        _track(self.tracer, out, Proxy(node, self.tracer))
        return out

    # ---- results

    def node_of(self, value):
        """The new graph's node of a tensor."""
        node = self.tracer.create_arg(value)
        with no_grad():
            self.made.advance()
            found = self.made.env[node]
            return self.made.current(found) if isinstance(found, Alias) else found[0]

    def written(self):
        """[(placeholder, its new value)]"""
        with no_grad():
            self.made.advance()
            aliases = [(hole, self.made.env[hole]) for hole in self.holes]
            return [(h, self.made.current(a)) for h, a in aliases if isinstance(a, Alias) and a.storage.version]

    def finished(self, values):
        """The new graph, which gives these values, without what nobody needs."""
        graph = self.made.new
        graph.output(tuple(values))
        graph.eliminate_dead_code(lambda n: n.op in ("placeholder", "output") or n.target is _ASSERTION)
        return graph


_ASSERTION = aten("_assert_tensor_metadata")

__all__ = ["Again", "fake_with"]
