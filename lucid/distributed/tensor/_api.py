"""torch.distributed.tensor._api"""

from .api import DTensor, distribute_module, distribute_tensor
