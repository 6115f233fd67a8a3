"""torch.jit.quantized: parts of a compiler that lucid does not have."""

from .._base.refused import refuse

globals().update(refuse("torch.jit.quantized", "QuantizedLinear QuantizedRNNCell", "TorchScript"))
