"""torch.distributed._composable"""

from ..._base.refused import refuse

globals().update(refuse("torch.distributed._composable", "checkpoint contract replicate", "composable wrappers"))
