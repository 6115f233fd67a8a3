"""torch.amp.autocast_mode."""

from .._modes.autocast import (
    _cast,
    _enter_autocast,
    _exit_autocast,
    autocast,
    custom_bwd,
    custom_fwd,
    is_autocast_available,
)

__all__ = [
    "autocast",
    "custom_bwd",
    "custom_fwd",
    "is_autocast_available",
    "_cast",
    "_enter_autocast",
    "_exit_autocast",
]
