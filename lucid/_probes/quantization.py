"""torch.quantization: the older name of torch.ao.quantization."""

from .ao import quantization as _home
from .ao.quantization import DeQuantStub, QuantStub, QuantWrapper

__all__ = ["DeQuantStub", "QuantStub", "QuantWrapper"]


def __getattr__(name):
    return getattr(_home, name)
