"""torch._C._distributed_rpc: calls between processes, which lucid does not have."""

from .._base.refused import refuse

globals().update(refuse("torch._C._distributed_rpc", "PyRRef RpcAgent WorkerInfo", "calls between processes"))
