"""Modules that hold others: Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict."""

import operator
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from itertools import chain

from ..._tensor.tensor import Tensor
from .._ops import typename
from ..parameter import Parameter
from .module import Module

__all__ = ["Container", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"]


def _position(index, size):
    """index as a place counted from the front; an IndexError outside."""
    index = operator.index(index)
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of range")
    return index % size


def _indented(text):
    """text with every line but the first moved right by two, blank ones included."""
    return text.replace("\n", "\n  ")


def _renumbered(modules):
    return OrderedDict((str(i), m) for i, m in enumerate(modules))


class Container(Module):
    """The old name of Module with submodules given by keyword."""

    def __init__(self, **kwargs):
        warnings.warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. "
            "Subclass that instead.",
            FutureWarning,
            stacklevel=2,
        )
        super().__init__()
        for name, module in kwargs.items():
            self.add_module(name, module)


class _Listed(Module):
    """What Sequential and ModuleList share: submodules under the names "0", "1" ..."""

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __dir__(self):
        return [name for name in super().__dir__() if not name.isdigit()]

    def __delitem__(self, idx):
        names = list(self._modules)
        for name in names[idx] if isinstance(idx, slice) else [names[_position(idx, len(names))]]:
            delattr(self, name)
        self._modules = _renumbered(self._modules.values())

    def append(self, module):
        """append(module) -> self, one longer."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key):
        """pop(index) -> the module taken out; a slice gives a container of them."""
        found = self[key]
        del self[key]
        return found

    def _make_room(self, index):
        modules = self._modules
        for i in range(len(modules), index, -1):
            modules[str(i)] = modules[str(i - 1)]


class Sequential(_Listed):
    """Sequential(*modules) or Sequential(OrderedDict of modules): each module applied to the last one's output."""

    def __init__(self, *args):
        super().__init__()
        named = len(args) == 1 and isinstance(args[0], OrderedDict)
        for name, module in args[0].items() if named else enumerate(args):
            self.add_module(str(name) if not named else name, module)

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return list(self._modules.values())[_position(idx, len(self))]

    def __setitem__(self, idx, module):
        setattr(self, list(self._modules)[_position(idx, len(self))], module)

    def __add__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __iadd__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        first = len(self)
        for i, module in enumerate(other):
            self.add_module(str(first + i), module)
        return self

    def _check_factor(self, other):
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")

    def __mul__(self, other):
        self._check_factor(other)
        return Sequential(*list(self) * other)

    def __rmul__(self, other):
        return self.__mul__(other)

    def __imul__(self, other):
        self._check_factor(other)
        size = len(self)
        for i in range(size, size * other):
            self.add_module(str(i), self._modules[str(i % size)])
        return self

    def forward(self, input):
        """Each module's output is the next one's input."""
        for module in self:
            input = module(input)
        return input

    def insert(self, index, module):
        """insert(index, module) -> self, with module before the one at index."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        size = len(self._modules)
        if not -size <= index <= size:
            raise IndexError(f"Index out of range: {index}")
        index += size if index < 0 else 0
        self._make_room(index)
        self._modules[str(index)] = module
        return self

    def extend(self, sequential):
        """extend(modules) -> self, longer by them."""
        for module in sequential:
            self.append(module)
        return self


class ModuleList(_Listed):
    """ModuleList(modules=None): a list whose modules are submodules."""

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self += modules

    def _get_abs_string_index(self, idx):
        return str(_position(idx, len(self)))

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])
        return self._modules[self._get_abs_string_index(idx)]

    def __setitem__(self, idx, module):
        setattr(self, self._get_abs_string_index(idx), module)

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        combined = ModuleList()
        for i, module in enumerate(chain(self, other)):
            combined.add_module(str(i), module)
        return combined

    def __repr__(self):
        runs = []  # [first, last, text]: equal neighbours are shown once
        for i, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1][1] = i
            else:
                runs.append([i, i, text])
        if not runs:
            return self._get_name() + "()"
        lines = [_indented(f"({a}): {text}" if a == b else f"({a}-{b}): {b - a + 1} x {text}") for a, b, text in runs]
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"

    def insert(self, index, module):
        """insert(index, module): put module before the one at index."""
        self._make_room(index)
        self._modules[str(index)] = module

    def extend(self, modules):
        """extend(modules) -> self, longer by them."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        first = len(self)
        for i, module in enumerate(modules):
            self.add_module(str(first + i), module)
        return self


