"""Compressed rows made of row numbers, and back: what torch has under private names."""

from ..._backend.registry import FUNCTIONS, public
from ..._base.dtype import int32, int64


@public()
def _convert_indices_from_coo_to_csr(input, size, *, out_int32=False, out=None):
    """_convert_indices_from_coo_to_csr(rows, size) -> Tensor: where each row begins in sorted row numbers."""
    counts = FUNCTIONS["bincount"](input, minlength=size)[:size]
    ends = FUNCTIONS["cumsum"](counts, 0)
    made = FUNCTIONS["cat"]([ends.new_zeros(1), ends]).to(int32 if out_int32 else int64)
    return made if out is None else out.resize_(made.shape).copy_(made)


@public()
def _convert_indices_from_csr_to_coo(crow_indices, col_indices, *, out_int32=False, transpose=False, out=None):
    """_convert_indices_from_csr_to_coo(crow, col) -> Tensor (2, nnz): row and column numbers (the other way round with
    transpose=True)."""
    if crow_indices.ndim > 1:
        raise NotImplementedError(
            "torch._convert_indices_from_csr_to_coo: lucid has no batches of compressed rows here"
        )
    rows = FUNCTIONS["arange"](crow_indices.shape[0] - 1).repeat_interleave(crow_indices.diff().to(int64))
    pair = [rows.to(col_indices.dtype), col_indices]
    made = FUNCTIONS["stack"](pair[::-1] if transpose else pair).to(int32 if out_int32 else int64)
    return made if out is None else out.resize_(made.shape).copy_(made)
