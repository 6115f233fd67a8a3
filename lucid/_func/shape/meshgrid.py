"""Grids and products of vectors: meshgrid, cartesian_prod, combinations."""

from ..._backend.registry import public
from ..._base.dtype import bool_
from ..._base.warn import warn
from ..creation.gfunc import arange, empty, ones
from ..indexing.take_put import masked_select
from .expand import expand
from .join import stack
from .view import reshape


@public()
def meshgrid(*tensors, indexing=None):
    """meshgrid(*tensors, indexing=None) -> tuple:
    each vector spread over the grid that all span ("ij" or "xy" order).
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for x in tensors:
        if x._array.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {x}")
        if x.dtype is not tensors[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing is None:
        _warn_indexing()
        indexing = "ij"
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    swapped = indexing == "xy" and len(tensors) >= 2
    if swapped:
        tensors = (tensors[1], tensors[0], *tensors[2:])
    shape = tuple([x.numel() for x in tensors])
    grids = []
    for i, x in enumerate(tensors):
        line = x.view(*[n if j == i else 1 for j, n in enumerate(shape)])
        grids.append(expand.fn(line, shape))
    if swapped:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


def _warn_indexing():
    warn(
        "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.",
        UserWarning,
    )


@public()
def cartesian_prod(*tensors):
    """cartesian_prod(*tensors) -> (n, len(tensors)) Tensor: every way to take one element of each vector."""
    for x in tensors:
        if x._array.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(x._array.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return stack.fn([reshape(grid, (-1,)) for grid in meshgrid(*tensors, indexing="ij")], 1)


@public()
def combinations(input, r=2, with_replacement=False):
    """combinations(input, r=2, with_replacement=False) -> (n, r) Tensor: every choice of r elements, in order."""
    if input._array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input._array.shape)}")
    if r < 0:
        raise RuntimeError("Expect a non-negative number, but got " + str(r))
    if r == 0:
        return empty((0,), dtype=input.dtype, device=input.device)
    n = input.numel()
    places = meshgrid(*[arange(n, device=input.device)] * r, indexing="ij")
    mask = ones((n,) * r, dtype=bool_, device=input.device)
    for a, b in zip(places, places[1:]):
        mask = mask & (a <= b if with_replacement else a < b)
    return stack.fn([masked_select(grid, mask) for grid in meshgrid(*[input] * r, indexing="ij")], 1)
