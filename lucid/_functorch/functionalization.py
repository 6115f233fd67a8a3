"""Graphs without mutation: each write becomes a new value, and views are made anew of what was written.

A graph of ATen calls may write into tensors and their views. Here every tensor is a chain of views of a base, and a write
gives the base a new value: the written view's own, put back through the inverses of its views. Whoever reads a view
afterwards reads it made anew from the base, as torch's functionalization does.
"""

import operator

from .._aten.overloads import OpOverload, aten, packet
from ..fx.graph import Graph
from ..fx.node import Node, map_arg


class Unsupported(NotImplementedError):
    """A write that has no functional form here."""


class Storage:
    """What views of one tensor have in common: the value of the whole, and how often it was written."""

    def __init__(self, base, origin=None):
        self.base, self.origin, self.version = base, origin, 0  # origin: the placeholder that it belongs to


class Alias:
    """A tensor of the graph: views of a storage, one after the other; `node` is its value as of `version`."""

    __slots__ = ("storage", "chain", "node", "version", "val")

    def __init__(self, storage, chain, node, val):
        self.storage, self.chain, self.node, self.val, self.version = storage, chain, node, val, storage.version


class View:
    """One step of a chain: target(x, *args, **kwargs), or an item of what that gives."""

    __slots__ = ("target", "args", "kwargs", "item", "shape")

    def __init__(self, target, args, kwargs, shape, item=None):
        self.target, self.args, self.kwargs, self.item, self.shape = target, args, kwargs, item, shape

    def of(self, x):
        """The view of a tensor."""
        got = self.target(x, *self.args, **self.kwargs)
        return got if self.item is None else got[self.item]


class Functionalized:
    """A graph of ATen calls, whose nodes carry `meta["val"]`, without its writes: `new` (it has no output node yet).

    env: {old node: Alias}. owner: the module whose attributes the graph reads.
    """

    def __init__(self, graph, owner):
        self.old, self.new, self.env = graph, Graph(owner), {}
        self._run()

    def _run(self):
        for node in self.old.nodes:
            if node.op == "output":
                continue
            if node.op == "placeholder":
                self.env[node] = self._fresh(self.new.node_copy(node, self.read), node.meta.get("val"), node)
            elif node.op == "get_attr":
                self.env[node] = self._fresh(self.new.node_copy(node, self.read), node.meta.get("val"))
            elif node.target is operator.getitem:
                self._item(node)
            else:
                self._call(node)

    # ---- values

    def _fresh(self, new, val, origin=None):
        return Alias(Storage(new, origin), (), new, val)

    def read(self, node):
        """The value of an old node in the new graph, made anew where its memory has been written since."""
        alias = self.env[node]
        if isinstance(alias, list):
            return alias[0]
        return self.current(alias)

    def current(self, alias):
        """The node that an alias is now."""
        storage = alias.storage
        if alias.version != storage.version:
            value = storage.base
            for view in alias.chain:
                value = self._view(value, view)
            alias.node, alias.version = value, storage.version
        return alias.node

    def call(self, target, args, kwargs, val=None):
        """A new node."""
        node = self.new.call_function(target, args, kwargs)
        if val is not None:
            node.meta["val"] = val
        return node

    def _view(self, value, view):
        got = self.call(view.target, (value, *view.args), dict(view.kwargs))
        if view.item is not None:
            got = self.call(operator.getitem, (got, view.item), {})
        got.meta["val"] = view.of(value.meta["val"])
        return got

    # ---- calls

    def _item(self, node):
        whole, i = node.args
        parts = self.env[whole]
        if isinstance(parts, list) and parts[1] is not None:  # items of a call that gives several views
            base, view = parts[1]
            step = View(view.target, view.args, view.kwargs, tuple(base.val.shape), i)
            new = self.call(operator.getitem, (self.read(whole), i), {}, node.meta["val"])
            self.env[node] = Alias(base.storage, (*base.chain, step), new, node.meta["val"])
            return
        self.env[node] = self._fresh(self.new.node_copy(node, self.read), node.meta.get("val"))

    def _call(self, node):
        target = node.target
        if isinstance(target, OpOverload) and target._schema.is_mutable:
            self._write(node)
            return
        new = self.new.node_copy(node, self.read)
        several = "val" in node.meta and isinstance(node.meta["val"], (tuple, list))
        first = node.args[0] if node.args and isinstance(node.args[0], Node) else None
        if isinstance(target, OpOverload) and target.is_view and first is not None:
            base = self.env[first]
            view = View(target, new.args[1:], dict(new.kwargs), tuple(base.val.shape))
            if several:
                self.env[node] = [new, (base, view)]
            else:
                self.env[node] = Alias(base.storage, (*base.chain, view), new, node.meta["val"])
        else:
            self.env[node] = [new, None] if several else self._fresh(new, node.meta.get("val"))

    def _write(self, node):
        """An op that writes its arguments: its functional form, and the new values of what it wrote."""
        target = node.target
        schema, named = target._schema, dict(zip([a.name for a in target._schema.arguments], node.args))
        named.update(node.kwargs)
        written = [a.name for a in schema.arguments if a.is_write]
        pure = functional_form(target)
        if pure is None or len(written) != 1 or isinstance(named.get(written[0]), (list, tuple)):
            raise Unsupported(f"{target} writes its arguments and has no functional form")
        old = named[written[0]]
        alias = self.env[old]
        if written[0] == "out":
            args, kwargs = node.args, {k: v for k, v in node.kwargs.items() if k != "out"}
        else:
            args, kwargs = node.args, node.kwargs
        new = self.call(pure, map_arg(args, self.read), map_arg(kwargs, self.read), node.meta["val"])
        if tuple(new.meta["val"].shape) != tuple(alias.val.shape):
            raise Unsupported(f"{target} resizes what it writes")
        self._store(alias, new)
        self.env[node] = alias

    def _store(self, alias, new):
        """Let an alias have a new value, and its base and everybody else's views with it."""
        storage, values = alias.storage, [alias.storage.base]
        for view in alias.chain[:-1]:
            values.append(self._view(values[-1], view))
        value = new
        for before, view in zip(reversed(values), reversed(alias.chain)):
            value = self._inverse(before, value, view)
        storage.base, storage.version = value, storage.version + 1
        if not alias.chain:
            alias.node, alias.version = new, storage.version

    def _inverse(self, before, value, view):
        """What a tensor `before` is once its view has this value."""
        rule = _INVERSES.get(view.target._opname)
        if rule is None:
            raise Unsupported(f"a write through {view.target}")
        target, args, kwargs = rule(view, before, value)
        if target is None:
            return value
        got = self.call(target, args, kwargs)
        got.meta["val"] = target(*map_arg(args, _val), **map_arg(kwargs, _val))
        return got


