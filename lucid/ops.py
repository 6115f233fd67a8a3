"""torch.ops: torch's ops by their internal names; `torch.ops.aten.relu(x)` is the op itself, without overloads of its
own."""

import sys
import types

from ._backend.registry import NAMESPACES
from ._higher_order_ops.higher_order_operator import HIGHER_ORDER
from .library.custom_op import OPS


class _Packet:
    """One op: callable, and `.default` is the same."""

    def __init__(self, name, fn):
        self._name, self._fn, self.__name__ = name, fn, name.rpartition("::")[2]

    def __call__(self, *args, **kwargs):
        return self._fn(*args, **kwargs)

    @property
    def default(self):
        """The op itself."""
        return self

    Tensor = Scalar = default

    def overloads(self):
        """overloads() -> ["default"]"""
        return ["default"]

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self._name.replace('::', '.')}')>"


class _OwnPacket(_Packet):
    """An op that the program defined, by torch.library."""

    def __init__(self, op):
        super().__init__(op.name(), op)

    @property
    def default(self):
        """The op itself."""
        return self._fn


class _OpNamespace(types.ModuleType):
    """The ops of one namespace."""

    def __getattr__(self, name):
        space = self.__name__.rpartition(".")[2]
        if space == "higher_order" and name in HIGHER_ORDER:
            return HIGHER_ORDER[name]
        if space == "aten":
            for home in ("torch", "nn.functional", "linalg", "special", "fft"):
                found = NAMESPACES.get(home, {}).get(name)
                if found is not None:
                    setattr(self, name, _Packet(f"aten::{name}", found))
                    return self.__dict__[name]
        if f"{space}::{name}" in OPS:
            return _OwnPacket(OPS[f"{space}::{name}"])  # not kept: an op may be defined anew
        raise AttributeError(f"'_OpNamespace' '{space}' object has no attribute '{name}'", name=name, obj=self)


class _Ops(types.ModuleType):
    """The namespaces."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = _OpNamespace(f"torch.ops.{name}")
        setattr(self, name, made)
        return made

    def load_library(self, path):
        """load_library(path): NotImplementedError, compiled extensions of torch cannot run on lucid."""
        raise NotImplementedError(f"torch.ops.load_library({path!r}): lucid cannot load compiled extensions of torch")


sys.modules[__name__].__class__ = _Ops
