"""torch.backends: switches of the libraries torch computes with; what does not exist here is kept to be told back."""

from . import cpu, cuda, cudnn, cusparselt, mha, mkl, mkldnn, mps, nnpack, openmp, opt_einsum, quantized, xnnpack

fp32_precision = "none"


def __getattr__(name):
    if name == "python_native":  # loaded when asked for
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.backends' has no attribute {name!r}")


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
