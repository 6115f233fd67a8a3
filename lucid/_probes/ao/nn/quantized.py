"""torch.ao.nn.quantized: the newer name of torch.nn.quantized."""

from ...nn.quantized import FloatFunctional, FXFloatFunctional

__all__ = ["FXFloatFunctional", "FloatFunctional"]
