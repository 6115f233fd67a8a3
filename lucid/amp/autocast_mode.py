"""torch.amp.autocast_mode."""

import functools

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
    "autocast_decorator",
    "custom_bwd",
    "custom_fwd",
    "is_autocast_available",
    "_cast",
    "_enter_autocast",
    "_exit_autocast",
]


def autocast_decorator(autocast_instance, func):
    """autocast_decorator(autocast, f) -> f, which runs inside it"""

    @functools.wraps(func)
    def decorate_autocast(*args, **kwargs):
        with autocast_instance:
            return func(*args, **kwargs)

    return decorate_autocast
