"""The names that values get in the code of a graph: unique, legal, and torch's."""

import builtins
import keyword
import math
import re
import sys
import types
import typing
from typing import NamedTuple

from .._base.device import device
from .._tensor import pytree
from . import _pytree as fx_pytree
from .node import _get_qualified_name, _torchs, _type_repr


class _CustomBuiltin(NamedTuple):
    """What every graph's code may use without a prefix, and the line that imports it."""

    import_str: str
    obj: object


def library():
    """The module that generated code calls `torch`."""
    return sys.modules[__name__.partition(".")[0]]


_illegal_names = {word: object() for word in keyword.kwlist} | vars(builtins)
_custom_builtins: dict = {}


def _register_custom_builtin(name, import_str, obj):
    _custom_builtins[name] = _CustomBuiltin(import_str, obj)
    _illegal_names[name] = obj


_register_custom_builtin("inf", "from math import inf", math.inf)
_register_custom_builtin("nan", "from math import nan", math.nan)
_register_custom_builtin("NoneType", "NoneType = type(None)", type(None))
_register_custom_builtin("torch", "import torch", library())
_register_custom_builtin("device", "from torch import device", device)
_register_custom_builtin("fx_pytree", "import torch.fx._pytree as fx_pytree", fx_pytree)
_register_custom_builtin("pytree", "import torch.utils._pytree as pytree", pytree)

_split_suffix = re.compile(r"([a-zA-Z_][0-9a-zA-Z_]*?)(?:_(\d+))?").fullmatch
_illegal_characters = re.compile(r"[^0-9a-zA-Z_]+")
_inner_capital = re.compile(r"(?<=[a-z])([A-Z])")


def _snake_case(s):
    """`someName` as `some_name`."""
    return _inner_capital.sub(r"_\1", s).lower()


def _is_magic(x):
    return x.startswith("__") and x.endswith("__")


def target_to_str(target):
    """The name that the result of a call gets if none is asked for."""
    if not callable(target) and not isinstance(target, str):
        raise AssertionError(f"Expected target to be str, got {type(target)}")
    name = target.__name__ if callable(target) else target
    return _snake_case(name[2:-2] if not callable(target) and _is_magic(name) else name)


class _Namespace:
    """Names, each of one thing, and things, each with one name; a builtin's name is only ever the builtin's."""

    def __init__(self):
        self._obj_to_name, self._used_names, self._base_count = {}, set(), {}

    def create_name(self, candidate, obj):
        """A name that is not taken yet, made of the candidate; obj (or None) has it from now on."""
        if obj is not None and obj in self._obj_to_name:
            return self._obj_to_name[obj]
        found = _split_suffix(candidate)
        if found is None:
            candidate = _illegal_characters.sub("_", candidate) or "_unnamed"
            candidate = f"_{candidate}" if candidate[0].isdigit() else candidate
            found = _split_suffix(candidate)
        base, number = found.groups()
        if number is None or candidate in self._used_names:
            number = self._base_count.get(base, 0)
            if _illegal_names.get(candidate, obj) is not obj:
                number += 1
                candidate = f"{base}_{number}"
        else:
            number = int(number)
        while candidate in self._used_names:
            number += 1
            candidate = f"{base}_{number}"
        self._used_names.add(candidate)
        self._base_count[base] = number
        if obj is not None:
            self._obj_to_name[obj] = candidate
        return candidate

    def associate_name_with_obj(self, name, obj):
        """obj, which has none yet, has this name."""
        if self._obj_to_name.setdefault(obj, name) is not name:
            raise AssertionError("obj is already associated")

    def _rename_object(self, obj, name):
        if obj not in self._obj_to_name:
            raise AssertionError(f"Object {obj} is not in _obj_to_name")
        self._obj_to_name[obj] = name
        self._used_names.add(name)


def _is_from_torch(obj):
    """Is it found under `torch.`? (What the compiler defines is not: it is passed in.)"""
    module = None if isinstance(obj, types.ModuleType) else getattr(obj, "__module__", None)
    if module is None:
        return False
    parts = _torchs(module).split(".")
    return parts[0] == "torch" and not (len(parts) > 2 and parts[1] in ("_dynamo", "_inductor"))


class Globals:
    """What generated code refers to beside its own values: names and objects."""

    def __init__(self, namespace):
        self.namespace, self.found = namespace, {}
        for name, (_, obj) in _custom_builtins.items():
            self.name_of(name, obj)

    def name_of(self, hint, obj):
        """How the code names obj: by its path under `torch`, or by a global of its own."""
        if _is_from_torch(obj) and obj is not device:
            return _get_qualified_name(obj)
        name = self.namespace.create_name(hint, obj)
        if self.found.setdefault(name, obj) is not obj and self.found[name] != obj:
            raise AssertionError(f"Global name {name} already assigned to different object")
        return name

    def type_name(self, o):
        """A type annotation."""
        if o == ():
            return "()"
        text = _type_repr(o)
        if isinstance(o, types.UnionType) and "|" in text:
            return "|".join([self.type_name(arg) for arg in typing.get_args(o)])
        origin = getattr(o, "__origin__", None)
        if not origin:
            return self.name_of(text, o)
        if isinstance(o, typing._GenericAlias):
            origin = _TYPING_NAMES.get(origin, origin)
        name = self.name_of(_type_repr(origin), origin)
        args = typing.get_args(o)
        return f"{name}[{','.join([self.type_name(arg) for arg in args])}]" if args else name


_TYPING_NAMES = {
    list: typing.List,
    dict: typing.Dict,
    set: typing.Set,
    frozenset: typing.FrozenSet,
    tuple: typing.Tuple,
}  # noqa: UP006  (as an annotation was written, so it is printed)
