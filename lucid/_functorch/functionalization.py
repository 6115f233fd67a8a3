"""Graphs without mutation: each write becomes a new value, and views are made anew of what was written.

A graph of ATen calls may write into tensors and their views. Here every tensor is a chain of views of a base, and a
write gives the base a new value: the written view's own, put back through the inverses of its views. Whoever reads a
view afterwards reads it made anew from the base, as torch's functionalization does.
"""

import operator

from .._aten.overloads import OpOverload, aten
from .._tensor import pytree
from ..fx.graph import Graph
from ..fx.node import Node, map_arg
from .inverses import Unsupported, inverse
from .pure_forms import functional_form, is_kept, own_form


class Storage:
    """What views of one tensor have in common: the value of the whole, and how often it was written."""

    def __init__(self, base, origin=None, fixed=False):
        self.base, self.version = base, 0
        self.origin, self.fixed = origin, fixed  # the placeholder that it belongs to; is it a constant?


class Alias:
    """A tensor of the graph: views of a storage, one after the other; `node` is its value as of `version`."""

    __slots__ = ("storage", "chain", "node", "version", "val")

    def __init__(self, storage, chain, node, val):
        self.storage, self.chain, self.node, self.val, self.version = storage, chain, node, val, storage.version


class View:
    """One step of a chain: target(x, *args, **kwargs), or an item of what that gives."""

    __slots__ = ("target", "args", "kwargs", "item", "val")

    def __init__(self, target, args, kwargs, val, item=None):
        self.target, self.args, self.kwargs, self.item = target, args, kwargs, item
        self.val = val  # what it was a view of

    def of(self, x):
        """The view of a tensor."""
        got = self.target(x, *self.args, **self.kwargs)
        return got if self.item is None else got[self.item]


