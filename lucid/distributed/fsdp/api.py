"""torch.distributed.fsdp.api: settings of FullyShardedDataParallel."""

import dataclasses
import enum
from typing import Any

from ...nn.modules.batchnorm import _BatchNorm

__all__ = [
    "BackwardPrefetch",
    "CPUOffload",
    "FullOptimStateDictConfig",
    "FullStateDictConfig",
    "LocalOptimStateDictConfig",
    "LocalStateDictConfig",
    "MixedPrecision",
    "OptimStateDictConfig",
    "ShardedOptimStateDictConfig",
    "ShardedStateDictConfig",
    "ShardingStrategy",
    "StateDictConfig",
    "StateDictSettings",
    "StateDictType",
]


class ShardingStrategy(enum.Enum):
    """What is spread over processes."""

    FULL_SHARD, SHARD_GRAD_OP, NO_SHARD, HYBRID_SHARD, _HYBRID_SHARD_ZERO2 = range(1, 6)


class BackwardPrefetch(enum.Enum):
    """When parameters are fetched in backward."""

    BACKWARD_PRE, BACKWARD_POST = 1, 2


class StateDictType(enum.Enum):
    """Forms of state_dict."""

    FULL_STATE_DICT, LOCAL_STATE_DICT, SHARDED_STATE_DICT = 1, 2, 3


@dataclasses.dataclass
class MixedPrecision:
    """MixedPrecision(param_dtype=None, reduce_dtype=None, buffer_dtype=None, ...)"""

    param_dtype: Any = None
    reduce_dtype: Any = None
    buffer_dtype: Any = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True
    _module_classes_to_ignore: Any = (_BatchNorm,)


@dataclasses.dataclass
class CPUOffload:
    """CPUOffload(offload_params=False)"""

    offload_params: bool = False


@dataclasses.dataclass
class StateDictConfig:
    """StateDictConfig(offload_to_cpu=False)"""

    offload_to_cpu: bool = False


@dataclasses.dataclass
class FullStateDictConfig(StateDictConfig):
    """FullStateDictConfig(offload_to_cpu=False, rank0_only=False)"""

    rank0_only: bool = False


@dataclasses.dataclass
class LocalStateDictConfig(StateDictConfig):
    """LocalStateDictConfig(offload_to_cpu=False)"""


@dataclasses.dataclass
class ShardedStateDictConfig(StateDictConfig):
    """ShardedStateDictConfig(offload_to_cpu=False)"""

    _use_dtensor: bool = False


@dataclasses.dataclass
class OptimStateDictConfig:
    """OptimStateDictConfig(offload_to_cpu=True)"""

    offload_to_cpu: bool = True


@dataclasses.dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """FullOptimStateDictConfig(offload_to_cpu=True, rank0_only=False)"""

    rank0_only: bool = False


@dataclasses.dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """LocalOptimStateDictConfig(offload_to_cpu=False)"""

    offload_to_cpu: bool = False


@dataclasses.dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """ShardedOptimStateDictConfig(offload_to_cpu=True)"""

    _use_dtensor: bool = False


@dataclasses.dataclass
class StateDictSettings:
    """StateDictSettings(state_dict_type, state_dict_config, optim_state_dict_config)"""

    state_dict_type: Any
    state_dict_config: Any
    optim_state_dict_config: Any
