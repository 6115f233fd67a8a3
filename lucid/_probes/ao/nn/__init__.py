"""torch.ao.nn: layers of quantized models; see torch.nn.quantized."""

from . import quantized

__all__ = ["quantized"]
