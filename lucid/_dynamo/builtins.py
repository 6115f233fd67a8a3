"""Builtins that look into what they are given, or call it: read by hand.

BUILTINS: builtin -> f(tracer, frame, *args, **kwargs), as a call of it is read.
"""

import collections
import functools
import itertools
import operator
import types

from .._base.symbolic import SymFloat, SymInt
from .._tensor.tensor import Tensor
from .array import Array
from .exc import Break
from .floats import extreme_of_floats
from .frame import NULL, Observed
from .iterators import Enumerate, Filter, Map, SequenceIterator, Zip
from .messages import of_builtin
from .source import constant

BUILTINS: dict = {}
TRANSFORMED: dict = {}  # code of a function that torch.func made -> f(tracer, frame, function, args, kwargs)


def read(*functions):
    def enter(f):
        for function in functions:
            BUILTINS[function] = f
        return f

    return enter


def kind_of(value):
    """type(value)"""
    return {SymInt: int, SymFloat: float}.get(type(value), type(value))


def _observed(kind, text):
    return Observed(kind(text))


# ---- about objects


@read(len)
def _len(m, frame, x):
    if isinstance(x, Tensor):
        if not x.dim():
            raise _observed(TypeError, "len() of a 0-d tensor")
        return x.shape[0]
    method = m.special_method(x, "__len__")
    return m.call(frame, method, [], {}) if method else m.native(len, [x])


@read(isinstance)
def _isinstance(m, frame, x, kinds):
    if m.special_method(kinds, "__instancecheck__") and not isinstance(x, Tensor):
        return isinstance(x, kinds)
    return m.native(isinstance, [x, kinds])


@read(type)
def _type(m, frame, *args):
    if len(args) != 1:
        raise Break("a class that is made")
    if type(args[0]) is Array:
        raise Break("the class of a numpy array")
    kind, source = kind_of(args[0]), m.sources.get(id(args[0]))
    if source is not None and id(kind) not in m.sources and kind.__module__ != "builtins":
        m.see(kind, source.type())
    return kind


@read(callable)
def _callable(m, frame, x):
    return callable(x)


@read(id)
def _id(m, frame, x):
    raise Break("id() of an object")


@read(getattr)
def _getattr(m, frame, obj, name, *default):
    try:
        return m.load_attr(obj, name)
    except Observed as trouble:
        if default and isinstance(trouble.error, AttributeError):
            return default[0]
        raise


@read(hasattr)
def _hasattr(m, frame, obj, name):
    try:
        m.load_attr(obj, name)
    except Observed as trouble:
        if isinstance(trouble.error, AttributeError):
            return False
        raise
    return True


@read(setattr)
def _setattr(m, frame, obj, name, value):
    m.store_attr(obj, name, value)


@read(delattr)
def _delattr(m, frame, obj, name):
    m.delete_attr(obj, name)


@read(super)
def _super(m, frame, *args):
    if not args:
        first = frame.program.code.co_varnames[0]
        owner = m.load_local(frame, first)
        if isinstance(owner, types.CellType):
            owner = m.load_cell(owner, first)
        args = m.load_cell(frame.locals["__class__"], "__class__"), owner
    return m.native(super, list(args))


@read(vars)
def _vars(m, frame, *args):
    if len(args) != 1:
        raise Break("vars()")
    return m.load_attr(args[0], "__dict__")


@read(bool)
def _bool(m, frame, x=False):
    return m.truth(frame, x)


def _as_text(function, name):
    @read(function)
    def _(m, frame, *args, **kwargs):
        if any(isinstance(a, Tensor) for a in args):
            raise Break(f"{function.__name__}() of a tensor")
        if args and type(args[0]) is SymFloat:  # another text in every call
            raise Break(f"{function.__name__}() of a number that changes")
        method = m.special_method(args[0], name) if args else None
        if method is None and args and function is str:
            method = m.special_method(args[0], "__repr__")
        if method is not None:
            return m.call(frame, method, list(args[1:]) or [""] * (function is format), kwargs)
        if function is format and (len(args) == 1 or args[1] == "") and args and m.special_method(args[0], "__str__"):
            return m.call(frame, str, [args[0]], {})
        return m.pure(function, list(args), kwargs)


_as_text(str, "__str__")
_as_text(repr, "__repr__")
_as_text(format, "__format__")


@read(hash)
def _hash(m, frame, x):
    if isinstance(x, Tensor) or id(x) in m.sources:
        raise Break("hash() of an object")
    return m.pure(hash, [x], {})


# ---- iterators


@read(iter)
def _iter(m, frame, x, *sentinel):
    if sentinel:
        raise Break("iter(function, sentinel)")
    return m.iterator(frame, x)


@read(next)
def _next(m, frame, iterator, *default):
    value = m.advance(frame, iterator)
    if value is not NULL:
        return value
    if default:
        return default[0]
    result = m.returned(iterator)
    raise Observed(StopIteration() if result is None else StopIteration(result))


@read(zip)
def _zip(m, frame, *parts, strict=False):
    return Zip([m.iterator(frame, p) for p in parts], strict)


@read(enumerate)
def _enumerate(m, frame, iterable, start=0):
    return Enumerate([m.iterator(frame, iterable)], start)


@read(map)
def _map(m, frame, function, *parts):
    return Map([m.iterator(frame, p) for p in parts], function)


