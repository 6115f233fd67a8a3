"""torch.special: functions of mathematical physics and statistics."""

from ._backend.registry import NAMESPACES

globals().update(NAMESPACES["special"])
