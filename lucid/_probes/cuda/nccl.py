"""torch.cuda.nccl: collective operations of NVIDIA devices, none here."""

from .errors import no_cuda


def is_available(tensors):
    """is_available(tensors) -> False"""
    return False


def version():
    """version(): AssertionError, there is no CUDA here."""
    no_cuda()
