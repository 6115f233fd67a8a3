"""DataParallel: without a GPU it calls the module as it is, as torch's does."""

from typing import Generic, TypeVar

from ..modules.module import Module

__all__ = ["DataParallel", "data_parallel"]


_T = TypeVar("_T", bound=Module)


class DataParallel(Module, Generic[_T]):
    """DataParallel(module, device_ids=None, output_device=None, dim=0): module under the name `module`, called as it
    is."""

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module = module
        self.device_ids = []

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """torch's error: there is no GPU to run on."""
    raise RuntimeError("device type could not be determined")
