"""Functions that torch has in Python and reads: what stands in its graphs for a call of them."""

import operator

from .._backend.entries import held
from .._backend.registry import NAMESPACES
from .._base.symbolic import SymInt

_F = NAMESPACES["nn.functional"]


def _in_c(name, f):
    """f as a function of torch's module of layers in C."""
    f.__name__, f.__qualname__, f.__module__ = name, f"_nn.{name}", "lucid._C._nn"
    return held("nn.functional", name, f)


def _pad(_, input, pad, mode="constant", value=None):
    return _F["pad"](input, pad, mode, value)


_PAD = _in_c("pad", _pad)


def _read_pad(input, pad, mode="constant", value=None):
    return _PAD, (input, pad, mode, value), {}


def _read_getitem(x, index):
    if type(index) is SymInt:
        return NAMESPACES["torch"]["select"], (x, 0, index), {}
    return operator.getitem, (x, index), {}


_READ = {_F["pad"]: _read_pad, operator.getitem: _read_getitem}


def as_read(target, args, kwargs):
    """(target, args, kwargs) of the node that torch's reader makes of a call."""
    read = _READ.get(target)
    return (target, args, kwargs) if read is None else read(*args, **kwargs)
