"""The graph of what a program does with tensors, while it is read.

Tensors are fake then (shapes without data). Each fake has the node of the graph that it stands for; every call of
torch's with a fake among its arguments, or that makes a tensor, becomes a node.
"""

import operator
import types

from .. import fx
from .._base.shape import Size
from .._base.state import enter_unusual, leave_unusual, local
from .._base.symbolic import SYMBOLIC, SymFloat, SymInt, symbol
from .._modes.fake import fake_of, faking, is_fake
from .._tensor.pytree import tree_map
from .._tensor.tensor import Tensor
from ..autograd.grad_mode import _enter_inference_mode, _exit_inference_mode, _set_grad_enabled
from ..fx.node import base_types, map_aggregate
from ..nn.parameter import Parameter
from .drawing import Draws, fake_of_number, is_direct, tensor_of
from .exc import Break, Failing
from .floats import calls_blindly, fake_tensor, look, plain, scalar_tensor_of
from .rules import breaks_on, may_raise, spelled
from .spelling import as_read
from .symbols import Dynamics, Symbols


class Recorder:
    """Makes the graph. `with recorder:` calls of torch's are recorded."""

    def __init__(self, dynamics=None):
        self.graph, self.symbols = fx.Graph(), Symbols(dynamics or Dynamics(False))
        self.numbers, self.number_nodes = {}, {}  # name of a symbol, or id of a SymFloat -> Input; what it is -> node
        self.node_of, self.keep = {}, []  # id of a fake -> its node, its input or a constant's; the fakes, kept alive
        self.inputs = {}  # id of a fake -> Input, in the order of their first use
        self._fakes, self._named, self._last_input = {}, set(), None
        self.numbered = {}  # name of graphs inside of the graph -> the last one's number
        self.constants = {}  # attribute of the graph's module -> a tensor that is no input
        self.began = True  # was recording on when the frame began?
        self.draws, self.wholes = Draws(), {}
        self.computed, self.atoms = set(), []  # nodes of symbolic numbers; symbols that are such nodes' results
        self.reading = []  # the frames that are read, innermost last
        self.ops, self.parts = 0, set()  # how many calls; nodes that take one result of several

    layouts_known = True  # is it known how tensors lie in memory?

    # ---- inputs

    def drawn_number(self, value, source):
        """The symbolic form of a random number, an input from now on."""
        made = self.symbols.new(source, value)
        self.keep.append(made)
        given = Input(value, made, source)
        self.numbers[id(made) if type(made) is SymFloat else repr(made.expression)] = given
        self._tensor_of_number(given, made)
        return made

    def input(self, tensor, source):
        """The fake of a tensor that comes from outside; it becomes an input when it is first used."""
        found = self._fakes.get(id(tensor))
        if found is None:
            shape = self.symbols.shape(tensor, source)
            with faking(), unrecorded(), outside_transforms():
                found = fake_of(tensor, shape)
            self._fakes[id(tensor)] = found
            self.keep += [tensor, found]
            dims = self.symbols.chosen[source.name] if shape is not None else None
            self.inputs[id(found)] = Input(tensor, found, source, dims)
        return found

    def number(self, value, source):
        """The symbolic form of a number from outside; None if it is a constant."""
        made = self.symbols.number(value, source)
        if made is not None:
            self.keep.append(made)
            key = id(made) if type(made) is SymFloat else repr(made.expression)
            self.numbers[key] = Input(value, made, source)
        return made

    def used(self, fake):
        """The node of a fake."""
        node = self.node_of.get(id(fake))
        if node is not None:
            return node
        given = self.inputs.get(id(fake))
        if given is None:
            raise Break(f"a tensor from nowhere: {type(fake).__name__}")
        return self._placeholder(given)

    def touched(self, fake):
        """The program took a tensor from where it is kept: it is an input from now on."""
        self.used(fake)

    def sized(self, fake):
        """The program asked for a tensor's sizes."""

    def _placeholder(self, given):
        for i in sorted(given.dims or ()):
            self._size_placeholder(given.fake._array.shape[i])
        return self._new_placeholder(given, given.source.placeholder_name())

    def _size_placeholder(self, size):
        """The input for a symbolic size: where the first tensor that has it becomes one, or where it is asked for."""
        name = repr(size.expression)
        given = self.numbers.get(name)
        if given is None:
            given = self.numbers[name] = Input(int(size), size, self.symbols.made[name][0], "size")
        return given.node or self._new_placeholder(given, name)

    def _new_placeholder(self, given, name):
        at = self._last_input
        place = self.graph.inserting_after(at) if at is not None else self.graph.inserting_before()
        with place:
            node = self.graph.create_node("placeholder", name, name=name.lower(), type_expr=_class_of(given.tensor))
        self._last_input = given.node = node
        if isinstance(given.fake, SymInt):
            self.number_nodes[given.fake.expression] = node
        else:
            self.node_of[id(given.fake)] = node
        node.meta["example_value"] = given.fake
        self._named.add(node)
        return node

    def given(self):
        """The inputs in use, in the order of their placeholders."""
        order = {node: i for i, node in enumerate(self.graph.nodes)}
        found = [*self.inputs.values(), *self.numbers.values()]
        return sorted((g for g in found if g.node is not None), key=lambda g: order[g.node])

    def calls(self):
        """How many calls the graph has, of torch's and of symbolic numbers."""
        return sum(node.op.startswith("call_") for node in self.graph.nodes)

    # ---- symbolic numbers

    def number_node(self, n):
        """The node of a symbolic number."""
        if type(n) is SymFloat:
            given = self.numbers.get(id(n))
            if given is not None and given.node is None:
                self._tensor_of_number(given, n)
            if given is not None and id(n) not in self.node_of:
                self._item(given)
            return self.node_of[id(n)] if id(n) in self.node_of else float(n)  # a look, if it is Python's own
        node = self.number_nodes.get(n.expression)
        return node if node is not None else self._expressed(n.expression)

    def _tensor_of_number(self, given, n):
        """The input for a number as a tensor, of which the graph asks item()."""
        with unrecorded():
            given.tensor, given.fake, given.dims = tensor_of(given.tensor), fake_of_number(given.tensor), "tensor"
        self._new_placeholder(given, given.source.placeholder_name())

    def _item(self, given):
        """The node of the number that such an input holds."""
        item = self.graph.create_node("call_method", "item", (given.node,))
        item.meta["example_value"] = n = given.given
        self.computed.add(item)
        if type(n) is SymFloat:
            self.node_of[id(n)] = item
        else:
            self.number_nodes[n.expression] = item
        return item

    def float_output(self, n):
        """The node of a float that the graph is to give: a tensor."""
        node = self.number_node(n)
        if isinstance(node, fx.Node):
            with unrecorded():
                fake = fake_tensor()
            made = scalar_tensor_of(self.graph, node)
            made.meta["example_value"] = fake
            return made
        return node

    def _expressed(self, expression):
        """Nodes that compute an expression: products, then their sum."""
        total = None
        for monomial, c in expression.terms:
            value = c if c != 1 or not monomial else None
            for atom in monomial:
                factor = self._atom(atom)
                value = factor if value is None else self._computed(operator.mul, (value, factor))
            total = value if total is None else self._computed(operator.add, (total, value))
        self.number_nodes[expression] = total
        return total

    def new_atom(self, name):
        """The name of a symbol for a whole number that only the program's own node gives."""
        self.atoms.append(name.format(len(self.atoms)))
        return self.atoms[-1]

    def _atom(self, atom):
        if atom in self.atoms:
            return self.number_nodes[symbol(atom)]
        if isinstance(atom, tuple):
            function = operator.floordiv if atom[0] == "//" else operator.mod
            return self._computed(function, tuple([self._part(e) for e in atom[1:]]))
        given = self.numbers.get(atom)
        if given is None or given.dims == "size":
            return self._size_placeholder(self.symbols.made[atom][1])
        if given.dims == "tensor":
            return self._item(given)
        return given.node or self._new_placeholder(given, given.source.placeholder_name())

    def _part(self, expression):
        if expression.is_number():
            return expression.terms[0][1] if expression.terms else 0
        return self.number_nodes.get(expression) or self._expressed(expression)

    def _computed(self, function, args):
        kind = "call_method" if isinstance(function, str) else "call_function"
        node = self.graph.create_node(kind, function, args)
        self.computed.add(node)
        return node

    def computes(self, function, args, result):
        """The program computes a symbolic number: a node, which goes if nothing uses it."""
        if type(result) is SymInt and result.expression in self.number_nodes:
            return
        node = self._computed(function, tuple([self._argument(a) for a in args]))
        node.meta["example_value"] = result
        if type(result) is SymInt:
            self.number_nodes[result.expression] = node
        else:
            self.node_of[id(result)] = node
            self.keep.append(result)

    def constant(self, tensor):
        """The fake of a real tensor that was made outside of what is read: an attribute of the graph's module."""
        found = self._fakes.get(id(tensor))
        if found is None:
            if type(tensor) not in (Tensor, Parameter):
                raise Break(f"a tensor of class {type(tensor).__name__}")
            with faking(), unrecorded(), outside_transforms():
                found = fake_of(tensor)
            name = f"_tensor_constant{len(self.constants)}"
            self.constants[name] = tensor
            self._fakes[id(tensor)] = found
            self.keep += [tensor, found]
            self._note(found, self.graph.create_node("get_attr", name))
        return found

    def asked(self, fake, name):
        """The program asked for an attribute that is no tensor."""
        self.graph.create_node("call_function", getattr, (self.used(fake), name))

    # ---- calls

    def __enter__(self):
        self._outer = local.interpreters
        local.interpreters = (*self._outer, self)
        enter_unusual()
        self._faking = faking().__enter__()
        return self

    def __exit__(self, *trouble):
        self._faking.__exit__()
        leave_unusual()
        local.interpreters = self._outer

    def intercept(self, func, relevant, args, kwargs):
        """A call of torch's, from the engine."""
        kind, target, args, kwargs = spelled(func, args, kwargs or {})
        return self.call(kind, target, func, args, kwargs)

    def call(self, kind, target, func, args, kwargs):
        """Run func on fakes and note it as a node; Break for what needs numbers."""
        reason = breaks_on(func, args, kwargs)
        if reason is None and may_raise(func, args) and any(f.is_guarded() for f in self.reading):
            reason = f"{getattr(func, '__name__', func)}(), which may raise what the program catches"
        if reason:
            raise Break(reason)
        args, kwargs = tree_map(self._faked, args), tree_map(self._faked, kwargs)
        given = args, kwargs
        if calls_blindly(kind, func, args):
            given = tree_map(plain, given)
        else:
            look(given)
        map_aggregate((tuple(args), dict(kwargs)), _refuse)  # before it runs: torch may change what no graph knows of
        try:
            with unrecorded():
                result = func(*given[0], **given[1])
        except Break:
            raise
        except Exception as error:  # the program's own, or for want of numbers: a real run tells
            needs_numbers = isinstance(error, NotImplementedError) or "meta tensor" in str(error)
            trouble = Break if needs_numbers else Failing
            raise trouble(f"{type(error).__name__}: {error}") from None
        if not (_tensors(result) or getattr(func, "__name__", "") in _GIVES_NONE):
            if target is operator.eq:  # with what is no number: torch's reader has a node for it
                self.graph.create_node(kind, target, *self.arguments(args, kwargs))
                self.ops += 1
            return result
        if getattr(func, "__name__", "") in _MAY_DO_NOTHING and any(result is a for a in args):
            with unrecorded():
                result = result.view_as(result)
        if self.draws.calls and is_direct(func, args):
            args = tuple([self._direct(a) for a in args])
            node = self.graph.create_node(kind, target, args)
        else:
            target, args, kwargs = as_read(target, args, kwargs)
            node = self.graph.create_node(kind, target, *self.arguments(args, kwargs))
        node.meta["stack_trace"] = self._stack_trace()
        self.ops += 1
        self._note(result, node)
        return result

    def _stack_trace(self):
        """Where the program is, as a traceback has it."""
        return "".join(f'  File "{f.file}", line {f.line}, in {f.name}\n    {f.code_line}\n' for f in self.reading)

    def places(self):
        """(file, line, function) of the frames that are read, innermost last."""
        return [(f.file, f.line, f.name) for f in self.reading]

    def arguments(self, args, kwargs):
        """Arguments as a node takes them."""
        return map_aggregate(tuple(args), self._argument), map_aggregate(dict(kwargs), self._argument)

    def _direct(self, x):
        """An argument; of a random number the input itself."""
        key = id(x) if type(x) is SymFloat else repr(x.expression) if type(x) is SymInt else None
        given = self.numbers.get(key)
        return given.node if given is not None and given.source.kind == "drawn" else self._argument(x)

    def _argument(self, x):
        if isinstance(x, Tensor):
            return self.used(x)
        if type(x) in SYMBOLIC:
            return self.number_node(x)
        if type(x) is Size and any(type(n) is SymInt for n in x):
            return tuple([self._argument(n) for n in x])
        return _refuse(x)

    def _faked(self, x):
        return self.constant(x) if isinstance(x, Tensor) and not is_fake(x) else x

    def _note(self, result, node):
        """What `node` gives is `result`."""
        if isinstance(result, Tensor):
            if id(result) not in self.node_of and id(result) not in self.inputs or node.target in _INPLACE:
                self.node_of[id(result)] = node
                self._last_use(result)
            self.keep.append(result)
            node.meta["example_value"] = result
        elif isinstance(result, (tuple, list)):
            node.meta["example_value"] = result
            for i, part in enumerate(result):
                if _tensors(part):
                    self.parts.add(got := self.graph.create_node("call_function", operator.getitem, (node, i)))
                    self._note(part, got)

    def _last_use(self, fake):
        given = self.inputs.get(id(fake))
        if given is not None and given.node is None:
            self._placeholder(given)

    def switch_grad(self, on):
        """Recording of gradients is switched, now and where the graph runs."""
        if bool(on) is not local.grad:
            with unrecorded():
                _set_grad_enabled(on)
            self.grad_node(on)

    def grad_node(self, on):
        """The node of such a switch."""
        self.graph.create_node("call_function", _set_grad_enabled, (on,), name="_set_grad_enabled")

    def mode_node(self, function, args):
        """The node of a call that enters or leaves a context."""
        node = self.graph.create_node("call_function", function, args)
        node.meta["stack_trace"] = self._stack_trace()
        return node

    def name(self, value, name):
        """A program's variable `name` holds value: the node is called so, if it has no such name yet."""
        node = self.node_of.get(id(value)) if isinstance(value, Tensor) else None
        if node is not None and node not in self._named:
            self._named.add(node)
            node._rename(name)


