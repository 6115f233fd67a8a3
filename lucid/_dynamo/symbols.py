"""Which sizes and numbers a function is not specialised to, and what they are called.

A size or number that was another one when the same place was read before is symbolic from then on (sizes 0 and 1
never are). A symbol has torch's name: s and a number made of the place it is read from.
"""

import hashlib

from .._base.symbolic import SymFloat, SymInt, symbol
from . import config

_ANY = object()  # sizes of which even the number differs


class Dynamics:
    """What differed from one reading of a place to the next. setting: `dynamic` of torch.compile."""

    def __init__(self, setting=None):
        self.setting, self.known = setting, {}

    def dims(self, name, tensor):
        """The dimensions of a tensor whose sizes are symbolic."""
        shape = tuple(tensor._array.shape)
        marks = getattr(tensor, "__dict__", {})
        chosen, static = set(marks.get("_dynamo_dynamic_indices", ())), set(marks.get("_dynamo_static_indices", ()))
        if self._automatic():
            chosen |= {i for i, n in enumerate(self._merged(name, shape)) if n is None}
        if self.setting is True:
            chosen |= set(range(len(shape)))
        return {i for i in chosen - static if -len(shape) <= i < len(shape) and shape[i] >= 2}

    def number(self, name, value):
        """Is a number symbolic?"""
        if config.specialize_int and type(value) is int or config.specialize_float and type(value) is float:
            return False
        if self.setting is True:
            return type(value) is int
        return self._automatic() and self._merged(name, (value,))[0] is None and value - value == 0

    def _automatic(self):
        return self.setting is None and config.automatic_dynamic_shapes and config.assume_static_by_default

    def _merged(self, name, values):
        known = self.known.setdefault(name, values)
        if known is _ANY or len(known) != len(values):
            self.known[name] = _ANY
            return (None,) * len(values)
        self.known[name] = tuple([a if a == b else None for a, b in zip(known, values)])
        return self.known[name]


class Settled:
    """What was symbolic in an earlier reading, for the same with other sizes."""

    def __init__(self, chosen):
        self.chosen = chosen  # name of a source -> dimensions, or True for a number

    def dims(self, name, tensor):
        shape = tensor._array.shape
        return {i for i in self.chosen.get(name, ()) if i < len(shape) and shape[i] >= 2}

    def number(self, name, value):
        return name in self.chosen and value == value


class Symbols:
    """The symbols of one reading. Sizes that are equal at first have one symbol, as torch has it."""

    def __init__(self, dynamics):
        self.dynamics = dynamics
        self.chosen, self.made = {}, {}  # name of a source -> see Settled; name of a symbol -> (source, SymInt)
        self._of_size, self._taken = {}, set()

    def shape(self, tensor, source):
        """A tensor's sizes, with SymInts where they are symbolic; None where none is."""
        dims = self.dynamics.dims(source.name, tensor)
        if not dims:
            return None
        self.chosen[source.name] = dims
        return tuple([self._size(source, i, n) if i in dims else n for i, n in enumerate(tensor._array.shape)])

    def _size(self, source, i, n):
        found = self._of_size.get(n)
        if found is None:
            found = self._of_size[n] = self._new(source.size(i), n)
        return found

    def _new(self, source, value):
        number = int(hashlib.sha256(source.name.encode()).hexdigest(), 16) % 100
        while number in self._taken:
            number += 1
        self._taken.add(number)
        made = SymInt(value, symbol(f"s{number}"))
        self.made[f"s{number}"] = (source, made)
        return made

    def number(self, value, source):
        """An int or float in its symbolic form if it is symbolic, else None."""
        fixed = source.fixed if type(value) is int else source.kind == "constant"
        if fixed or not self.dynamics.number(source.name, value):
            return None
        self.chosen[source.name] = True
        return self.new(source, value)

    def new(self, source, value):
        """A new symbolic number."""
        return self._new(source, value) if type(value) is int else SymFloat(value)
