"""torch._C._distributed_c10d: the types of torch.distributed."""

from .._base.refused import refuse
from .._c10d.groups import (  # noqa: F401
    OPTIONS,
    Backend,
    BackendType,
    DebugLevel,
    ProcessGroup,
    ProcessGroupGloo,
    ReduceOp,
    Work,
    default_pg_timeout,
)
from .._c10d.membership import get_debug_level, set_debug_level, set_debug_level_from_env  # noqa: F401
from .._c10d.stores import FileStore, HashStore, PrefixStore, Store, TCPStore  # noqa: F401

_DEFAULT_FIRST_BUCKET_BYTES = 1 << 20
_DEFAULT_PG_TIMEOUT = default_pg_timeout
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
globals().update(
    refuse(
        "torch._C._distributed_c10d",
        "BuiltinCommHookType DDPLoggingData FakeProcessGroup FakeWork Logger Reducer _ControlCollectives",
        "reducer in C++",
    )
)
