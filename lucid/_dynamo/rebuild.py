"""Writes the Python that follows a graph: the values that are needed from there on, and changes to what is outside."""

import collections
import functools
import types

from .._base.shape import Size
from .._base.symbolic import SYMBOLIC, SymFloat, SymInt
from .._tensor.tensor import Tensor
from ..fx import Node
from ..nn.modules.module import Module
from .array import Array
from .exc import Break
from .frame import NULL
from .iterators import ITERATORS, Generator
from .objects import CONSTANTS, VALUES, is_bound, is_identity
from .outside import DELETED, Table, Unseen
from .source import Reader

MAKERS = {list: "[{}]", tuple: "({},)", set: "{{{}}}"}


class Writer(Reader):
    """Writes values. outputs: what the graph is to return: key -> (place, node)."""

    def __init__(self, constants, tracer, after=None):
        super().__init__(constants, "v", after)
        self.tracer, self.outputs, self._memo, self._open = tracer, {}, {}, set()
        self.keep = []

    def value(self, x):
        """An expression for x, once the statements in `lines` have run."""
        if x is NULL:
            return self.constants.name(NULL)
        if type(x) in (Unseen, Table):
            return self.fetch(x.source)
        if type(x) in SYMBOLIC:
            return self._number(x)
        if type(x) is Array:
            return self._array(x)
        if type(x) in CONSTANTS or isinstance(x, CONSTANTS) and self.tracer.source_of(x) is None:
            return self.constants.literal(x)
        name = self._memo.get(id(x))
        if name is not None:
            return name
        if isinstance(x, Tensor):
            return self._tensor(x)
        source = self.tracer.source_of(x)
        if source is not None:
            return self.fetch(source)
        if (is_identity(x) or isinstance(x, VALUES)) and id(x) not in self.tracer.made:
            return self._plain(x)
        if id(x) in self._open:
            raise Break("a value that contains itself")
        self._open.add(id(x))
        text = self._made(x)
        self._open.discard(id(x))
        self.keep.append(x)
        return self._memo[id(x)] if id(x) in self._memo else self._name(x, text)

    def _name(self, x, text):
        self._memo[id(x)] = name = f"m{len(self._memo)}"
        self.keep.append(x)
        self.lines.append(f"{name} = {text}")
        return name

    def _tensor(self, x):
        recorder = self.tracer.recorder
        given = recorder.inputs.get(id(x))
        written = recorder.node_of.get(id(x))
        if given is not None and written is not None and written is not given.node:  # by `x += 1`
            return self._output(written, id(x))
        source = given.source if given is not None else self.tracer.sources.get(id(x))
        if source is not None:
            return self.fetch(source)
        return self._output(self.tracer.recorder.used(x), id(x))

    def _output(self, node, key):
        """What a node gives, as one of the graph's results."""
        place, _ = self.outputs.setdefault(key, (len(self.outputs), node))
        return f"graph_out[{place}]"

    def _number(self, n):
        """A symbolic number: from where it comes, or computed by the graph."""
        recorder = self.tracer.recorder
        given = recorder.numbers.get(id(n) if type(n) is SymFloat else repr(n.expression))
        if given is not None and given.given is n:
            return self.fetch(given.source)
        if not recorder.calls() and type(n) is SymInt:
            return self._arithmetic(n.expression)  # nothing else is there to make a graph for
        if type(n) is SymFloat:
            return self._float(n)
        return self._output(recorder.number_node(n), id(n))

    def _array(self, x):
        """A numpy array, or a number of numpy's: the graph gives a tensor with its memory."""
        if id(x) not in self._memo:
            self._name(x, f"{self._tensor(x.tensor)}.numpy(){'[()]' * x.scalar}")
        return self._memo[id(x)]

    def _float(self, n):
        """A float that the graph computes: it gives a tensor."""
        if id(n) not in self._memo:
            node = self.tracer.recorder.float_output(n)
            text = f"{self._output(node, id(n))}.item()" if isinstance(node, Node) else self.constants.literal(node)
            self._name(n, text)
        return self._memo[id(n)]

    def _arithmetic(self, expression):
        """An expression as Python."""
        symbols, terms = self.tracer.recorder.symbols.made, []
        for monomial, c in expression.terms:
            factors = [str(c)]
            for atom in monomial:
                if isinstance(atom, str):
                    factors.append(self.fetch(symbols[atom][0]))
                else:
                    factors.append(f"({self._arithmetic(atom[1])} {atom[0]} {self._arithmetic(atom[2])})")
            terms.append(" * ".join(factors))
        return f"({' + '.join(terms) or '0'})"

    def _plain(self, x):
        if isinstance(x, slice) and any(type(v) not in CONSTANTS for v in (x.start, x.stop, x.step)):
            return f"slice({self.value(x.start)}, {self.value(x.stop)}, {self.value(x.step)})"
        if type(x) is Size and any(type(n) is SymInt for n in x):
            return f"{self.constants.name(Size)}(({', '.join(map(self.value, x))},))"
        return self.constants.name(x)

    def _made(self, x):
        """The text that makes something which the program made."""
        kind, name = type(x), self.constants.name
        if kind in (list, dict) and contains_itself(x):
            return self._around(x)
        if kind in (list, tuple, set):
            return MAKERS[kind].format(", ".join(map(self.value, x))) if x else f"{kind.__name__}()"
        if isinstance(x, tuple) and hasattr(x, "_fields"):
            return f"{name(kind)}({', '.join(map(self.value, x))})"
        if kind is Size or isinstance(x, tuple):
            return f"{name(kind)}(({', '.join(map(self.value, x))},))" if x else f"{name(kind)}(())"
        if kind is dict or kind is collections.OrderedDict:
            items = ", ".join(f"{self.value(k)}: {self.value(v)}" for k, v in x.items())
            return f"{{{items}}}" if kind is dict else f"{name(kind)}({{{items}}})"
        if kind is collections.defaultdict:
            items = ", ".join(f"{self.value(k)}: {self.value(v)}" for k, v in x.items())
            return f"{name(kind)}({self.value(x.default_factory)}, {{{items}}})"
        if kind is collections.deque:
            return f"{name(kind)}([{', '.join(map(self.value, x))}], {x.maxlen})"
        if isinstance(x, types.FunctionType):
            return self._function(x)
        if isinstance(x, types.CellType):
            return self._cell(x)
        if isinstance(x, types.MethodType):
            return f"{name(types.MethodType)}({self.value(x.__func__)}, {self.value(x.__self__)})"
        if is_bound(x):
            home = _home_behind(x)
            if home is not None:
                return f"{name(home)}.{x.__name__}.__get__({self.value(x.__self__)})"
            return f"getattr({self.value(x.__self__)}, {x.__name__!r})"
        if isinstance(x, functools.partial):
            inner = ", ".join(["", *map(self.value, x.args)])
            return f"{name(functools.partial)}({self.value(x.func)}{inner}, **{self.value(x.keywords)})"
        if isinstance(x, super):
            return f"super({name(x.__thisclass__)}, {self.value(x.__self__)})"
        if isinstance(x, Generator):
            raise Break("a generator in the middle of its work")
        if isinstance(x, ITERATORS):
            return f"{name(kind)}({', '.join(map(self.value, x.parts()))})"
        if isinstance(x, BaseException):
            return self._object(x, f"{name(kind)}.__new__({name(kind)}, {', '.join(map(self.value, x.args))})")
        return self._object(x)

    def _around(self, x):
        """A list or dictionary that is in itself: made empty, then filled."""
        made = self._name(x, f"{type(x).__name__}()")
        if type(x) is list:
            self.lines.append(f"{made}.extend([{', '.join(map(self.value, x))}])")
        else:
            items = ", ".join(f"{self.value(k)}: {self.value(v)}" for k, v in x.items())
            self.lines.append(f"{made}.update({{{items}}})")
        return made

    def _function(self, f):
        name = self.constants.name
        closure = "".join(f"{self.value(c)}, " for c in f.__closure__ or ())
        defaults = self.value(f.__defaults__) if f.__defaults__ else "None"
        parts = name(f.__code__), name(f.__globals__), repr(f.__name__), defaults, f"({closure})"
        text = f"{name(types.FunctionType)}({', '.join(parts)})"
        made = self._name(f, text)
        if f.__kwdefaults__:
            self.lines.append(f"{made}.__kwdefaults__ = {self.value(f.__kwdefaults__)}")
        if f.__annotations__:
            self.lines.append(f"{made}.__annotations__ = {self.value(f.__annotations__)}")
        for key, v in f.__dict__.items():
            self.lines.append(f"{made}.{key} = {self.value(v)}")
        return made

    def _cell(self, cell):
        """A variable of the program's inner functions: made empty, filled when its value is known."""
        made = self._name(cell, f"{self.constants.name(types.CellType)}()")
        try:
            held = cell.cell_contents
        except ValueError:
            return made
        self._open.discard(id(cell))
        self.lines.append(f"{made}.cell_contents = {self.value(held)}")
        return made

    def _object(self, x, new=None):
        """An object of a class of the program's."""
        cls = type(x)
        if id(x) not in self.tracer.born and not isinstance(x, BaseException):
            raise Break(f"a {cls.__qualname__} from nowhere")
        if not hasattr(x, "__dict__") and not hasattr(cls, "__slots__"):
            raise Break(f"a {cls.__module__}.{cls.__qualname__}")
        if cls.__module__ in ("builtins", "_io", "threading") and new is None and cls is not object:
            raise Break(f"a {cls.__qualname__}")
        base = next((b for b in (list, collections.OrderedDict, dict) if isinstance(x, b)), object)
        base_name = base.__name__ if base.__module__ == "builtins" else self.constants.name(base)
        made = self._name(x, new or f"{base_name}.__new__({self.constants.name(cls)})")
        if base is list:
            self.lines.append(f"list.extend({made}, [{', '.join(map(self.value, x))}])")
        elif base is not object:
            for k, v in base.items(x):
                self.lines.append(f"{base_name}.__setitem__({made}, {self.value(k)}, {self.value(v)})")
        for key, v in getattr(x, "__dict__", {}).items():
            self.lines.append(f"object.__setattr__({made}, {key!r}, {self.value(v)})")
        for home in cls.__mro__:
            slots = home.__dict__.get("__slots__", ())
            for key in (slots,) if isinstance(slots, str) else slots:
                if key not in ("__dict__", "__weakref__") and hasattr(x, key):
                    self.lines.append(f"object.__setattr__({made}, {key!r}, {self.value(getattr(x, key))})")
        return made

    # ---- what is changed outside

    def effects(self):
        """Write the changes: statements to run after the values were made."""
        tracer, after = self.tracer, []
        for _, value in tracer.cells.values():  # the graph's results come in torch's order
            self.value(value)
        for _, _, value in reversed(tracer.overlay.values()):
            if value is not DELETED:
                self.value(value)
        for shadow in dict.fromkeys(tracer.shadows.values()):
            if not isinstance(shadow.original, tuple) and shadow.changed():
                after.append(self._contents(shadow))
        for obj, name, value in tracer.overlay.values():
            target = self.fetch(tracer.sources[id(obj)])
            store, delete = self._writers(obj)
            if value is DELETED or (id(obj), name) in tracer.renewed and name in getattr(obj, "__dict__", ()):
                after.append(f"{delete}({target}, {name!r})")
            if value is not DELETED:
                after.append(f"{store}({target}, {name!r}, {self.value(value)})")
        for cell, value in tracer.cells.values():
            after.append(f"{self.fetch(tracer.sources[id(cell)])}.cell_contents = {self.value(value)}")
        for globals, name, value in tracer.written_globals.values():
            after.append(f"{self.constants.name(globals)}[{name!r}] = {self.value(value)}")
        self.lines += after

    def _writers(self, obj):
        """How attributes are set and deleted: the program's own ways were read already."""
        found = []
        for name in ("__setattr__", "__delattr__"):
            own = getattr(type(obj), name)
            is_own = isinstance(own, types.FunctionType) and own is not getattr(Module, name)
            found.append(f"object.{name}" if is_own else name.strip("_"))
        return found

    def _contents(self, shadow):
        target, copy = self.fetch(shadow.source), shadow.copy
        if isinstance(copy, list):
            return f"{target}[:] = [{', '.join(map(self.value, copy))}]"
        parts = map(self.value, copy)
        if isinstance(copy, dict):
            parts = (f"({self.value(k)}, {self.value(v)})" for k, v in copy.items())
        return f"{self.constants.name(refill)}({target}, [{', '.join(parts)}])"


