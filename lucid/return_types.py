"""torch.return_types: the named tuples that ops with several results return."""

from ._tensor.return_types import CLASSES as _CLASSES


def __getattr__(name):
    try:
        return _CLASSES[name]
    except KeyError:
        raise AttributeError(f"module 'torch.return_types' has no attribute '{name}'") from None


def __dir__():
    return sorted(_CLASSES)
