"""torch.distributed._tensor.api"""

from ..tensor.api import *  # noqa: F403
