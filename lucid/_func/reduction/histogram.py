"""histogram and histogramdd: counts, or weights, of values in bins with given edges or in equal ones."""

import math

from ..._backend.families import not_implemented_error
from ..._backend.out_argument import store_out
from ..._backend.registry import FUNCTIONS, public
from ..._base.dtype import C_NAMES, bfloat16, float16, float32, float64, int64
from ..._tensor.return_types import return_type
from ..._tensor.tensor import Tensor
from ..creation.gfunc import linspace, ones, zeros

_HISTOGRAM = return_type("histogram", "hist bin_edges")
_HISTOGRAMDD = return_type("histogramdd", "hist bin_edges")
_DD = "torch.histogramdd"


def _check_points(points, bins, weight, shape):
    """torch's errors for types and shapes; points: (n, dimensions)."""
    dims, dtype = points._array.shape[1], points._table.dtype
    if len(bins) != dims:
        if bins and not isinstance(bins[0], Tensor):
            raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
        raise RuntimeError(
            f"{_DD}: expected {dims} sequences of bin edges for a {dims}-dimensional histogram but got {len(bins)}"
        )
    for d, edges in enumerate(bins):
        if not isinstance(edges, Tensor):
            if dtype not in (float32, float64):
                raise not_implemented_error("histogramdd", dtype)
            if edges <= 0:
                raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {edges} for dimension {d}")
            continue
        if edges._table.dtype is not dtype:
            raise RuntimeError(
                f"{_DD}: input tensor and bins tensors should have the same dtype, but got input with dtype "
                f"{C_NAMES[dtype]} and bins for dimension {d} with dtype {C_NAMES[edges._table.dtype]}"
            )
        if edges._array.ndim != 1:
            raise RuntimeError(
                f"{_DD}: bins tensor should have one dimension, but got {edges._array.ndim} dimensions in the bins "
                f"tensor for dimension {d}"
            )
        if edges._array.size == 0:
            raise RuntimeError(
                f"{_DD}: bins tensor should have at least 1 element, but got 0 elements in the bins tensor for "
                f"dimension {d}"
            )
        if edges._array.size == 1:
            raise RuntimeError(f"torch.histogram(): bins must be > 0, but got 0 for dimension {d}")
    if weight is None:
        return
    if weight._table.dtype is not dtype:
        raise RuntimeError(
            f"{_DD}: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but got "
            f"input({C_NAMES[dtype]}), and weight({C_NAMES[weight._table.dtype]})"
        )
    if tuple(weight._array.shape) != shape[:-1]:
        raise RuntimeError(
            f"{_DD}: if weight tensor is provided it should have the same shape as the input tensor excluding its "
            f"innermost dimension, but got input with shape {list(shape)} and weight with shape "
            f"{list(weight._array.shape)}"
        )


def _bounds(points, range):
    """[(low, high)] of each dimension: as given, or where the points are; half a unit about a single value."""
    dims = points._array.shape[1]
    if range is not None:
        if len(range) != 2 * dims:
            raise RuntimeError(
                f"{_DD}: for a {dims}-dimensional histogram range should have {2 * dims} elements, but got {len(range)}"
            )
        found = [(float(range[2 * d]), float(range[2 * d + 1])) for d in _upto(dims)]
    elif points._array.size:
        found = list(zip(points.amin(0).tolist(), points.amax(0).tolist()))
    else:
        found = [(0.0, 1.0)] * dims
    for d, (low, high) in enumerate(found):
        if not (math.isfinite(low) and math.isfinite(high)):
            raise RuntimeError(f"{_DD}: dimension {d}'s range [{low:g}, {high:g}] is not finite")
        if low > high:
            raise RuntimeError(f"{_DD}: min should not exceed max, but got min {low:g} max {high:g} for dimension {d}")
    return [(low - 0.5, high + 0.5) if low == high else (low, high) for low, high in found]


_upto = range  # a parameter has its name


def _edges(points, bins, range):
    """One tensor of bin edges for each dimension."""
    if bins and isinstance(bins[0], Tensor):
        return [b.detach() for b in bins]
    how = {"dtype": points.dtype, "device": points.device}
    return [linspace(low, high, n + 1, **how) for n, (low, high) in zip(bins, _bounds(points, range))]


