"""torch.special: functions of mathematical physics and statistics."""
from ._backend.core import HOMES

globals().update(HOMES["special"])
