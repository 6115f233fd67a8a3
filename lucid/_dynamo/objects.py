"""Kinds of values, as the reader tells them apart."""

import collections
import enum
import operator
import types

from .._base import dtype as dtypes
from .._base.device import device
from .._base.shape import Size
from .._base.symbolic import SYMBOLIC
from .._tensor.tensor import Tensor, layout, memory_format
from ..nn.modules.module import Module
from .frame import NULL
from .iterators import ITERATORS
from .rules import PLAIN_TYPES

# guarded by being equal, by being the very same, and by being equal with what is in them
CONSTANTS = (int, float, complex, bool, str, bytes, type(None), type(...), type(NotImplemented))
IDENTITIES = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
    types.ModuleType, type, dtypes.dtype, layout, memory_format, enum.Enum, type(operator.add), property,
    types.GetSetDescriptorType, types.MemberDescriptorType, types.ClassMethodDescriptorType, staticmethod, classmethod,
)  # fmt: skip
VALUES = (device, Size, range, slice, frozenset)
CONTAINERS = (list, tuple, dict, set, collections.OrderedDict, collections.defaultdict, collections.deque)


def is_identity(value):
    """Is it guarded by being the very same?"""
    return isinstance(value, IDENTITIES) and not is_bound(value)


def is_bound(value):
    """Is it a method in C of some object, such as `append` of a list?"""
    if type(value) is types.BuiltinFunctionType:
        return not isinstance(value.__self__, (types.NoneType, types.ModuleType, type))
    return type(value) is types.MethodWrapperType


def in_class(cls, name):
    """(what a class has under a name, the class of its MRO that has it); NULL for nothing."""
    for home in cls.__mro__:
        if name in home.__dict__:
            return home.__dict__[name], home
    return NULL, None


def mro_after(cls, start):
    mro = cls.__mro__
    return mro[mro.index(start) + 1 :]


_PYTHONS = {*PLAIN_TYPES, *SYMBOLIC, *CONTAINERS, *VALUES}


def own_methods(value, deep=False):
    """Is it an object whose class the program wrote, so that operators may call the program's methods?"""
    kind = type(value)
    if kind in _PYTHONS or isinstance(value, (Tensor, *IDENTITIES)):
        if deep and kind in (list, tuple, set, frozenset):
            return any(own_methods(v, True) for v in value)
        if deep and isinstance(value, dict):
            return any(own_methods(v, True) for v in value.values())
        return False
    return kind.__module__ not in (
        "builtins",
        "itertools",
        "functools",
        "operator",
        "_operator",
        "collections",
    ) and not isinstance(value, ITERATORS)


def hashes_itself(value):
    """Is it an object, or does it hold one, whose class has a __hash__ or __eq__ in Python?"""
    if type(value) in (tuple, frozenset):
        return any(map(hashes_itself, value))
    return own_methods(value) and any(
        isinstance(in_class(type(value), name)[0], types.FunctionType) for name in ("__hash__", "__eq__")
    )


def is_struct(value):
    """One of torch's named results, such as of torch.max(x, 0)."""
    return isinstance(value, tuple) and type(value).__module__.partition(".")[0] in ("lucid", "torch")


def tensors_in(value, depth=3):
    if isinstance(value, Tensor):
        return True
    if depth and isinstance(value, (list, tuple, set, frozenset)):
        return any(tensors_in(v, depth - 1) for v in value)
    return bool(depth) and isinstance(value, dict) and any(tensors_in(v, depth - 1) for v in value.values())


def hashable(value):
    try:
        hash(value)
    except Exception:
        return False
    return not isinstance(value, Module)


def is_fixed(source, value):
    """A class, function or module that is found under a name of torch's: nobody sets it anew."""
    base = source
    while base.base is not None:
        base = base.base
    if base.kind == "constant":
        return source.base is None
    return False
