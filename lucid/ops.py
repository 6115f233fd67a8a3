"""torch.ops: ops by their own names, `torch.ops.aten.add.Tensor(x, y)`, and those that programs define."""

import os
import sys
import types

from . import _higher_order_ops as _higher_order_ops  # its operators enter themselves
from ._aten.overloads import OpNamespace

_LOADED: set = set()


class _Ops(types.ModuleType):
    """The namespaces."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = OpNamespace(name)
        setattr(self, name, made)
        return made

    def load_library(self, path):
        """load_library(path): OSError, compiled extensions of torch cannot run on lucid; of torchvision's own libraries
        lucid defines the ops instead."""
        folder, name = os.path.split(os.fspath(path))
        if os.path.basename(folder) == "torchvision":
            if name.startswith("_C."):
                from ._torchvision import ops as defined
            elif name.startswith("image."):
                from ._torchvision import codecs as defined
            else:
                defined = None
            # Without them torchvision is as where its library does not load: its functions of these ops say so.
            if defined is not None and not os.environ.get("LUCID_WITHOUT_TORCHVISION_OPS"):
                self.loaded_libraries.add(os.path.realpath(path))
                return
        raise OSError(f"torch.ops.load_library({path!r}): lucid cannot load compiled extensions of torch")

    @property
    def loaded_libraries(self):
        """The paths for which ops were defined."""
        return _LOADED


sys.modules[__name__].__class__ = _Ops