@read(filter)
def _filter(m, frame, function, iterable):
    return Filter([m.iterator(frame, iterable)], function)


@read(reversed)
def _reversed(m, frame, x):
    method = m.special_method(x, "__reversed__")
    if method is not None:
        return m.call(frame, method, [], {})
    return SequenceIterator(m.listed(frame, x)[::-1])


@read(list)
def _list(m, frame, *args):
    return m.listed(frame, args[0], hinted=True) if args else []


@read(tuple)
def _tuple(m, frame, *args):
    return tuple(m.listed(frame, args[0], hinted=True)) if args else ()


@read(set)
def _set(m, frame, *args):
    return m.hashed(set, m.listed(frame, args[0])) if args else set()


@read(frozenset)
def _frozenset(m, frame, *args):
    return m.hashed(frozenset, m.listed(frame, args[0])) if args else frozenset()


@read(dict)
def _dict(m, frame, *args, **kwargs):
    if not args:
        return dict(kwargs)
    if isinstance(args[0], dict) or hasattr(type(args[0]), "keys"):
        return {**m.mapped(frame, args[0]), **kwargs}
    pairs = [m.listed(frame, pair) for pair in m.listed(frame, args[0])]
    for pair in pairs:
        m.named(pair[-1] if pair else None, "value")
    return {**m.hashed(dict, pairs), **kwargs}


@read(collections.OrderedDict)
def _ordered_dict(m, frame, *args, **kwargs):
    made = collections.OrderedDict(_dict(m, frame, *args, **kwargs))
    for value in made.values():
        m.named(value, "value")
    return made


@read(sorted)
def _sorted(m, frame, x, *, key=None, reverse=False):
    values = m.listed(frame, x, hinted=True)
    if key is None:
        return m.pure(sorted, [values], {"reverse": reverse})
    keys = [m.call(frame, key, [v], {}) for v in values]
    order = m.pure(sorted, [list(range(len(keys)))], {}) if not keys else None
    order = m.pure(_order, [keys, reverse], {}, known=True) if order is None else order
    return [values[i] for i in order]


def _order(keys, reverse):
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


@read(sum)
def _sum(m, frame, x, start=0):
    total, iterator = start, m.iterator(frame, x)
    while (element := m.advance(frame, iterator)) is not NULL:
        m.named(element, "element")  # the names that torch's own reading of sum gives
        total = m.operate(frame, operator.add, [total, element])
        m.named(total, "value")
    return total


@read(functools.reduce)
def _reduce(m, frame, function, iterable, *initial):
    values = [*initial, *m.listed(frame, iterable)]
    if not values:
        raise _observed(TypeError, "reduce() of empty iterable with no initial value")
    total, *rest = values
    for value in rest:
        m.named(value, "element")
        total = m.call(frame, function, [total, value], {})
        m.named(total, "value")
    return total


@read(any)
def _any(m, frame, x):
    iterator = m.iterator(frame, x)
    while (value := m.advance(frame, iterator)) is not NULL:
        if m.truth(frame, value):
            return True
    return False


@read(all)
def _all(m, frame, x):
    iterator = m.iterator(frame, x)
    while (value := m.advance(frame, iterator)) is not NULL:
        if not m.truth(frame, value):
            return False
    return True


def _extreme(function, better):
    @read(function)
    def _(m, frame, *args, key=None, default=NULL):
        values = m.listed(frame, args[0]) if len(args) == 1 else list(args)
        if not values:
            if default is not NULL:
                return default
            raise _observed(ValueError, f"{function.__name__}() iterable argument is empty")
        keys = values if key is None else [m.call(frame, key, [v], {}) for v in values]
        changing = extreme_of_floats(m, function, values) if key is None else None
        if changing is not None:
            return changing
        best = 0
        for i in range(1, len(values)):
            if m.truth(frame, m.operate(frame, better, [keys[i], keys[best]])):
                best = i
        return values[best]


_extreme(max, operator.gt)
_extreme(min, operator.lt)


def _with_lists(function):
    """A function of itertools: its arguments as lists, its result as an iterator that says where it is."""

    @read(function)
    def _(m, frame, *args, **kwargs):
        args = [m.listed(frame, a) if not isinstance(a, (int, type(None))) and not callable(a) else a for a in args]
        return SequenceIterator(m.native(lambda: list(function(*args, **kwargs)), []))


for _f in (
    itertools.product,
    itertools.combinations,
    itertools.permutations,
    itertools.combinations_with_replacement,
):
    _with_lists(_f)


@read(__import__)
def _import(m, frame, name, globals=None, locals=None, names=(), level=0):
    module = m.native(__import__, [name, globals, locals, names, level])
    m.sources.setdefault(id(module), constant(module, name))
    return module


# ---- what no graph can say


def _outside(function):
    @read(function)
    def _(m, frame, *args, **kwargs):
        raise Break(f"call of {function.__name__}()", of_builtin(function.__name__, args, kwargs))


for _f in (print, input, open, exec, eval, compile, breakpoint, globals, locals, dir):
    _outside(_f)


def substitute(original):
    """A decorator: where `original` is called, the decorated function is read in its place."""

    def enter(f):
        BUILTINS[original] = lambda m, frame, *args, **kwargs: m.call(frame, f, list(args), kwargs)
        return f

    return enter
