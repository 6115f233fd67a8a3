"""torch._refs.special: the functions of torch.special."""

from .. import special as _home


def __getattr__(name):
    return getattr(_home, name)
