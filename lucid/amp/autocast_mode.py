"""torch.amp.autocast_mode."""

from .._modes.autocast import _cast, autocast, custom_bwd, custom_fwd, is_autocast_available

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available", "_cast"]
