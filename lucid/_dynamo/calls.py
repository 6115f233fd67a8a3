"""Calls: those of torch's become nodes, functions in Python are read in their turn, functions in C that only compute
are called, and at all others reading stops.
"""

import collections
import contextlib
import enum
import functools
import operator
import types
import weakref

from .._aten.overloads import OpOverload, OpOverloadPacket
from .._base import dtype as dtypes
from .._base.device import device
from .._base.shape import Size
from .._base.state import INFERENCE, set_grad_enabled
from .._modes.fake import computing
from .._tensor.tensor import Tensor
from ..library.custom_op import CustomOpDef
from ..nn.modules.module import Module
from ..nn.modules.rnn import RNNBase
from . import config
from .arrays import Method as ArrayMethod
from .arrays import called as called_array
from .arrays import of_tensor
from .builtins import BUILTINS, TRANSFORMED
from .data import changes_nothing
from .exc import Break, Failing
from .floats import look
from .frame import Observed, frame_of
from .guards import Guard, no_global_hooks, without_hooks
from .iterators import ITERATORS, Generator, GeneratorMethod
from .machine import run
from .objects import CONSTANTS, CONTAINERS, VALUES, hashable, in_class, is_identity, own_methods, tensors_in
from .recorder import unrecorded
from .rules import ALLOWED, ASKS, BREAKS, DISALLOWED, PLAIN_TYPES, is_op, is_pure, is_quiet, is_read, is_torch
from .source import constant
from .valued import look_into

DEEPEST = 64
_OPERATORS = OpOverload, OpOverloadPacket, CustomOpDef
NO_KEYWORDS = types.MappingProxyType({})


# Classes in C, or that only hold what they are given, whose objects are made for real.
NATIVE_CLASSES = {
    collections.OrderedDict, collections.defaultdict, collections.deque, collections.Counter, Size, device, slice,
    range, types.SimpleNamespace, types.MethodType, object, property, staticmethod, classmethod, dtypes.finfo,
    dtypes.iinfo, functools.partial, operator.itemgetter, operator.attrgetter, operator.methodcaller,
}  # fmt: skip


_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)
_NATIVE = (
    types.BuiltinFunctionType, types.MethodWrapperType, types.MethodDescriptorType, types.WrapperDescriptorType,
    operator.itemgetter, operator.attrgetter, operator.methodcaller,
)  # fmt: skip
# Methods of tensors that say what is known while a program is read.
_SAYS = set(
    """size dim numel stride is_contiguous ndimension nelement element_size storage_offset is_floating_point is_complex
    get_device type is_conj is_neg is_inference __len__ is_signed""".split()
)


_LAYOUT = ("is_contiguous", "stride", "storage_offset")


def _is_number_or_tuple(cls):
    """A class of numbers, texts or tuples that makes its objects as those do."""
    if not issubclass(cls, (int, float, str, tuple)) or cls.__init__ is not object.__init__:
        return False
    new = in_class(cls, "__new__")[0]
    new = getattr(new, "__func__", new)
    return not isinstance(new, types.FunctionType) or new.__globals__.get("__name__", "").startswith("namedtuple_")


_NOT_READ = (collections.Counter, contextlib.ExitStack)  # a function that makes one runs as Python

# Methods in C that iterate over their argument.
_ITERATES = set(
    """extend extendleft update deque Counter OrderedDict union intersection difference symmetric_difference join
    fromkeys defaultdict issubset issuperset isdisjoint difference_update intersection_update""".split()
)


def _calls_back(function, args, kwargs):
    """Is it list.sort with a key? Break for other functions in C that would call the program's."""
    if getattr(function, "__name__", "") == "sort" and type(getattr(function, "__self__", None)) is list:
        return kwargs.get("key") is not None
    if function is functools.partial:
        return False
    stores = getattr(function, "__self__", None) is not None or function in NATIVE_CLASSES
    if any(map(_is_the_programs, kwargs.values())) or not stores and any(map(_is_the_programs, args)):
        raise Break(f"call of {getattr(function, '__name__', function)}, which calls the program")
    return False


def _is_the_programs(value):
    return isinstance(value, (types.FunctionType, types.MethodType, functools.partial))


