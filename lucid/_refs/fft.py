"""torch._refs.fft: the functions of torch.fft."""

from .. import fft as _home


def __getattr__(name):
    return getattr(_home, name)
