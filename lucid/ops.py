"""torch.ops: ops by their own names, `torch.ops.aten.add.Tensor(x, y)`, and those that programs define."""

import sys
import types

from . import _higher_order_ops as _higher_order_ops  # its operators enter themselves
from ._aten.overloads import OpNamespace


class _Ops(types.ModuleType):
    """The namespaces."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = OpNamespace(name)
        setattr(self, name, made)
        return made

    def load_library(self, path):
        """load_library(path): NotImplementedError, compiled extensions of torch cannot run on lucid."""
        raise NotImplementedError(f"torch.ops.load_library({path!r}): lucid cannot load compiled extensions of torch")


sys.modules[__name__].__class__ = _Ops