def contains_itself(x):
    """Does a way through containers and objects lead from x back to x?"""
    seen, waiting = set(), [x]
    while waiting:
        for part in _parts(waiting.pop()):
            if part is x:
                return True
            if id(part) not in seen:
                seen.add(id(part))
                waiting.append(part)
    return False


def _parts(x):
    if isinstance(x, dict):
        return [*x.keys(), *x.values()]
    if isinstance(x, (list, tuple, set, collections.deque)):
        return list(x)
    if isinstance(x, types.FunctionType):
        return [c for c in x.__closure__ or ()]
    if isinstance(x, types.CellType):
        try:
            return [x.cell_contents]
        except ValueError:
            return []
    if isinstance(x, (Tensor, Module, type, types.ModuleType, *CONSTANTS)):
        return []
    if isinstance(x, types.MethodType):
        return [x.__self__]
    return list(getattr(x, "__dict__", {}).values())


def refill(container, contents):
    """Give a dictionary, set or deque other contents."""
    container.clear()
    if hasattr(container, "update"):
        container.update(contents)
    else:
        container.extend(contents)


def _home_behind(method):
    """The class in C whose method a bound one is, where the object's own class has another of that name (so it came
    from super()); None elsewhere."""
    name = method.__name__
    for n, cls in enumerate(type(method.__self__).__mro__):
        if name in cls.__dict__:
            if isinstance(cls.__dict__[name], (types.MethodDescriptorType, types.WrapperDescriptorType)):
                return cls if n else None
            if not isinstance(cls.__dict__[name], types.FunctionType):
                return None
    return None
