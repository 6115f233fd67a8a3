"""Tables of fake tensors: shapes, strides and types alone, as on the meta device, under another device's name."""

import weakref

from .layers import MetaWords

TABLES: dict = {}
_KNOWN: dict = {}  # id of an array made of Python numbers -> (weak reference to it, the numbers)
_GROUPS: dict = {}  # device -> what its fake arrays have in common: they never meet arrays with data


class FakeWords(MetaWords):
    """The words of one element type, answered without data, as if on `place`."""

    def __init__(self, dtype, place):
        super().__init__(dtype, place)
        self.device_group = _GROUPS.setdefault(place, object())

    def from_python(self, data):
        made = super().from_python(data)
        key = id(made)
        _KNOWN[key] = weakref.ref(made, lambda _: _KNOWN.pop(key, None)), data
        return made

    def asarray(self, value):
        return self.from_python(value) if isinstance(value, (bool, int, float, complex)) else super().asarray(value)

    def scalar(self, value):
        return self.from_python(value) if isinstance(value, (bool, int, float, complex)) else super().scalar(value)

    def __repr__(self):
        return f"fake {self.device} table of {self.dtype.name}"

    def __reduce__(self):
        return table, (self.dtype, self.device)

    def sibling(self, dtype):
        return self if dtype is getattr(self, "dtype", None) else table(dtype, self.device)


def known(array):
    """The Python numbers that a fake array was made of, or None."""
    found = _KNOWN.get(id(array))
    return found[1] if found is not None and found[0]() is array else None


def table(dtype, place) -> FakeWords:
    """The table of fake tensors of an element type on a device."""
    found = TABLES.get((dtype, place))
    if found is None:
        found = TABLES[dtype, place] = FakeWords(dtype, place)
    return found


__all__ = ["FakeWords", "known", "table"]
