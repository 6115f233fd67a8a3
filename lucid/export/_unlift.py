"""ExportedProgram.module(): the graph as a module that has its parameters and buffers, and checks its inputs."""

import copy

from .._aten.overloads import aten
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..fx.code import _PyTreeCodeGen, _PyTreeInfo
from ..fx.graph_module import GraphModule
from ..nn.modules.module import Module
from ._symbols import SAYS, int_oo, symbols_of, value_of
from .graph_signature import InputKind, OutputKind

_SPEC = (
    "Trying to flatten user inputs with exported input tree spec: \n{}\nbut actually got inputs with tree spec of: \n{}."
    "\nPlease check that the inputs have the same number and type of args and kwargs as the ones you used when tracing."
)


class GuardsFn(Module):
    """Raises AssertionError for inputs that the program was not exported for."""

    def __init__(self, checks):
        super().__init__()
        self._checks = checks

    def forward(self, *args):
        """Each check in turn."""
        for text, holds in self._checks:
            if not holds(args):
                raise AssertionError(f"Guard failed: {text}")


class Unlifted(GraphModule):
    """The module of an exported program."""

    def check_inputs(self, args, kwargs):
        """check_inputs(args, kwargs): the errors of inputs that the program was not exported for."""
        leaves = _flat(self._in_spec, args, kwargs)
        self._input_checks(*leaves)


def unlifted(ep, check_guards):
    """The module of a program."""
    root = Module()
    signature = ep.graph_signature
    hidden = set(signature.non_persistent_buffers)
    for name in signature.buffers:
        _put(root, name, ep.constants[name] if name in hidden else ep.state_dict[name], name not in hidden)
    for name in signature.parameters:
        _put(root, name, ep.state_dict[name])
    for name in signature.lifted_tensor_constants:
        _put(root, name, ep.constants[name])
    for name, child in ep.graph_module.named_children():
        root.add_module(name, child)
    graph = copy.deepcopy(ep.graph)
    mutated = _states(graph, signature)
    checks = GuardsFn(_checks(ep))
    if check_guards:
        _insert_checks(graph, root, checks)
    _write_back(graph, signature, mutated)
    spec = ep.call_spec
    names = ep.module_call_graph[0].signature.forward_arg_names or _names(spec.in_spec)
    graph._codegen = _PyTreeCodeGen(_PyTreeInfo(list(names), spec.in_spec, spec.out_spec))
    module = GraphModule(root, graph, "GraphModule")
    for name in (*signature.parameters, *signature.buffers, *signature.lifted_tensor_constants):
        _share(module, root, name)
    module.__class__ = type("GraphModule", (type(module),), {"check_inputs": Unlifted.check_inputs})
    module._in_spec, module._out_spec = spec.in_spec, spec.out_spec
    object.__setattr__(module, "_input_checks", checks)
    module.register_forward_pre_hook(_check_structure, with_kwargs=True)
    return module


def _names(in_spec):
    args, kwargs = in_spec.child(0), in_spec.child(1)
    return [*[f"arg_{i}" for i in range(args.num_children)], *kwargs.context]


def _put(root, path, value, persistent=None):
    """Set a parameter, buffer or constant at a dotted path."""
    *parts, last = path.split(".")
    for part in parts:
        if part not in root._modules:
            root.add_module(part, Module())
        root = root._modules[part]
    if persistent is not None:
        root.register_buffer(last, value, persistent)
    else:
        setattr(root, last, value)


def _share(module, root, path):
    """Let the module have the very tensor, and make the modules on the way to it."""
    *parts, last = path.split(".")
    for part in parts:
        if part not in module._modules:
            module.add_module(part, Module())
        module, root = module._modules[part], root._modules[part]
    for held in ("_parameters", "_buffers"):
        if last in getattr(root, held):
            vars(module).pop(last, None)
            getattr(module, held)[last] = getattr(root, held)[last]
            if held == "_buffers" and last in root._non_persistent_buffers_set:
                module._non_persistent_buffers_set.add(last)
            return
    if not hasattr(module, last):
        setattr(module, last, getattr(root, last))


def _states(graph, signature):
    """Placeholders of parameters, buffers and constants become attributes; {name: node} of all that may be written."""
    found, state = {}, {}
    kinds = {s.arg.name: s for s in signature.input_specs}
    holes = [n for n in graph.nodes if n.op == "placeholder"]
    after = holes[-1] if holes else None
    for node in holes:
        spec = kinds[node.name]
        if spec.kind == InputKind.USER_INPUT:
            found[node.name] = node
            continue
        with graph.inserting_after(after):
            made = graph.create_node("get_attr", spec.target, (), {}, name=spec.target.replace(".", "_"))
        made.meta.update(node.meta)
        node.replace_all_uses_with(made)
        found[spec.target] = after = made
        state[node.name] = node
    for node in state.values():
        graph.erase_node(node)
    return found


def _insert_checks(graph, root, checks):
    holes = [n for n in graph.nodes if n.op == "placeholder"]
    first = next(n for n in graph.nodes if n.op not in ("placeholder", "get_attr"))
    root.add_module("_guards_fn", checks)
    with graph.inserting_before(first):
        graph.create_node("call_module", "_guards_fn", tuple(holes), {}, name="_guards_fn")


