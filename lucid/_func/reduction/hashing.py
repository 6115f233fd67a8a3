"""hash_tensor: one number that tells tensors apart."""

import math

from ..._backend.families import not_implemented_error
from ..._backend.out_argument import store_out
from ..._backend.registry import public
from ..._base.dtype import (
    COMPLEX,
    FLOATING,
    SCALAR_NAMES,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint64,
)
from ..._base.shape import wrap_dims

_HASHED = {bool_, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64}


@public(method=True)
def hash_tensor(input, dim=None, *, keepdim=False, mode=0, out=None):
    """hash_tensor(input, dim=(), *, keepdim=False, mode=0) -> Tensor of uint64: the exclusive or of the elements' bits.

    Floats count as float64, integers as int64. No gradients.
    """
    if mode != 0:
        raise RuntimeError(f"Unknown hash_tensor mode: {mode}")
    shape = tuple(input._array.shape)
    given = dim is not None and dim != () and dim != []
    dims = wrap_dims(dim, len(shape)) if given else tuple(range(len(shape)))
    if not given and input._array.size == 0:
        raise RuntimeError(
            "hash_tensor: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
            "with the 'dim' argument."
        )
    for d in dims:
        if shape and shape[d] == 0:
            raise IndexError(f"hash_tensor: Expected reduction dim {d} to have non-zero size.")
    if input._table.dtype not in _HASHED:
        raise not_implemented_error("xor_sum_cpu", input._table.dtype)
    result = _exclusive_or(input.detach(), dims if shape else (), shape, keepdim)
    if out is not None and out._table.dtype is not uint64:
        raise RuntimeError(f"Expected result to be of dtype uint64, but got {SCALAR_NAMES[out._table.dtype]}")
    return result if out is None else store_out("hash_tensor", result, out, expanded=True)


def _exclusive_or(x, dims, shape, keepdim):
    """Halves laid over each other until one element is left."""
    bits = x.to(float64).view(int64) if x._table.dtype.category in (FLOATING, COMPLEX) else x.to(int64)
    rest = [d for d in range(len(shape)) if d not in dims]
    bits = bits.permute(*rest, *dims).reshape(*[shape[d] for d in rest], math.prod([shape[d] for d in dims]))
    while (n := bits._array.shape[-1]) > 1:
        half = n // 2
        folded = bits.narrow(-1, 0, half).bitwise_xor(bits.narrow(-1, half, half))
        if n % 2:
            last = folded.narrow(-1, 0, 1).bitwise_xor(bits.narrow(-1, n - 1, 1))
            folded = folded.slice_scatter(last, folded._array.ndim - 1, 0, 1)
        bits = folded
    size = [1 if d in dims else n for d, n in enumerate(shape)] if keepdim else [shape[d] for d in rest]
    return bits.reshape(size).view(uint64)
