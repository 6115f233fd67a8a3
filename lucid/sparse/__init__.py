"""torch.sparse: functions of sparse COO and CSR tensors."""

from .._backend.registry import NAMESPACES
from .._base.refused import refused_function as _refused_function
from .._func.sparse.invariants import SPARSE_TYPES, check_sparse_tensor_invariants
from . import semi_structured
from .gradcheck import as_sparse_gradcheck
from .semi_structured import (
    SparseSemiStructuredTensor,
    SparseSemiStructuredTensorCUSPARSELT,
    SparseSemiStructuredTensorCUTLASS,
    to_sparse_semi_structured,
)

globals().update(NAMESPACES["sparse"])
spsolve = _refused_function("torch.sparse", "spsolve", "solver of sparse systems")
globals().update(SPARSE_TYPES)

__all__ = [
    "SparseSemiStructuredTensor",
    "SparseSemiStructuredTensorCUSPARSELT",
    "SparseSemiStructuredTensorCUTLASS",
    "addmm",
    "as_sparse_gradcheck",
    "check_sparse_tensor_invariants",
    "log_softmax",
    "mm",
    "sampled_addmm",
    "semi_structured",
    "softmax",
    "spdiags",
    "sum",
    "to_sparse_semi_structured",
]
