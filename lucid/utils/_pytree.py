"""torch.utils._pytree: nested containers taken apart into leaves and a TreeSpec (`lucid/_tensor/pytree.py`)."""

from collections.abc import Callable
from typing import Any

from .._tensor import pytree

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
