"""torch.cpu.amp.autocast_mode."""

import warnings

from ..._base.dtype import bfloat16
from ..._modes.autocast import autocast as _autocast


class autocast(_autocast):
    """autocast(enabled=True, dtype=bfloat16, cache_enabled=True): torch.amp.autocast("cpu", ...), deprecated in
    torch."""

    def __init__(self, enabled=True, dtype=bfloat16, cache_enabled=True):
        warnings.warn(
            "`torch.cpu.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cpu', args...)` instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)
