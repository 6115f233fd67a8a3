"""Symbolic sizes among the arguments of a graph, as nodes that compute them."""

import operator

from .._aten.overloads import aten
from .._base.symbolic import Expression, SymInt
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..fx.node import Node
from ._symbols import ExportFloat, ValueRanges

_NUMBER_WORDS = {"//": operator.floordiv, "%": operator.mod}


def materialise(graph, env):
    """Put nodes that compute them in the places of symbolic numbers."""
    writer = _Writer(graph, env)
    for node in list(graph.nodes):
        if node.op == "placeholder":
            continue
        leaves, spec = pytree.tree_flatten((node.args, dict(node.kwargs)), is_leaf=lambda a: isinstance(a, slice))
        if not any([_symbolic(a) for a in leaves]):
            continue
        writer.trace = node.meta.get("stack_trace")
        with graph.inserting_before(node):
            made = [writer.node(a) if _symbolic(a) else a for a in leaves]
        args, kwargs = pytree.tree_unflatten(made, spec)
        node.args, node.kwargs = _tuples(node.args, args), kwargs


def float_text(n):
    """A number that is computed of sizes, as text."""
    if isinstance(n, ExportFloat):
        name, a, b = n.parts
        return f"({float_text(a)} {name} {float_text(b)})"
    return f"<{n.expression!r}>" if isinstance(n, SymInt) else repr(n)


def _tuples(like, args):
    return tuple(args) if isinstance(like, tuple) else args


def _symbolic(a):
    return isinstance(a, (SymInt, ExportFloat))


class _Writer:
    """Makes the nodes, each once."""

    def __init__(self, graph, env):
        self.graph, self.env, self.made, self.places = graph, env, {}, {}
        self.trace = None  # where the program uses the number
        holes = [n for n in graph.nodes if n.op == "placeholder"]
        self.after = holes[-1] if holes else None
        for hole in holes:
            found = hole.meta.get("val")
            for i, n in enumerate(found.shape if isinstance(found, Tensor) else ()):
                if _symbolic(n):
                    self.places.setdefault(n.expression, (hole, i))

    def node(self, n):
        """The node of a symbolic number; a number that is none as it is."""
        if isinstance(n, ExportFloat):
            key = float_text(n)
            if key not in self.made:
                name, a, b = n.parts
                self.made[key] = self._call(getattr(operator, name), self.node(a), self.node(b))
            return self.made[key]
        return self._of(n.expression) if isinstance(n, SymInt) else n

    def _of(self, expression):
        """The node, or the int, of an expression."""
        if expression.is_number():
            return dict(expression.terms).get((), 0)
        if expression not in self.made:
            self.made[expression] = self._new(expression)
        return self.made[expression]

    def _new(self, expression):
        if expression in self.places:
            return self._read(expression)
        terms = list(expression.terms)
        if len(terms) > 1:
            monomial, c = terms[-1]
            rest = self._of(Expression(dict(terms[:-1])))
            if c < 0:
                return self._call(operator.sub, rest, self._of(Expression({monomial: -c})))
            return self._call(operator.add, rest, self._of(Expression({monomial: c})))
        ((monomial, c),) = terms
        if c != 1:
            return self._call(operator.mul, self._of(Expression({monomial: 1})), c)
        if len(monomial) > 1:
            return self._call(
                operator.mul, self._of(Expression({monomial[:-1]: 1})), self._of(Expression({monomial[-1:]: 1}))
            )
        (atom,) = monomial
        if isinstance(atom, str):
            return self._from_derived(expression)
        kind, a, b = atom
        return self._call(_NUMBER_WORDS[kind], self._of(a), self._of(b))

    def _read(self, expression):
        """aten.sym_size of an input, at the start of the graph."""
        hole, i = self.places[expression]
        with self.graph.inserting_after(self.after):
            node = self.graph.create_node("call_function", aten("sym_size.int"), (hole, i), {}, name="sym_size_int")
        node.meta["val"] = self.env.size(expression)
        self.after = node
        return node

    def _from_derived(self, expression):
        """A symbol of which the inputs have only times * symbol + plus."""
        for whole in self.places:
            terms = dict(whole.terms)
            plus = terms.pop((), 0)
            if list(terms) == [next(iter(dict(expression.terms)))]:
                (times,) = terms.values()
                node = self._of(whole)
                if plus:
                    node = self._call(operator.sub, node, plus)
                return self._call(operator.floordiv, node, times) if times != 1 else node
        raise NotImplementedError(f"the size {expression} is that of no input, and cannot be said in the graph")

    def _call(self, target, a, b):
        node = self.graph.create_node("call_function", target, (a, b), {}, name=target.__name__)
        values = [x.meta["val"] if hasattr(x, "meta") else x for x in (a, b)]
        node.meta["val"] = target(*values)
        if self.trace is not None:
            node.meta["stack_trace"] = self.trace
        return node


def ranges_of(graph, env):
    """{symbol: range} of the symbols that the graph's inputs have."""
    found = {}
    for node in graph.nodes:
        value = node.meta.get("val")
        for n in value.shape if isinstance(value, Tensor) and node.op == "placeholder" else ():
            expression = getattr(n, "expression", None)
            if expression is None:
                continue
            lower, upper = env.range_of(expression)
            found.setdefault(expression, ValueRanges(lower, upper))
            for name in env.names_in(expression):
                s = env.symbols[name]
                found.setdefault(s.expression, ValueRanges(s.lower, s.upper))
    return found


def text_of(tracer):
    """A traced graph as text, in which equal programs are equal: symbolic numbers as expressions, constants as their
    numbers."""
    lines, names = [], {}

    def spelled(a):
        if isinstance(a, Node):
            return names[a]
        if _symbolic(a):
            return float_text(a)
        if isinstance(a, (list, tuple)):
            return "[" + ", ".join(map(spelled, a)) + "]"
        if isinstance(a, dict):
            return "{" + ", ".join(f"{k}: {spelled(v)}" for k, v in a.items()) + "}"
        if isinstance(a, slice):
            return f"slice({spelled(a.start)}, {spelled(a.stop)}, {spelled(a.step)})"
        return repr(a)

    for i, node in enumerate(tracer.graph.nodes):
        names[node] = f"%{i}"
        lines.append(f"{i} {node.op} {node.target} {spelled(node.args)} {spelled(dict(node.kwargs))}")
        if node.op == "get_attr":
            lines.append(_constant_text(getattr(tracer.root, node.target)))
        value = node.meta.get("val")
        if isinstance(value, (list, tuple)):
            lines.append(f"{len(value)} values")  # as many as are there for all sizes
    return "\n".join(lines)


def _constant_text(value):
    if isinstance(value, Tensor):
        return f"{value.dtype} {tuple(value.shape)} {bytes(value.detach().contiguous().cpu().untyped_storage()).hex()}"
    return "\n".join([f"{n.op} {n.target} {n.args}" for n in value.graph.nodes])


__all__ = ["materialise", "ranges_of", "text_of"]
