"""torch.utils._python_dispatch: modes and classes that see each ATen call (`lucid/_modes/torch_dispatch.py`)."""

from .._modes.torch_dispatch import (
    BaseTorchDispatchMode,
    TorchDispatchMode,
    is_traceable_wrapper_subclass,
    modes,
    return_and_correct_aliasing,
    transform_subclass,
)
from .._modes.torch_dispatch import disable_modes as _disable_current_modes
from .._modes.torch_dispatch import without_innermost as _pop_mode_temporarily

__all__ = [
    "BaseTorchDispatchMode",
    "TorchDispatchMode",
    "_disable_current_modes",
    "_pop_mode_temporarily",
    "is_in_torch_dispatch_mode",
    "is_traceable_wrapper_subclass",
    "return_and_correct_aliasing",
    "transform_subclass",
]

_get_current_dispatch_mode_stack = modes


def _get_current_dispatch_mode():
    """The innermost mode, or None."""
    found = modes()
    return found[-1] if found else None


def is_in_torch_dispatch_mode(include_infra_modes=True):
    """is_in_torch_dispatch_mode() -> bool: is a mode on?"""
    return bool(modes())


def _len_torch_dispatch_stack():
    return len(modes())
