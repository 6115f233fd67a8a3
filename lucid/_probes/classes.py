"""torch.classes: C++ classes that extensions register; there are none."""

import sys
import types


class _Classes(types.ModuleType):
    """Any namespace, whose classes do not exist."""

    loaded_libraries: set = set()

    def load_library(self, path):
        """load_library(path): NotImplementedError, compiled extensions of torch cannot run on lucid."""
        raise NotImplementedError(
            f"torch.classes.load_library({path!r}): lucid cannot load compiled extensions of torch"
        )

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise RuntimeError(
            f"Tried to instantiate class '{name}', but it does not exist! Ensure that it is registered "
            "via torch::class_"
        )


sys.modules[__name__].__class__ = _Classes
