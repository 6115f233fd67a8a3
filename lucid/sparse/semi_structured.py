"""torch.sparse.semi_structured: 2:4 sparsity, which is for the tensor cores of CUDA devices; its names say so."""

from .._tensor.tensor import Tensor


def _refuse(what):
    raise NotImplementedError(f"{what}: lucid has no semi-structured sparse tensors, which need a CUDA device")


class SparseSemiStructuredTensor(Tensor):
    """The base of semi-structured tensors: NotImplementedError, lucid has none."""

    _FORCE_CUTLASS = _FUSE_TRANSPOSE = _PROTOTYPE_WARNING_SHOWN = False

    def __new__(cls, *args, **kwargs):
        _refuse(cls.__name__)


class SparseSemiStructuredTensorCUTLASS(SparseSemiStructuredTensor):
    """NotImplementedError, lucid has no semi-structured tensors."""


class SparseSemiStructuredTensorCUSPARSELT(SparseSemiStructuredTensor):
    """NotImplementedError, lucid has no semi-structured tensors."""


def to_sparse_semi_structured(original_tensor, transposed=False):
    """to_sparse_semi_structured(original_tensor): NotImplementedError, lucid has no semi-structured tensors."""
    _refuse("to_sparse_semi_structured")


__all__ = [
    "SparseSemiStructuredTensor",
    "SparseSemiStructuredTensorCUSPARSELT",
    "SparseSemiStructuredTensorCUTLASS",
    "to_sparse_semi_structured",
]
