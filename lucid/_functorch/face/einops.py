"""functorch.einops: rearrange"""

from ...func.rearranging import rearrange

__all__ = ["rearrange"]
