"""torch.cpu.amp: the older name of torch.amp.autocast("cpu", ...)."""

from .autocast_mode import autocast

__all__ = ["autocast"]
