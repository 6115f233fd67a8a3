"""What instructions mean while a function is read: tensors are fake, calls of torch's go into a graph, what is read from
outside is guarded, and what would be changed outside is noted, to be done when the graph has run.

Values are Python's own, so everything that Python itself computes with is computed for real. A list or dictionary from
outside is read as a copy; an attribute that is set on an object from outside lies over it.
"""

import builtins
import collections
import enum
import functools
import operator
import types
import weakref

from .._base import dtype as dtypes
from .._base.device import device
from .._base.shape import Size
from .._base.state import set_grad_enabled
from .._modes.fake import is_fake
from .._tensor.tensor import Tensor, layout, memory_format
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from .builtins import BUILTINS
from .exc import Break
from .guards import Guard, modes
from .iterators import ITERATORS, Combined, Generator, SequenceIterator, sequence_iterator
from .machine import NULL, Observed, frame_of, run
from .real import zero_argument_super
from .rules import ALLOWED, BREAKS, DISALLOWED, PLAIN_TYPES, is_pure, is_read, is_torch
from .source import constant, module_global

CONSTANTS = (int, float, complex, bool, str, bytes, type(None), type(...), type(NotImplemented))
IDENTITIES = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
    types.ModuleType, type, dtypes.dtype, layout, memory_format, enum.Enum, type(operator.add), property,
    types.GetSetDescriptorType, types.MemberDescriptorType, types.ClassMethodDescriptorType, staticmethod, classmethod,
)  # fmt: skip
VALUES = (device, Size, range, slice, frozenset)
CONTAINERS = (list, tuple, dict, set, collections.OrderedDict, collections.defaultdict, collections.deque)
DELETED = object()
DEEPEST = 64


class Shadow:
    """The copy in whose place a container from outside is read and changed."""

    __slots__ = ("original", "copy", "source", "before")

    def __init__(self, original, copy, source):
        self.original, self.copy, self.source = original, copy, source
        self.before = None

    def settle(self):
        """What it held at first; changes are seen by this."""
        self.before = list(self.copy.items()) if isinstance(self.copy, dict) else list(self.copy)

    def changed(self):
        """Is it any other than at first?"""
        if isinstance(self.copy, dict):
            now = list(self.copy.items())
            return len(now) != len(self.before) or any(a is not c or b is not d for (a, b), (c, d) in zip(now, self.before))
        now = list(self.copy)
        if isinstance(self.copy, set):
            return set(map(id, now)) != set(map(id, self.before))
        return len(now) != len(self.before) or any(a is not b for a, b in zip(now, self.before))


class Unseen:
    """A local variable of the frame that nothing has read so far."""

    __slots__ = ("value", "source")

    def __init__(self, value, source):
        self.value, self.source = value, source


