"""torch.return_types: the named tuples that ops with several results return."""

from ._tensor.return_types import CLASSES as _CLASSES


def pytree_register_structseq(cls):
    """pytree_register_structseq(cls) -> None: nothing is left to do, pytrees know named tuples."""


def __getattr__(name):
    if name == "all_return_types":
        return list(_CLASSES.values())
    try:
        return _CLASSES[name.removesuffix("_out")]  # torch has a second class for calls with out=
    except KeyError:
        raise AttributeError(f"module 'torch.return_types' has no attribute '{name}'") from None


def __dir__():
    return sorted(_CLASSES)
