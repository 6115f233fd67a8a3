"""How the program wrote a call: which arguments came by position and which by keyword.

torch's C functions hand a call to `__torch_function__` as it was written. Here the parameters have been bound by the
time that somebody asks, so the instruction that made the call is read.
"""

import dis
import functools
import inspect
import sys


def as_called(func, args, kwargs):
    """(args, kwargs) of a call of func that is going on as the program wrote it; as they are where nothing tells."""
    code = getattr(getattr(func, "__func__", func), "__code__", None)
    if code is None:
        return args, kwargs
    frame = sys._getframe(1)
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    while frame is not None and frame.f_code.co_filename == code.co_filename:  # twice, at a first call
        frame = frame.f_back
    shape = None if frame is None else _shape(frame.f_code, frame.f_lasti)
    if shape is None:
        return args, kwargs
    if code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        return _spread(args, shape[0]), kwargs
    return _arranged(func, code, args, kwargs, *shape)


@functools.lru_cache(4096)
def _shape(code, at):
    """(how many arguments by position, names of those by keyword) of the call at an offset; None if it is no such."""
    done = [i for i in dis.get_instructions(code) if i.offset <= at and i.opname not in ("PRECALL", "EXTENDED_ARG")]
    call, before = done[-1], done[-2]
    if call.opname not in ("CALL", "CALL_KW"):
        return None
    by_keyword = before.opname == "KW_NAMES" or call.opname == "CALL_KW"
    names = code.co_consts[before.arg] if by_keyword else ()
    return call.arg - len(names), names


def _spread(args, count):
    """The arguments of x.expand(2, 3), where the sizes have been gathered in one tuple."""
    if len(args) == 2 and isinstance(args[1], tuple) and len(args[1]) == count:
        return (args[0], *args[1])
    return args


def _arranged(func, code, args, kwargs, count, names):
    """The arguments by that shape; as they are where it does not fit them."""
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    defaults = dict(zip(parameters[code.co_argcount - len(func.__defaults__ or ()) :], func.__defaults__ or ()))
    defaults.update(func.__kwdefaults__ or {})
    bound = inspect.ismethod(func)
    places = parameters[1 if bound else 0 : code.co_argcount]
    values = {**dict(zip(places, args)), **kwargs}
    method = not bound and func.__qualname__.startswith("Tensor.")
    for n in (count, count + 1) if method else (count,):
        given = (*places[:n], *names)
        known = {name: values[name] if name in values else defaults.get(name, _UNKNOWN) for name in given}
        fits = n <= len(places) and len(set(given)) == len(given) and set(values) <= set(given)
        if fits and not any(value is _UNKNOWN for value in known.values()):
            return tuple([known[p] for p in places[:n]]), {name: known[name] for name in names}
    return args, kwargs


_UNKNOWN = object()
