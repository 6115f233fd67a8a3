"""torch._custom_ops: the older names of torch.library."""

from .library import custom_op, get_ctx

__all__ = ["custom_op", "get_ctx"]
