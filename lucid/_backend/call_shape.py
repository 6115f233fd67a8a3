"""How the program wrote a call: which arguments came by position and which by keyword.

torch's C functions hand a call to `__torch_function__` as it was written. Here the parameters have been bound by the
time that somebody asks, so the instruction that made the call is read.
"""

import dis
import functools
import inspect
import sys


def as_told(func, args, kwargs):
    """(function, args, kwargs) of a call that is going on as torch tells a handler: of a C function as the program
    wrote them; of a Python function as that one hands them on, what has a default by keyword."""
    if getattr(func, "__module__", None) not in _PYTHON or inspect.ismethod(func) or not hasattr(func, "form"):
        return func, *as_called(func, args, kwargs)
    args, kwargs = _handed_on(func.form, args, kwargs)
    if func.__module__.endswith("nn.functional"):
        return _under_another_name(func, args, kwargs)
    return func, args, kwargs


def _under_another_name(func, args, kwargs):
    """Some functions of layers tell the one that they call."""
    name, space = func.__name__, sys.modules[func.__module__]
    if name in ("sigmoid", "tanh"):
        return getattr(sys.modules[func.__module__.partition(".")[0]].Tensor, name), args, {}
    if name.startswith("upsample"):
        mode = name.removeprefix("upsample").strip("_") or kwargs["mode"]
        corners = True if name == "upsample_bilinear" else kwargs.get("align_corners")
        kwargs = {**kwargs, "mode": mode, "align_corners": corners, "recompute_scale_factor": None, "antialias": False}
        return space.interpolate, args, kwargs
    if kwargs.get("return_indices") is not None and not name.endswith("_with_indices") and kwargs["return_indices"]:
        func = getattr(space, f"{name}_with_indices")
    return func, args, kwargs


_PYTHON = {f"{root}.{name}" for root in ("lucid", "torch") for name in ("functional", "nn.functional")}
_BY_KEYWORD = {"unravel_index": ("shape",)}  # though it has no default
_NOT_HANDED_ON = {"l1_loss": ("weight",)}  # unless given


def _handed_on(form, args, kwargs):
    given = {**dict(zip(form.positional, args)), **kwargs}
    kept = [n for n in _NOT_HANDED_ON.get(form.name, ()) if given.get(n) is None]
    names = [n for n in (*form.positional, *form.keyword_only) if n not in kept]
    required = [n for n in form.positional if n not in form.defaults]
    by_keyword = _BY_KEYWORD.get(form.name, ())
    if form.variadic or form.rest:
        options = [n for n in form.keyword_only if n in form.defaults and n != "out"]
        return args, {**{n: form.defaults[n] for n in options}, **kwargs}
    if len(args) > len(form.positional):
        raise TypeError(_too_many(form, required, len(args)))
    if not given.keys() <= {*form.positional, *form.keyword_only}:
        return args, kwargs
    if missing := [repr(n) for n in required if n not in given]:
        listed = " and ".join([", ".join(missing[:-1]), missing[-1]] if len(missing) > 1 else missing)
        listed = listed if len(missing) < 3 else listed.replace(" and ", ", and ")
        s = "s" * (len(missing) > 1)
        raise TypeError(f"{form.name}() missing {len(missing)} required positional argument{s}: {listed}")
    rest = {n: given.get(n, form.defaults.get(n)) for n in names if n not in required or n in by_keyword}
    if form.name.endswith("_with_indices") and rest["return_indices"] is form.defaults["return_indices"]:
        rest["return_indices"] = False
    if form.name == "multi_head_attention_forward":
        before, last = list(rest), list(rest).index("attn_mask") + 1
        before.remove("is_causal")
        rest = {n: rest[n] for n in (*before[:last], "is_causal", *before[last:])}
    return tuple([given[n] for n in required if n not in by_keyword]), rest


def _too_many(form, required, count):
    most, least = len(form.positional), len(required)
    takes = f"{most} positional argument{'s' * (most != 1)}"
    takes = takes if least == most else f"from {least} to {most} positional arguments"
    return f"{form.name}() takes {takes} but {count} were given"


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
        return _spread(func, args, shape[0]), _named(func, kwargs, shape[1])
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


def _spread(func, args, count):
    """The arguments of x.expand(2, 3), where the sizes have been gathered in one tuple."""
    if inspect.ismethod(func):
        return args
    if len(args) == 2 and isinstance(args[1], tuple) and len(args[1]) == count:
        return (args[0], *args[1])
    return args


def _named(func, kwargs, names):
    """The arguments by keyword, with those that are as the default says, in the program's order."""
    given = {n: v for n, v in (func.__kwdefaults__ or {}).items() if n in names} | kwargs
    return {n: given[n] for n in names} if set(given) == set(names) else kwargs


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