def drop_switches(graph, on):
    """Take out switches of recording that the next node takes back, as torch does it. on: is it on at first?"""
    nodes = list(graph.nodes)
    for one, two in zip(nodes, nodes[1:]):
        if one.target in _SWITCH_TOO:
            return
        if _switches(one, not on):
            on = not on
            if _switches(two, not on):
                on = not on
                graph.erase_node(one)
                graph.erase_node(two)


_SWITCH_TOO = (_enter_inference_mode, _exit_inference_mode)


def _switches(node, on):
    return node.target is _set_grad_enabled and node.args == (on,) and not node._erased


class Input:
    """A tensor or symbolic number that comes from outside. dims: which sizes are symbolic; "size" for
    such a size, "tensor" for a number as a tensor.
    """

    __slots__ = ("tensor", "fake", "source", "node", "dims", "given")

    def __init__(self, tensor, fake, source, dims=None):
        self.tensor, self.fake, self.source, self.node, self.dims = tensor, fake, source, None, dims
        self.given = None if dims == "size" else fake  # the number itself


_GIVES_NONE = ("setitem", "__setitem__")  # and writes, as an operator or as a method that the program calls itself
# Functions that give their argument itself where they do nothing; in a graph it is another tensor, as in torch's.
_GIVES_NONE = ("setitem", "__setitem__")  # and writes, as an operator or as a method that the program calls itself
_MAY_DO_NOTHING = set("dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout pos".split())
_INPLACE = {
    operator.iadd,
    operator.isub,
    operator.imul,
    operator.itruediv,
    operator.ifloordiv,
    operator.imod,
    operator.ipow,
    operator.iand,
    operator.ior,
    operator.ixor,
    operator.ilshift,
    operator.irshift,
}


class unrecorded:
    """Calls in here compute, and nothing is noted."""

    def __enter__(self):
        self._before, local.interpreters = local.interpreters, ()

    def __exit__(self, *trouble):
        local.interpreters = self._before


class outside_transforms:
    """Tensors that are made in here are none of a transform that is read."""

    def __enter__(self):
        self._before = local.frames, local.transforms
        local.frames = local.transforms = ()

    def __exit__(self, *trouble):
        local.frames, local.transforms = self._before


def _refuse(x):
    """x, if it may be an argument in a graph."""
    if x is None or x is ... or isinstance(x, (Tensor, *SYMBOLIC, *base_types, range, Size, types.FunctionType)):
        return x
    if isinstance(x, (set, frozenset)) and not _tensors(list(x)):
        return x
    raise Break(f"a {type(x).__name__} as an argument of a call of torch's")


def _tensors(value):
    return isinstance(value, Tensor) or isinstance(value, (tuple, list)) and any(map(_tensors, value))


def _class_of(value):
    """What torch writes beside an input."""
    return {int: SymInt}.get(type(value), type(value))


__all__ = ["Input", "Recorder", "unrecorded"]
