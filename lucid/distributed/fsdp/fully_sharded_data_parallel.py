"""FullyShardedDataParallel: parameters spread over processes, which lucid does not have."""

import enum

from ..._base.refused import refused_class, refused_function
from ...nn.modules.module import Module
from .api import *  # noqa: F403

__all__ = ["FullyShardedDataParallel", "OptimStateKeyType"]
FSDP_WRAPPED_MODULE, FLAT_PARAM = "_fsdp_wrapped_module", "_flat_param"


class OptimStateKeyType(enum.Enum):
    """Keys of an optimizer's state."""

    PARAM_NAME, PARAM_ID = 1, 2


_PLACE = "torch.distributed.fsdp.FullyShardedDataParallel"
_METHODS = """set_state_dict_type get_state_dict_type state_dict_type summon_full_params full_optim_state_dict
    sharded_optim_state_dict shard_full_optim_state_dict flatten_sharded_optim_state_dict scatter_full_optim_state_dict
    rekey_optim_state_dict optim_state_dict optim_state_dict_to_load""".split()
FullyShardedDataParallel = refused_class(
    "torch.distributed.fsdp",
    "FullyShardedDataParallel",
    "parameters spread over processes; DistributedDataParallel works over one",
    (Module,),
    fsdp_modules=staticmethod(lambda module, root_only=False: []),
    **{n: staticmethod(refused_function(_PLACE, n, "parameters spread over processes")) for n in _METHODS},
)
