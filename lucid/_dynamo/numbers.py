"""Builtins of numbers: of symbolic ones they are nodes."""

import math

from .._backend.registry import NAMESPACES
from .._base.symbolic import SYM_MATH, SYMBOLIC, SymFloat, SymInt, symbol
from . import config
from .builtins import read
from .exc import Break


def _of_number(function, symbolic):
    """A function of a number: of a symbolic one it is a node."""

    @read(function)
    def _(m, frame, *args, **kwargs):
        if len(args) != 1 or type(args[0]) not in SYMBOLIC or kwargs:
            return m.native_call(function, list(args), kwargs)
        result = m.native(symbolic, list(args))
        m.recorder.computes(symbolic, list(args), result)
        return result


for _function, _symbolic in SYM_MATH.items():
    _of_number(_function, _symbolic)


@read(float)
def _float(m, frame, *args, **kwargs):
    if len(args) == 1 and type(args[0]) is SymInt:
        to_float = NAMESPACES["torch"]["sym_float"]
        result = to_float(args[0])
        m.recorder.computes(to_float, list(args), result)
        return result
    if len(args) == 1 and type(args[0]) is SymFloat:
        m.recorder.number_node(args[0])
        return args[0]
    return m.native_call(float, list(args), kwargs)


@read(int)
def _int(m, frame, *args, **kwargs):
    if len(args) == 1 and type(args[0]) is SymFloat:
        return _whole(m, NAMESPACES["torch"]["sym_int"], int, args[0])
    return m.native_call(int, list(args), kwargs)


@read(round)
def _round(m, frame, number, *digits, **kwargs):
    if type(number) is not SymFloat or kwargs or any(type(d) is not int for d in digits):
        method = m.special_method(number, "__round__")
        if method is not None:
            return m.call(frame, method, list(digits), kwargs)
        return m.native_call(round, [number, *digits], kwargs)
    if not digits:
        return _whole(m, "__round__", round, number)
    result = SymFloat(m.native(round, [float(number), *digits]))
    m.recorder.computes("__round__", [number, *digits], result)
    return result


def _whole(m, target, function, number):
    """A whole number that is made of a symbolic float: a symbol of its own."""
    known = m.recorder.wholes.get((target, id(number)))
    if known is not None:
        return known
    value = m.native(function, [number])  # a look: the sizes that come of it are not watched
    result = SymInt(value, symbol(m.recorder.new_atom(f"{function.__name__}(zf{{}})")))
    m.recorder.computes(target, [number], result)
    m.recorder.wholes[target, id(number)] = result
    m.recorder.keep.append(number)
    return result


def _asks(function):
    """What kind of number it is: torch ends a graph there."""

    @read(function)
    def _(m, frame, *args, **kwargs):
        if config.stop_where_torch_does and any(type(a) is SymFloat for a in args):
            raise Break(f"call of {function.__name__}() of a number that changes")
        return m.native_call(function, list(args), kwargs)


for _f in (math.isfinite, math.isinf, math.isnan):
    _asks(_f)
