"""ExportedProgram.module(): the graph as a module that has its parameters and buffers, and checks its inputs."""

import copy

from .._aten.overloads import aten
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..fx.code import _PyTreeCodeGen, _PyTreeInfo
from ..fx.graph_module import GraphModule
from ..nn.modules.module import Module
from ._symbols import SAYS, in_words, int_oo, symbols_of, value_of
from .graph_signature import InputKind, OutputKind

_SPEC = (
    "Trying to flatten user inputs with exported input tree spec: \n{}\nbut actually got inputs with tree spec of: \n"
    "{}.\nPlease check that the inputs have the same number and type of args and kwargs as the ones you used when "
    "tracing."
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


def put_tensors(root, ep, kind=Module):
    """Let a module have a program's parameters, buffers and constants; kind: of the modules on the way to them."""
    signature = ep.graph_signature
    hidden = set(signature.non_persistent_buffers)
    for name in signature.buffers:
        value = ep.constants[name] if name in hidden else ep.state_dict[name]
        _put(root, name, value, name not in hidden, kind)
    for name in signature.parameters:
        _put(root, name, ep.state_dict[name], kind=kind)
    for name in signature.lifted_tensor_constants:
        _put(root, name, ep.constants[name], kind=kind)


def checked_leaves(ep):
    """f(args, kwargs) -> the leaves of a call's inputs; an error for those that the program was not exported for."""
    spec, checks = ep.call_spec, GuardsFn(_checks(ep))

    def leaves(args, kwargs):
        found = _flat(spec.in_spec, args, kwargs)
        checks(*found)
        return found

    return leaves


def unlifted(ep, check_guards):
    """The module of a program."""
    root, signature = Module(), ep.graph_signature
    put_tensors(root, ep)
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


def _put(root, path, value, persistent=None, kind=Module):
    """Set a parameter, buffer or constant at a dotted path."""
    *parts, last = path.split(".")
    for part in parts:
        if part not in root._modules:
            root.add_module(part, kind())
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
    holes = [n for n in graph.nodes if n.op == "placeholder"]
    after = holes[-1] if holes else None
    for node, spec in zip(holes, signature.input_specs):
        node.name = spec.arg.name  # a copy's may be another, for names of Python's own
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
    sizes = _Sizes(ep)
    for i, spec in enumerate(specs):
        if not hasattr(spec.arg, "value"):
            for d, n in enumerate(holes[spec.arg.name].meta["val"].shape):
                sizes.note(n, f"{spec.arg.name}.size()[{d}]", i, d)
    made = []
    for i, spec in enumerate(specs):
        name = spec.arg.name
        if hasattr(spec.arg, "value"):
            made.append(_is_value(name, i, spec.arg.value))
            continue
        shape = holes[name].meta["val"].shape
        made.append(_has_rank(name, i, len(shape)))
        for d, n in enumerate(shape):
            text = f"{name}.size()[{d}]"
            if hasattr(n, "expression"):
                made += sizes.checks(n.expression, text, i, d)
            else:
                made.append((f"{text} == {n}", lambda a, i=i, d=d, n=n: a[i].size()[d] == n))
    return made + sizes.guards()


def _has_rank(name, i, n):
    return f"{name}.dim() == {n}", lambda a: a[i].dim() == n


def _is_value(name, i, value):
    if value is None:
        return f"{name} is None", lambda a: a[i] is None
    same = lambda x: type(x) is type(value) and (x == value or x != x and value != value)  # noqa: E731
    return f"{name} == {value!r}", lambda a: not isinstance(a[i], Tensor) and same(a[i])


class _Sizes:
    """The symbols of a program: from which sizes of the inputs they are read, and what must hold of them."""

    def __init__(self, ep):
        self.values, self.texts = {}, {}  # symbol -> (expression of a size, input, dimension); text of that size
        self.ranges, env = dict(_bounds(ep)), ep._environment
        self.asked = [*env.guards, *env.assumed] if env is not None else []

    def note(self, n, text, i, d):
        """A size of an input. A symbol is read from a size that it is, or from the first that follows from it."""
        expression = getattr(n, "expression", None)
        names = symbols_of(expression) if expression is not None else ()
        if len(names) != 1:
            return
        known = self.values.get(names[0])
        if known is None or len(known[0].terms) > 1 or known[0].terms[0][1] != 1:
            if known is None or expression.terms == (((names[0],), 1),):
                self.values[names[0]], self.texts[names[0]] = (expression, i, d), text

    def known(self, a):
        """{symbol: number} of a call."""
        return {name: _solved(e, a[i].size()[d]) for name, (e, i, d) in self.values.items()}

    def checks(self, expression, text, i, d):
        """Those of one symbolic size."""
        name = symbols_of(expression)[0]
        if self.values[name][1:] != (i, d):
            return [(f"{text} == {in_words(expression, self.texts)}", _equal(self.known, expression, i, d))]
        lower, upper = self.ranges.get(name, (0, int_oo))
        whole = []
        if expression.terms != (((name,), 1),):
            said = in_words(expression, {name: "n"})
            whole = [(f"{text} == {said}", lambda a: isinstance(self.known(a)[name], int))]
        return [*whole, *_range_checks(self.known, name, text, lower, upper)]

    def guards(self):
        """What the program asked of its sizes."""
        made = []
        for how, x, y in self.asked:
            text = f"{in_words(x, self.texts)} {how} {in_words(y, self.texts)}"
            made.append((text, _asked(self.known, how, x, y)))
        return made


def _asked(known, how, x, y):
    return lambda a: SAYS[how](value_of(x, known(a)), value_of(y, known(a)))


def _bounds(ep):
    for key, found in ep.range_constraints.items():
        names = symbols_of(key)
        if len(key.terms) == 1 and key.terms[0] == ((names[0],), 1):
            yield names[0], (found.lower, found.upper)


def _solved(expression, size):
    """The symbol of which times * symbol + plus is a size; a fraction where it is none."""
    terms = dict(expression.terms)
    plus = terms.pop((), 0)
    (times,) = terms.values()
    whole, left = divmod(int(size) - plus, times)
    return whole if not left else (int(size) - plus) / times


def _equal(known, expression, i, d):
    return lambda a: (
        a[i].size()[d] == value_of(expression, known(a))
        and all([isinstance(known(a)[n], int) for n in symbols_of(expression)])
    )


def _range_checks(known, name, text, lower, upper):
    made = []
    if lower > 2:
        made.append((f"{text} >= {lower}", lambda a: known(a)[name] >= lower))
    if upper is not int_oo:
        made.append((f"{text} <= {upper}", lambda a: known(a)[name] <= upper))
    return made
