"""Where a value that was read from outside comes from: an expression that fetches it again, and conditions on it.

A `Source` prints as torch's (`L['x']`, `G['w']`, `L['self']._modules['linear']`): placeholders of graphs are named
after it. `Reader` writes Python that fetches sources, each once, however many need it.
"""

import re


class Source:
    """base and a step from it; roots have no base. fixed: numbers found there are constants (of modules, defaults)."""

    __slots__ = ("base", "kind", "key", "name", "fixed")

    def __init__(self, base, kind, key, name):
        self.base, self.kind, self.key, self.name = base, kind, key, name
        self.fixed = kind in ("global", "constant") if base is None else base.fixed

    def __repr__(self):
        return self.name

    def attr(self, key):
        """An attribute."""
        return Source(self, "attr", key, f"{self.name}.{key}")

    def item(self, key):
        """An item; key is a constant."""
        return Source(self, "item", key, f"{self.name}[{key!r}]")

    def member(self, table, key):
        """A parameter, buffer or child of a module: an item of one of its tables."""
        return self.attr(table).item(key)

    def cell(self, name):
        """What a closure's cell holds, under the name of its variable."""
        shown = f"L['{name}']" if self.kind == "local" else f"{self.name}.cell_contents"
        return Source(self, "attr", "cell_contents", shown)

    def size(self, dim):
        """The size of a tensor's dimension."""
        shape = Source(Source(self, "attr", "_array", self.name), "attr", "shape", f"{self.name}.size()")
        return shape.item(dim)

    def called(self):
        """What a call of it gives."""
        return Source(self, "call", None, f"{self.name}()")

    def type(self):
        """The class."""
        return Source(self, "type", None, f"type({self.name})")

    def placeholder_name(self):
        """The name of the graph's input for it."""
        return re.sub(r"[^a-zA-Z0-9]+", "_", self.name)


def local(name):
    """A local variable of the frame that is read."""
    return Source(None, "local", name, f"L[{name!r}]")


def stack(place, count):
    """An element of the stack on which reading resumes; torch counts those that are values."""
    return Source(None, "stack", place, f"L['___stack{count}']")


def constant(value, name):
    """An object that is always the same."""
    return Source(None, "constant", value, name)


def module_global(globals, name, home):
    """A global variable. home: the globals of the frame that is read."""
    where = "G" if globals is home else f"G['__import_{str(globals.get('__name__', '')).replace('.', '_dot_')}']"
    shown = f"G[{name!r}]" if globals is home else f"{where}.{name}"
    return Source(None, "global", (globals, name), shown)


class Reader:
    """Writes the statements that fetch sources, in a function whose parameters are L and S. prefix: of its variables;
    after: a Reader whose statements run before.
    """

    def __init__(self, constants, prefix="v", after=None):
        self.constants, self.lines, self.prefix = constants, [], prefix
        self.names = {} if after is None else dict(after.names)  # what a source means -> variable

    def fetch(self, source):
        """The variable that holds what `source` gives; its statement is written at the first time."""
        if source.kind == "constant":
            return self.constants.name(source.key)
        at = self._key(source)
        if at not in self.names:
            text = self._expression(source)
            self.names[at] = f"{self.prefix}{len(self.names)}"
            self.lines.append(f"{self.names[at]} = {text}")
        return self.names[at]

    def _key(self, source):
        """Sources with one meaning have one key."""
        steps = []
        while source is not None:
            key = source.key
            if source.kind == "constant":
                key = id(key)
            steps.append((source.kind, (id(key[0]), key[1]) if source.kind == "global" else (type(key), key)))
            source = source.base
        return tuple(steps)

    def _expression(self, source):
        kind, key = source.kind, source.key
        if kind == "local":
            return f"L[{key!r}]"
        if kind == "stack":
            return f"S[{key}]"
        if kind == "global":
            return f"{self.constants.name(key[0])}[{key[1]!r}]"
        if kind == "drawn":
            return f"r{key}"
        base = self.fetch(source.base)
        if kind == "attr":
            return f"{base}.{key}" if key.isidentifier() else f"getattr({base}, {key!r})"
        if kind == "item":
            return f"{base}[{self.constants.literal(key)}]"
        if kind == "type":
            return f"type({base})"
        if kind == "call":
            return f"{base}()"
        raise NotImplementedError(kind)


class Constants:
    """Objects that written code refers to by name."""

    def __init__(self):
        self.found, self._names = {}, {}

    def name(self, value):
        """The name of this very object."""
        name = self._names.get(id(value))
        if name is None:
            name = self._names[id(value)] = f"K{len(self.found)}"
            self.found[name] = value
        return name

    def literal(self, value):
        """value as it is written, if that reads back as the same; else its name."""
        if type(value) in (int, str, bool, bytes, type(None)):
            return repr(value)
        return self.name(value)
