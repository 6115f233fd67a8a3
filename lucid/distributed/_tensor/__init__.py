"""torch.distributed._tensor: the old name of torch.distributed.tensor."""

from ..device_mesh import DeviceMesh, init_device_mesh
from ..tensor import *  # noqa: F403
from ..tensor import DTensor, Partial, Placement, Replicate, Shard
