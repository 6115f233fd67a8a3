"""torch._C._distributed_rpc: calls between processes, which lucid does not have."""

from .._base.refused import refuse

globals().update(refuse("torch._C._distributed_rpc", "PyRRef RpcAgent WorkerInfo", "calls between processes"))


def _is_current_rpc_agent_set():
    """_is_current_rpc_agent_set() -> False"""
    return False
