"""fully_shard and its settings."""

import dataclasses
from typing import Any

from ..._base.refused import refuse


@dataclasses.dataclass(frozen=True)
class MixedPrecisionPolicy:
    """MixedPrecisionPolicy(param_dtype=None, reduce_dtype=None, output_dtype=None, cast_forward_inputs=True)"""

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@dataclasses.dataclass
class OffloadPolicy:
    """OffloadPolicy(): parameters stay where they are."""


@dataclasses.dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """CPUOffloadPolicy(pin_memory=True)"""

    pin_memory: bool = True


@dataclasses.dataclass
class DataParallelMeshDims:
    """DataParallelMeshDims(shard=None, replicate=None)"""

    shard: Any = None
    replicate: Any = None


globals().update(
    refuse(
        "torch.distributed.fsdp",
        "fully_shard share_comm_ctx FSDPModule UnshardHandle",
        "parameters spread over processes",
    )
)


def register_fsdp_forward_method(module, method_name):
    """register_fsdp_forward_method(module, name): nothing to do, as no module is an FSDPModule."""
