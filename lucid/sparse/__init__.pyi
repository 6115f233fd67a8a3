"""torch.sparse: functions of sparse COO and CSR tensors.

Written by scripts/stubs: change the functions, or the types in scripts/stub_types.py.
"""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from .._base.dtype import dtype
from .._func.sparse.invariants import check_sparse_tensor_invariants as check_sparse_tensor_invariants
from .._tensor.tensor import Tensor, layout
from ..types import Number
from . import gradcheck as gradcheck
from . import semi_structured as semi_structured
from .semi_structured import SparseSemiStructuredTensor as SparseSemiStructuredTensor
from .semi_structured import SparseSemiStructuredTensorCUSPARSELT as SparseSemiStructuredTensorCUSPARSELT
from .semi_structured import SparseSemiStructuredTensorCUTLASS as SparseSemiStructuredTensorCUTLASS

class BFloat16Tensor(Tensor):
    """torch's old constructor of sparse COO tensors of torch.bfloat16: BFloat16Tensor(indices, values, size)."""

class ByteTensor(Tensor):
    """torch's old constructor of sparse COO tensors of torch.uint8: ByteTensor(indices, values, size)."""

class CharTensor(Tensor):
    """torch's old constructor of sparse COO tensors of torch.int8: CharTensor(indices, values, size)."""

class DoubleTensor(Tensor):
    """torch's old constructor of sparse COO tensors of torch.float64: DoubleTensor(indices, values, size)."""

class FloatTensor(Tensor):
    """torch's old constructor of sparse COO tensors of torch.float32: FloatTensor(indices, values, size)."""

class HalfTensor(Tensor):
    """torch's old constructor of sparse COO tensors of torch.float16: HalfTensor(indices, values, size)."""

class IntTensor(Tensor):
    """torch's old constructor of sparse COO tensors of torch.int32: IntTensor(indices, values, size)."""

class LongTensor(Tensor):
    """torch's old constructor of sparse COO tensors of torch.int64: LongTensor(indices, values, size)."""

class ShortTensor(Tensor):
    """torch's old constructor of sparse COO tensors of torch.int16: ShortTensor(indices, values, size)."""

def addmm(
    mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number | complex = 1.0, alpha: Number | complex = 1.0
) -> Tensor:
    """addmm(mat, mat1, mat2, *, beta=1, alpha=1) -> Tensor: beta * mat + alpha * mat1 @ mat2 of a sparse mat1, whose
    gradient is sparse, with its places only.
    """

def as_sparse_gradcheck(gradcheck: Callable[..., Any]) -> Any:
    """as_sparse_gradcheck(gradcheck): the same function, which takes sparse inputs and results, too.

    Sparse inputs are given to it as their values (masked=True), or dense (masked=False), and put together again for the
    function that is checked; sparse results are given back dense.
    """

def log_softmax(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """log_softmax(input, dim, *, dtype=None) -> Tensor, sparse: the logarithm of softmax."""

def mm(mat1: Tensor, mat2: Tensor, reduce: bool | None = None) -> Tensor:
    """mm(mat1, mat2, reduce="sum") -> Tensor: the product of a sparse matrix and a dense or sparse one.

    The gradient of a sparse operand is sparse, with its places only. reduce: how the terms of a row of a CSR mat1 come
    together, "sum", "mean", "amax" or "amin".
    """

def sampled_addmm(
    input: Tensor,
    mat1: Tensor,
    mat2: Tensor,
    *,
    beta: Number | complex = 1.0,
    alpha: Number | complex = 1.0,
    out: Tensor | None = None,
) -> Tensor:
    """sampled_addmm(input, mat1, mat2, *, beta=1, alpha=1) -> Tensor, sparse: alpha * (mat1 @ mat2) at the places of
    the CSR matrix input, plus beta * input.
    """

def softmax(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """softmax(input, dim, *, dtype=None) -> Tensor, sparse: softmax along dim of the elements that are there; others are as if they were -inf."""

def spdiags(diagonals: Tensor, offsets: Tensor, shape: Sequence[int], layout: layout | None = None) -> Tensor:
    """spdiags(diagonals, offsets, shape, layout=None) -> Tensor, sparse: rows of diagonals along its diagonals.

    offsets[i] says which: 0 the main one, k > 0 above, k < 0 below it; element j of a row goes into column j.
    """

def spsolve(*args: Any, **kwargs: Any) -> NoReturn:
    """spsolve(...): NotImplementedError, lucid has no solver of sparse systems."""

def sum(input: Tensor, dim: int | Sequence[int] | None = None, dtype: dtype | None = None) -> Tensor:
    """sum(input, dim=None, dtype=None) -> Tensor: the sum of a COO tensor's elements over dim (all when None).

    It is sparse unless all sparse dimensions are summed; the gradient has input's places only.
    """

def to_sparse_semi_structured(*args: Any, **kwargs: Any) -> NoReturn:
    """to_sparse_semi_structured(original_tensor): NotImplementedError, lucid has no semi-structured tensors."""
