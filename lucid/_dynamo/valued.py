"""Objects from outside that are what is in them, of classes in C or derived from such: NumPy's numbers, Decimals,
dates, subclasses of int, str, list or dict.

Of an object only the class is guarded when it is seen. Where a function in C, an operator or a loop looks into one of
these, it is guarded by what is in it, too; what cannot be guarded so ends the graph.
"""

import collections
import types

from .._tensor.tensor import Tensor
from .exc import Break
from .guards import Guard
from .iterators import ITERATORS
from .objects import CONSTANTS, IDENTITIES, VALUES, in_class

_SLOTS = ("__eq__", "__len__", "__bool__", "__iter__", "__float__", "__index__")
_NUMBERS = (int, float, complex, str, bytes)
_CONTAINERS = (list, tuple, dict, set, frozenset, collections.deque)
_KNOWN: dict = {}  # class -> has it such a slot in C?


class Same:
    """An object that is equal to itself alone."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value is other.value

    __hash__ = None


class Unguarded(Exception):
    """What is in an object cannot be compared later."""


def fingerprint(x):
    """What an object is by: equal for two that a program cannot tell apart."""
    kind = type(x)
    for base in _NUMBERS:
        if isinstance(x, base):
            return kind, base.__repr__(x)
    if isinstance(x, dict):
        return kind, [(fingerprint(k), fingerprint(v)) for k, v in dict.items(x)]
    for base in _CONTAINERS:
        if isinstance(x, base):
            return kind, [fingerprint(v) for v in base.__iter__(x)]
    if x is None or isinstance(x, IDENTITIES):
        return kind, Same(x)
    if in_class(kind, "__hash__")[0] is not None and is_valued_class(kind) and not hasattr(x, "__dict__"):
        return kind, x, repr(x)
    raise Unguarded


def holds(v, wanted):
    """Has v this fingerprint?"""
    try:
        return bool(fingerprint(v) == wanted)
    except Exception:
        return False


def is_valued_class(cls):
    """Says a class in C what its objects are equal to, or what is in them?"""
    found = _KNOWN.get(cls)
    if found is None:
        found = _KNOWN[cls] = any(_in_c(cls, name) for name in _SLOTS)
    return found


def _in_c(cls, name):
    method, home = in_class(cls, name)
    return home not in (None, object) and method is not None and not isinstance(method, types.FunctionType)


def _is_open(value):
    """Is it guarded by its class alone?"""
    fixed = (Tensor, *IDENTITIES, *ITERATORS, types.MappingProxyType)
    return type(value) not in VALUES and not isinstance(value, fixed)


def look_into(m, value, depth=4):
    """A function in C, or an operator, may look at what value is: guard it, if it is from outside."""
    kind = type(value)
    if kind in CONSTANTS:
        return
    if kind in (list, tuple, set, frozenset):
        for v in value if depth else ():
            look_into(m, v, depth - 1)
    elif kind is dict:
        for k, v in value.items() if depth else ():
            look_into(m, k, depth - 1)
            look_into(m, v, depth - 1)
    elif kind is slice:
        for v in (value.start, value.stop, value.step):
            look_into(m, v, 0)
    elif id(value) in m.sources and id(value) not in m.shadows and _is_open(value) and is_valued_class(kind):
        if id(value) not in m.valued:
            m.valued.add(id(value))
            try:
                wanted = fingerprint(value)
            except Unguarded:
                m.valued.discard(id(value))
                raise Break(f"a look into a {kind.__qualname__} from outside") from None
            m.guard(Guard(m.sources[id(value)], "holds", (holds, wanted)))
