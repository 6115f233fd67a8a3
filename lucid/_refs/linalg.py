"""torch._refs.linalg: the functions of torch.linalg."""

from .. import linalg as _home


def __getattr__(name):
    return getattr(_home, name)
