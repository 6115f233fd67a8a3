"""torch.distributed.rpc: calls into other processes, which lucid does not have."""

import enum

from ..._base.refused import refuse

__all__ = ["is_available"]


def is_available():
    """is_available() -> False"""
    return False


class BackendType(enum.Enum):
    """Kinds of backends."""

    TENSORPIPE = 0


globals().update(
    refuse(
        "torch.distributed.rpc",
        """init_rpc shutdown get_worker_info remote rpc_sync rpc_async RRef PyRRef WorkerInfo RemoteProfilerManager
        TensorPipeRpcBackendOptions RpcBackendOptions AllGatherStates backend_registered construct_rpc_backend_options
        init_backend register_backend method_factory new_method BackendValue""",
        "calls between processes",
    )
)
