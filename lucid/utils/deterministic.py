"""torch.utils.deterministic: is new memory filled when determinism is asked for?"""

import sys
import types

from .._base.state import switches


class _Settings(types.ModuleType):
    """The module itself, whose one name may be assigned to."""

    @property
    def fill_uninitialized_memory(self):
        """Under use_deterministic_algorithms: do new tensors get NaN, or the largest integer, for what is undefined?"""
        return switches.fill_uninitialized

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, on):
        if not isinstance(on, bool):
            raise TypeError(f"expected a bool, but got {type(on).__name__}")
        switches.fill_uninitialized = on


sys.modules[__name__].__class__ = _Settings
