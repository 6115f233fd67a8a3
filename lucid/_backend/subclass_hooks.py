"""What subclasses of Tensor get: their properties and methods ask `__torch_function__` first, as torch's do.

Plain tensors pay nothing for it: the asking forms are attributes of the subclass, put there when it is created. A class
that has a `__torch_function__` of its own gets all; one that leaves Tensor's gets those whose results are tensors.
Operators are not among them, since Python prefers the reflected operator of a subclass: ops ask for those themselves.
"""

from functools import cache, wraps
from types import FunctionType

from .._base.state import UNUSUAL, local
from .._tensor.tensor import Tensor
from .overrides import PLAIN, ask_overrides, is_disabled

# Special methods that ask; of the names with one underscore those that are torch's too.
_SPECIAL = set(
    """__len__ __bool__ __float__ __int__ __complex__ __index__ __repr__ __format__ __contains__ __reversed__
    __getitem__ __setitem__ __dir__ __reduce_ex__ __deepcopy__ __array__ __array_wrap__ __dlpack__ __dlpack_device__
    __invert__ __neg__ __pos__ __abs__ __setstate__ __cuda_array_interface__ __nonzero__ __long__""".split()
)
_PRIVATE = {"_version", "_base", "_grad", "_is_view", "_backward_hooks", "_post_accumulate_grad_hooks", "_conj"}
_NEVER = {"as_subclass", "new", "__hash__"}
_VALUES_ARE_TENSORS = {"data", "real", "imag", "T", "mT", "H", "mH"}
_TOLD_AS = {"__neg__": "neg", "__pos__": "positive", "__abs__": "abs"}


def adopt(cls):
    """Give a new subclass its asking attributes."""
    handler = cls.__torch_function__
    if is_disabled(handler):
        return
    own = getattr(handler, "__func__", None) is not Tensor.__torch_function__.__func__
    above = [vars(base) for base in cls.__mro__[: cls.__mro__.index(Tensor)]]
    for name, attribute in vars(Tensor).items():
        if (name in _VALUES_ARE_TENSORS or own and _asks(name, attribute)) and not any(name in had for had in above):
            setattr(cls, name, _asking(name, attribute))


def _asks(name, attribute):
    if name.startswith("__"):
        return name in _SPECIAL
    if name.startswith("_") and name not in _PRIVATE or name in _NEVER:
        return False
    return isinstance(attribute, (property, FunctionType))


@cache
def _asking(name, attribute):
    if isinstance(attribute, property):
        return property(
            _first(attribute.__get__, attribute.fget),
            attribute.fset and _first(attribute.__set__, attribute.fset),
            attribute.fdel and _first(attribute.__delete__, attribute.fdel),
            attribute.__doc__,
        )
    return wraps(attribute)(_first(getattr(Tensor, _TOLD_AS.get(name, name)), attribute))


def _first(told, f):
    """f, after those of its arguments that have a __torch_function__ were asked about `told`."""

    def ask(self, *args, **kwargs):
        if local.subclass_off and not UNUSUAL:
            return f(self, *args, **kwargs)
        relevant = [self]
        for a in (*args, *kwargs.values()):
            relevant += a if isinstance(a, (tuple, list)) else (a,)
        handled, result = ask_overrides(told, [a for a in relevant if type(a) not in PLAIN], (self, *args), kwargs)
        return result if handled else f(self, *args, **kwargs)

    return ask


def name_attributes():
    """Give every method of Tensor the name that it is found under, and every name a property of its own: handlers are
    told functions, and tell them apart.
    """
    seen = set()
    for name, attribute in list(vars(Tensor).items()):
        if isinstance(attribute, property) and attribute in seen:
            setattr(Tensor, name, property(attribute.fget, attribute.fset, attribute.fdel, attribute.__doc__))
        elif isinstance(attribute, FunctionType) and attribute.__name__ != name and not hasattr(attribute, "write"):
            if not attribute.__name__.startswith("_") and attribute.__name__ in vars(Tensor) or attribute in seen:
                attribute = _copied(attribute)
                setattr(Tensor, name, attribute)
            attribute.__name__, attribute.__qualname__ = name, f"Tensor.{name}"
        if isinstance(attribute, (property, FunctionType)):
            seen.add(attribute)


def _copied(f):
    made = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, f.__closure__)
    made.__kwdefaults__, made.__module__ = f.__kwdefaults__, f.__module__
    made.__dict__.update(f.__dict__)
    made.__doc__ = f.__doc__
    return made


def _init_subclass(cls, **kwargs):
    super(Tensor, cls).__init_subclass__(**kwargs)
    adopt(cls)


Tensor.__init_subclass__ = classmethod(_init_subclass)
