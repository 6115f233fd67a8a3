"""LinearCrossEntropyOptions: how torch cuts linear_cross_entropy's batch into chunks; here it is all done at once."""

import dataclasses

from ..._base.dtype import bfloat16, dtype, float16, float32, float64

__all__ = ["LinearCrossEntropyOptions"]

_POLICIES = ("auto", "accurate", "balanced", "compact")
_ACCUMULATED = {float16, bfloat16, float32, float64}


@dataclasses.dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """LinearCrossEntropyOptions(allow_retain_graph=False, batch_chunk_size=None, chunking_method="auto",
    acc_policy="auto", acc_dtype=None), checked as torch checks them, without effect. ValueError for others."""

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: dtype | None = None

    def __post_init__(self):
        if self.acc_policy not in _POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method not in (None, "auto"):
            name, colon, factor = self.chunking_method.partition(":")
            if name != "aspect_ratio" or colon and not (factor.isdigit() and int(factor) > 0):
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype is not None and self.acc_dtype not in _ACCUMULATED:
            raise ValueError(
                "acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, torch.float64}, got "
                f"{self.acc_dtype!r}. Pass acc_dtype=None to let the op pick automatically."
            )
