"""functorch.einops: rearrange"""

from ..._base.refused import refused_function

rearrange = refused_function("functorch.einops", "rearrange", "rearrange of its own; the package einops works")