class Tracer:
    """Reads. home: the globals of the frame that is read."""

    def __init__(self, recorder, home):
        self.recorder, self.home = recorder, home
        self.guards, self._guarded = [], set()
        self.sources, self.keep = {}, []
        self.shadows = {}  # id of the original, and of the copy -> Shadow
        self.overlay = {}  # (id of an object from outside, attribute) -> (object, attribute, value or DELETED)
        self.cells, self.written_globals = {}, {}
        self.depth = 0
        self.made = set()  # ids of the functions that the program made while it is read
        self.guard(Guard(None, "modes", modes()))

    # ---- what is read from outside

    def guard(self, guard):
        key = (repr(guard.source), guard.kind, repr(guard.value) if guard.kind in ("equal", "absent") else id(guard.value), repr(guard.other))
        if key not in self._guarded:
            self._guarded.add(key)
            self.guards.append(guard)

    def see(self, value, source):
        """The value that the program works with, for one that source gives; guards that it is as it is."""
        kind = type(value)
        if value is NULL:
            return value
        if kind in CONSTANTS:
            self.guard(Guard(source, "equal", value))
            return value
        known = self._known(value, source)
        if known is not NULL:
            return known
        if isinstance(value, Tensor):
            return self._see_tensor(value, source)
        if isinstance(value, IDENTITIES):
            self._from(value, source)
            if not _is_fixed(source, value):
                self.guard(Guard(source, "is", value))
            return value
        if kind in VALUES and not _tensors_in(value):
            self.guard(Guard(source, "equal", value))
            return value
        if kind in CONTAINERS or isinstance(value, tuple) and hasattr(value, "_fields"):
            return self._see_container(value, source)
        if isinstance(value, SequenceIterator):
            self.guard(Guard(source, "type", kind))
            made = SequenceIterator(self.see(value.sequence, source.attr("sequence")), value.at)
            self.guard(Guard(source.attr("at"), "equal", value.at))
            return made
        if isinstance(value, Combined):
            self.guard(Guard(source, "type", kind))
            return kind(self.see(value.inner, source.attr("inner")), self.see(value.extra, source.attr("extra")))
        if isinstance(value, types.MethodType):
            self.guard(Guard(source, "type", kind))
            owner = self.see(value.__self__, source.attr("__self__"))
            self.guard(Guard(source.attr("__func__"), "is", value.__func__))
            return types.MethodType(value.__func__, owner)
        if isinstance(value, types.BuiltinMethodType) and not isinstance(value.__self__, types.ModuleType):
            self.guard(Guard(source, "type", kind))
            owner = self.see(value.__self__, source.attr("__self__"))
            return getattr(owner, value.__name__)
        self._from(value, source)
        if not isinstance(value, types.CellType):
            self.guard(Guard(source, "type", kind))
        return value

    def _from(self, value, source):
        self.sources[id(value)] = source
        self.keep.append(value)

    def _known(self, value, source):
        """What was seen already under another name; NULL for what is new."""
        first = self.sources.get(id(value))
        if first is None:
            return NULL
        if repr(first) != repr(source) and not isinstance(value, IDENTITIES):
            self.guard(Guard(source, "same", other=first))
        elif isinstance(value, IDENTITIES) and not _is_fixed(source, value):
            self.guard(Guard(source, "is", value))
        shadow = self.shadows.get(id(value))
        if shadow is not None:
            return shadow.copy
        return self.recorder.input(value, first) if isinstance(value, Tensor) else value

    def _see_tensor(self, value, source):
        if type(value) is not Tensor and type(value) is not Parameter:
            raise Break(f"a tensor of class {type(value).__name__}")
        self._from(value, source)
        self.guard(Guard(source, "tensor", value))
        return self.recorder.input(value, source)

    def _see_container(self, value, source):
        kind = type(value)
        self._from(value, source)
        self.guard(Guard(source, "type", kind))
        if isinstance(value, dict):
            made = kind(value.default_factory) if kind is collections.defaultdict else kind()
            shadow = self._shadow(value, made, source)
            keys = list(value)
            if not all(isinstance(k, (*CONSTANTS, *IDENTITIES, tuple, frozenset)) for k in keys):
                raise Break("a dictionary whose keys are objects")
            self.guard(Guard(source, "keys", keys) if keys else Guard(source, "length", 0))
            for key in keys:
                made[key] = self.see(value[key], source.item(key))
        elif kind is set:
            if not all(isinstance(k, (*CONSTANTS, *IDENTITIES)) for k in value):
                raise Break("a set of objects")
            self.guard(Guard(source, "equal", set(value)))
            made = set(value)
            shadow = self._shadow(value, made, source)
        else:
            self.guard(Guard(source, "length", len(value)))
            if isinstance(value, tuple):
                parts = [self.see(x, source.item(i)) for i, x in enumerate(value)]
                made = kind(*parts) if hasattr(kind, "_fields") else tuple(parts)
                shadow = self._shadow(value, made, source)
            else:
                made = kind() if kind is not collections.deque else collections.deque(maxlen=value.maxlen)
                shadow = self._shadow(value, made, source)
                for i, x in enumerate(value):
                    made.append(self.see(x, source.item(i)))
        shadow.settle()
        return made

    def _shadow(self, value, made, source):
        shadow = Shadow(value, made, source)
        self.shadows[id(value)] = self.shadows[id(made)] = shadow
        self.keep.append(made)
        return shadow

    def source_of(self, value):
        """Where a value comes from, or None for what the program made."""
        shadow = self.shadows.get(id(value))
        return shadow.source if shadow is not None else self.sources.get(id(value))

    # ---- variables

    def named(self, value, name):
        self.recorder.name(value, name)

    def observed(self, error):
        return Observed(error)

    def made_function(self, function):
        self.keep.append(function)
        self.made.add(id(function))

    def load_local(self, frame, name):
        value = frame.locals[name]
        if type(value) is Unseen:
            value = frame.locals[name] = self.see(value.value, value.source)
        return value

    def load_cell(self, cell, name):
        if type(cell) is Unseen:
            cell = self.see(cell.value, cell.source)
        if id(cell) in self.cells:
            value = self.cells[id(cell)][1]
        else:
            source = self.sources.get(id(cell))
            try:
                value = cell.cell_contents
            except ValueError:
                value = NULL
            if source is not None and value is not NULL:
                value = self.see(value, source.cell(name))
                if self.depth and isinstance(value, Tensor):
                    self.recorder.used(value)  # as torch's reader does, which matters to the order of inputs
        if value is NULL:
            text = f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
            raise Observed(NameError(text))
        return value

    def store_cell(self, cell, value):
        if type(cell) is Unseen:
            cell = self.see(cell.value, cell.source)
        if id(cell) in self.sources:
            if value is NULL:
                raise Break("deletion of a variable of an outer function")
            self.cells[id(cell)] = (cell, value)
        elif value is NULL:
            del cell.cell_contents
        else:
            cell.cell_contents = value

    def load_global(self, frame, name):
        where = frame.globals
        if (id(where), name) in self.written_globals:
            return self.written_globals[id(where), name][2]
        source = module_global(where, name, self.home)
        if name in where:
            return self.see(where[name], source)
        if name in frame.builtins:
            return frame.builtins[name]
        raise Observed(NameError(f"name '{name}' is not defined"))

    def store_global(self, frame, name, value):
        self.written_globals[id(frame.globals), name] = (frame.globals, name, value)

    # ---- attributes

    def load_attr(self, obj, name):
        if isinstance(obj, Tensor):
            return self._tensor_attr(obj, name)
        if (id(obj), name) in self.overlay:
            value = self.overlay[id(obj), name][2]
            if value is DELETED:
                raise Observed(AttributeError(f"'{type(obj).__name__}' object has no attribute '{name}'"))
            return value
        if isinstance(obj, types.ModuleType):
            return self._module_attr(obj, name)
        if isinstance(obj, super):
            return self._super_attr(obj, name)
        if isinstance(obj, type):
            return self._class_attr(obj, name)
        if isinstance(obj, Generator):
            found = _GENERATOR_METHODS.get(name)
            return GeneratorMethod(obj, found) if found is not None else self._native_attr(obj, name)
        if type(obj) in PLAIN_TYPES or _is_struct(obj) or isinstance(obj, (*CONSTANTS, *VALUES, *ITERATORS, BaseException)) or type(obj) in CONTAINERS:
            return self._native_attr(obj, name)
        if isinstance(obj, (types.FunctionType, types.MethodType, types.BuiltinFunctionType, dtypes.dtype, enum.Enum)):
            return self._function_attr(obj, name)
        return self._object_attr(obj, name)

    def load_special(self, obj, name):
        """A method that Python looks up in the class: of context managers."""
        method = _in_class(type(obj), name)[0]
        if method is NULL:
            text = f"'{type(obj).__name__}' object does not support the context manager protocol"
            raise Observed(TypeError(text))
        if isinstance(method, types.FunctionType):
            return types.MethodType(method, obj)
        raise Break(f"{name} of {type(obj).__name__}")

    def _native_attr(self, obj, name):
        try:
            return getattr(obj, name)
        except AttributeError as error:
            raise Observed(error) from None

    def _function_attr(self, obj, name):
        value = self._native_attr(obj, name)
        source = self.sources.get(id(obj))
        if source is None or isinstance(value, (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)):
            return value
        return self.see(value, source.attr(name))

    def _tensor_attr(self, t, name):
        if name in ("grad", "_grad"):
            given = self.recorder.inputs.get(id(t))
            if given is None:
                raise Break("the gradient of a tensor that the graph makes")
            return self.see(given.tensor.grad, given.source.attr("grad"))
        if name in ("grad_fn", "_version", "_backward_hooks", "is_meta", "__dict__"):
            raise Break(f"Tensor.{name}")
        static = getattr(type(t), name, None)
        if isinstance(static, property):
            with self._quiet():
                value = getattr(t, name)
            if not isinstance(value, Tensor):
                return value
            value = self.recorder.call("call_function", getattr, lambda x, n: getattr(x, n), (t, name), {})
            given = self.recorder.inputs.get(id(t))
            if given is not None:  # a view that can be had again
                self.sources.setdefault(id(value), given.source.attr(name))
            return value
        given = self.recorder.inputs.get(id(t))
        if given is not None and name in getattr(given.tensor, "__dict__", ()):
            return self.see(given.tensor.__dict__[name], given.source.attr(name))
        return self._native_attr(t, name)

    def _quiet(self):
        from .recorder import _unrecorded

        return _unrecorded()

    def _module_attr(self, module, name):
        if module.__name__.partition(".")[0] in ("lucid", "torch"):
            value = self._native_attr(module, name)
            if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, types.ModuleType, dtypes.dtype)):
                return value
        source = self.sources.get(id(module))
        value = self._native_attr(module, name)
        return value if source is None else self.see(value, source.attr(name))

    def _super_attr(self, obj, name):
        owner, start = obj.__self__, obj.__thisclass__
        for cls in _mro_after(type(owner) if not isinstance(owner, type) else owner, start):
            if name in cls.__dict__:
                return self._bound(cls.__dict__[name], owner, type(owner), cls, name)
        raise Observed(AttributeError(f"'super' object has no attribute '{name}'"))

    def _class_attr(self, cls, name):
        for home in cls.__mro__:
            if name in home.__dict__:
                found = home.__dict__[name]
                if isinstance(found, (types.FunctionType, staticmethod, classmethod)) or home.__module__ == "builtins":
                    return getattr(cls, name)
                if isinstance(found, (property, types.GetSetDescriptorType, types.MemberDescriptorType)):
                    return found
                value = self._native_attr(cls, name)
                source = self.sources.get(id(cls)) or constant(cls, cls.__name__)
                return self.see(value, source.attr(name))
        return self._native_attr(cls, name)

    def _object_attr(self, obj, name):
        cls = type(obj)
        found, home = _in_class(cls, name)
        source = self.sources.get(id(obj))
        getter = _in_class(cls, "__getattribute__")[0]
        if isinstance(getter, types.FunctionType):
            return self.call(None, types.MethodType(getter, obj), [name], {})
        if isinstance(found, property):
            if found.fget is None:
                raise Observed(AttributeError(f"property '{name}' of '{cls.__name__}' object has no getter"))
            return self.call(None, found.fget, [obj], {})
        if isinstance(found, (types.MemberDescriptorType, types.GetSetDescriptorType)):
            if name == "__class__":
                return cls
            if name == "__dict__":
                return self._dict_of(obj, source)
            value = self._native_attr(obj, name)
            return value if source is None else self.see(value, source.attr(name))
        own = getattr(obj, "__dict__", None)
        if own is not None and name in own:
            return own[name] if source is None else self.see(own[name], source.attr(name))
        if name == "__class__":
            return cls
        if isinstance(obj, Module) and source is not None:
            for table in ("_parameters", "_buffers", "_modules"):
                if name in own.get(table, ()):
                    value = self.see(own[table][name], source.member(table, name))
                    if isinstance(value, Tensor):
                        self.recorder.used(value)
                    return value
        if found is not NULL:
            return self._bound(found, obj, cls, home, name)
        getter = _in_class(cls, "__getattr__")[0]
        if isinstance(getter, types.FunctionType):
            return self.call(None, types.MethodType(getter, obj), [name], {})
        return self._native_attr(obj, name)

    def _dict_of(self, obj, source):
        if source is None:
            return obj.__dict__
        if any(key[0] == id(obj) for key in self.overlay):
            raise Break("__dict__ of an object whose attributes were set")
        return self.see(obj.__dict__, source.attr("__dict__"))

    def _bound(self, found, obj, cls, home, name):
        """A class's attribute as it is for an instance."""
        if isinstance(found, types.FunctionType):
            return types.MethodType(found, obj) if not isinstance(obj, type) else found
        if isinstance(found, staticmethod):
            return found.__func__
        if isinstance(found, classmethod):
            return types.MethodType(found.__func__, cls if not isinstance(obj, type) else obj)
        if isinstance(found, property):
            return self.call(None, found.fget, [obj], {})
        getter = _in_class(type(found), "__get__")[0]
        if isinstance(getter, types.FunctionType):
            return self.call(None, types.MethodType(getter, found), [obj, cls], {})
        if getter is not NULL:
            return found.__get__(obj, cls)
        source = self.sources.get(id(home)) or constant(home, home.__name__)
        return self.see(found, source.attr(name))

    def store_attr(self, obj, name, value):
        if isinstance(obj, Tensor):
            raise Break(f"setting {name} of a tensor")
        cls = type(obj)
        found, _ = _in_class(cls, name)
        if isinstance(found, property):
            if found.fset is None:
                raise Observed(AttributeError(f"property '{name}' of '{cls.__name__}' object has no setter"))
            self.call(None, found.fset, [obj, value], {})
            return
        setter = _in_class(cls, "__setattr__")[0]
        if isinstance(setter, types.FunctionType) and setter is not Module.__setattr__:
            self.call(None, setter, [obj, name, value], {})
            return
        self.plain_store_attr(obj, name, value)

    def plain_store_attr(self, obj, name, value):
        """object.__setattr__"""
        if id(obj) in self.sources:
            if isinstance(obj, (types.ModuleType, type, types.FunctionType)):
                raise Break(f"setting {name} of a {type(obj).__name__}")
            if isinstance(obj, Module) and isinstance(value, (Module, Parameter)):
                raise Break("a module or parameter assigned to a module")
            self.overlay.pop((id(obj), name), None)
            self.overlay[id(obj), name] = (obj, name, value)
            return
        try:
            object.__setattr__(obj, name, value) if not isinstance(obj, (type, types.FunctionType)) else setattr(obj, name, value)
        except Exception as error:
            raise Observed(error) from None

    def delete_attr(self, obj, name):
        if id(obj) in self.sources:
            self.load_attr(obj, name)
            self.overlay[id(obj), name] = (obj, name, DELETED)
            return
        try:
            delattr(obj, name)
        except Exception as error:
            raise Observed(error) from None

    # ---- operators

    def operate(self, frame, function, args):
        if any(isinstance(a, Tensor) for a in args):
            return self._tensor_operation(function, args)
        if function in _LOOKING and _tensors_in(args):
            raise Break(f"operator {function.__name__} of containers of tensors")
        for n, arg in enumerate(args[:2]):
            if _own_methods(arg):
                return self._object_operation(frame, function, args, n)
        if function is operator.getitem and isinstance(args[0], SequenceIterator):
            raise Break("an iterator as a sequence")
        result = self._native(function, args, {})
        if isinstance(result, Tensor) and function is operator.getitem:
            shadow = self.shadows.get(id(args[0]))
            if shadow is not None and shadow.source.key in ("_parameters", "_buffers"):
                self.recorder.used(result)  # as for an attribute of the module
        return result

    def _tensor_operation(self, function, args):
        if function is operator.contains:
            raise Break("`in` of a tensor needs numbers")
        if not isinstance(args[0], Tensor) and function is operator.getitem:
            raise Break("a tensor as an index of a sequence")
        if function in (operator.setitem, operator.delitem) and not isinstance(args[0], Tensor):
            if function is operator.setitem and type(args[1]) is not Tensor:
                return self._native(function, args, {})  # a tensor is stored in a container
            raise Break("a tensor as a key")
        if any(_own_methods(a) for a in args[:2]):
            raise Break("an operator of a tensor and an object")
        return self.recorder.call("call_function", function, function, tuple(args), {})

    def _object_operation(self, frame, function, args, n):
        names = _SPECIAL.get(function)
        if names is None:
            raise Break(f"operator {function.__name__} of an object")
        for place, name in names:
            if place < len(args) and _own_methods(args[place]):
                method = _in_class(type(args[place]), name)[0]
                if isinstance(method, types.FunctionType):
                    rest = [a for i, a in enumerate(args) if i != place]
                    result = self.call(frame, types.MethodType(method, args[place]), rest, {})
                    if result is not NotImplemented:
                        return result
        if function in (operator.eq, operator.ne):
            return (args[0] is args[1]) == (function is operator.eq)
        if isinstance(args[0], (dict, list, tuple)) or isinstance(args[n], enum.Enum):
            return self._native(function, args, {})
        raise Break(f"operator {function.__name__} of {type(args[n]).__name__}")

    def truth(self, frame, value):
        if value is True or value is False:
            return value
        if isinstance(value, Tensor):
            raise Break("a branch that depends on a tensor's numbers")
        if _own_methods(value):
            for name in ("__bool__", "__len__"):
                method = _in_class(type(value), name)[0]
                if isinstance(method, types.FunctionType):
                    return bool(self.call(frame, types.MethodType(method, value), [], {}))
            return True if not isinstance(value, (list, dict, tuple, set)) else bool(value)
        return bool(value)

    def same(self, a, b):
        if isinstance(a, types.MethodType) and isinstance(b, types.MethodType):
            raise Break("`is` of two methods")
        return a is b

    def hashed(self, kind, values):
        if any(isinstance(v, Tensor) for v in (values if kind is set else [k for k, _ in values])):
            raise Break("a tensor as a key")
        return self._native(kind, [values], {})

    # ---- loops

    def iterator(self, frame, value):
        if isinstance(value, ITERATORS):
            return value
        if isinstance(value, Tensor):
            if not value.dim():
                raise Observed(TypeError("iteration over a 0-d tensor"))
            return SequenceIterator([self._tensor_operation(operator.getitem, [value, i]) for i in range(value.shape[0])])
        if _own_methods(value):
            method = _in_class(type(value), "__iter__")[0]
            if isinstance(method, types.FunctionType):
                return self.iterator(frame, self.call(frame, types.MethodType(method, value), [], {}))
            if isinstance(_in_class(type(value), "__next__")[0], types.FunctionType):
                return value
            if isinstance(_in_class(type(value), "__getitem__")[0], types.FunctionType):
                raise Break("iteration by __getitem__")
        if isinstance(value, type) and issubclass(value, enum.Enum):
            return SequenceIterator(list(value))
        made = sequence_iterator(value)
        if made is not None:
            return made
        if isinstance(value, (collections.deque, collections.abc.KeysView, collections.abc.ValuesView, collections.abc.ItemsView)):
            return SequenceIterator(list(value))
        if self._is_native_iterator(value):
            return SequenceIterator(list(value))
        if isinstance(value, CONSTANTS) or type(value) in PLAIN_TYPES:
            raise Observed(TypeError(f"'{type(value).__name__}' object is not iterable"))
        raise Break(f"iteration over {type(value).__name__}")

    def _is_native_iterator(self, value):
        return id(value) not in self.sources and type(value).__module__ in ("itertools", "builtins") and hasattr(value, "__next__")

    def advance(self, frame, iterator):
        if isinstance(iterator, (Combined, Generator)):
            return iterator.advance(self, frame)
        if isinstance(iterator, SequenceIterator):
            return next(iterator, NULL)
        method = _in_class(type(iterator), "__next__")[0]
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

    def listed(self, frame, value):
        if type(value) in (list, tuple):
            return list(value)
        iterator, found = self.iterator(frame, value), []
        while (item := self.advance(frame, iterator)) is not NULL:
            found.append(item)
            if len(found) > 100_000:
                raise Break("a loop without an end")
        return found

    unpacked = listed

    def mapped(self, frame, value):
        if isinstance(value, dict):
            return value
        if _own_methods(value) and hasattr(type(value), "keys"):
            keys = self.listed(frame, self.call(frame, self.load_attr(value, "keys"), [], {}))
            return {k: self.operate(frame, operator.getitem, [value, k]) for k in keys}
        raise Break(f"** of {type(value).__name__}")

    # ---- calls

    def call(self, frame, function, args, kwargs):
        if isinstance(function, types.MethodType) and not is_torch(function):
            return self._call_method(frame, function, args, kwargs)
        function = getattr(function, "_torchdynamo_orig_callable", function)
        if _hashable(function):
            if function in BREAKS:
                return BREAKS[function](*args, **kwargs)
            if function in DISALLOWED:
                raise Break(f"call of {function.__qualname__}, which may not be in a graph")
            if function in ALLOWED:
                return self._call_torch(function, args, kwargs)
            special = BUILTINS.get(function)
            if special is not None:
                return special(self, frame, *args, **kwargs)
        if id(function) in self.made:
            return self.inline(function, args, kwargs)
        if is_torch(function) and not isinstance(function, type) and callable(function) and not isinstance(function, Module):
            return self._call_torch(function, args, kwargs)
        if isinstance(function, types.FunctionType):
            if not is_read(function):
                raise Break(f"call of {function.__module__}.{function.__qualname__}")
            return self.inline(function, args, kwargs)
        if isinstance(function, type):
            return self._construct(frame, function, args, kwargs)
        if isinstance(function, (types.BuiltinFunctionType, types.MethodWrapperType, types.MethodDescriptorType, types.WrapperDescriptorType, operator.itemgetter, operator.attrgetter, operator.methodcaller)):
            return self._call_native(function, args, kwargs)
        return self._call_object(frame, function, args, kwargs)

    def _call_method(self, frame, method, args, kwargs):
        owner, function = method.__self__, method.__func__
        if isinstance(owner, Tensor) and is_torch(function):
            return self._call_torch(function, [owner, *args], kwargs, method.__name__)
        return self.call(frame, function, [owner, *args], kwargs)

    def _call_torch(self, function, args, kwargs, method=None):
        name = method or getattr(function, "__name__", "")
        if name == "_set_grad_enabled" or function is set_grad_enabled:
            self.recorder.switch_grad(*args)
            return None
        args, kwargs = self._plain_arguments(args), self._plain_arguments(kwargs)
        tensors = _tensors_in(args) or _tensors_in(kwargs)
        if method is not None or getattr(function, "__qualname__", "").startswith("Tensor.") and args:
            if name in ("size", "dim", "numel", "stride", "is_contiguous", "ndimension", "nelement", "element_size", "storage_offset", "is_floating_point", "is_complex", "get_device", "type", "is_conj", "is_neg", "is_inference", "__len__", "is_signed") and not (name == "type" and len(args) > 1):
                with self._quiet():
                    return self._try(function, args, kwargs)
            return self.recorder.call("call_method", name, function, tuple(args), kwargs)
        if not tensors and name.startswith(("is_", "get_", "_", "are_", "result_type", "promote_types", "can_cast", "finfo", "iinfo", "broadcast_shapes")):
            with self._quiet():
                return self._try(function, args, kwargs)
        return self.recorder.call("call_function", function, function, tuple(args), kwargs)

    def _plain_arguments(self, args):
        """Arguments of torch's: iterators as lists; Break for objects that torch would have to look into."""
        if isinstance(args, dict):
            return {k: self._plain_argument(v) for k, v in args.items()}
        return [self._plain_argument(v) for v in args]

    def _plain_argument(self, v):
        if isinstance(v, ITERATORS):
            return self.listed(None, v)
        if isinstance(v, (list, tuple)) and type(v) in (list, tuple):
            return type(v)(self._plain_argument(x) for x in v)
        return v

    def _try(self, function, args, kwargs):
        try:
            return function(*args, **kwargs)
        except Break:
            raise
        except Exception as error:
            raise Break(f"{type(error).__name__}: {error}") from None

    def inline(self, function, args, kwargs):
        """Read the body of a function that is called."""
        if self.depth >= DEEPEST:
            raise Break("calls too deep to be read at once")
        try:
            frame = frame_of(function, args, kwargs)
        except TypeError as error:
            raise Observed(error) from None
        self._see_defaults(function, frame, args, kwargs)
        self._see_closure(function)
        if function.__code__.co_flags & 0x20:
            made = Generator(self, frame)
            self.keep.append(made)
            return made
        if function.__code__.co_flags & 0x280:
            raise Break("a coroutine")
        self.depth += 1
        try:
            return run(self, frame)
        finally:
            self.depth -= 1

    def _function_source(self, function):
        return self.sources.get(id(function)) or constant(function, function.__qualname__)

    def _see_defaults(self, function, frame, args, kwargs):
        if id(function) in self.made:
            return
        code = function.__code__
        defaults = function.__defaults__ or ()
        names = code.co_varnames[: code.co_argcount]
        for i, default in enumerate(defaults):
            name = names[len(names) - len(defaults) + i]
            self._see_default(frame, name, default, function, "__defaults__", i)
        for name, default in (function.__kwdefaults__ or {}).items():
            self._see_default(frame, name, default, function, "__kwdefaults__", name)

    def _see_default(self, frame, name, default, function, table, key):
        if type(default) in CONSTANTS or frame.locals.get(name) is not default:
            return
        frame.locals[name] = self.see(default, self._function_source(function).attr(table).item(key))

    def _see_closure(self, function):
        if function.__closure__ is None or id(function) in self.made:
            return
        source = self._function_source(function)
        for i, cell in enumerate(function.__closure__):
            if id(cell) not in self.sources:
                self._from(cell, source.attr("__closure__").item(i))

    def _construct(self, frame, cls, args, kwargs):
        if cls in (set, frozenset, dict, list, tuple) or type in (type(cls),) and cls.__module__ == "builtins" and cls in PLAIN_TYPES:
            return self._call_native(cls, args, kwargs)
        if issubclass(cls, Tensor) or issubclass(cls, Module):
            raise Break(f"a {cls.__name__} that is made")
        if isinstance(cls, enum.EnumMeta) or cls in NATIVE_CLASSES or issubclass(cls, tuple) and cls.__init__ is object.__init__:
            return self._call_native(cls, args, kwargs)
        initialise = _in_class(cls, "__init__")[0]
        own_new = _in_class(cls, "__new__")[0]
        if issubclass(cls, BaseException) and not isinstance(initialise, types.FunctionType):
            made = cls(*args, **kwargs)
            self.keep.append(made)
            return made
        if isinstance(_in_class(type(cls), "__call__")[0], types.FunctionType):
            raise Break(f"a class with a metaclass of its own: {cls.__name__}")
        if isinstance(own_new, staticmethod) or isinstance(own_new, types.FunctionType):
            made = self.call(frame, getattr(own_new, "__func__", own_new), [cls, *args], kwargs)
        elif cls.__new__ is object.__new__ or issubclass(cls, (BaseException, Module)):
            made = cls.__new__(cls)
        elif issubclass(cls, (list, dict)) and cls.__new__ in (list.__new__, dict.__new__):
            made = cls.__new__(cls)
        else:
            raise Break(f"a {cls.__name__} that is made")
        self.keep.append(made)
        if isinstance(made, cls) and isinstance(initialise, types.FunctionType):
            self.call(frame, types.MethodType(initialise, made), args, kwargs)
        elif isinstance(made, cls) and issubclass(cls, (list, dict)):
            self._call_native(cls.__init__, [made, *args], kwargs)
        elif args or kwargs:
            raise Observed(TypeError(f"{cls.__name__}() takes no arguments"))
        return made

    def _call_object(self, frame, function, args, kwargs):
        if isinstance(function, GeneratorMethod):
            return function.function(self, function.generator, *args)
        if isinstance(function, functools.partial):
            source = self.sources.get(id(function))
            if source is None:
                parts = function.func, function.args, function.keywords
            else:
                parts = [self.see(getattr(function, n), source.attr(n)) for n in ("func", "args", "keywords")]
            return self.call(frame, parts[0], [*parts[1], *args], {**parts[2], **kwargs})
        if isinstance(function, weakref.ref):
            source = self.sources.get(id(function))
            return function() if source is None else self.see(function(), source.called())
        if isinstance(function, Module):
            return self._call_module(frame, function, args, kwargs)
        method = _in_class(type(function), "__call__")[0]
        if isinstance(method, types.FunctionType):
            return self.call(frame, types.MethodType(method, function), args, kwargs)
        wrapped = getattr(function, "__wrapped__", None)
        if type(function) is functools._lru_cache_wrapper and isinstance(wrapped, types.FunctionType):
            return self.call(frame, wrapped, args, kwargs)
        if isinstance(function, CONSTANTS):
            raise Observed(TypeError(f"'{type(function).__name__}' object is not callable"))
        raise Break(f"call of a {type(function).__name__}")

    def _call_module(self, frame, module, args, kwargs):
        from .guards import without_hooks

        method = _in_class(type(module), "__call__")[0]
        source = self.sources.get(id(module))
        if method is Module.__call__ and source is not None and _no_global_hooks():
            if without_hooks(module):
                self.guard(Guard(source, "no_hooks", None))
                forward = self.load_attr(module, "forward")
                return self.call(frame, forward, args, kwargs)
            return self.call(frame, types.MethodType(Module._call_impl, module), args, kwargs)
        if isinstance(method, types.FunctionType) and method is not Module.__call__:
            return self.call(frame, types.MethodType(method, module), args, kwargs)
        raise Break(f"call of the module {type(module).__name__}")

    def _call_native(self, function, args, kwargs):
        if getattr(function, "__module__", None) == "_operator" and not kwargs and not isinstance(function, type):
            return self.operate(None, function, args)
        if function is abs:
            return self.operate(None, operator.abs, args)
        if not is_pure(function):
            if isinstance(function, type) and (function in NATIVE_CLASSES or isinstance(function, enum.EnumMeta) or issubclass(function, tuple)):
                pass
            elif function is object.__setattr__:
                return self.plain_store_attr(*args)
            elif function is object.__getattribute__:
                return self._object_attr(*args)
            elif function is object.__init__:
                return None
            elif function is object.__new__:
                return object.__new__(args[0])
            else:
                raise Break(f"call of {getattr(function, '__module__', '')}.{getattr(function, '__qualname__', function)}")
        owner = getattr(function, "__self__", None)
        if isinstance(owner, Tensor) or _tensors_in(args, 1) and not self._stores(function):
            raise Break(f"call of {getattr(function, '__qualname__', function)} with a tensor")
        args = [self._plain_argument(a) for a in args]
        if self._looks(function) and any(_own_methods(a, deep=True) for a in args):
            raise Break(f"call of {getattr(function, '__qualname__', function)} with an object")
        if id(owner) in self.sources and id(owner) not in self.shadows and not isinstance(owner, (*CONSTANTS, *IDENTITIES, *VALUES)):
            raise Break(f"call of {function.__qualname__} of an object")
        if function in (getattr, setattr):
            raise Break(f"call of {function.__name__}")
        return self._native(function, args, kwargs)

    def _stores(self, function):
        owner = getattr(function, "__self__", None)
        if function in (list, tuple, dict, set, reversed):
            return True
        if isinstance(function, type):
            return function in NATIVE_CLASSES or issubclass(function, tuple)
        return type(owner) in CONTAINERS or isinstance(owner, (list, dict)) or getattr(function, "__objclass__", None) in CONTAINERS

    def _looks(self, function):
        """Does a function in C call methods of what it is given?"""
        return not self._stores(function) or getattr(function, "__name__", "") in ("sort", "index", "count", "remove")

    def special_method(self, obj, name):
        """The method that the program wrote for its objects under a special name, bound; None for none."""
        if not _own_methods(obj):
            return None
        method = _in_class(type(obj), name)[0]
        return types.MethodType(method, obj) if isinstance(method, types.FunctionType) else None

    def native(self, function, args):
        """A call of a builtin that calls nothing of the program's."""
        return self._native(function, args, {})

    def pure(self, function, args, kwargs, known=False):
        """A call of a builtin that may look into its arguments: Break for objects and tensors among them."""
        if _tensors_in(args) or any(_own_methods(a, deep=True) for a in args):
            raise Break(f"call of {function.__name__}() with an object")
        return self._native(function, args, kwargs)

    def _native(self, function, args, kwargs):
        try:
            return function(*args, **kwargs)
        except (Break, Observed):
            raise
        except Exception as error:
            raise Observed(error) from None


