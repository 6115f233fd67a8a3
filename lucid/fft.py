"""torch.fft: discrete Fourier transforms."""

from ._backend.registry import NAMESPACES

globals().update(NAMESPACES["fft"])