class Calls:
    """The part of the Tracer that calls."""

    # ---- calls

    def call(self, frame, function, args, kwargs):
        args = [self.whole(a) for a in args]
        if isinstance(function, types.MethodType) and not is_torch(function):
            return self._call_method(frame, function, args, kwargs)
        function = getattr(function, "_torchdynamo_orig_callable", function)
        if hashable(function):
            if function in BREAKS:
                return BREAKS[function](*args, **kwargs)
            if function in DISALLOWED:
                raise Break(f"call of {function.__qualname__}, which may not be in a graph")
            if function in ALLOWED:
                return self._call_torch(function, args, kwargs)
            special = BUILTINS.get(function)
            if special is not None:
                return special(self, frame, *args, **kwargs)
        if isinstance(function, _OPERATORS):  # torch.ops.aten.add, an op of torch.library's
            return self._call_torch(getattr(function, "_opoverload", function), args, kwargs)
        if getattr(function, "_dynamo_marked_constant", False):
            return self._call_once(function, args, kwargs)
        if id(function) in self.made:
            return self.inline(function, args, kwargs)
        if is_torch(function) and isinstance(function, _FUNCTIONS):
            transformed = TRANSFORMED.get(getattr(function, "__code__", None))
            if transformed is not None:
                return transformed(self, frame, function, args, kwargs)
            if not is_op(function):
                raise Break(f"call of {function.__module__}.{getattr(function, '__qualname__', '')}")
            return self._call_torch(function, args, kwargs)
        if isinstance(function, types.FunctionType):
            if not is_read(function):
                raise Break(f"call of {function.__module__}.{function.__qualname__}")
            return self.inline(function, args, kwargs)
        if isinstance(function, type):
            return self._construct(frame, function, args, kwargs)
        if isinstance(function, _NATIVE):
            return self.native_call(function, args, kwargs)
        return self._call_object(frame, function, args, kwargs)

    def _call_once(self, function, args, kwargs):
        """A call for real of what torch.compiler.assume_constant_result marked: its result is a constant."""
        if tensors_in([*args, *kwargs.values()]):
            raise Break(f"call of {function.__qualname__}, whose result is a constant, with a tensor")
        with unrecorded(), computing():
            result = self._native(function, args, kwargs)
        return self.recorder.constant(result) if isinstance(result, Tensor) else result

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
        look_into(self, [args, kwargs])
        tensors = tensors_in(args) or tensors_in(kwargs)
        if method is not None or getattr(function, "__qualname__", "").startswith("Tensor.") and args:
            if name == "numpy":
                return of_tensor(self, args[0], args[1:], kwargs)
            if name in _SAYS and not (name == "type" and len(args) > 1):
                if id(args[0]) in self.recorder.inputs:
                    self.recorder.touched(args[0])
                    if name == "is_inference" and INFERENCE:
                        raise Break("is_inference() of a tensor from outside")
                if name in _LAYOUT and not self.recorder.layouts_known:
                    raise Break(f"{name}() of a gradient")
                if name == "size":
                    self.recorder.sized(args[0])
                with unrecorded():
                    return self._try(function, args, kwargs)
            if changes_nothing(name, args[0], args[1:], kwargs):
                return args[0]
            return self.recorder.call("call_method", name, function, tuple(args), kwargs)
        if not tensors and name.startswith(ASKS):
            with unrecorded():
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
        if type(v) in (list, tuple):
            parts = [self._plain_argument(x) for x in v]
            if any(a is not b for a, b in zip(parts, v)):
                return type(v)(parts)
        return v

    def _try(self, function, args, kwargs):
        look(args, kwargs)
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
            raise Failing(f"arguments that do not fit: {error}") from None
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
        if cls in _NOT_READ:
            raise Failing(f"a {cls.__name__}, which torch does not read either")
        if cls in PLAIN_TYPES or isinstance(cls, enum.EnumMeta) or cls in NATIVE_CLASSES or _is_number_or_tuple(cls):
            return self.native_call(cls, args, kwargs)
        if issubclass(cls, Tensor) or issubclass(cls, Module) and not cls.__module__.endswith(".container"):
            raise Break(f"a {cls.__name__} that is made")
        if getattr(cls, "__abstractmethods__", None):
            raise Failing(f"an abstract {cls.__name__} that is made")
        initialise = in_class(cls, "__init__")[0]
        own_new = in_class(cls, "__new__")[0]
        if issubclass(cls, BaseException) and not isinstance(initialise, types.FunctionType):
            return self.made_object(self._native(cls, args, kwargs))
        if isinstance(in_class(type(cls), "__call__")[0], types.FunctionType):
            raise Failing(f"a class with a metaclass of its own: {cls.__name__}")
        if isinstance(own_new, staticmethod) or isinstance(own_new, types.FunctionType):
            made = self.call(frame, getattr(own_new, "__func__", own_new), [cls, *args], kwargs)
        elif cls.__new__ is object.__new__ or issubclass(cls, (BaseException, Module)):
            made = self._native(cls.__new__, [cls], {})
        elif issubclass(cls, (list, dict)) and cls.__new__ in (list.__new__, dict.__new__):
            made = self._native(cls.__new__, [cls], {})
        else:
            raise Break(f"a {cls.__name__} that is made")
        self.made_object(made)
        if isinstance(made, cls) and isinstance(initialise, types.FunctionType):
            self.call(frame, types.MethodType(initialise, made), args, kwargs)
        elif isinstance(made, cls) and issubclass(cls, (list, dict)):
            self.native_call(cls.__init__, [made, *args], kwargs)
        elif args or kwargs:
            raise Observed(TypeError(f"{cls.__name__}() takes no arguments"))
        return made

    def _call_object(self, frame, function, args, kwargs):
        if type(function) is ArrayMethod:
            return called_array(self, function.function, [function.array, *args], kwargs)
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
        method = in_class(type(function), "__call__")[0]
        if isinstance(method, types.FunctionType):
            return self.call(frame, types.MethodType(method, function), args, kwargs)
        wrapped = getattr(function, "__wrapped__", None)
        if type(function) is functools._lru_cache_wrapper and isinstance(wrapped, types.FunctionType):
            if not is_quiet(wrapped):
                raise Break("call of a function that keeps what it gave before")
            return self.call(frame, wrapped, args, kwargs)
        if isinstance(function, CONSTANTS):
            raise Observed(TypeError(f"'{type(function).__name__}' object is not callable"))
        raise Break(f"call of a {type(function).__name__}")

    def _call_module(self, frame, module, args, kwargs):
        if isinstance(module, RNNBase) and config.stop_where_torch_does and not config.allow_rnn:
            raise Failing("a recurrent layer, which torch does not read either")
        method = in_class(type(module), "__call__")[0]
        source = self.sources.get(id(module))
        if method is Module.__call__ and source is not None and no_global_hooks():
            if without_hooks(module):
                self.guard(Guard(None, "no_global_hooks"))
                self.guard(Guard(source, "no_hooks"))
                forward = self.load_attr(module, "forward")
                return self.call(frame, forward, args, kwargs)
            return self.call(frame, types.MethodType(Module._call_impl, module), args, kwargs)
        if isinstance(method, types.FunctionType) and method is not Module.__call__:
            return self.call(frame, types.MethodType(method, module), args, kwargs)
        raise Break(f"call of the module {type(module).__name__}")

    def native_call(self, function, args, kwargs):
        """A call of a function or class in C."""
        if getattr(function, "__module__", None) == "_operator" and not kwargs and not isinstance(function, type):
            return self.operate(None, function, args)
        if function is abs:
            return self.operate(None, operator.abs, args)
        if not is_pure(function):
            if isinstance(function, type) and (
                function in NATIVE_CLASSES or isinstance(function, enum.EnumMeta) or _is_number_or_tuple(function)
            ):
                pass
            elif function is object.__setattr__:
                return self.plain_store_attr(*args)
            elif function is object.__delattr__:
                raise Failing("object.__delattr__, which torch does not read either")
            elif function is object.__getattribute__:
                return self._object_attr(*args, plainly=True)
            elif isinstance(function, types.MethodWrapperType) and function.__objclass__ is object:
                return self._object_slot(function, args)
            elif function is object.__init__:
                return None
            elif function is object.__new__:
                return self.made_object(self._native(object.__new__, args[:1], {}))
            else:
                raise Break(
                    f"call of {getattr(function, '__module__', '')}.{getattr(function, '__qualname__', function)}"
                )
        owner = getattr(function, "__self__", None)
        if self._seeks(function, owner, args, kwargs):
            return self._sought(function.__name__, list(owner), *args)
        if isinstance(owner, Tensor) or tensors_in(args, 1) and not self._stores(function):
            raise Break(f"call of {getattr(function, '__qualname__', function)} with a tensor")
        if isinstance(owner, (dict, set, frozenset)) and any(map(self.is_keyed_by_itself, args)):
            raise Break("an object with __hash__ or __eq__ as a key")
        if _calls_back(function, args, kwargs):
            return self._sorted_in_place(function, kwargs)
        args = [self._iterated(function, self._plain_argument(a)) for a in args]
        if any(self.may_be_changed(a) for a in args):
            raise Break(f"call of {getattr(function, '__qualname__', function)} with a container from outside")
        if self._looks(function) and any(own_methods(a, deep=True) for a in args):
            raise Break(f"call of {getattr(function, '__qualname__', function)} with an object")
        if (
            id(owner) in self.sources
            and id(owner) not in self.shadows
            and not (is_identity(owner) or isinstance(owner, (*CONSTANTS, *VALUES)))
        ):
            raise Break(f"call of {function.__qualname__} of an object")
        if function in (getattr, setattr):
            raise Break(f"call of {function.__name__}")
        return self._native(function, args, kwargs)

    def _iterated(self, function, value):
        """What a method in C iterates over, as a list if its iterator is the program's."""
        if not own_methods(value) or not isinstance(in_class(type(value), "__iter__")[0], types.FunctionType):
            return value
        if isinstance(value, (list, dict)) or getattr(function, "__name__", "") not in _ITERATES:
            return value
        return self.listed(None, value, hinted=function.__name__ == "extend" and type(function.__self__) is list)

    def _seeks(self, function, owner, args, kwargs):
        """Is it a list's or tuple's search among tensors?"""
        if type(owner) not in (list, tuple) or kwargs or not (tensors_in(owner, 1) or tensors_in(args)):
            return False
        most = {"count": 1, "index": 3}.get(function.__name__, 0)
        return 1 <= len(args) <= most and all(isinstance(a, int) for a in args[1:])

    def _sought(self, name, values, wanted, *bounds):
        """count(wanted) and index(wanted, start, stop) of a list or tuple with tensors, compared one by one."""
        places = range(*slice(*[*bounds, None, None][:2]).indices(len(values)))
        found = 0
        for i in places:
            if values[i] is wanted or self.truth(None, self.operate(None, operator.eq, [values[i], wanted])):
                if name == "index":
                    return i
                found += 1
        if name == "index":
            raise Break("index() of what is not there")  # the error's text may need numbers
        return found

    def _sorted_in_place(self, function, kwargs):
        """list.sort with a key of the program's."""
        owner = function.__self__
        owner[:] = self.call(None, sorted, [list(owner)], kwargs)

    def _object_slot(self, function, args):
        """super().__getattribute__(name), super().__setattr__(name, value)."""
        owner, name = function.__self__, function.__name__
        if name == "__getattribute__":
            return self._object_attr(owner, *args, plainly=True)
        if name == "__setattr__":
            return self.plain_store_attr(owner, *args)
        if name == "__delattr__":
            return self.plain_delete_attr(owner, *args)
        if name == "__init__":
            return None
        raise Break(f"call of object.{name}")

    def may_be_changed(self, value):
        """Is it a container from outside that is no copy, so that a function in C could change it too early?"""
        if not isinstance(value, (list, dict, set, collections.deque, bytearray)):
            return False
        return id(value) in self.sources and id(value) not in self.shadows

    def _stores(self, function):
        owner = getattr(function, "__self__", None)
        if function in (list, tuple, dict, set, reversed) or owner is dict:
            return True
        if isinstance(function, type):
            return function in NATIVE_CLASSES and function is not range or issubclass(function, tuple)
        return (
            type(owner) in CONTAINERS
            or isinstance(owner, (list, dict))
            or getattr(function, "__objclass__", None) in CONTAINERS
        )

    def _looks(self, function):
        """Does a function in C call methods of what it is given?"""
        return not self._stores(function) or getattr(function, "__name__", "") in ("sort", "index", "count", "remove")

    def special_method(self, obj, name):
        """The method that the program wrote for its objects under a special name, bound; None for none."""
        if not own_methods(obj):
            return None
        method = in_class(type(obj), name)[0]
        return types.MethodType(method, obj) if isinstance(method, types.FunctionType) else None

    def native(self, function, args, kwargs=NO_KEYWORDS):
        """A call of a builtin that calls nothing of the program's."""
        return self._native(function, args, kwargs)

    def pure(self, function, args, kwargs, known=False):
        """A call of a builtin that may look into its arguments: Break for objects and tensors among them."""
        if tensors_in(args) or any(own_methods(a, deep=True) for a in args):
            raise Break(f"call of {function.__name__}() with an object")
        return self._native(function, args, kwargs)

    def _keeps(self, function):
        """Does a function only keep what it is given, in a container of the program's?"""
        return getattr(function, "__name__", "") in ("append", "appendleft", "insert") or function is super

    def _native(self, function, args, kwargs, blind=False):
        if not blind and function is not isinstance:
            owner = getattr(function, "__self__", None)
            look(owner, args, kwargs)
            if function is not type and not self._keeps(function):
                look_into(self, [owner, args, kwargs])
        try:
            return function(*args, **kwargs)
        except (Break, Observed):
            raise
        except Exception as error:
            raise Observed(error) from None