# Classes in C, or that only hold what they are given, whose objects are made for real.
NATIVE_CLASSES = {
    collections.OrderedDict, collections.defaultdict, collections.deque, collections.Counter, Size, device, slice, range,
    types.SimpleNamespace, types.MethodType, object, property, staticmethod, classmethod, dtypes.finfo, dtypes.iinfo,
    functools.partial, operator.itemgetter, operator.attrgetter, operator.methodcaller,
}  # fmt: skip


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


class GeneratorMethod:
    """A method of a generator of the program, bound."""

    __slots__ = ("generator", "function")

    def __init__(self, generator, function):
        self.generator, self.function = generator, function


def _send(tracer, generator, value):
    got = generator.advance(tracer, None, value)
    if got is NULL:
        raise Observed(StopIteration(generator.result) if generator.result is not None else StopIteration())
    return got


def _throw(tracer, generator, kind, value=None, trace=None):
    error = value if isinstance(value, BaseException) else kind if isinstance(kind, BaseException) else kind()
    got = generator.advance(tracer, None, None, error)
    if got is NULL:
        raise Observed(StopIteration(generator.result) if generator.result is not None else StopIteration())
    return got


def _close(tracer, generator):
    if generator.started and generator.frame.state == "yielded":
        try:
            generator.advance(tracer, None, None, GeneratorExit())
        except Observed as trouble:
            if not isinstance(trouble.error, (GeneratorExit, StopIteration)):
                raise
    generator.frame.state = "returned"


