"""torch._logging: what the compiler tells."""

from .._dynamo.logs import set_logs

__all__ = ["set_logs"]
