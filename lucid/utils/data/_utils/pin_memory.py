"""pin_memory: here all memory is as good as pinned, so structures only pass through."""

import collections.abc

from ...._tensor.tensor import Tensor
from .collate import _rebuilt, _rebuilt_sequence


def pin_memory(data, device=None):
    """pin_memory(data, device=None) -> data, with the pin_memory method of objects that have one called."""
    if isinstance(data, Tensor):
        return data
    if hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, (str, bytes)):
        return data
    if isinstance(data, collections.abc.Mapping):
        return _rebuilt(data, {key: pin_memory(value, device) for key, value in data.items()})
    if isinstance(data, tuple):
        parts = [pin_memory(d, device) for d in data]
        return type(data)(*parts) if hasattr(data, "_fields") else type(data)(parts)
    if isinstance(data, collections.abc.Sequence):
        return _rebuilt_sequence(data, [pin_memory(d, device) for d in data])
    return data
