"""torch.utils.dlpack: memory shared with other array libraries."""

import enum

from .._func.creation.from_data import from_dlpack
from .._tensor.tensor import Tensor

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


class DLDeviceType(enum.IntEnum):
    """Devices, as DLPack numbers them."""

    kDLCPU, kDLCUDA, kDLCUDAHost, kDLOpenCL = 1, 2, 3, 4
    kDLVulkan, kDLMetal, kDLVPI, kDLROCM = 7, 8, 9, 10


def to_dlpack(tensor):
    """to_dlpack(tensor) -> capsule over the tensor's memory."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"to_dlpack expected a Tensor, got {type(tensor).__name__}")
    return tensor.__dlpack__()
