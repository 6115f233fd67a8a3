"""torch.distributed._tensor.experimental: the old name of torch.distributed.tensor.experimental."""

from ..tensor.experimental import *  # noqa: F403
from ..tensor.experimental import implicit_replication as implicit_replication