def _counts(points, edges, weight):
    """The weight of the points in each bin; the last one has its right edge, too; what is in none does not count."""
    shape = [len(e._array) - 1 for e in edges]
    n = points._array.shape[0]
    inside = ones(n, dtype=FUNCTIONS["isnan"](points).dtype, device=points.device)
    flat = zeros(n, dtype=int64, device=points.device)
    for d, e in enumerate(edges):
        x = points.select(1, d).contiguous()
        place = FUNCTIONS["searchsorted"](e, x, right=True) - 1
        inside = inside & (x >= e[0]) & (x <= e[-1]) & (place >= 0) & (shape[d] > 0)
        flat = flat * max(shape[d], 1) + place.clamp(0, max(shape[d] - 1, 0))
    weights = ones(n, dtype=points.dtype, device=points.device) if weight is None else weight.detach().reshape(-1)
    total = zeros(math.prod(shape), dtype=points.dtype, device=points.device)
    if math.prod(shape):
        total = total.index_add(0, flat[inside], weights[inside])
    return total.reshape(shape)


def _histogram(points, bins, range, weight, density, shape):
    """(counts, edges) of (n, dimensions) points."""
    _check_points(points, bins, weight, shape)
    dtype = points._table.dtype
    if dtype not in (float32, float64):
        if dtype not in (float16, bfloat16) or not all([isinstance(b, Tensor) for b in bins]):
            raise not_implemented_error("histogramdd", dtype)
        edges, wide = list(bins), [b.to(float32) for b in bins]
        counts = _counts(points.to(float32), wide, None if weight is None else weight.to(float32)).to(dtype)
    else:
        edges = _edges(points, bins, range)
        counts = _counts(points, edges, weight) if edges else zeros((), dtype=points.dtype, device=points.device)
    if density:
        counts = counts / counts.sum()
        for d, e in enumerate(edges):
            width = e[1:] - e[:-1]
            counts = counts / width.reshape([-1 if i == d else 1 for i in _upto(len(edges))])
    return counts, edges


@public(method=True)
def histogram(input, bins=100, *, range=None, weight=None, density=False, out=None):
    """histogram(input, bins=100, *, range=None, weight=None, density=False) -> (hist, bin_edges), without gradients.

    bins: how many equal ones there are, between the bounds of range (the extremes of input without it), or a tensor of
    their edges. density: divided so that the integral is 1.
    """
    points = input.detach().reshape(-1, 1)
    found = _histogram(
        points, [bins], range, None if weight is None else weight.reshape(-1), density, tuple(points._array.shape)
    )
    return _histogram_out(_HISTOGRAM(found[0], found[1][0]), out)


def _histogram_out(found, out):
    if out is None:
        return found
    for name, result, given, ending in zip(("hist", "bin_edges"), found, out, ("", " for dimension 0")):
        wanted, mine = result._table.dtype, given._table.dtype
        if wanted is not mine:
            raise RuntimeError(
                f"torch.histogram: input tensor and {name} tensor should have the same dtype, but got input "
                f"{C_NAMES[wanted]} and {name} {C_NAMES[mine]}{ending}"
            )
    return store_out("histogram", found, out)


@public()
def histogramdd(input, bins, range=None, weight=None, density=False):
    """histogramdd(input, bins, range=None, weight=None, density=False) -> (hist, bin_edges), without gradients.

    input (..., n): points of n dimensions. bins: a number, or one for each dimension, or tensors of edges; range: low
    and high of each dimension, one after the other.
    """
    shape = tuple(input._array.shape)
    if len(shape) < 2:
        raise RuntimeError(f"{_DD}: input tensor should have at least 2 dimensions")
    bins = [bins] * shape[-1] if hasattr(bins, "__index__") and not isinstance(bins, (list, tuple)) else list(bins)
    points = input.detach().reshape(math.prod(shape[:-1]), shape[-1])
    counts, edges = _histogram(points, bins, range, weight, density, shape)
    return _HISTOGRAMDD(counts, tuple(edges))
