"""torch.utils._pytree: nested containers taken apart into leaves and a TreeSpec (`lucid/_tensor/pytree.py`)."""

import collections
from collections.abc import Callable
from typing import Any

from .._tensor import pytree, pytree_text

Context = Any
PyTree = Any
FlattenFn, UnflattenFn = Callable, Callable
DumpableContext = Any
ToDumpableContextFn, FromDumpableContextFn = Callable, Callable

for _name, _value in vars(pytree).items():
    if getattr(_value, "__module__", None) == pytree.__name__:
        _value.__module__ = __name__  # where torch has it
    if not _name.startswith("__"):
        globals()[_name] = _value

treespec_dumps, treespec_loads = pytree_text.treespec_dumps, pytree_text.treespec_loads
_register_namedtuple = pytree_text.register_namedtuple
for _f in (treespec_dumps, treespec_loads):
    _f.__module__ = __name__


def _add(name, cls):
    """torch's names of how a container is taken apart: _dict_flatten and its relatives."""
    node = pytree.SUPPORTED_NODES[cls]
    globals()[f"_{name}_flatten"] = node.flatten_fn
    globals()[f"_{name}_unflatten"] = node.unflatten_fn
    globals()[f"_{name}_flatten_with_keys"] = node.flatten_with_keys_fn


for _name, _cls in {
    "tuple": tuple,
    "list": list,
    "dict": dict,
    "namedtuple": collections.namedtuple,
    "ordereddict": collections.OrderedDict,
    "defaultdict": collections.defaultdict,
    "deque": collections.deque,
}.items():
    _add(_name, _cls)
