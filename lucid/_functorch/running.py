"""A graph of ATen calls as one Python function: each call is made ready once, so that a run only computes."""

import itertools
import math
import operator

from .._aten.kernels import Kernel, kernel_of
from .._aten.overloads import OpOverload
from .._aten.own_ops import OwnOp
from .._base.shape import Size
from .._tensor.tensor import Tensor, new_object
from ..fx.node import Node, map_arg

_numbers = itertools.count()


class _Unready(Exception):
    """A graph that is run as a module."""


class _Writer:
    """The lines of such a function, and what they name."""

    def __init__(self, module):
        self.module, self.scope, self.names, self.lines, self.constants = module, {}, {}, [], {}

    def name(self, value, kind="k"):
        """The name of a constant."""
        found = self.constants.get(id(value))
        if found is None:
            found = self.constants[id(value)] = f"{kind}{len(self.constants)}"
            self.scope[found] = value
        return found

    def text(self, value, known):
        """A value as Python. known: id of a stand-in -> the name of what it stands for."""
        if id(value) in known:
            return self.names[known[id(value)]]
        if isinstance(value, Node):
            return self.names[value]
        kind = type(value)
        if value is None or kind in (bool, int, str) or kind is float and math.isfinite(value):
            return repr(value)
        if kind in (list, tuple) or kind.__name__ == "immutable_list":
            parts = [self.text(v, known) for v in value]
            return f"[{', '.join(parts)}]" if not isinstance(value, tuple) else f"({''.join(p + ', ' for p in parts)})"
        if kind is Size:
            return self.name(value)
        if kind is slice:
            return f"slice({', '.join(self.text(v, known) for v in (value.start, value.stop, value.step))})"
        if isinstance(value, dict):
            raise _Unready
        return self.name(value)

    def call(self, node):
        """The text of a node's call."""
        target = node.target
        if target is operator.getitem:
            return f"{self.text(node.args[0], {})}[{self.text(node.args[1], {})}]"
        if type(target) is OpOverload and not target.is_composite and "val" in node.meta:
            function, args, kwargs, known, _ = _arranged(node)
        elif type(target) is OwnOp:
            n = len(target.lucid_op.inputs)
            function, args, kwargs, known = target.lucid_op.fn, node.args[:n], {}, {}
            kwargs = dict(zip(target.lucid_op.options, node.args[n:]))
        else:
            function, args, kwargs, known = target, node.args, node.kwargs, {}
        parts = [self.text(a, known) for a in args]
        parts += [f"{name}={self.text(v, known)}" for name, v in kwargs.items()]
        return f"{self.name(function, 'f')}({', '.join(parts)})"


def _arranged(node):
    """(function, args, kwargs, stand-ins): what computes a node, called as it is called in the end."""
    target, known, alive = node.target, {}, []

    def stand_in(n):
        value = n.meta.get("val")
        if not isinstance(value, Tensor):
            raise _Unready
        value = value.detach() if id(value) in known else value
        known[id(value)] = n
        alive.append(value)
        return value

    args, kwargs = map_arg(node.args, stand_in), map_arg(node.kwargs, stand_in)
    values = target._schema.bound(args, kwargs, target.takes_numbers)
    if target._found_kernel is None:
        target._found_kernel = kernel_of(target)
    kernel = target._found_kernel
    if type(kernel) is not Kernel:
        return kernel, (values,), {}, known, alive
    return kernel.function, *kernel.arrange(values), known, alive


# ---- views that nobody outside sees


def _viewed(word):
    def view(x, *how):
        k = x._table
        t = new_object(Tensor)
        t._array, t._table, t._node, t._extra = getattr(k, word)(x._array, *how), k, None, None
        return t

    return view


_permute, _reshape, _expand = _viewed("permute"), _viewed("reshape"), _viewed("expand")