class Functionalized:
    """A graph of ATen calls, whose nodes carry `meta["val"]`, without its writes: `new` (it has no output node yet).

    `advance` reads what the old graph has gained. env: {old node: Alias; of several results (new node, x) where x is
    (base, View) of views, a list of Aliases, or None}.
    owner: the module whose attributes the graph reads.
    """

    def __init__(self, graph, owner):
        self.old, self.new, self.env = graph, Graph(owner), {}

    def advance(self):
        """Read on to the end of the old graph."""
        for node in self.old.nodes:
            if node in self.env or node.op == "output":
                continue
            if node.op in ("placeholder", "get_attr"):
                self.hole(node)
            elif node.target is operator.getitem:
                self._item(node)
            else:
                self._call(node)

    def hole(self, node):
        """A placeholder or a constant."""
        new, is_hole = self.new.node_copy(node, self.read), node.op == "placeholder"
        self.env[node] = Alias(Storage(new, node if is_hole else None, not is_hole), (), new, node.meta.get("val"))

    # ---- values

    def _fresh(self, new, val):
        return Alias(Storage(new), (), new, val)

    def read(self, node):
        """The value of an old node in the new graph, made anew where its memory has been written since."""
        found = self.env[node]
        return found[0] if isinstance(found, tuple) else self.current(found)

    def current(self, alias):
        """The node that an alias is now."""
        storage = alias.storage
        if alias.version != storage.version:
            value = storage.base
            for view in alias.chain:
                value = self._view(value, view)
            alias.node, alias.version = value, storage.version
        return alias.node

    def call(self, target, args, kwargs=None):
        """A new node."""
        name = self.new._target_to_str(getattr(target, "_opname", target.__name__))
        node = self.new.create_node("call_function", target, args, kwargs or {}, name=name)
        node.meta["val"] = target(*map_arg(args, val_of), **map_arg(kwargs or {}, val_of))
        return node

    def _view(self, value, view):
        got = self.call(view.target, (value, *view.args), dict(view.kwargs))
        return got if view.item is None else self.call(operator.getitem, (got, view.item))

    # ---- calls

    def _item(self, node):
        whole, i = node.args
        new, views = self.env[whole]
        if isinstance(views, list):  # made already
            self.env[node] = views[i]
            return
        copy = self.new.node_copy(node, lambda _: new)
        if views is None:
            self.env[node] = self._fresh(copy, node.meta.get("val"))
            return
        base, view = views  # of a call that gives several views
        step = View(view.target, view.args, view.kwargs, view.val, i)
        self.env[node] = self._seen(base, step, copy, node.meta["val"])

    def _seen(self, base, view, new, val):
        """The Alias of a view. As in torch's graphs, one of what was written is made anew when it is read."""
        made = Alias(base.storage, (*base.chain, view), new, val)
        made.version = 0
        return made

    def _call(self, node):
        target = node.target
        if isinstance(target, OpOverload) and target._schema.is_mutable:
            self._write(node)
            return
        own = own_form(self, node)
        if own is not None:
            self._own(node, own)
            return
        new = self.new.node_copy(node, self.read)
        val = node.meta.get("val")
        several = isinstance(val, (tuple, list))
        first = node.args[0] if node.args and isinstance(node.args[0], Node) else None
        if isinstance(target, OpOverload) and target.is_view and isinstance(self.env.get(first), Alias):
            base = self.env[first]
            view = View(target, new.args[1:], dict(new.kwargs), base.val)
            self.env[node] = (new, (base, view)) if several else self._seen(base, view, new, val)
        else:
            self.env[node] = (new, None) if several else self._fresh(new, val)

    def _write(self, node):
        """An op that writes its arguments: its functional form, and the new values of what it wrote."""
        target = node.target
        if "inplace_view" in target._tags:
            self._reshaped(node)
            return
        schema = target._schema
        named = dict(zip([a.name for a in schema.arguments], node.args)) | dict(node.kwargs)
        written = [named[a.name] for a in schema.arguments if a.is_write and named.get(a.name) is not None]
        if is_kept(target):
            raise Unsupported(f"{target} changes what its argument is")
        olds = [self.env[n] for n in pytree.tree_leaves(written)]
        own = own_form(self, node)
        if own is not None:
            self._own(node, own)
            return
        values = self._replaced(node) if "replaces" in node.meta else self._pure(node, target, written)
        for alias, value in zip(olds, values):
            self._store(alias, value)
        if isinstance(written[0], (list, tuple)) or len(written) > 1:
            self.env[node] = values[0], olds  # its items are what was written
        else:
            self.env[node] = olds[0]

    def _own(self, node, own):
        """A call that gives its results and, after those, what it writes into its arguments."""
        self.env[node] = own.whole, [self._fresh(n, n.meta["val"]) for n in own.items]
        for argument, i in own.written.items():
            self._store(self.env[argument], own.items[i])

    def _replaced(self, node):
        """The new value of what an op wrote that was taken apart into one that writes nothing, and this copy."""
        alias, new = self.env[node.args[0]], self.read(node.args[1])
        if tuple(new.meta["val"].shape) != tuple(alias.val.shape):
            new = self.call(aten("expand"), (new, list(alias.val.shape)))
        return [self._like(alias, new)]

    def _pure(self, node, target, written):
        """The new values of what a call wrote, by an op that writes nothing."""
        pure = functional_form(target)
        if pure is None:
            return self._on_copies(node, target)
        outs = {a.name for a in target._schema.arguments if a.is_write and a.kwarg_only}
        kwargs = {k: v for k, v in node.kwargs.items() if k not in outs}
        args = (*node.args, *[a.default for a, b in zip(target._schema.arguments, pure._schema.arguments)
                              if not b.has_default_value()][len(node.args) :])  # fmt: skip
        value = self.call(pure, map_arg(args, self.read), map_arg(kwargs, self.read))
        olds = [self.env[n] for n in pytree.tree_leaves(written)]
        several = len(olds) > 1 or isinstance(written[0], (list, tuple))
        parts = [self.call(operator.getitem, (value, i)) for i in range(len(olds))] if several else [value]
        return [value if outs and not alias.chain and alias.storage.origin is None else self._like(alias, value)
                for alias, value in zip(olds, parts)]  # fmt: skip

    def _on_copies(self, node, target):
        """The same for an op that has no other form: it writes into copies, which nobody else knows."""
        schema, copies = target._schema, []

        def own(old):
            copies.append(self.call(aten("clone"), (self.read(old),)))
            return copies[-1]

        names = [a.name for a in schema.arguments]
        writes = {a.name for a in schema.arguments if a.is_write}
        args = [map_arg(x, own if n in writes else self.read) for n, x in zip(names, node.args)]
        kwargs = {n: map_arg(x, own if n in writes else self.read) for n, x in node.kwargs.items()}
        if len(copies) != len(schema.returns):
            raise Unsupported(f"{target} writes its arguments and has no functional form")
        made = self.call(target, tuple(args), kwargs)
        return [made] if len(copies) == 1 else [self.call(operator.getitem, (made, i)) for i in range(len(copies))]

    def _like(self, alias, value):
        """A new value with the type, the shape and the strides of what it takes the place of."""
        old, new = alias.val, value.meta["val"]
        if tuple(new.shape) != tuple(old.shape):
            raise Unsupported("a write that resizes what it writes")
        if new.dtype is not old.dtype:
            value = self.call(aten("_to_copy"), (value,), {"dtype": old.dtype})
        if value.meta["val"].stride() != old.stride() and not alias.chain and old.numel():
            value = self.call(aten("copy"), (self.current(alias), value))
        return value

    def _reshaped(self, node):
        """t_, squeeze_ ...: from here on the tensor is a view of what it was."""
        alias = self.env[node.args[0]]
        form = functional_form(node.target)
        if form is None or not form.is_view:
            raise Unsupported(f"{node.target} changes what its argument is")
        new = self.call(form, map_arg(node.args, self.read), map_arg(node.kwargs, self.read))
        view = View(form, new.args[1:], dict(new.kwargs), alias.val)
        made = Alias(alias.storage, (*alias.chain, view), new, new.meta["val"])
        self.env[node] = self.env[node.args[0]] = made

    def _store(self, alias, new):
        """Let an alias have a new value, and its base and everybody else's views with it."""
        storage, values = alias.storage, [alias.storage.base]
        if storage.fixed:
            raise Unsupported("a write into a tensor that is neither an input nor made here")
        for view in alias.chain[:-1]:
            values.append(self._view(values[-1], view))
        value = new
        for before, view in zip(reversed(values), reversed(alias.chain)):
            value = inverse(self, before, value, view)
        storage.base, storage.version = value, storage.version + 1
        if not alias.chain:
            alias.node, alias.version = new, storage.version


def val_of(node):
    """What a node stands for, without numbers."""
    return node.meta["val"]
