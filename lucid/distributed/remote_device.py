"""torch.distributed.remote_device"""

from .._base.refused import refused_class

_remote_device = refused_class("torch.distributed", "_remote_device", "devices of other processes")
