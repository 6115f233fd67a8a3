"""grouped_mm: products of groups of rows or columns, as mixtures of experts use them."""

from ..._backend.registry import public
from ..._base.dtype import SCALAR_NAMES, bfloat16, float16, float32, int32
from ..shape.join import cat, stack
from .matmul import matmul

_TAKEN = (float32, bfloat16, float16)


def _check(a, b, offs, bias, out_dtype):
    for name, x in (("mat_a", a), ("mat_b", b)):
        if x._table.dtype not in _TAKEN:
            raise RuntimeError(
                f"Expected {name} to be Float32, BFloat16 or Float16 matrix, got {SCALAR_NAMES[x._table.dtype]}"
            )
    for name, x in (("mat_a", a), ("mat_b", b)):
        if x._array.ndim not in (2, 3):
            raise RuntimeError(f"{name} has to be 2 or 3d")
    flat = a._array.ndim == 2 or b._array.ndim == 2
    if not (a._array.ndim == b._array.ndim == 2) and a._array.shape[-1] != b._array.shape[-2]:
        raise RuntimeError("contraction dimension of mat_a and mat_b must match")
    for x in (a, b):
        _check_strides(x)
    if flat != (offs is not None):
        raise RuntimeError("Have to provide offsets if there is a 2d matrix, or no offset if both matrices are 3d")
    if bias is not None:
        raise RuntimeError("Bias not supported yet")
    if offs is not None and offs._array.ndim != 1:
        raise RuntimeError("offsets has to be 1D")
    if offs is not None and offs._table.dtype is not int32:
        raise RuntimeError("Offsets have to be int32")
    if out_dtype is not None and out_dtype is not a._table.dtype:
        raise RuntimeError("Grouped gemm output dtype must match `mat_a` dtype")


def _check_strides(x):
    shape, stride, every = x._array.shape, x.stride(), 16 // x._table.dtype.itemsize
    if stride[-2] == 1 and stride[-1] >= max(1, shape[-2]):
        step = stride[-1]
    elif stride[-1] == 1 and stride[-2] >= max(1, shape[-1]):
        step = stride[-2]
    else:
        raise RuntimeError(f"Invalid strides/sizes, got strides {list(stride)} and sizes {list(shape)}")
    if step % every:
        raise RuntimeError("strides should be multiple of 16 bytes")


@public(namespace="nn.functional", word=False)
def grouped_mm(mat_a, mat_b, *, offs=None, bias=None, out_dtype=None):
    """grouped_mm(mat_a, mat_b, *, offs=None, bias=None, out_dtype=None) -> Tensor: matrix products of groups.

    offs (int32): where each group ends. (m, k) and (groups, k, n): groups of rows of mat_a; (groups, m, k) and (k, n):
    of columns of mat_b; (m, k) and (k, n): of what is summed over, a product for each; two of three dimensions: bmm.
    """
    _check(mat_a, mat_b, offs, bias, out_dtype)
    a, b = mat_a._array.ndim, mat_b._array.ndim
    if a == b == 3:
        if mat_a._array.shape[0] != mat_b._array.shape[0]:
            raise RuntimeError("batched dimension has to match")
        return matmul(mat_a, mat_b)
    ends = offs.tolist()
    groups = list(zip([0, *ends], ends))
    if (a == 3 or b == 3) and len(groups) != (mat_a if a == 3 else mat_b)._array.shape[0]:
        raise RuntimeError("matrix batch sizes have to match")
    if a == b == 2:
        return stack.fn([matmul(mat_a[:, i:j], mat_b[i:j]) for i, j in groups], 0)
    if b == 3:
        parts, along, total = [matmul(mat_a[i:j], mat_b[g]) for g, (i, j) in enumerate(groups)], 0, mat_a.shape[0]
    else:
        parts, along, total = [matmul(mat_a[g], mat_b[:, i:j]) for g, (i, j) in enumerate(groups)], 1, mat_b.shape[1]
    if ends and ends[-1] < total:  # what is in no group is undefined in torch
        size = (total - ends[-1], mat_b.shape[-1]) if along == 0 else (mat_a.shape[-2], total - ends[-1])
        parts.append(parts[0].new_zeros(size))
    return cat.fn(parts, along)
