"""torch.distributed.tensor.device_mesh"""

from ..device_mesh import DeviceMesh, init_device_mesh
