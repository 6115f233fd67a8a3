"""torch.distributed.tensor._api"""

from .api import (  # noqa: F401
    DTensor,
    distribute_module,
    distribute_tensor,
)
