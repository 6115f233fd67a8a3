"""The errors of torch.cuda."""

from .._base.errors import AcceleratorError, OutOfMemoryError

__all__ = ["AcceleratorError", "CudaError", "DeferredCudaCallError", "OutOfMemoryError", "no_cuda"]


class CudaError(RuntimeError):
    """An error that CUDA reported; lucid never raises it."""


class DeferredCudaCallError(Exception):
    """A call that was put off failed; lucid never raises it."""


def no_cuda():
    """Raise what torch's CPU build raises."""
    raise AssertionError("Torch not compiled with CUDA enabled")
