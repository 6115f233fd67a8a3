"""torch.distributed.tensor.parallel: layers spread over processes; over one, parameters become DTensors and results are
the module's own."""

from ...._base.refused import refused_function
from .style import (
    ColwiseParallel,
    ParallelStyle,
    PrepareModuleInput,
    PrepareModuleInputOutput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)

__all__ = [
    "ColwiseParallel",
    "ParallelStyle",
    "PrepareModuleInput",
    "PrepareModuleInputOutput",
    "PrepareModuleOutput",
    "RowwiseParallel",
    "SequenceParallel",
    "parallelize_module",
    "loss_parallel",
]
loss_parallel = refused_function("torch.distributed.tensor.parallel", "loss_parallel", "loss over several processes")
