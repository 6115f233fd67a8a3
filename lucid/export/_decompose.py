"""ExportedProgram.run_decompositions: the graph traced again below autograd, without writes, by a table of decompositions."""

import operator

from .._aten.overloads import OpOverload, aten
from .._base.symbolic import SymInt
from .._decomp.registry import _composites
from .._functorch.functionalization import Alias, Functionalized
from .._modes.fake import fake_of
from .._modes.torch_dispatch import disable_modes
from .._subclasses.fake_tensor import FakeTensorMode
from .._tensor.tensor import Tensor
from ..autograd.grad_mode import _set_grad_enabled, no_grad
from ..fx.experimental.proxy_tensor import ProxyTorchDispatchMode, PythonKeyTracer, _track, snapshot
from ..fx.graph import Graph
from ..fx.graph_module import GraphModule
from ..fx.node import Node, map_arg
from ..fx.proxy import Proxy
from ..nn.modules.module import Module
from ._sizes import materialise
from .decomp_utils import CustomDecompTable
from .graph_signature import (
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    OutputKind,
    OutputSpec,
    SymIntArgument,
    TensorArgument,
)

_WRITTEN = {InputKind.BUFFER: OutputKind.BUFFER_MUTATION, InputKind.PARAMETER: OutputKind.PARAMETER_MUTATION}
_SAME = (aten("detach_"), aten("detach"))  # nothing asks for gradients here
_LIFTED = aten("lift_fresh_copy")


def default_decompositions():
    """default_decompositions() -> CustomDecompTable, the decompositions into the core ATen ops"""
    return CustomDecompTable()


class _Again:
    """One tracing of an exported graph."""

    def __init__(self, ep, decompositions):
        self.ep, self.table = ep, decompositions
        self.tracer = PythonKeyTracer()
        self.tracer.root, self.tracer.tensor_attrs = Module(), {}
        self.tracer.graph = Graph(tracer_cls=PythonKeyTracer)
        plain = {k: v for k, v in decompositions.items() if isinstance(k, OpOverload) and not k.is_composite}
        self.proxies = ProxyTorchDispatchMode(self.tracer, "fake", plain, error_on_data_dependent_ops=False)
        self.made = Functionalized(self.tracer.graph, self.tracer.root)
        self.fakes, self.values, self.holes = FakeTensorMode(allow_non_fake_inputs=True), {}, []
        with no_grad(), self.fakes, self.proxies:
            for node in ep.graph.nodes:
                self._node(node)

    def _node(self, node):
        if node.op == "placeholder":
            self.values[node] = self._hole(node)
        elif node.op == "get_attr":
            raise NotImplementedError(f"run_decompositions of a graph with the submodule {node.target}")
        elif node.op == "call_function":
            if node.target is not _set_grad_enabled:
                self.values[node] = self._call(node)
        else:
            self.results = map_arg(node.args[0], self.values.__getitem__)

    def _hole(self, node):
        value = node.meta.get("val")
        if isinstance(value, Tensor):
            with disable_modes():
                value = self._fake(value)
        made = self.tracer.graph.placeholder(node.target)
        made.meta["val"] = snapshot(value) if isinstance(value, Tensor) else value
        if isinstance(value, Tensor):
            self.tracer.track(value, Proxy(made, self.tracer))
        self.holes.append(made)
        with no_grad():
            self.made.hole(made)
        return value

    def _fake(self, value):
        fake = fake_of(value, value.shape)
        fake.fake_mode = self.fakes
        fake._node = None
        return fake

    def _call(self, node):
        target = node.target
        if target in _SAME:
            return self.values[node.args[0]]
        if target is _LIFTED:
            target = aten("clone")
        args = map_arg(node.args, self.values.__getitem__)
        kwargs = map_arg(node.kwargs, self.values.__getitem__)
        if isinstance(target, OpOverload) and target in _composites() and target not in self.table:
            return self._kept(target, args, kwargs)
        own = self.table.get(target) if isinstance(target, OpOverload) and target.is_composite else None
        if own is not None and own != target.decompose:
            return own(*args, **kwargs)
        return target(*args, **kwargs)

    def _kept(self, target, args, kwargs):
        """A composite that stays: one node."""
        name = self.tracer.graph._target_to_str(target._opname)
        proxy = self.tracer.create_proxy("call_function", target, args, kwargs, name=name)
        with disable_modes(), self.fakes:
            out = target.compute(*args, **kwargs)
        _track(self.tracer, out, proxy)
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


def decomposed(ep, table):
    """The program in the ops that a table leaves."""
    again = _Again(ep, table)
    specs = {s.arg.name: s for s in ep.graph_signature.input_specs}
    outputs, values = [], []
    for hole, node in again.written():
        spec = specs[hole.name]
        target = hole.name if spec.kind == InputKind.USER_INPUT else spec.target
        kind = _WRITTEN.get(spec.kind, OutputKind.USER_INPUT_MUTATION)
        outputs.append((kind, target))
        values.append(node)
    for r, spec in zip(again.results, ep.graph_signature.output_specs):
        outputs.append((spec.kind, spec.target))
        values.append(again.node_of(r) if isinstance(r, Tensor) else r)
    graph = again.made.new
    graph.output(tuple(values))
    graph.eliminate_dead_code(lambda n: n.op in ("placeholder", "output"))
    if any([n.op == "get_attr" for n in graph.nodes]):
        raise NotImplementedError("run_decompositions: a decomposition made a tensor of numbers of its own")
    materialise(graph, ep._environment)
    final = next(reversed(graph.nodes)).args[0]
    made = [OutputSpec(kind, _argument(v), target) for (kind, target), v in zip(outputs, final)]
    signature = ExportGraphSignature(list(ep.graph_signature.input_specs), made)
    return ep._update(GraphModule(again.tracer.root, graph), signature)


def _argument(value):
    if not isinstance(value, Node):
        return ConstantArgument("", value)
    symbolic = isinstance(value.meta.get("val"), SymInt) or value.target in (operator.add, operator.mul)
    return SymIntArgument(value.name) if symbolic else TensorArgument(value.name)


__all__ = ["decomposed", "default_decompositions"]
