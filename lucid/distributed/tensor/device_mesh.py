"""torch.distributed.tensor.device_mesh"""

from ..device_mesh import (  # noqa: F401
    DeviceMesh,
    init_device_mesh,
)