def _write_back(graph, signature, nodes):
    """New values of buffers and inputs are copied into them, and are no results any more."""
    output = next(reversed(graph.nodes))
    results, copied = [], {}
    for spec, value in zip(signature.output_specs, output.args[0]):
        if spec.kind in (OutputKind.USER_OUTPUT, OutputKind.LOSS_OUTPUT):
            results.append(value)
        elif spec.kind in (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION, OutputKind.USER_INPUT_MUTATION):
            with graph.inserting_before(output):
                copied[value] = graph.create_node(
                    "call_function", aten("copy_"), (nodes[spec.target], value), {}, name="copy__default"
                )
    output.args = (tuple([copied.get(r, r) if hasattr(r, "op") else r for r in results]),)


# ---- checks


def _flat(in_spec, args, kwargs):
    """The leaves of a call's inputs; ValueError where they are not nested as those of the export."""
    expected = in_spec.child(1).context
    if set(kwargs) != set(expected):
        raise ValueError(
            f"Ran into a kwarg keyword mismatch: Got the following keywords {list(kwargs)} but expected "
            f"{list(expected)}"
        )
    leaves, spec = pytree.tree_flatten((tuple(args), {k: kwargs[k] for k in expected}))
    if spec != in_spec:
        raise ValueError(_SPEC.format(in_spec, spec))
    return leaves


def _check_structure(module, args, kwargs):
    _flat(module._in_spec, args, kwargs)
    return args, {k: kwargs[k] for k in module._in_spec.child(1).context}


def _checks(ep):
    """[(text, f(leaves))]: that inputs have the sizes and values which the program was exported for."""
    holes = {n.name: n for n in ep.graph.nodes if n.op == "placeholder"}
    specs = [s for s in ep.graph_signature.input_specs if s.kind == InputKind.USER_INPUT]
    made, places = [], {}
    for i, spec in enumerate(specs):
        name = spec.arg.name
        if hasattr(spec.arg, "value"):
            made.append(_is_value(name, i, spec.arg.value))
            continue
        shape = holes[name].meta["val"].shape
        made.append((f"{name}.dim() == {len(shape)}", lambda a, i=i, n=len(shape): a[i].dim() == n))
        for d, n in enumerate(shape):
            text = f"{name}.size()[{d}]"
            expression = getattr(n, "expression", None)
            if expression is None:
                made.append((f"{text} == {n}", lambda a, i=i, d=d, n=n: a[i].size()[d] == n))
            else:
                places.setdefault(expression, []).append((text, i, d))
    return made + _symbolic_checks(ep, places)


def _is_value(name, i, value):
    if value is None:
        return f"{name} is None", lambda a: a[i] is None
    same = lambda x: type(x) is type(value) and (x == value or x != x and value != value)  # noqa: E731
    return f"{name} == {value!r}", lambda a: not isinstance(a[i], Tensor) and same(a[i])


def _symbolic_checks(ep, places):
    """Checks of ranges, of sizes that are equal, of sizes that follow from others, and of what the program asked."""
    made, values, texts = [], {}, {}
    for expression, found in places.items():
        names = symbols_of(expression)
        if len(names) == 1 and (len(expression.terms) == 1 or names[0] not in values):
            if expression.terms[0][1] == 1 and len(expression.terms) == 1 or names[0] not in values:
                values[names[0]], texts[names[0]] = (expression, found[0]), found[0][0]

    def known(a):
        return {name: _solved(e, a[i].size()[d], name) for name, (e, (_, i, d)) in values.items()}

    for expression, found in places.items():
        said = _text(repr(expression), {n: t for n, t in texts.items()})
        for text, i, d in found:
            if text != said:
                made.append((f"{text} == {said}", _equal(known, expression, i, d)))
    for name, ranges in _bounds(ep):
        if name in values:
            made += _range_checks(known, name, texts[name], *ranges)
    env = ep._environment
    for how, x, y in env.guards if env is not None else ():
        text = f"{_text(repr(x), texts)} {how} {_text(repr(y), texts)}"
        made.append((text, lambda a, h=how, x=x, y=y: SAYS[h](value_of(x, known(a)), value_of(y, known(a)))))
    return made


def _bounds(ep):
    for key, found in ep.range_constraints.items():
        names = symbols_of(key)
        if len(key.terms) == 1 and key.terms[0] == ((names[0],), 1):
            yield names[0], (found.lower, found.upper)


def _solved(expression, size, name):
    """The symbol of which times * symbol + plus is a size; a fraction where it is none."""
    terms = dict(expression.terms)
    plus = terms.pop((), 0)
    (times,) = terms.values()
    whole, left = divmod(int(size) - plus, times)
    return whole if not left else (int(size) - plus) / times


def _equal(known, expression, i, d):
    return lambda a: a[i].size()[d] == value_of(expression, known(a)) and all(
        [isinstance(known(a)[n], int) for n in symbols_of(expression)]
    )


def _range_checks(known, name, text, lower, upper):
    made = [(f"{text} is whole", lambda a: isinstance(known(a)[name], int))] if "size()" not in text else []
    if lower > 2:
        made.append((f"{text} >= {lower}", lambda a: known(a)[name] >= lower))
    elif lower == 2:
        made.append((f"{text} >= 2", lambda a: known(a)[name] >= 2))
    if upper is not int_oo:
        made.append((f"{text} <= {upper}", lambda a: known(a)[name] <= upper))
    return made


def _text(text, names):
    """An expression's text, with inputs' sizes for symbols, in Python's words."""
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, names[name])
    if text.startswith("Mod(") and text.endswith(")"):
        a, _, b = text[4:-1].rpartition(", ")
        return f"{a} % {b}"
    return text
