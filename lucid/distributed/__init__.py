"""torch.distributed in one process: groups of world size 1, whose collectives give back what they are given.

What needs a second process raises NotImplementedError when the group is made (`init_process_group`).
"""

import importlib as _importlib
import pdb as _pdb

from .._base.refused import refuse as _refuse
from .._c10d.joins import Join as Join
from .._c10d.joins import Joinable as Joinable
from .._c10d.joins import JoinHook as JoinHook
from .._c10d.membership import is_available as is_available
from .._c10d.stores import *  # noqa: F403
from .._c10d.stores import Store as Store
from ..nn.parallel.distributed import GradBucket as GradBucket
from .device_mesh import DeviceMesh as DeviceMesh
from .device_mesh import init_device_mesh as init_device_mesh
from .distributed_c10d import *  # noqa: F403
from .distributed_c10d import AllreduceCoalescedOptions as AllreduceCoalescedOptions
from .distributed_c10d import AllreduceOptions as AllreduceOptions
from .distributed_c10d import AllToAllOptions as AllToAllOptions
from .distributed_c10d import Backend as Backend
from .distributed_c10d import BackendConfig as BackendConfig
from .distributed_c10d import BarrierOptions as BarrierOptions
from .distributed_c10d import BroadcastOptions as BroadcastOptions
from .distributed_c10d import DebugLevel as DebugLevel
from .distributed_c10d import GatherOptions as GatherOptions
from .distributed_c10d import GroupMember as GroupMember
from .distributed_c10d import GroupName as GroupName
from .distributed_c10d import PrefixStore as PrefixStore
from .distributed_c10d import ProcessGroup as ProcessGroup
from .distributed_c10d import ProcessGroupGloo as ProcessGroupGloo
from .distributed_c10d import ReduceOp as ReduceOp
from .distributed_c10d import ReduceOptions as ReduceOptions
from .distributed_c10d import ReduceScatterOptions as ReduceScatterOptions
from .distributed_c10d import ScatterOptions as ScatterOptions
from .distributed_c10d import Work as Work
from .distributed_c10d import _all_gather_base as _all_gather_base
from .distributed_c10d import _coalescing_manager as _coalescing_manager
from .distributed_c10d import _get_default_group as _get_default_group
from .distributed_c10d import _reduce_scatter_base as _reduce_scatter_base
from .distributed_c10d import group as group
from .distributed_c10d import reduce_op as reduce_op
from .distributed_c10d import set_debug_level as set_debug_level
from .distributed_c10d import set_debug_level_from_env as set_debug_level_from_env
from .rendezvous import register_rendezvous_handler as register_rendezvous_handler
from .rendezvous import rendezvous as rendezvous

globals().update(
    _refuse("torch.distributed", "BuiltinCommHookType Logger Reducer _DistributedBackendOptions", "reducer in C++")
)
_LATER = set(
    """algorithms autograd checkpoint constants elastic fsdp launcher nn optim pipelining rpc run tensor utils
    distributed_c10d _composable _functional_collectives _tensor c10d_logger logging_handlers
    remote_device config""".split()
)


def breakpoint(rank=0, skip=0, timeout_s=3600):
    """breakpoint(rank=0): Python's debugger"""
    if rank == 0 and skip == 0:
        _pdb.Pdb().set_trace(__import__("sys")._getframe(1))


def __getattr__(name):
    if name in _LATER:
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.distributed' has no attribute {name!r}")
