"""torch.distributed._tensor.placement_types"""

from ..tensor.placement_types import *  # noqa: F403
