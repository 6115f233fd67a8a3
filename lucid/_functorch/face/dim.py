"""functorch.dim: dimensions as objects, which lucid does not have."""

from ..._base.refused import refuse

globals().update(refuse("functorch.dim", "dims Dim DimList Tensor cat stack tree_map", "dimensions that are objects"))
