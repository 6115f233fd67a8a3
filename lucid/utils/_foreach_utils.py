"""torch.utils._foreach_utils: tensors in groups of one device and type."""

from .._tensor.tensor import Tensor
from ..optim._grouping import _group_tensors_by_device_and_dtype as _group_tensors_by_device_and_dtype

_foreach_supported_types = [Tensor]


def _get_foreach_kernels_supported_devices():
    """_get_foreach_kernels_supported_devices() -> list of device types"""
    return ["cuda", "xpu", "mtia", "privateuseone"]


def _get_fused_kernels_supported_devices():
    """_get_fused_kernels_supported_devices() -> list of device types"""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


def _device_has_foreach_support(device):
    """_device_has_foreach_support(device) -> bool"""
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


def _has_foreach_support(tensors, device):
    """_has_foreach_support(tensors, device) -> bool"""
    return _device_has_foreach_support(device) and all(
        t is None or type(t) in _foreach_supported_types for t in tensors
    )