_GENERATOR_METHODS = {
    "send": _send,
    "throw": _throw,
    "close": _close,
    "__next__": lambda tracer, generator: _send(tracer, generator, None),
}


def _no_global_hooks():
    from ..nn.modules import module

    return not (
        module._global_forward_hooks
        or module._global_forward_pre_hooks
        or module._global_backward_hooks
        or module._global_backward_pre_hooks
    )


# ---- looking at objects


def _in_class(cls, name):
    """(what a class has under a name, the class of its MRO that has it); NULL for nothing."""
    for home in cls.__mro__:
        if name in home.__dict__:
            return home.__dict__[name], home
    return NULL, None


def _mro_after(cls, start):
    mro = cls.__mro__
    return mro[mro.index(start) + 1 :]


def _own_methods(value, deep=False):
    """Is it an object whose class the program wrote, so that operators may call the program's methods?"""
    kind = type(value)
    if kind in PLAIN_TYPES or isinstance(value, (Tensor, *IDENTITIES)) or kind in CONTAINERS or kind in VALUES:
        if deep and kind in (list, tuple, set, frozenset):
            return any(_own_methods(v, True) for v in value)
        if deep and isinstance(value, dict):
            return any(_own_methods(v, True) for v in value.values())
        return False
    return kind.__module__ not in ("builtins", "itertools", "functools", "operator", "_operator", "collections") and not isinstance(value, ITERATORS)


def _is_struct(value):
    """One of torch's named results, such as of torch.max(x, 0)."""
    return isinstance(value, tuple) and type(value).__module__.partition(".")[0] in ("lucid", "torch")


def _tensors_in(value, depth=3):
    if isinstance(value, Tensor):
        return True
    if depth and isinstance(value, (list, tuple, set, frozenset)):
        return any(_tensors_in(v, depth - 1) for v in value)
    return bool(depth) and isinstance(value, dict) and any(_tensors_in(v, depth - 1) for v in value.values())


def _hashable(value):
    try:
        hash(value)
    except Exception:
        return False
    return not isinstance(value, Module)


def _is_fixed(source, value):
    """A class, function or module that is found under a name of torch's: nobody sets it anew."""
    base = source
    while base.base is not None:
        base = base.base
    if base.kind == "constant":
        return source.base is None
    return False


__all__ = ["DELETED", "Shadow", "Tracer", "Unseen", "builtins", "is_fake", "zero_argument_super"]
