"""torch.distributed.optim: optimizers over several processes; ZeroRedundancyOptimizer of one process is its
optimizer."""

from ..._base.refused import refuse
from .zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = ["DistributedOptimizer", "PostLocalSGDOptimizer", "ZeroRedundancyOptimizer", "as_functional_optim"]
globals().update(
    refuse(
        "torch.distributed.optim",
        "DistributedOptimizer PostLocalSGDOptimizer as_functional_optim _apply_optimizer_in_backward",
        "optimizers over several processes",
    )
)
