"""torch.backends: switches of the libraries torch computes with; what does not exist here is kept to be told back."""

from . import cpu, cuda, cudnn, cusparselt, mha, mkl, mkldnn, mps, nnpack, openmp, opt_einsum, quantized, xnnpack

fp32_precision = "none"
__all__ = [
    "cpu",
    "cuda",
    "cudnn",
    "cusparselt",
    "mha",
    "mkl",
    "mkldnn",
    "mps",
    "nnpack",
    "openmp",
    "opt_einsum",
    "quantized",
    "xnnpack",
]


def disable_global_flags():
    """disable_global_flags(): torch's switches could be frozen by this; those of lucid are kept as they are told."""


def flags_frozen():
    """flags_frozen() -> False"""
    return False
