"""What an ATen op that writes its arguments computes: another op, which gives the new values and writes nothing."""

import operator
from typing import NamedTuple

from .._aten.overloads import OpOverload, aten, packet
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
    """A form of an op that gives more than what it writes: the node of all, those of its items, and {node of the old
    graph that is written: which item is its new value}."""

    whole: object
    items: list
    written: dict


def own_form(graph, node):
    """The Own of a node of the old graph, where its op has one; else None."""
    rule = _OWN.get(node.target._name) if isinstance(node.target, OpOverload) else None
    return None if rule is None else rule(graph, node)


def _made(graph, name, node_args, n, written):
    whole = graph.call(aten(name), map_arg(tuple(node_args), graph.read))
    return Own(whole, [graph.call(operator.getitem, (whole, i)) for i in range(n)], written)


def _norm_in_place(graph, node):
    _, _, _, mean, var, *_ = node.args
    return _made(graph, "_native_batch_norm_legit_functional", node.args, 5, {mean: 3, var: 4})


def _norm(graph, node):
    """native_batch_norm, whose schema does not say that it writes the running statistics."""
    x, weight, bias, mean, var, training, momentum, eps = node.args
    if not training:
        args = (x, weight, bias, mean, var, momentum, eps)
        return _made(graph, "_native_batch_norm_legit_no_training", args, 3, {})
    if mean is None:
        args = (x, weight, bias, training, momentum, eps)
        return _made(graph, "_native_batch_norm_legit.no_stats", args, 3, {})
    return _norm_in_place(graph, node)


_OWN = {"aten::_native_batch_norm_legit": _norm_in_place, "aten::native_batch_norm": _norm}

__all__ = ["functional_form", "is_kept", "own_form"]
