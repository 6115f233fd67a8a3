"""torch.special: functions of mathematical physics and statistics."""

from ._backend.core import NAMESPACES

globals().update(NAMESPACES["special"])