def _quick_form(node):
    """(function, its arguments after the tensor) of a view as a word alone; None where none says it."""
    name, args = node.target._opname, node.args[1:]
    shape = tuple(node.meta["val"].shape)
    n = len(node.args[0].meta["val"].shape)
    if name in ("detach", "alias"):
        return None, ()
    if name == "permute":
        return _permute, (tuple([d % n for d in args[0]]),)
    if name == "t":
        return _permute, ((1, 0) if n == 2 else tuple(range(n)),)
    if name == "transpose":
        order = list(range(n))
        order[args[0]], order[args[1]] = order[args[1]], order[args[0]]
        return _permute, (tuple(order),)
    if name in ("view", "_unsafe_view", "unsqueeze", "squeeze") and node.target._overloadname != "dtype":
        return _reshape, (shape,)
    return (_expand, (shape,)) if name == "expand" else (False, ())


def _quick_views(graph):
    """{node: (function or None, arguments)}: views that are read only inside of the graph, which writes nothing, so
    that none of them has to know whose memory it has."""
    found = {}
    targets = [n.target for n in graph.nodes if isinstance(n.target, OpOverload)]
    if any(t._schema.is_mutable for t in targets):
        return found
    for node in reversed(graph.nodes):
        target, val = node.target, node.meta.get("val")
        if type(target) is not OpOverload or not target.is_view or not isinstance(val, Tensor):
            continue
        if val.is_complex() or not val._table.inexact or not isinstance(node.args[0].meta.get("val"), Tensor):
            continue
        if all(n in found or n.op == "call_function" and not _passes_on(n.target) for n in node.users):
            form = _quick_form(node)
            if form[0] is not False:
                found[node] = form
    return found


def _passes_on(target):
    """May what a call gives be the memory of an argument?"""
    return not isinstance(target, OpOverload) or target.is_view or "reshape" in target._opname or target.is_composite


def runner(module):
    """f(list of inputs) -> what the module's graph gives; it empties the list."""
    writer = _Writer(module)
    try:
        text = _written(module.graph, writer)
    except _Unready:
        run = module.forward
        return lambda given: run(*given)
    exec(compile(text, f"<graph {next(_numbers)}>", "exec"), writer.scope)
    return writer.scope["run"]


def _last_uses(graph, quick):
    """{node: the nodes that are not read after it}"""
    seen, found = set(), {}
    for node in reversed(graph.nodes):
        if node in quick and quick[node][0] is None:
            continue
        for n in node.all_input_nodes:
            n = _itself(n, quick)
            if n not in seen:
                seen.add(n)
                found.setdefault(node, []).append(n)
    return found


def _itself(node, quick):
    """The node of which one is another name."""
    while node in quick and quick[node][0] is None:
        node = node.args[0]
    return node


def _written(graph, writer):
    quick = _quick_views(graph)
    names, dead, holes = writer.names, _last_uses(graph, quick), []
    for i, node in enumerate(graph.nodes):
        names[node] = f"v{i}"
        if node.op == "placeholder":
            holes.append(names[node])
        elif node.op == "get_attr":
            value = writer.module
            for part in node.target.split("."):
                value = getattr(value, part)
            names[node] = writer.name(value)
        elif node.op == "output":
            writer.lines.append(f"return {writer.text(node.args[0], {})}")
        elif node in quick:
            names[node] = names[_itself(node, quick)]
            function, how = quick[node]
            if function is not None:
                names[node] = f"v{i}"
                x = names[_itself(node.args[0], quick)]
                writer.lines.append(f"v{i} = {writer.name(function, 'f')}({', '.join([x, *map(repr, how)])})")
        elif node.op == "call_function":
            writer.lines.append(f"{names[node]} = {writer.call(node)}")
        else:
            raise _Unready
        gone = [names[n] for n in dead.get(node, ()) if n.op != "get_attr"]
        if gone and node.op == "call_function":
            writer.lines.append(f"del {', '.join(gone)}")
    head = f"{''.join(h + ', ' for h in holes)} = given" if holes else "pass"
    body = "\n".join(f"    {line}" for line in (head, "given.clear()", *writer.lines))
    return f"def run(given):\n{body}\n"


__all__ = ["runner"]
