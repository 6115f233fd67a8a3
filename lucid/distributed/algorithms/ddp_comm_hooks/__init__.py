"""torch.distributed.algorithms.ddp_comm_hooks: hooks of DistributedDataParallel; of one process, all-reduce is nothing
to do."""

import enum

from . import default_hooks

__all__ = ["DDPCommHookType", "register_ddp_comm_hook"]


class DDPCommHookType(enum.Enum):
    """Names of hooks."""

    ALLREDUCE = "allreduce_hook"
    FP16_COMPRESS = "fp16_compress_hook"
    BF16_COMPRESS = "bf16_compress_hook"
    NOOP = "noop_hook"


def register_ddp_comm_hook(comm_hook_type, model, state=None):
    """register_ddp_comm_hook(type, model)"""
    model.register_comm_hook(state, getattr(default_hooks, comm_hook_type.value))
