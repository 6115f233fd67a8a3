"""What graphs are made of as plain data, which JSON can hold: arguments, ops and functions by their names.

    plain(value, nodes)  -> numbers, texts, lists and dictionaries; NotPlain for what has no name of its own
    value(data)          -> the argument again (nodes, functions and methods are only ever named, never made again)
    facts(tensor)        -> how a tensor lies in memory

What a program declared itself (its functions, ops and classes) is not plain: under the same name another process may
have something else.
"""

import functools
import sys

from .._aten import own_ops
from .._aten.overloads import OWN, OpOverload, packet
from .._backend.registry import OPS
from .._base.device import device
from .._base.dtype import DTYPES, dtype
from .._base.shape import Size
from .._tensor import tensor as tensors
from .._tensor.tensor import Tensor, layout
from ..fx.node import Node

_LAYOUTS = tensors.LAYOUTS | {
    x.name: x
    for x in (tensors.contiguous_format, tensors.preserve_format, tensors.channels_last, tensors.channels_last_3d)
}
_PLACES = ("lucid.nn.functional", "lucid.special", "lucid.linalg")  # where torch has functions of other modules, too
_OUTSIDE = ("_operator", "operator", "builtins", "math")


class NotPlain(Exception):
    """Something that cannot be told by text alone."""


def plain(x, nodes=None):
    """A value as plain data. nodes: {node: number}, for arguments of a graph's nodes."""
    kind = type(x)
    if x is None or kind in (bool, int, float, str):
        return x
    if isinstance(x, Node):
        return {"node": nodes[x]}
    if kind is Size:
        return {"size": [plain(i) for i in x]}
    if kind is tuple:
        return {"tuple": [plain(i, nodes) for i in x]}
    if isinstance(x, list):
        return [plain(i, nodes) for i in x]
    if isinstance(x, dict):
        return {"dict": [[plain(k), plain(v, nodes)] for k, v in x.items()]}
    if kind is slice:
        return {"slice": [plain(i, nodes) for i in (x.start, x.stop, x.step)]}
    return {_SIMPLE[kind][0]: _SIMPLE[kind][1](x)} if kind in _SIMPLE else _named(x)


_SIMPLE = {
    dtype: ("dtype", lambda x: x.name),
    device: ("device", str),
    complex: ("complex", lambda x: [x.real, x.imag]),
    type(...): ("ellipsis", lambda x: 0),
}


def _named(x):
    if isinstance(x, layout) and _LAYOUTS.get(x.name) is x:
        return {"layout": x.name}
    if isinstance(x, OpOverload):
        return {"op": op_name(x)}
    raise NotPlain(f"a value of type {type(x).__name__}")


def value(data):
    """The value that `plain` told."""
    if isinstance(data, list):
        return [value(i) for i in data]
    if not isinstance(data, dict):
        return data
    ((kind, inner),) = data.items()
    return _MAKERS[kind](inner)


_MAKERS = {
    "size": Size,
    "tuple": lambda d: tuple([value(i) for i in d]),
    "dict": lambda d: {value(k): value(v) for k, v in d},
    "slice": lambda d: slice(*map(value, d)),
    "dtype": DTYPES.__getitem__,
    "device": device,
    "complex": lambda d: complex(*d),
    "ellipsis": lambda d: ...,
    "layout": _LAYOUTS.__getitem__,
    "op": lambda d: op(d),
}


# ---- ops and functions


def is_library(module):
    """Is a module one of lucid's own, by the name that the library has just now?"""
    return (module or "").partition(".")[0] in ("lucid", Tensor.__module__.partition(".")[0])


def op_name(x):
    """An overload as data: torch's by namespace, name and overload, lucid's own by the name of the class."""
    if isinstance(x, own_ops.OwnOp):
        if is_library(x.lucid_op.__module__) and OPS.get(x.lucid_op.label) is x.lucid_op:
            return x.lucid_op.label
    elif x.namespace == "aten" and x._opname not in OWN.get("aten", ()):
        return ["aten", x._opname, x._overloadname]
    raise NotPlain(f"an op that a program declared: {x}")


def op(data):
    """The overload of such a name."""
    if isinstance(data, str):
        return own_ops.own_call(OPS[data], (), ()).func
    namespace, name, overload = data
    return getattr(packet(namespace, name), overload)


def target_name(node):
    """What a node calls, as data."""
    target = node.target
    if isinstance(target, OpOverload):
        return {"op": op_name(target)}
    if node.op != "call_function":
        if node.op == "call_method":
            _declared_here(getattr(Tensor, target, None))
        return target
    module, name = getattr(target, "__module__", None), getattr(target, "__qualname__", None)
    known = name and (is_library(module) or module in _OUTSIDE)
    place = next((p for p in (module, *_PLACES) if known and _found(p, name) == target), None)
    if place is None:
        raise NotPlain(f"a function that a program declared: {name or target}")
    if module not in _OUTSIDE:
        _declared_here(target)
    return f"{place}.{name}"


def _found(module, name):
    root, *names = f"{module}.{name}".split(".")
    try:
        return functools.reduce(getattr, names, sys.modules.get(root))
    except AttributeError:
        return None


def _declared_here(f):
    """NotPlain for a function or method of a program's own op (which shows under the library's names)."""
    origin = f if isinstance(f, type) else getattr(f, "op", getattr(f, "body", f))
    module = getattr(origin, "__module__", None) or ""
    if not (is_library(module) or module.partition(".")[0] == "torch"):  # as some of lucid's say of themselves
        raise NotPlain(f"a function that a program declared: {getattr(f, '__name__', f)}")


# ---- tensors


def facts(t):
    """[type, device, shape, strides, offset] of a tensor; of other things what they are."""
    if not isinstance(t, Tensor):
        return plain(t)
    return [t.dtype.name, str(t.device), list(map(int, t.shape)), list(map(int, t.stride())), int(t.storage_offset())]


__all__ = ["NotPlain", "facts", "is_library", "op", "op_name", "plain", "target_name", "value"]
