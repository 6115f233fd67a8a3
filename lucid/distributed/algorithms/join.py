"""torch.distributed.algorithms.join: processes with different numbers of inputs."""

from ..._c10d.joins import Join, Joinable, JoinHook

__all__ = ["JoinHook", "Joinable", "Join"]
