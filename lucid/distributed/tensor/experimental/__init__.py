"""torch.distributed.tensor.experimental"""

from ...._base.refused import refuse

__all__ = ["context_parallel", "implicit_replication", "local_map", "register_sharding"]
globals().update(
    refuse(
        "torch.distributed.tensor.experimental",
        "context_parallel implicit_replication local_map register_sharding",
        "rules of its own for DTensor",
    )
)
