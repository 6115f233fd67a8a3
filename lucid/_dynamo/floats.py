"""Floats that change from call to call: graphs take them as tensors of which `item()` is asked, as torch's do."""

import collections
import operator

from .._backend.registry import NAMESPACES
from .._base.dtype import float64
from .._base.state import local
from .._base.symbolic import SymFloat, SymInt
from .._modes.fake import faking
from .._tensor.tensor import Tensor
from .rules import is_library


def as_tensor(number):
    """The tensor that a float is for a graph."""
    return NAMESPACES["torch"]["tensor"](plain(number), dtype=float64, device="cpu")


def fake_tensor():
    """A fake of such a tensor."""
    with faking():
        return NAMESPACES["torch"]["empty"]((), dtype=float64, device="cpu")


def scalar_tensor_of(graph, node):
    """The node of the tensor in which a graph gives a float."""
    return graph.create_node("call_function", NAMESPACES["torch"]["scalar_tensor"], (node,), {"dtype": float64})


# Operators that give a float for any floats, and never raise for what these are: no look at the numbers.
_BLIND = {getattr(operator, f"{i}{name}") for name in ("add", "sub", "mul", "truediv") for i in ("", "i")}
_BLIND |= {operator.neg, operator.pos, operator.abs}
_NUMBERS = (int, float, bool, SymInt, SymFloat)
# Functions of torch's that give a tensor of the same kind, whatever floats they are given.
_BLIND_NAMES = set(
    """add add_ sub sub_ mul mul_ div div_ true_divide true_divide_ addcmul addcmul_ addcdiv addcdiv_ lerp lerp_ full
    full_like fill_ clamp clamp_ clamp_min clamp_max pow leaky_relu elu softplus""".split()
)


class watching:
    """with watching(): is the value of a symbolic float looked at while a program is read?"""

    def __init__(self):
        self.state = "unseen"

    def __enter__(self):
        self._before, local.floats = local.floats, self.state

    def __exit__(self, *trouble):
        self.state, local.floats = local.floats, "looked" if self._before and self.seen() else self._before

    def seen(self):
        """Was one looked at, up to now?"""
        return "looked" in (self.state, local.floats)


def look(*values):
    """A function may look at what is in values."""
    if local.floats == "unseen" and _holds_float(values, 6):
        local.floats = "looked"


def _holds_float(value, depth):
    if type(value) is SymFloat:
        return True
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, slice):
        value = [value.start, value.stop, value.step]
    if not isinstance(value, (list, tuple, set, frozenset, collections.deque)):
        return False
    return not depth or any(_holds_float(v, depth - 1) for v in value)


def is_blind(function, args):
    """Does an operator give what it gives without a look at floats?"""
    if function not in _BLIND or not all(type(a) in _NUMBERS or isinstance(a, Tensor) for a in args):
        return False
    divides = function in (operator.truediv, operator.itruediv) and not any(isinstance(a, Tensor) for a in args)
    return not divides or type(args[1]) in (int, float) and args[1] != 0


def calls_blindly(kind, function, args):
    """Does a call of torch's give what it gives without a look at floats?"""
    if is_blind(function, args):
        return True
    name = getattr(function, "__name__", "")
    return name in _BLIND_NAMES and (kind == "call_method" or is_library(function))


def plain(number):
    """A symbolic float as one that says nothing; anything else as it is."""
    return float.__pos__(number) if type(number) is SymFloat else number


_EXTREMES = {max: "sym_max", min: "sym_min"}


def extreme_of_floats(m, function, values):
    """max() or min() of floats, some of them symbolic; None for other values, which Python compares."""
    if not any(type(v) is SymFloat for v in values) or not all(isinstance(v, float) for v in values):
        return None
    best = values[0]
    for value in values[1:]:
        result = SymFloat(function(plain(best), plain(value)))
        m.recorder.computes(NAMESPACES["torch"][_EXTREMES[function]], [best, value], result)
        best = result
    return best
