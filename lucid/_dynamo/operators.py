"""Operators and loops: of tensors they go into the graph, of the program's objects they call its methods, and
everything else is computed for real.
"""

import collections
import enum
import operator
import types

from .._base.symbolic import SYMBOLIC, SymFloat
from .._tensor.tensor import Tensor
from .array import Array
from .arrays import operated as array_operation
from .exc import Break
from .floats import is_blind
from .frame import NULL, Observed
from .iterators import ITERATORS, Combined, Generator, SequenceIterator, sequence_iterator
from .objects import CONSTANTS, hashes_itself, in_class, own_methods, tensors_in
from .outside import Table
from .rules import PLAIN_TYPES
from .valued import is_valued_class, look_into

# Operators of containers that compare what is in them.
_LOOKING = {
    operator.contains, operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
}  # fmt: skip
_SPECIAL = {
    operator.getitem: [(0, "__getitem__")],
    operator.setitem: [(0, "__setitem__")],
    operator.delitem: [(0, "__delitem__")],
    operator.contains: [(0, "__contains__")],
    operator.abs: [(0, "__abs__")],
    operator.neg: [(0, "__neg__")],
    operator.pos: [(0, "__pos__")],
    operator.invert: [(0, "__invert__")],
    operator.lt: [(0, "__lt__"), (1, "__gt__")],
    operator.le: [(0, "__le__"), (1, "__ge__")],
    operator.gt: [(0, "__gt__"), (1, "__lt__")],
    operator.ge: [(0, "__ge__"), (1, "__le__")],
    operator.eq: [(0, "__eq__"), (1, "__eq__")],
    operator.ne: [(0, "__ne__"), (1, "__ne__")],
}
for _name in "add sub mul truediv floordiv mod pow matmul lshift rshift and or xor".split():
    _spelling = f"{_name}_" if _name in ("and", "or") else _name
    _both = [(0, f"__{_name}__"), (1, f"__r{_name}__")]
    _SPECIAL[getattr(operator, _spelling)] = _both
    _SPECIAL[getattr(operator, f"i{_name}")] = [(0, f"__i{_name}__"), *_both]


# operators that change their first operand
_CHANGING = {operator.setitem, operator.delitem}
_CHANGING |= {getattr(operator, f"i{n}") for n in "add sub mul and or xor concat".split() if hasattr(operator, f"i{n}")}

# in-place operators, which for numbers are the plain ones
_PLAIN_NAMES = {getattr(operator, f"i{n}"): n for n in "add sub mul truediv floordiv mod pow".split()}


def polyfills():
    from . import polyfills

    return polyfills


_INDEXING = (operator.getitem, operator.setitem, operator.delitem)
_SEQUENCES = (list, tuple, str, bytes, range)


def _compares_itself(value):
    """Is it a container that holds an object whose class compares in Python?"""
    if type(value) in (list, tuple, set, frozenset, collections.deque):
        return any(_is_comparing(v) or _compares_itself(v) for v in value)
    return isinstance(value, dict) and any(_is_comparing(v) or _compares_itself(v) for v in value.values())


def _is_comparing(value):
    return own_methods(value) and any(
        isinstance(in_class(type(value), name)[0], types.FunctionType) for name in ("__eq__", "__lt__", "__gt__")
    )


def _is_equal_in_python(value):
    return isinstance(in_class(type(value), "__eq__")[0], types.FunctionType)


def _keyed(container):
    return type(container) in (dict, set, frozenset, collections.OrderedDict, collections.defaultdict)


def _looked_at(function, args):
    """What an operator compares: of dictionaries in which something is sought the keys alone."""
    if function is operator.contains and isinstance(args[0], dict):
        return (list(args[0]), args[1])
    return args


