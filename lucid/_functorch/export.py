"""aot_export_module, aot_export_joint_simple: the graphs themselves, with what their inputs and outputs are."""

from typing import NamedTuple

from .._tensor import pytree
from ..fx.graph_module import GraphModule
from .inverses import Unsupported
from .joint import traced

__all__ = ["BackwardSignature", "GraphSignature", "aot_export_joint_simple", "aot_export_module"]


class BackwardSignature(NamedTuple):
    """Which outputs of a joint graph are gradients, of what, and which is the loss."""

    gradients_to_parameters: dict
    gradients_to_user_inputs: dict
    loss_output: str


class GraphSignature(NamedTuple):
    """What the inputs and outputs of an exported graph are, by name."""

    parameters: list
    buffers: list
    user_inputs: list
    user_outputs: list
    inputs_to_parameters: dict
    inputs_to_buffers: dict
    buffers_to_mutate: dict
    parameters_to_mutate: dict
    user_inputs_to_mutate: dict
    in_spec: object
    out_spec: object
    backward_signature: object = None
    input_tokens: list = []
    output_tokens: list = []


_NEEDS_LOSS = """If trace_joint=Trueit is required that one of your forward outputs must be a scalar loss.
You must specify the which (index) output is the loss with output_loss_index."""


def _values_only(found):
    """The plan's results as places of values; Unsupported where one is made of an input or by views."""
    for r in found.plan.results:
        if r.kind == "constant" or r.kind == "input" and not r.chain:
            continue
        if r.kind != "value" or r.chain or r.grad == "leaf":
            raise Unsupported("an exported function with a result that is a view of an input or of another result")
    return found


def _outputs(found_plan, module):
    """The nodes that a function's results are."""
    given = list(next(reversed(module.graph.nodes)).args[0])
    holes = [n for n in module.graph.nodes if n.op == "placeholder"]
    found = {"value": given, "input": holes}
    return given, [None if r.kind == "constant" else found[r.kind][r.index] for r in found_plan.results]


def aot_export_joint_simple(func, args, *, trace_joint, num_params_buffers=0, decompositions=None):
    """aot_export_joint_simple(func, args, trace_joint=) -> the graph of a function of tensors that writes none, alone
    or, of (primals, tangents), with its gradients."""
    leaves, spec = pytree.tree_flatten(tuple(args))
    flat = lambda *given: func(*pytree.tree_unflatten(list(given), spec))  # noqa: E731
    found = _values_only(traced(flat, leaves, decompositions, grad=trace_joint))
    if found.plan.written:
        raise RuntimeError("aot_export_joint_simple does not support input mutations.")
    graph = found.module.graph
    values, outs = _outputs(found.plan, found.module)
    output = next(reversed(graph.nodes))
    output.args = ((*outs, *values[len(found.plan.live) :]) if found.plan.live else tuple(outs),)
    if found.plan.live and not any(found.plan.live):
        raise RuntimeError("aot_export_joint_simple: no output requires a gradient")
    return _flat_module(found.module)


def _flat_module(module):
    module.recompile()
    return GraphModule(module, module.graph)


def aot_export_module(
    mod,
    args,
    *,
    decompositions=None,
    trace_joint,
    output_loss_index=None,
    pre_dispatch=False,
    dynamic_shapes=None,
    kwargs=None,
):
    """aot_export_module(module, args, trace_joint=, output_loss_index=None) -> (GraphModule, GraphSignature).

    The graph takes parameters, buffers and inputs; it gives new values of what the module writes, its results and, with
    trace_joint, the gradients of the loss.
    """
    from ..func import functional_call

    if trace_joint and output_loss_index is None:
        raise RuntimeError(_NEEDS_LOSS)
    parameters, buffers = dict(mod.named_parameters()), dict(mod.named_buffers())
    names = [*parameters, *buffers]
    inputs, spec = pytree.tree_flatten((tuple(args), kwargs or {}))
    n, seen = len(names), {}

    def flat(*given):
        called, named = pytree.tree_unflatten(list(given[n:]), spec)
        out = functional_call(mod, dict(zip(names, given[:n])), called, named)
        seen["spec"] = pytree.tree_flatten(out)[1]
        return out

    leaves = [*parameters.values(), *buffers.values(), *inputs]
    loss = output_loss_index if trace_joint else None
    found = _values_only(traced(flat, leaves, decompositions, grad=trace_joint, loss=loss))
    graph = found.module.graph
    values, outs = _outputs(found.plan, found.module)
    written = values[: len(found.plan.written)]
    gradients = values[len(found.plan.live) :] if trace_joint else []
    next(reversed(graph.nodes)).args = ((*written, *outs, *[g for g in gradients if g is not None]),)
    module = _flat_module(found.module)
    holes = [node.name for node in graph.nodes if node.op == "placeholder"]
    backward = None
    if trace_joint:
        backward = _backward_signature(gradients, holes, names, parameters, outs[output_loss_index].name)
    changed = {node.name: w.place for node, w in zip(written, found.plan.written)}
    signature = GraphSignature(
        list(parameters),
        list(buffers),
        holes[n:],
        [o.name for o in outs],
        dict(zip(holes, parameters)),
        dict(zip(holes[len(parameters) :], buffers)),
        {name: names[i] for name, i in changed.items() if len(parameters) <= i < n},
        {name: names[i] for name, i in changed.items() if i < len(parameters)},
        {name: holes[i] for name, i in changed.items() if i >= n},
        pytree.tree_flatten((tuple(leaves), {}))[1],
        seen["spec"],
        backward,
    )
    return module, signature


def _backward_signature(gradients, holes, names, parameters, loss):
    """Which gradient belongs to which parameter or input of an exported joint graph."""
    of = {g.name: h for g, h in zip(gradients, holes) if g is not None}
    places = dict(zip(holes, names))
    return BackwardSignature(
        {g: places[h] for g, h in of.items() if places.get(h) in parameters},
        {g: h for g, h in of.items() if h not in places},
        loss,
    )
