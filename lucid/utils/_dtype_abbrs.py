"""torch.utils._dtype_abbrs: how printed graphs abbreviate types."""

from .._base.dtype import SHORT_NAMES as dtype_abbrs

__all__ = ["dtype_abbrs"]
