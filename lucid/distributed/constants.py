"""torch.distributed.constants: how long to wait."""

from .._c10d.groups import default_pg_timeout

default_pg_nccl_timeout = None

__all__ = ["default_pg_timeout", "default_pg_nccl_timeout"]
