"""replicate: copies of a module on GPUs; without a GPU, torch's errors."""

from ..._base.device import device

__all__ = ["replicate"]


def replicate(network, devices, detach=False):
    """replicate(module, devices): ValueError for the CPU, AssertionError where there is no GPU."""
    if any(not isinstance(d, int) and device(d).type == "cpu" for d in devices):
        raise ValueError("Expected a non cpu device, but got: cpu")
    raise AssertionError("Broadcast function not implemented for CPU tensors")
