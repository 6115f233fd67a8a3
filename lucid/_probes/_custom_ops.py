"""torch._custom_ops: the older names of torch.library."""

from .library import custom_op

__all__ = ["custom_op"]
