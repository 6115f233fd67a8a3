"""torch.fft: discrete Fourier transforms."""

from ._backend.registry import NAMESPACES
from ._tensor.tensor import Tensor as Tensor

globals().update(NAMESPACES["fft"])