def _update(target, name, shown, given, ordered):
    """target[key] = value for every pair that a mapping or an iterable of pairs gives."""
    if not isinstance(given, Iterable):
        raise TypeError(
            f"{shown}.update should be called with an iterable of key/value pairs, but got {type(given).__name__}"
        )
    if isinstance(given, (Mapping, ModuleDict, ParameterDict)) and hasattr(given, "items"):
        for key, value in given.items() if ordered else sorted(given.items()):
            target[key] = value
        return
    for i, pair in enumerate(given):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{name} update sequence element #{i} should be Iterable; is{type(pair).__name__}")
        if len(pair) != 2:
            raise ValueError(f"{name} update sequence element #{i} has length {len(pair)}; 2 is required")
        target[pair[0]] = pair[1]


class ModuleDict(Module):
    """ModuleDict(modules=None): a dict whose modules are submodules under their keys; pairs keep their order."""

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        """clear(): take all modules out."""
        self._modules.clear()

    def pop(self, key):
        """pop(key) -> the module taken out."""
        return self._modules.pop(key)

    def keys(self):
        """keys() -> the keys, in order."""
        return self._modules.keys()

    def items(self):
        """items() -> (key, module) pairs, in order."""
        return self._modules.items()

    def values(self):
        """values() -> the modules, in order."""
        return self._modules.values()

    def update(self, modules):
        """update(modules): take in a mapping or pairs of key and module."""
        _update(self, "ModuleDict", "ModuleDict", modules, ordered=True)


def _shown(value, dtype_of):
    """One entry of a parameter container's repr."""
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    place = f" ({value.device})" if value.device.type == "cuda" else ""
    return f"{kind} containing: [{dtype_of(value)} of size {'x'.join(map(str, value.size()))}{place}]"


def _as_parameter(value):
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


class ParameterList(Module):
    """ParameterList(values=None): a list whose tensors become parameters; other values are kept as they are."""

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _get_abs_string_index(self, idx):
        return str(_position(idx, len(self)))

    def __getitem__(self, idx):
        if not isinstance(idx, slice):
            return getattr(self, self._get_abs_string_index(idx))
        part = type(self)()
        for i in range(*idx.indices(len(self))):
            part.append(self[i])
        return part

    def __setitem__(self, idx, param):
        setattr(self, self._get_abs_string_index(idx), _as_parameter(param))

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def __iadd__(self, parameters):
        return self.extend(parameters)

    def __dir__(self):
        return [name for name in super().__dir__() if not name.isdigit()]

    def append(self, value):
        """append(value) -> self, one longer."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values):
        """extend(values) -> self, longer by them."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def extra_repr(self):
        return "\n".join(f"  ({i}): {_shown(p, lambda t: t.dtype)}" for i, p in enumerate(self))

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """ParameterDict(parameters=None): a dict whose tensors become parameters; a plain mapping is taken in sorted
    order."""

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key):
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        return key

    def __getitem__(self, key):
        return getattr(self, self._key_to_attr(key))

    def __setitem__(self, key, value):
        self._keys[key] = None
        setattr(self, self._key_to_attr(key), _as_parameter(value))

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, self._key_to_attr(key))

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return reversed(self._keys)

    def __contains__(self, key):
        return key in self._keys

    def copy(self):
        """copy() -> another ParameterDict of the same values."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key, default=None):
        """setdefault(key, default=None) -> the value at key, which is default where there was none."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self):
        """clear(): take everything out."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key):
        """pop(key) -> the value taken out."""
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        """popitem() -> the last (key, value), taken out."""
        if not self._keys:
            return self._keys.popitem()  # dict's own error
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def get(self, key, default=None):
        """get(key, default=None) -> the value at key, or default."""
        return self[key] if key in self else default

    def fromkeys(self, keys, default=None):
        """fromkeys(keys, default=None) -> a ParameterDict with default at each key."""
        return ParameterDict([(key, default) for key in keys])

    def keys(self):
        """keys() -> the keys, in order."""
        return self._keys.keys()

    def items(self):
        """items() -> (key, value) pairs, in order."""
        return ((key, self[key]) for key in self._keys)

    def values(self):
        """values() -> the values, in order."""
        return (self[key] for key in self._keys)

    def update(self, parameters):
        """update(parameters): take in a mapping or pairs of key and value."""
        _update(
            self,
            "ParameterDict",
            "ParametersDict",
            parameters,
            ordered=isinstance(parameters, (OrderedDict, ParameterDict)),
        )

    def extra_repr(self):
        return "\n".join(f"  ({key}): {_shown(p, typename)}" for key, p in self.items())

    def __call__(self, input):
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other):
        union = self.copy()
        union.update(other)
        return union

    def __ror__(self, other):
        union = other.copy()
        union.update(self)
        return union

    def __ior__(self, other):
        self.update(other)
        return self
