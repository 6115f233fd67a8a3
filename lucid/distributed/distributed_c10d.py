"""torch.distributed.distributed_c10d: groups and collectives."""

from .._c10d import collectives as _collectives
from .._c10d import membership as _membership
from .._c10d import objects as _objects
from .._c10d.collectives import *  # noqa: F403
from .._c10d.groups import (  # noqa: F401
    OPTIONS,
    Backend,
    BackendConfig,
    BackendType,
    DebugLevel,
    ProcessGroup,
    ProcessGroupGloo,
    RedOpType,
    ReduceOp,
    Work,
    default_pg_timeout,
    reduce_op,
)
from .._c10d.membership import *  # noqa: F403
from .._c10d.membership import GroupMember, group
from .._c10d.objects import *  # noqa: F403
from .._c10d.stores import (  # noqa: F401
    DistBackendError,
    DistError,
    DistNetworkError,
    DistStoreError,
    FileStore,
    HashStore,
    PrefixStore,
    Store,
    TCPStore,
)

GroupName = str
(
    AllToAllOptions,
    AllgatherOptions,
    AllreduceCoalescedOptions,
    AllreduceOptions,
    BarrierOptions,
    BroadcastOptions,
    GatherOptions,
    ReduceOptions,
    ReduceScatterOptions,
    ScatterOptions,
) = OPTIONS.values()


def _get_default_group():
    return _membership.default_group()


def _get_default_store():
    return _membership.default_group().get_group_store()


def _get_group_size(group):
    return _membership.get_world_size(group)


def _rank_not_in_group(group):
    return not _membership.in_group(group)


def _find_pg_by_ranks_and_tag(tag, ranks):
    return _membership.default_group() if list(ranks) == [0] else None


def _resolve_process_group(name):
    for pg in _membership._state["groups"]:
        if pg.group_name == name:
            return pg
    raise ValueError(f"Could not resolve the process group registered under the name {name}")


def _get_process_group_name(pg):
    return pg.group_name


def _get_pg_default_device(group=None):
    from .._base.device import device

    return device("cpu")


_get_object_coll_device = _get_pg_default_device

_INNER = {
    "default_group",
    "group_of",
    "in_group",
    "rendezvous",
    "set_debug_level",
    "set_debug_level_from_env",
    "is_available",
}
_FUNCTIONS = _collectives.__all__ + [n for n in _membership.__all__ if n not in _INNER] + _objects.__all__
__all__ = []
__all__.extend(_FUNCTIONS + list(OPTIONS))
__all__ += ["Backend", "BackendConfig", "DebugLevel", "GroupMember", "GroupName", "PrefixStore", "ProcessGroup"]
__all__ += ["ProcessGroupGloo", "ReduceOp", "Work", "group", "reduce_op"]
