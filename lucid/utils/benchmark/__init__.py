"""torch.utils.benchmark: how long a statement takes, measured with care."""

from .compare import Compare
from .timer import Language, Measurement, Timer, timer

__all__ = ["Compare", "Language", "Measurement", "Timer", "timer"]