def _val(node):
    return node.meta["val"]


def functional_form(target):
    """The overload that computes what this one writes: add for add_, the plain op for one with out=; None: none."""
    name = target._opname
    if name.endswith("_") and not name.startswith("__"):
        names = [name[:-1]]
    elif target._overloadname.endswith("out"):
        names = [name]
    else:
        return None
    arguments = [(a.name, a.type.text) for a in target._schema.arguments if not (a.is_write and a.kwarg_only)]
    for found in names:
        try:
            forms = packet("aten", found)
        except AttributeError:
            return None
        for overload in forms.overloads():
            candidate = getattr(forms, overload)
            if candidate._schema.is_mutable:
                continue
            if [(a.name, a.type.text) for a in candidate._schema.arguments] == arguments:
                return candidate
    return None


def _again(view, before, value):
    """Views that keep all elements, undone by the shape before."""
    return aten("view"), (value, list(view.shape)), {}


def _squeezed(view, before, value):
    shape = list(view.shape)
    return aten("view") if value.meta["val"].is_contiguous() else aten("reshape"), (value, shape), {}


def _permuted(view, before, value):
    order = [d % len(view.shape) for d in view.args[0]]
    return aten("permute"), (value, [order.index(d) for d in range(len(order))]), {}


def _as_view(scatter):
    """A view whose scatter takes the view's own arguments."""

    def rule(view, before, value):
        if view.item is None:
            return aten(scatter), (before, value, *view.args), dict(view.kwargs)
        return None, (), {}

    return rule


def _of_items(view, before, value):
    """Pieces of split and unbind."""
    val, i = before.meta["val"], view.item
    dim = view.kwargs.get("dim", view.args[-1] if view.target._opname == "unbind" and view.args else 0)
    if view.target._opname == "unbind":
        return aten("select_scatter"), (before, value, dim, i), {}
    dim = view.kwargs.get("dim", view.args[1] if len(view.args) > 1 else 0)
    sizes = [part.shape[dim] for part in view.target(val, *view.args, **view.kwargs)]
    start = sum(sizes[:i])
    return aten("slice_scatter"), (before, value, dim, start, start + sizes[i]), {}


def _same(target):
    return lambda view, before, value: (aten(target), (value, *view.args), dict(view.kwargs))


_INVERSES = {
    **dict.fromkeys("view _unsafe_view reshape _reshape_alias unflatten flatten".split(), _again),
    **dict.fromkeys(("squeeze", "unsqueeze"), _squeezed),
    "t": _same("t"),
    "transpose": lambda view, before, value: (aten("transpose.int"), (value, *view.args), {}),
    "permute": _permuted,
    "select": _as_view("select_scatter"),
    "slice": _as_view("slice_scatter"),
    "diagonal": _as_view("diagonal_scatter"),
    "as_strided": _as_view("as_strided_scatter"),
    **dict.fromkeys("split split_with_sizes unbind".split(), _of_items),
    **dict.fromkeys(("detach", "alias"), lambda view, before, value: (None, (), {})),
    "view_as_real": lambda view, before, value: (aten("view_as_complex"), (value,), {}),
    "view_as_complex": lambda view, before, value: (aten("view_as_real"), (value,), {}),
}
