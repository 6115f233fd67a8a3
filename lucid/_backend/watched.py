"""Tensor's properties and plain methods ask `__torch_function__` too, from the moment that somebody might answer.

Ops and composites always ask (generate.py, entries.py). What a tensor is asked all the time, its shape or its type,
must cost nothing more than it does, so these functions get their asking form when the first class with a
`__torch_function__` of its own is created or the first mode is entered. They stay the same objects, since handlers
compare them.
"""

import sys
from functools import cache
from types import FunctionType

from .._base.state import UNUSUAL, local
from .._tensor.tensor import Tensor
from .dispatch import notice
from .overrides import PLAIN, ask_overrides, is_disabled

# Special methods that ask; of the names with one underscore those that are torch's too.
_SPECIAL = set(
    """__len__ __bool__ __float__ __int__ __complex__ __index__ __repr__ __format__ __contains__ __reversed__
    __getitem__ __setitem__ __reduce_ex__ __deepcopy__ __array__ __array_wrap__ __dlpack__ __dlpack_device__
    __invert__ __neg__ __pos__ __abs__ __setstate__ __cuda_array_interface__ __nonzero__ __long__""".split()
)
_PRIVATE = {
    "_version",
    "_base",
    "_grad",
    "_is_view",
    "_backward_hooks",
    "_post_accumulate_grad_hooks",
    "_conj",
    "_cdata",
}
_NEVER = {"as_subclass", "new", "new_tensor", "reinforce", "names"}
_VALUES_ARE_TENSORS = ("data", "real", "imag", "T", "mT", "H", "mH")


def asks(name, attribute):
    """Does an attribute of Tensor ask, as torch's does?"""
    if name.startswith("__"):
        return name in _SPECIAL
    if name.startswith("_") and name not in _PRIVATE or name in _NEVER:
        return False
    return isinstance(attribute, (property, FunctionType))


@cache
def watch():
    """Give the functions that do not ask yet their asking form."""
    for name, attribute in list(vars(Tensor).items()):
        if not asks(name, attribute):
            continue
        if isinstance(attribute, property):
            for part, f in (("__get__", attribute.fget), ("__set__", attribute.fset), ("__delete__", attribute.fdel)):
                if f is not None and not hasattr(f, "__wrapped__"):
                    _let_ask(f, getattr(attribute, part))
        elif not (hasattr(attribute, "write") or hasattr(attribute, "__wrapped__")):
            _let_ask(attribute, attribute)


def _let_ask(f, told):
    """Exchange f's code for one that asks about `told` first and then runs what f was."""
    original = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    original.__kwdefaults__ = f.__kwdefaults__
    f.__code__ = _asking_code(f.__code__.co_name, f.__code__.co_freevars)
    f.__defaults__, f.__kwdefaults__, f.__wrapped__ = None, {"_ask": _asker(told, original)}, original


def _asking_code(name, free):
    """The code of `def name(*args, _ask, **kwargs): return _ask(args, kwargs)`, with free variables as f has them."""
    unused = f"        ({', '.join(free)},)\n" if free else ""
    scope = {}
    text = (
        f"def make({', '.join(free)}):\n    def f(*args, _ask, **kwargs):\n        return _ask(args, kwargs)\n{unused}"
        "    return f.__code__\n"
    )
    exec(compile(text, "<asking>", "exec"), scope)  # as_called tells its frames from a program's by the file's name
    return scope["make"](*free).replace(co_name=name)


def _asker(told, original):
    def ask(args, kwargs):
        if UNUSUAL or type(args[0]) not in PLAIN or len(args) > 1 or kwargs:
            relevant = []
            for a in (*args, *kwargs.values()):
                relevant += a if type(a) in (tuple, list) else (a,)
            handled, result = ask_overrides(told, relevant, args, kwargs)
            if handled:
                return result
        return original(*args, **kwargs)

    return ask


def _init_subclass(cls, **kwargs):
    super(Tensor, cls).__init_subclass__(**kwargs)
    notice(cls)
    handler = cls.__torch_function__
    if getattr(handler, "__func__", None) is Tensor.__torch_function__.__func__:
        for name in _VALUES_ARE_TENSORS:
            if not any(name in vars(base) for base in cls.__mro__[: cls.__mro__.index(Tensor)]):
                setattr(cls, name, _converting(name))
    elif not is_disabled(handler) and cls.__module__.partition(".")[0] != __name__.partition(".")[0]:
        watch()


@cache
def _converting(name):
    """A property whose value is of the class of the tensor that is asked."""
    of_tensor = vars(Tensor)[name]

    def get(self):
        if local.subclass_off:
            return of_tensor.fget(self)
        handled, result = ask_overrides(of_tensor.__get__, (self,), (self,), {})
        return result if handled else of_tensor.fget(self)

    return property(get, of_tensor.fset, of_tensor.fdel, of_tensor.__doc__)


Tensor.__init_subclass__ = classmethod(_init_subclass)


def name_attributes():
    """Give every method of Tensor the name that it is found under, and every name a property of its own: handlers are
    told functions, and tell them apart.
    """
    seen = set()
    for name, attribute in list(vars(Tensor).items()):
        if name in ("ndimension", "nelement", "__pow__", "__ipow__"):  # torch tells these as dim, numel, pow and pow_
            continue
        if isinstance(attribute, property) and attribute.fget in seen:
            attribute = property(*(f and _copied(f) for f in _parts(attribute)), attribute.__doc__)
            setattr(Tensor, name, attribute)
        elif isinstance(attribute, FunctionType) and attribute.__name__ != name and not hasattr(attribute, "write"):
            if not attribute.__name__.startswith("_") and attribute.__name__ in vars(Tensor) or attribute in seen:
                attribute = _copied(attribute)
                setattr(Tensor, name, attribute)
            attribute.__name__, attribute.__qualname__ = name, f"Tensor.{name}"
        if isinstance(attribute, FunctionType) and not _is_found(attribute):
            attribute.__module__, attribute.__qualname__ = "lucid", f"Tensor.{name}"
        seen.add(attribute.fget if isinstance(attribute, property) else attribute if callable(attribute) else None)


def _is_found(f):
    """Can a pickle find f under the names that it says?"""
    return getattr(sys.modules.get(f.__module__), f.__qualname__, None) is f


def _parts(of_tensor):
    return of_tensor.fget, of_tensor.fset, of_tensor.fdel


def _copied(f):
    made = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    made.__kwdefaults__, made.__module__, made.__doc__ = f.__kwdefaults__, f.__module__, f.__doc__
    made.__dict__.update(f.__dict__)
    return made
