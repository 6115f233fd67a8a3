"""Attributes, as a program reads and sets them: Python's lookup step by step, for any step may be the program's."""

import enum
import functools
import sys
import types

from .._aten.overloads import OpOverloadPacket
from .._base import dtype as dtypes
from .._base.symbolic import SYMBOLIC, SymInt
from .._tensor.tensor import Tensor
from ..nn._ops import ops
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from . import config
from .array import Array
from .arrays import attribute as array_attribute
from .data import _get_data_attr, set_data
from .exc import Break
from .frame import NULL, Observed
from .guards import Guard
from .iterators import GENERATOR_METHODS, ITERATORS, Generator, GeneratorMethod
from .objects import CONSTANTS, CONTAINERS, VALUES, in_class, is_struct, mro_after
from .outside import DELETED, Table
from .recorder import unrecorded
from .rules import PLAIN_TYPES
from .source import constant
from .valued import look_into

_FIXED = {"lucid", "torch", *sys.stdlib_module_names}  # whose classes nobody changes
LOCKED = sys.version_info < (3, 12)  # functools.cached_property takes a lock, which torch does not read
NULLS = (None, None, None)
TABLES = ("_parameters", "_buffers", "_modules")


class Attributes:
    """The part of the Tracer that looks attributes up."""

    # ---- attributes

    def load_attr(self, obj, name):
        obj = self.whole(obj)
        if type(obj) is Array:
            return array_attribute(self, obj, name)
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
            found = GENERATOR_METHODS.get(name)
            return GeneratorMethod(obj, found) if found is not None else self._native_attr(obj, name)
        if (
            type(obj) in PLAIN_TYPES
            or is_struct(obj)
            or isinstance(obj, (*CONSTANTS, *VALUES, *ITERATORS, BaseException))
            or type(obj) in CONTAINERS
        ):
            look_into(self, obj)
            return self._native_attr(obj, name)
        if isinstance(obj, (types.FunctionType, types.MethodType, types.BuiltinFunctionType, dtypes.dtype, enum.Enum)):
            return self._function_attr(obj, name)
        return self._object_attr(obj, name)

    def load_special(self, obj, name):
        """A method that Python looks up in the class: of context managers."""
        method = in_class(type(obj), name)[0]
        if method is NULL:
            text = f"'{type(obj).__name__}' object does not support the context manager protocol"
            raise Observed(TypeError(text))
        if isinstance(method, types.FunctionType):
            return types.MethodType(method, obj)
        raise Break(f"{name} of {type(obj).__name__}")

    def _native_attr(self, obj, name):
        if type(obj) in SYMBOLIC:
            kind = int if type(obj) is SymInt else float
            if hasattr(kind, name):
                raise Break(f"{name} of a number that is not known")
            raise Observed(AttributeError(f"'{kind.__name__}' object has no attribute '{name}'"))
        try:
            return getattr(obj, name)
        except AttributeError as error:
            raise Observed(error) from None

    def _function_attr(self, obj, name):
        value = self._native_attr(obj, name)
        source = self.sources.get(id(obj))
        if source is None and id(obj) not in self.made and not isinstance(obj, types.MethodType):
            source = constant(obj, getattr(obj, "__name__", type(obj).__name__))
        if source is None or isinstance(value, (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)):
            return value
        return self.see(value, source.attr(name))

    def _tensor_attr(self, t, name):
        if id(t) in self.recorder.inputs:
            self.recorder.touched(t)
        if name in ("grad", "_grad"):
            given = self.recorder.inputs.get(id(t))
            if given is None:
                raise Break("the gradient of a tensor that the graph makes")
            with unrecorded():  # properties ask, too, once somebody has used a mode
                value = given.tensor.grad
            return self.see(value, given.source.attr("grad"))
        if name in ("grad_fn", "_version", "_backward_hooks", "is_meta", "__dict__"):
            raise Break(f"Tensor.{name}")
        if name == "shape":
            self.recorder.sized(t)
        static = getattr(type(t), name, None)
        if isinstance(static, property):
            with unrecorded():
                value = getattr(t, name)
            if not isinstance(value, Tensor):
                if name in ("is_leaf", "itemsize", "nbytes"):  # as torch's reader does
                    self.recorder.asked(t, name)
                return value
            if name == "data":
                value = self.recorder.call("call_function", _get_data_attr, _get_data_attr, (t,), {})
            else:
                value = self.recorder.call("call_function", getattr, lambda x, n: getattr(x, n), (t, name), {})
            given = self.recorder.inputs.get(id(t))
            if given is not None:  # a view that can be had again
                self.sources.setdefault(id(value), given.source.attr(name))
            return value
        given = self.recorder.inputs.get(id(t))
        if given is not None and name in getattr(given.tensor, "__dict__", ()):
            source = given.source.attr(name)
            source.fixed = True
            return self.see(given.tensor.__dict__[name], source)
        if given is not None and static is None and hasattr(given.tensor, "__dict__"):
            self.guard(Guard(given.source, "absent", name))
        return self._native_attr(t, name)

    def _module_attr(self, module, name):
        if module.__name__.partition(".")[0] in ("lucid", "torch"):
            value = self._native_attr(module, name)
            if isinstance(
                value,
                (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, types.ModuleType, dtypes.dtype),
            ):
                return value
        source = self.sources.get(id(module)) or constant(module, module.__name__)
        return self.see(self._native_attr(module, name), source.attr(name))

    def _super_attr(self, obj, name):
        owner, start = obj.__self__, obj.__thisclass__
        for cls in mro_after(type(owner) if not isinstance(owner, type) else owner, start):
            if name in cls.__dict__:
                return self._bound(cls.__dict__[name], owner, type(owner), cls, name)
        raise Observed(AttributeError(f"'super' object has no attribute '{name}'"))

    def _set_in_class(self, cls, name):
        """What the program itself set in a class; NULL for nothing."""
        for home in cls.__mro__:
            if (id(home), name) in self.overlay:
                return self.overlay[id(home), name][2]
            if name in home.__dict__:
                break
        return NULL

    def _class_attr(self, cls, name):
        if self.overlay and (value := self._set_in_class(cls, name)) is not NULL:
            return value
        for home in cls.__mro__:
            if name in home.__dict__:
                found = home.__dict__[name]
                if not home.__flags__ & 1 << 9:  # a class in C, which nobody can change
                    return self._native_attr(cls, name)
                self._see_in_class(found, home, name)
                if isinstance(found, (types.FunctionType, staticmethod, classmethod)) or home.__module__ == "builtins":
                    return getattr(cls, name)
                if isinstance(found, (property, types.GetSetDescriptorType, types.MemberDescriptorType)):
                    return found
                value = self._native_attr(cls, name)
                source = self.sources.get(id(cls)) or constant(cls, cls.__name__)
                return self.see(value, source.attr(name))
        return self._native_attr(cls, name)

    def _see_in_class(self, found, home, name):
        """A class of the program's has this under a name; it may have another next time."""
        if home is not None and home.__module__.partition(".")[0] not in _FIXED and not isinstance(home, enum.EnumMeta):
            if callable(found) or isinstance(found, (property, staticmethod, classmethod)):
                source = constant(home, home.__name__).attr("__dict__").item(name)
                self.guard(Guard(source, "is", found))

    def _see_no_own(self, obj, source, home, name):
        """An object has no attribute of its own where its class has one."""
        if source is None or not hasattr(obj, "__dict__"):
            return
        if home is None or name == "forward" or home.__module__.partition(".")[0] not in _FIXED:
            self.guard(Guard(source, "absent", name))

    def _object_attr(self, obj, name, plainly=False):
        """An attribute of an object; what is not found, or not given by a property, `__getattr__` is asked for."""
        try:
            return self._looked_up(obj, name, plainly)
        except Observed as trouble:
            getter = in_class(type(obj), "__getattr__")[0]
            if plainly or not isinstance(trouble.error, AttributeError) or not isinstance(getter, types.FunctionType):
                raise
        return self.call(None, types.MethodType(getter, obj), [name], {})

    def _looked_up(self, obj, name, plainly):
        cls = type(obj)
        if cls is type(ops) or issubclass(cls, OpOverloadPacket):
            return getattr(obj, name)
        found, home = in_class(cls, name)
        self._see_in_class(found, home, name)
        source = self.sources.get(id(obj))
        getter = in_class(cls, "__getattribute__")[0]
        if not plainly and isinstance(getter, types.FunctionType):
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
        if isinstance(in_class(type(found), "__set__")[0], types.FunctionType):
            return self._bound(found, obj, cls, home, name)
        own = getattr(obj, "__dict__", None)
        is_outside = isinstance(obj, Module) and source is not None
        if is_outside and name in TABLES and type(own.get(name)) is dict:
            return Table(own[name], source.attr(name))
        if own is not None and name in own:
            return own[name] if source is None else self.see(own[name], source.attr(name))
        if name == "__class__":
            return cls
        for table in TABLES if is_outside else ():
            shadow = self.shadows.get(id(own.get(table)))
            if shadow is not None:  # what the program put there
                if name in shadow.copy:
                    return self.used(shadow.copy[name])
            elif name in own.get(table, ()):
                return self.used(self.see(own[table][name], source.member(table, name)))
        self._see_no_own(obj, source, home, name)
        if self.overlay and (value := self._set_in_class(cls, name)) is not NULL:
            return value
        if found is not NULL:
            return self._bound(found, obj, cls, home, name)
        if isinstance(in_class(cls, "__getattr__")[0], types.FunctionType):
            raise Observed(AttributeError(name))
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
        getter = in_class(type(found), "__get__")[0]
        if type(found) is functools.cached_property and not (LOCKED and config.stop_where_torch_does):
            value = self.call(None, found.func, [obj], {})
            self.store_attr(obj, found.attrname, value)
            return value
        if isinstance(found, functools.singledispatchmethod):
            return self._native(found.__get__, [obj, cls], {})  # at a call of which reading stops
        if isinstance(getter, types.FunctionType):
            return self.call(None, types.MethodType(getter, found), [obj, cls], {})
        if getter is not NULL:
            return found.__get__(obj, cls)
        source = (self.sources.get(id(home)) or constant(home, home.__name__)).attr(name)
        owner = self.sources.get(id(obj))
        if type(found) is float and owner is not None:
            source.name = f"dict(type({owner.name}).__dict__)[{name!r}]"
        return self.see(found, source)

    def store_attr(self, obj, name, value):
        if isinstance(obj, Tensor):
            if name == "data":
                return set_data(self, obj, value)
            raise Break(f"setting {name} of a tensor")
        cls = type(obj)
        found, home = in_class(cls, name)
        self._see_in_class(found, home, name)
        if isinstance(found, property):
            if found.fset is None:
                raise Observed(AttributeError(f"property '{name}' of '{cls.__name__}' object has no setter"))
            self.call(None, found.fset, [obj, value], {})
            return
        described = in_class(type(found), "__set__")[0]
        if isinstance(described, types.FunctionType):
            self.call(None, types.MethodType(described, found), [obj, value], {})
            return
        setter = in_class(cls, "__setattr__")[0]
        if isinstance(setter, types.FunctionType) and (setter is not Module.__setattr__ or id(obj) in self.born):
            self.call(None, setter, [obj, name, value], {})
            return
        self.plain_store_attr(obj, name, value)

    def plain_store_attr(self, obj, name, value):
        """object.__setattr__"""
        if isinstance(obj, type) and id(obj) not in self.sources and id(obj) not in self.born:
            self._from(obj, constant(obj, obj.__name__))
        if id(obj) in self.sources:
            special = name.startswith("__") or callable(value) or isinstance(value, property)
            if isinstance(obj, (types.ModuleType, types.FunctionType)) or isinstance(obj, type) and special:
                raise Break(f"setting {name} of a {type(obj).__name__}")
            if isinstance(obj, Module) and isinstance(value, (Module, Parameter)):
                raise Break("a module or parameter assigned to a module")
            if self.overlay.get((id(obj), name), NULLS)[2] is DELETED:  # it comes last in the object's dictionary then
                del self.overlay[id(obj), name]
                self.renewed.add((id(obj), name))
            self.overlay[id(obj), name] = (obj, name, value)
            return
        if id(obj) not in self.born and id(obj) not in self.made:
            raise Break(f"setting {name} of a {type(obj).__name__} from nowhere")
        try:
            object.__setattr__(obj, name, value) if not isinstance(obj, (type, types.FunctionType)) else setattr(
                obj, name, value
            )
        except Exception as error:
            raise Observed(error) from None

    def delete_attr(self, obj, name):
        deleter = in_class(type(obj), "__delattr__")[0]
        if isinstance(deleter, types.FunctionType) and deleter is not Module.__delattr__:
            self.call(None, deleter, [obj, name], {})
            return
        found = in_class(type(obj), name)[0]
        if isinstance(found, property):
            if found.fdel is None:
                raise Observed(AttributeError(f"property '{name}' of '{type(obj).__name__}' object has no deleter"))
            self.call(None, found.fdel, [obj], {})
            return
        if isinstance(in_class(type(found), "__delete__")[0], types.FunctionType):
            raise Break("a descriptor with __delete__")
        self.plain_delete_attr(obj, name)

    def plain_delete_attr(self, obj, name):
        """object.__delattr__"""
        if id(obj) in self.sources:
            if isinstance(obj, (types.ModuleType, type, types.FunctionType)):
                raise Break(f"deleting {name} of a {type(obj).__name__}")
            self.load_attr(obj, name)
            source = self.sources[id(obj)]
            if hasattr(obj, "__dict__") and name not in obj.__dict__:  # the program set it just now
                self.guard(Guard(source, "absent", name))
                del self.overlay[id(obj), name]
            else:
                self.guard(Guard(source.attr(name), "type", type(getattr(obj, name))))
                self.overlay[id(obj), name] = (obj, name, DELETED)
            return
        if id(obj) not in self.born and id(obj) not in self.made:
            raise Break(f"deleting {name} of a {type(obj).__name__} from nowhere")
        try:
            delattr(obj, name)
        except Exception as error:
            raise Observed(error) from None