class Operators:
    """The part of the Tracer that computes."""

    # ---- operators

    def operate(self, frame, function, args):
        if type(args[0]) is Table and function is operator.getitem:
            return self.item_of_table(*args)
        args = [self.whole(a) for a in args]
        if any(type(a) is Array for a in args):
            return array_operation(self, function, args)
        look_into(self, args)
        if function in _CHANGING and self.may_be_changed(args[0]):
            raise Break(f"operator {function.__name__} of a container from outside")
        if any(isinstance(a, Tensor) for a in args):
            return self._tensor_operation(function, args)
        if any(type(a) in SYMBOLIC for a in args):
            return self._number_operation(function, args)
        if function is operator.getitem and type(args[0]) is collections.defaultdict:
            return self._defaulted(frame, *args)
        if function is operator.iadd and type(args[0]) is list and type(args[1]) not in (list, tuple):
            args = [args[0], self.listed(frame, args[1], hinted=True)]
        if function in _INDEXING and own_methods(args[1]) and type(args[0]) in _SEQUENCES:
            args = [args[0], self._index(frame, args[1]), *args[2:]]
        if function in _LOOKING and any(map(_compares_itself, _looked_at(function, args))):
            raise Break("a comparison of containers of objects")
        if function in _LOOKING and tensors_in(_looked_at(function, args)):
            raise Break(f"operator {function.__name__} of containers of tensors")
        if function in _INDEXING and type(args[1]) is slice:
            parts = [args[1].start, args[1].stop, args[1].step]
            if any(map(own_methods, parts)):
                args = [args[0], slice(*[self._index(frame, part) for part in parts]), *args[2:]]
        if isinstance(args[0], dict) and len(args) > 1 and self.is_keyed_by_itself(args[1]):
            raise Break("an object with __hash__ or __eq__ as a key")
        for n, arg in enumerate(args[:2]):
            if own_methods(arg):
                return self._object_operation(frame, function, args, n)
        if function is operator.getitem and isinstance(args[0], SequenceIterator):
            raise Break("an iterator as a sequence")
        result = self._native(function, args, {})
        if isinstance(result, Tensor) and function is operator.getitem:
            shadow = self.shadows.get(id(args[0]))
            if shadow is not None and shadow.source.key in ("_parameters", "_buffers"):
                self.used(result)
        return result

    def _defaulted(self, frame, table, key):
        if hashes_itself(key):
            raise Break("an object with __hash__ or __eq__ as a key")
        if key not in table and table.default_factory is not None:
            table[key] = self.call(frame, table.default_factory, [], {})
        return self._native(operator.getitem, [table, key], {})

    def is_keyed_by_itself(self, key):
        """Is it an object from outside whose class has a __hash__ or __eq__ in Python?"""
        return id(key) in self.sources and hashes_itself(key)

    def _index(self, frame, index):
        """What an object means as an index."""
        method = self.special_method(index, "__index__")
        return index if method is None else self.call(frame, method, [], {})

    def _number_operation(self, function, args):
        for a in args:
            if type(a) is SymFloat:
                self.recorder.number_node(a)  # as torch's reader does, which matters to the order of inputs
        result = self._native(function, args, {}, is_blind(function, args))
        if type(result) in SYMBOLIC:
            self.recorder.computes(getattr(operator, _PLAIN_NAMES.get(function, ""), function), args, result)
        return result

    def _tensor_operation(self, function, args):
        if function is operator.contains and (isinstance(args[0], Tensor) or not _keyed(args[0])):
            raise Break("`in` of a tensor needs numbers")
        if _keyed(args[0]):
            return self._native(function, args, {})  # tensors are equal as keys if they are the same
        if not isinstance(args[0], Tensor) and function is operator.getitem:
            raise Break("a tensor as an index of a sequence")
        if function in (operator.setitem, operator.delitem) and not isinstance(args[0], Tensor):
            if function is operator.setitem and type(args[1]) is not Tensor:
                return self._native(function, args, {})  # a tensor is stored in a container
        if any(own_methods(a) for a in args[:2]):
            raise Break("an operator of a tensor and an object")
        return self.recorder.call("call_function", function, function, tuple(args), {})

    def _object_operation(self, frame, function, args, n):
        names = _SPECIAL.get(function)
        if names is None:
            raise Break(f"operator {function.__name__} of an object")
        for place, name in names:
            if place < len(args) and own_methods(args[place]):
                method = in_class(type(args[place]), name)[0]
                if isinstance(method, types.FunctionType):
                    rest = [a for i, a in enumerate(args) if i != place]
                    result = self.call(frame, types.MethodType(method, args[place]), rest, {})
                    if result is not NotImplemented:
                        return result
        if function is operator.contains:
            return self._contains(frame, *args)
        if function is operator.ne and any(
            isinstance(in_class(type(a), "__eq__")[0], types.FunctionType) for a in args
        ):
            return not self.truth(frame, self._object_operation(frame, operator.eq, args, n))  # as object.__ne__ does
        if function in (operator.eq, operator.ne):
            if any(own_methods(a) and is_valued_class(type(a)) for a in args):
                return self._native(function, args, {})
            return (args[0] is args[1]) == (function is operator.eq)
        if isinstance(args[0], (dict, list, tuple)) or isinstance(args[n], (enum.Enum, int, float, str)):
            return self._native(function, args, {})
        raise Break(f"operator {function.__name__} of {type(args[n]).__name__}")

    def _contains(self, frame, container, value):
        if own_methods(container):
            return self.inline(polyfills().contains, [container, value], {})
        if hashes_itself(value) or any(map(hashes_itself, self.listed(frame, container))):
            raise Break("`in` among objects with __eq__ or __hash__")
        return self._native(operator.contains, [container, value], {})

    def truth(self, frame, value):
        value = self.whole(value)
        if value is True or value is False:
            return value
        if isinstance(value, Tensor):
            raise Break("a branch that depends on a tensor's numbers")
        if type(value) is SymFloat:
            self.recorder.number_node(value)
        if own_methods(value):
            look_into(self, value)
            for name in ("__bool__", "__len__"):
                method = in_class(type(value), name)[0]
                if isinstance(method, types.FunctionType):
                    return bool(self.call(frame, types.MethodType(method, value), [], {}))
            return self._native(bool, [value], {})
        return bool(value)

    def same(self, a, b):
        if isinstance(a, types.MethodType) and isinstance(b, types.MethodType):
            raise Break("`is` of two methods")
        return self.whole(a) is self.whole(b)

    def hashed(self, kind, values):
        keys = [k for k, _ in values] if kind is dict else values
        if any(hashes_itself(k) for k in keys):
            raise Break("an object with __hash__ or __eq__ as a key")
        return self._native(kind, [values], {})

    # ---- loops

    def iterator(self, frame, value):
        value = self.whole(value)
        if isinstance(value, ITERATORS):
            return value
        look_into(self, value)
        if isinstance(value, Tensor):
            if not value.dim():
                raise Observed(TypeError("iteration over a 0-d tensor"))
            return SequenceIterator(
                [self._tensor_operation(operator.getitem, [value, i]) for i in range(value.shape[0])]
            )
        if own_methods(value):
            method = in_class(type(value), "__iter__")[0]
            if isinstance(method, types.FunctionType):
                made = self.call(frame, types.MethodType(method, value), [], {})
                is_own = own_methods(made) and isinstance(in_class(type(made), "__next__")[0], types.FunctionType)
                return made if is_own else self.iterator(frame, made)
            if isinstance(in_class(type(value), "__next__")[0], types.FunctionType):
                return value
            if isinstance(in_class(type(value), "__getitem__")[0], types.FunctionType):
                return self.inline(polyfills().by_index, [value], {})
        if isinstance(value, type) and issubclass(value, enum.Enum):
            return SequenceIterator(list(value))
        made = sequence_iterator(value)
        if made is not None:
            return made
        if isinstance(
            value, (collections.deque, collections.abc.KeysView, collections.abc.ValuesView, collections.abc.ItemsView)
        ):
            return SequenceIterator(list(value))
        if self._is_native_iterator(value):
            return SequenceIterator(list(value))
        if isinstance(value, CONSTANTS) or type(value) in PLAIN_TYPES:
            raise Observed(TypeError(f"'{type(value).__name__}' object is not iterable"))
        raise Break(f"iteration over {type(value).__name__}")

    def _is_native_iterator(self, value):
        return (
            id(value) not in self.sources
            and type(value).__module__ in ("itertools", "builtins")
            and hasattr(value, "__next__")
        )

    def advance(self, frame, iterator):
        if isinstance(iterator, (Combined, Generator)):
            return iterator.advance(self, frame)
        if isinstance(iterator, SequenceIterator):
            return self._native(next, [iterator, NULL], {})
        method = in_class(type(iterator), "__next__")[0]
        if not isinstance(method, types.FunctionType):
            raise Break(f"next of {type(iterator).__name__}")
        try:
            return self.call(frame, types.MethodType(method, iterator), [], {})
        except Observed as trouble:
            if isinstance(trouble.error, StopIteration):
                return NULL
            raise

    def returned(self, iterator):
        return iterator.result if isinstance(iterator, Generator) else None

    def listed(self, frame, value, hinted=False):
        """The elements. hinted: Python asks the iterable for its length then, too."""
        if type(value) in (list, tuple):
            return list(value)
        iterator, found = self.iterator(frame, value), []
        if hinted and own_methods(value):
            hint = self.special_method(value, "__len__") or self.special_method(value, "__length_hint__")
            if hint is not None:
                self.call(frame, hint, [], {})
        while (item := self.advance(frame, iterator)) is not NULL:
            found.append(item)
            if len(found) > 100_000:
                raise Break("a loop without an end")
        return found

    unpacked = listed

    def mapped(self, frame, value):
        value = self.whole(value)
        look_into(self, value)
        if isinstance(value, dict):
            return value
        if own_methods(value) and hasattr(type(value), "keys"):
            keys = self.listed(frame, self.call(frame, self.load_attr(value, "keys"), [], {}))
            return {k: self.operate(frame, operator.getitem, [value, k]) for k in keys}
        raise Break(f"** of {type(value).__name__}")
