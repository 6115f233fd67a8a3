"""torch.utils._pytree: nested containers taken apart into leaves and a TreeSpec (`lucid/_tensor/pytree.py`)."""

from .._tensor import pytree

for _name, _value in vars(pytree).items():
    if getattr(_value, "__module__", None) == pytree.__name__:
        _value.__module__ = __name__  # where torch has it
    if not _name.startswith("__"):
        globals()[_name] = _value
