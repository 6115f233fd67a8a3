"""torch.export.export: a module's call as an ExportedProgram."""

import warnings

from .._base.refused import refuse
from .._dynamo.exc import UserError
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode
from ..nn.modules.module import Module
from ._regions import wrap_regions
from ._run import Held, Run, clean, name_of_path
from ._settle import settled
from ._sizes import materialise, ranges_of
from ._specification import specified, symbols_for
from .dynamic_shapes import argument_names, combined_args, user_error
from .exported_program import ExportedProgram, ModuleCallEntry, ModuleCallSignature
from .graph_signature import (
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    SymIntArgument,
    TensorArgument,
)

globals().update(refuse("torch.export._trace", "_export_to_aten_ir", "such inner form of an export"))
_DRAFT = (
    "The error above occurred when calling torch.export.export. If you would like to view some more information about "
    "this error, and get a list of all other errors that may occur in your export call, you can replace your "
    "`export()` call with `draft_export()`."
)
_LEAVES = (Tensor, int, float, bool, str, complex, type(None))


def export(
    mod,
    args,
    kwargs=None,
    *,
    dynamic_shapes=None,
    strict=False,
    preserve_module_call_signature=(),
    prefer_deferred_runtime_asserts_over_guards=False,
):
    """export(mod, args, kwargs=None, *, dynamic_shapes=None, strict=False) -> ExportedProgram: mod's call with these
    inputs as a graph of ATen ops, good for all sizes that dynamic_shapes leaves open."""
    try:
        return _exported(mod, args, kwargs, dynamic_shapes)
    except (UserError, GuardOnDataDependentSymNode) as e:
        e.args = (f"{e}\n\n{_DRAFT}",)
        raise


def _exported(mod, args, kwargs, dynamic_shapes):
    _check_call(mod, args, kwargs)
    kwargs = kwargs or {}
    combined = combined_args(mod, args, kwargs)
    kwargs = {k: kwargs[k] for k in [*[k for k in combined if k in kwargs], *[k for k in kwargs if k not in combined]]}
    found = specified(mod, args, kwargs, combined, dynamic_shapes)
    env, sizes = symbols_for(found)
    names = [name_of_path(path) for path, _, _ in found]
    held = Held(mod)
    run, env = settled(lambda e, s: Run(mod, held, args, kwargs, names, s, e), env, sizes)
    made = _program(mod, held, run, env, args, kwargs)
    if hasattr(dynamic_shapes, "verify"):
        dynamic_shapes.verify(made)
    return made


def export_for_training(mod, args, kwargs=None, **more):
    """export_for_training(...): export, as torch called it."""
    warnings.warn(
        "torch.export.export_for_training is deprecated; use torch.export.export", FutureWarning, stacklevel=2
    )
    return export(mod, args, kwargs, **more)


def _export(mod, args, kwargs=None, dynamic_shapes=None, **more):
    """_export(mod, args, kwargs=None, dynamic_shapes=None): export."""
    known = {k: v for k, v in more.items() if k in ("strict", "preserve_module_call_signature")}
    return export(mod, args, kwargs, dynamic_shapes=dynamic_shapes, **known)


def _check_call(mod, args, kwargs):
    """torch's errors for what cannot be exported."""
    if not isinstance(mod, Module):
        raise ValueError(f"Expected `mod` to be an instance of `torch.nn.Module`, got {type(mod)}.")
    if not isinstance(args, tuple):
        raise user_error(f"Expecting `args` to be a tuple of example positional inputs, got {type(args)}")
    if kwargs is not None and not isinstance(kwargs, dict):
        raise user_error(f"Expecting `kwargs` to be a dict of example keyword inputs, got {type(kwargs)}")
    for leaf in pytree.tree_leaves((args, kwargs or {})):
        if not isinstance(leaf, _LEAVES):
            raise ValueError(
                f"Unsupported input type {type(leaf)}. Export only supports pytree containers of basic types (Tensor, "
                "int, float, ...) as input. To register a custom dataclass, use torch.export.register_dataclass. To "
                "register a custom container type, use torch.utils._pytree.register_pytree_node. To register a "
                "constant input, use torch.utils._pytree.register_constant"
            )


def _program(mod, held, run, env, args, kwargs):
    graph = run.tracer.graph
    constants = _lift_constants(held, run)
    materialise(graph, env)
    wrap_regions(graph, run.tracer.root)
    module = run.module()
    inputs = [_input_spec(node, run.inputs[node.name], held) for node in graph.nodes if node.op == "placeholder"]
    outputs = [OutputSpec(OutputKind.USER_OUTPUT, argument_of(r), None) for r in next(reversed(graph.nodes)).args[0]]
    constants |= {n: t for n, t in held.buffers.items() if n not in held.persistent}
    state = mod.state_dict(keep_vars=True)
    names = argument_names(mod, args, kwargs)
    calls = [ModuleCallEntry("", ModuleCallSignature([], [], run.in_spec, run.out_spec, names))]
    calls += [ModuleCallEntry(name) for name, _ in mod.named_modules() if name]
    ranges = ranges_of(graph, env)
    return ExportedProgram(
        root=module,
        graph=graph,
        graph_signature=ExportGraphSignature(inputs, outputs),
        state_dict=state,
        range_constraints=ranges,
        module_call_graph=calls,
        example_inputs=(args, kwargs),
        constants=constants,
        environment=env,
    )


def argument_of(r):
    """What a result is in a signature."""
    if hasattr(r, "op"):
        value = r.meta.get("val")
        return TensorArgument(r.name) if isinstance(value, Tensor) else SymIntArgument(r.name)
    return ConstantArgument("", r)


def _input_spec(node, what, held):
    kind, value = what
    argument = TensorArgument(node.name)
    if kind == "parameters":
        return InputSpec(InputKind.PARAMETER, argument, value)
    if kind == "buffers":
        return InputSpec(InputKind.BUFFER, argument, value, value in held.persistent)
    if kind == "constant":
        return InputSpec(InputKind.CONSTANT_TENSOR, argument, value)
    if isinstance(value, Tensor):
        return InputSpec(InputKind.USER_INPUT, argument, None)
    return InputSpec(InputKind.USER_INPUT, ConstantArgument(node.name, value), None)


def _lift_constants(held, run):
    """{name: tensor} of tensors that the graph has as attributes; they become placeholders before the user's."""
    graph, root = run.tracer.graph, run.tracer.root
    first = next((n for n in graph.nodes if n.op == "placeholder" and run.inputs[n.name][0] == "user"), None)
    first = first or next(n for n in graph.nodes if n.op != "placeholder")
    known, made, lifted = {id(t): name for name, t in held.constants.items()}, {}, 0
    holes = {}
    for node in [n for n in graph.nodes if n.op == "get_attr"]:
        value = getattr(root, node.target, None)
        if not isinstance(value, Tensor):
            continue
        name = known.get(id(value))
        if id(value) not in holes:
            if name is None:
                name, lifted = f"lifted_tensor_{lifted}", lifted + 1
            with graph.inserting_before(first):
                hole = graph.placeholder(run.names.new("c_" + clean(name)))
            hole.meta["val"] = run.fakes.from_tensor(value)
            run.inputs[hole.name] = ("constant", name)
            holes[id(value)], made[name] = hole, value
        node.replace_all_uses_with(holes[id(value)])
        graph.erase_node(node)
        delattr(root, node.target)
    return made


__all__ = ["argument_of", "export", "export_for_training"]
