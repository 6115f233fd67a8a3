"""torch.distributed in one process: groups of world size 1, whose collectives give back what they are given.

What needs a second process raises NotImplementedError when the group is made (`init_process_group`).
"""

import importlib as _importlib
import pdb as _pdb

from .._base.refused import refuse as _refuse
from .._c10d.joins import Join, Joinable, JoinHook
from .._c10d.membership import is_available
from .._c10d.stores import *  # noqa: F403
from .._c10d.stores import Store
from ..nn.parallel.distributed import GradBucket
from .device_mesh import DeviceMesh, init_device_mesh
from .distributed_c10d import *  # noqa: F403
from .distributed_c10d import (
    _all_gather_base,
    _coalescing_manager,
    _get_default_group,
    _reduce_scatter_base,
    set_debug_level,
    set_debug_level_from_env,
)
from .rendezvous import register_rendezvous_handler, rendezvous

globals().update(
    _refuse("torch.distributed", "BuiltinCommHookType Logger Reducer _DistributedBackendOptions", "reducer in C++")
)
_LATER = set(
    """algorithms autograd checkpoint constants elastic fsdp launcher nn optim pipelining rpc run tensor utils
    distributed_c10d _composable _functional_collectives _tensor c10d_logger
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
