"""ExportedProgram.run_decompositions."""

import operator

from .._base.symbolic import SymInt
from .._tensor.tensor import Tensor
from ..fx.graph_module import GraphModule
from ..fx.node import Node
from ._again import Again
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


def default_decompositions():
    """default_decompositions() -> CustomDecompTable, the decompositions into the core ATen ops"""
    return CustomDecompTable()


def decomposed(ep, table):
    """The program in the ops that a table leaves."""
    again = Again(ep.graph_module, table)
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
    graph = again.finished(values)
    for node in graph.nodes:
        if node.op == "get_attr" and isinstance(getattr(again.tracer.root, node.target), Tensor):
            raise NotImplementedError("run_decompositions: a decomposition made a tensor of numbers of its own")
    materialise(graph, ep._environment)
    inputs = _as_traversed(graph, ep.graph_signature.input_specs)
    final = next(reversed(graph.nodes)).args[0]
    made = [OutputSpec(kind, _argument(v), target) for (kind, target), v in zip(outputs, final)]
    return ep._update(GraphModule(again.tracer.root, graph), ExportGraphSignature(inputs, made))


def _as_traversed(graph, specs):
    """The specifications in torch's order, and the placeholders with them: constants are the root module's, and come
    before the buffers of submodules."""
    of_root = lambda s: s.kind == InputKind.BUFFER and "." not in s.target  # noqa: E731
    first = [s for s in specs if s.kind == InputKind.PARAMETER]
    root = [s for s in specs if of_root(s) or s.kind == InputKind.CONSTANT_TENSOR and "." not in s.target]
    rest = [s for s in specs if s.kind != InputKind.USER_INPUT and s not in first and s not in root]
    ordered = [*first, *root, *rest, *[s for s in specs if s.kind == InputKind.USER_INPUT]]
    holes = {n.name: n for n in graph.nodes if n.op == "placeholder"}
    for before, after in zip(ordered, ordered[1:]):
        holes[before.arg.name].append(holes[after.arg.name])
    return ordered


def _argument(value):
    if not isinstance(value, Node):
        return ConstantArgument("", value)
    symbolic = isinstance(value.meta.get("val"), SymInt) or value.target in (operator.add, operator.mul)
    return SymIntArgument(value.name) if symbolic else TensorArgument(value.name)


__all__ = ["decomposed", "default_decompositions"]
