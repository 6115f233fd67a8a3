"""torch.cuda.amp.autocast_mode: autocast for CUDA, which is off where there is none."""

import functools
import warnings

from ..._base.dtype import float16
from ..._modes.autocast import _cast
from ..._modes.autocast import autocast as _autocast
from ..._modes.autocast import custom_bwd as _custom_bwd
from ..._modes.autocast import custom_fwd as _custom_fwd


class autocast(_autocast):
    """autocast(enabled=True, dtype=float16, cache_enabled=True): torch.amp.autocast("cuda", ...); disabled with a
    warning here."""

    def __init__(self, enabled=True, dtype=float16, cache_enabled=True):
        warnings.warn(
            "`torch.cuda.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cuda', "
            "args...)` instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


custom_fwd = functools.partial(_custom_fwd, device_type="cuda")
custom_bwd = functools.partial(_custom_bwd, device_type="cuda")
__all__ = ["autocast", "custom_fwd", "custom_bwd", "_cast"]
