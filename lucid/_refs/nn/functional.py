"""torch._refs.nn.functional: the functions of torch.nn.functional."""

from ...nn import functional as _home


def __getattr__(name):
    return getattr(_home, name)
