"""Graphs inside of a graph as torch has them for autograd.Function and checkpoint: placeholders are named as what is
handed to them is named around, and symbolic numbers are handed on, too.
"""

from .. import fx
from .._base.symbolic import SYMBOLIC, SymInt
from .._subclasses.fake_tensor import FakeTensor
from .._tensor.tensor import Tensor
from ..fx import Node
from ..nn.modules.module import Module
from .higher_order import Inner
from .recorder import Recorder


class Body(Inner):
    """The recorder of such a graph. lifted: what it uses from around it, in the order of its placeholders."""

    def __init__(self, outer, typed=True):
        super().__init__(outer, {})
        self.typed, self.given_numbers = typed, set()

    computes = Recorder.computes

    def number_node(self, n):
        """The node of a symbolic number: of this graph, or handed on."""
        key = n.expression if type(n) is SymInt else id(n)
        node = self.number_nodes.get(key)
        if node is None:
            outer = self.outer.number_node(n)
            if not isinstance(outer, Node):
                return outer
            self.lifted[key] = n
            node = self.number_nodes[key] = self._new_place(outer.name, n, SymInt)
        return node

    def touched(self, fake):
        """An input of the whole graph; here it is one when something is computed with it."""
        if id(fake) not in self.node_of:
            self.outer.touched(fake)

    def own(self, fake, name):
        """A placeholder for a tensor that nothing around has."""
        node = self.node_of[id(fake)] = self._new_place(name, fake, None)
        self.keep.append(fake)
        return node

    def used(self, fake):
        """The node of a tensor; one from around is handed on, the symbols in its sizes before it."""
        node = self.node_of.get(id(fake))
        if node is None:
            name = self.outer.used(fake).name
            if self.typed:
                for n in _sizes(fake):
                    self._lift_symbols(n.expression)
            self.lifted[id(fake)] = fake
            node = self.node_of[id(fake)] = self._new_place(name, fake, FakeTensor if self.typed else None)
        return node

    def _lift_symbols(self, expression):
        """Symbols of a tensor's sizes are handed on before it."""
        for monomial, _ in expression.terms:
            for atom in monomial:
                if isinstance(atom, str):
                    self.number_node(self.symbols.made[atom][1])
                else:
                    self._lift_symbols(atom[1])
                    self._lift_symbols(atom[2])

    def sized(self, fake):
        """The program asked for a tensor's sizes: torch has a node for that, which nothing uses."""
        if self.typed and _sizes(fake):
            self.graph.create_node("call_method", "size", (self.used(fake),))

    def _new_place(self, name, value, type_expr):
        last = next(reversed(self.placed.values()), None)
        with self.graph.inserting_after(last) if last is not None else self.graph.inserting_before():
            node = self.graph.create_node("placeholder", name, name=name, type_expr=type_expr)
        node.meta["example_value"] = value
        self.placed[id(value)] = node
        self.keep.append(value)
        self._named.add(node)
        return node

    def clean(self):
        """Take out what nothing uses: parts of results, numbers."""
        for node in reversed(list(self.graph.nodes)):
            if (node in self.parts or node in self.computed) and not node.users:
                self.graph.erase_node(node)

    def module(self, result):
        """The GraphModule, which gives `result`."""
        self.graph.output(result)
        self.clean()
        root = Module()
        for name, value in self.constants.items():
            setattr(root, name, value)
        return fx.GraphModule(root, self.graph)

    def operands(self):
        """The nodes around of what is handed on."""
        return [self.outer._argument(value) for value in self.lifted.values()]


def _sizes(fake):
    """The symbolic ones among a tensor's sizes."""
    return [n for n in fake._array.shape if type(n) is SymInt]


class recording_in:
    """with recording_in(m, body): what m reads is recorded there."""

    def __init__(self, m, body):
        self.m, self.body = m, body

    def __enter__(self):
        self.before, self.m.recorder = self.m.recorder, self.body
        self.body.__enter__()

    def __exit__(self, *trouble):
        self.body.__exit__(*trouble)
        self.m.recorder = self.before


def noted(m, op, args, kwargs, results, named=True):
    """The node of an operator's call. named: do its results keep their names, whatever variables hold them?"""
    recorder = m.recorder
    node = recorder.graph.create_node("call_function", op, tuple(args), kwargs)
    node.meta["stack_trace"] = recorder._stack_trace()
    recorder.ops += 1
    recorder._note(tuple(results), node)
    for part in node.users:  # a tensor that the operator changed has its node from now on
        recorder.node_of[id(results[part.args[1]])] = part
    if named:
        recorder._named.update(recorder.node_of[id(x)] for x in results if id(x) in recorder.node_of)
    return results


def is_plain(value):
    """May it be in a function's result, beside tensors?"""
    return value is None or isinstance(value, (int, float, bool, str, *SYMBOLIC))


def tensors(values):
    """The tensors among values."""
    return [x for x in values if isinstance(x, Tensor)]
