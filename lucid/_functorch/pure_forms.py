"""What an ATen op that writes its arguments computes: another op, which gives the new values and writes nothing."""

import operator
from typing import NamedTuple

from .._aten.overloads import aten, packet
from ..fx.node import map_arg

_KEPT = {"resize_", "resize_as_", "set_", "detach_", "as_strided_", "record_stream"}


def is_kept(target):
    """Does an op change what a tensor is, so that no value says what it did?"""
    return target._opname in _KEPT


def functional_form(target):
    """The overload that computes what this one writes: add for add_, the plain op for one with out=; None: none."""
    name = target._opname
    if any(a.is_write and a.kwarg_only for a in target._schema.arguments):
        names = [name]
    elif name.endswith("_") and not name.startswith("__"):
        names = [name[:-1], f"{name[:-1]}_functional"]
    elif name in ("__ilshift__", "__irshift__"):
        names = [name.replace("__i", "__")]
    else:
        return None
    arguments = [(a.name, a.type.text) for a in target._schema.arguments if not (a.is_write and a.kwarg_only)]
    for forms in filter(None, [packet("aten", found) for found in names]):
        for overload in forms.overloads():
            candidate = getattr(forms, overload)
            if candidate._schema.is_mutable:
                continue
            if [(a.name, a.type.text) for a in candidate._schema.arguments] == arguments:
                return candidate
    return None


class Own(NamedTuple):
    """A form of an op that gives more than what it writes: the node of all, and the nodes of what was written."""

    whole: object
    values: list


def own_form(graph, node):
    """The Own of a node of the old graph, where its op has one; else None."""
    if node.target._opname != "_native_batch_norm_legit" or node.target._overloadname != "default":
        return None
    args, kwargs = map_arg(node.args, graph.read), map_arg(node.kwargs, graph.read)
    whole = graph.call(aten("_native_batch_norm_legit_functional"), args, kwargs)
    return Own(whole, [graph.call(operator.getitem, (whole, i)) for i in (3, 4)])


__all__ = ["functional_form", "is_kept", "own_form"]
