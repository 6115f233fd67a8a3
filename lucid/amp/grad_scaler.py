"""torch.amp.grad_scaler."""

import enum

from .._modes.grad_scaler import GradScaler


class OptState(enum.Enum):
    """Where a GradScaler is with an optimizer."""

    READY, UNSCALED, STEPPED = range(3)


GradScaler.__module__ = "lucid.amp.grad_scaler"
__all__ = ["GradScaler", "OptState"]
