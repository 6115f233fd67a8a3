"""torch.amp.grad_scaler."""

from .._modes.grad_scaler import GradScaler

GradScaler.__module__ = "lucid.amp.grad_scaler"
__all__ = ["GradScaler"]
