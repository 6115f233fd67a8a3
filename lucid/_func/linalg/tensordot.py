"""Products summed over chosen dimensions: tensordot."""

import math

from ..._backend.out_argument import store_out
from ..._backend.registry import public
from ..._base.shape import wrap_dim
from ..._tensor.tensor import Tensor
from .matmul import dot, mm


def _dims_of_each(a, b, dims):
    """The dimensions to sum over, as lists for a and for b, as given."""
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims._array.size > 1 else int(dims)
    if not isinstance(dims, int):
        return [[d] if isinstance(d, int) else list(d) for d in dims]
    if dims < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
    if dims > min(a._array.ndim, b._array.ndim):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
    return list(range(-dims, 0)), list(range(dims))


@public()
def tensordot(a, b, dims=2, out=None):
    """tensordot(a, b, dims=2) -> Tensor:
    products summed over dims: the last of a with the first of b, or (dims_a, dims_b).
    """
    dims_a, dims_b = given = _dims_of_each(a, b, dims)
    if len(dims_a) != len(dims_b):
        raise RuntimeError("both dimension lists should have same length")
    if a.dtype is not b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    dims_a, dims_b = [wrap_dim(d, a._array.ndim) for d in dims_a], [wrap_dim(d, b._array.ndim) for d in dims_b]
    count = 1
    for i, j, *told in zip(dims_a, dims_b, *given):
        m, n = a._array.shape[i], b._array.shape[j]
        if n == 1:
            a = a.sum(i, True, dtype=a.dtype)
        elif m == 1:
            b = b.sum(j, True, dtype=b.dtype)
        elif m != n:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {m} in dim {told[0]} and "
                f"second has size {n} in dim {told[1]}"
            )
        else:
            count *= m
    free_a = [i for i in range(a._array.ndim) if i not in dims_a]
    free_b = [i for i in range(b._array.ndim) if i not in dims_b]
    shape = [a._array.shape[i] for i in free_a] + [b._array.shape[i] for i in free_b]
    left, right = a.permute([*free_a, *dims_a]), b.permute([*dims_b, *free_b])
    if math.prod(shape) == 1:  # no product of matrices to torch, whatever the dimensions
        result = dot.fn(left.reshape(count), right.reshape(count)).view(shape)
    else:
        rows = math.prod([a._array.shape[i] for i in free_a])
        columns = math.prod([b._array.shape[i] for i in free_b])
        result = mm.fn(left.reshape(rows, count), right.reshape(count, columns)).view(shape)
    return result if out is None else store_out("tensordot", result, out)
