"""How a call of one of lucid's ops is spelled as an ATen call.

An op of lucid's is what torch's autograd records, so its name and its parameters nearly always say which overload it
is: the one of that name whose arguments they fill. Where they do not, CALLS (calls.py) has the op.
"""

import functools

from .._backend.dispatch import Call, tell
from .._base.state import local
from .._tensor.tensor import Tensor, preserve_format
from . import backward_formulas, call_rules, table  # noqa: F401 - they fill BACKWARD and CALLS
from .backward_calls import backward_call, saved_results
from .calls import CALLS, REDUCTIONS, RENAMED
from .leaf_calls import leaf
from .overloads import NUMBERS_FOR_TENSORS, aten, same_value

_PREFIXES = ("special_", "linalg_", "fft_", "_linalg_", "native_")


_BY_NUMBER = {"add", "sub", "mul", "div"}


def spell(op, tensors, options, out=None, form=""):
    """The Call that an op's call is, or None where torch has no such op; form: "_" for the in-place one."""
    names = (*op.inputs, *op.options)
    values = dict(zip(names, (*tensors, *options)))
    if local.spelling is not None:
        (name, args), local.spelling = local.spelling, None
        return Call(aten(name), args)
    how = CALLS.get(op.label)
    if callable(how):
        return how(values, form)
    if how is not None:
        name, which = how.name, how.which
        values = {a: values.pop(p) for a, p in how.renamed.items()} | values | how.constants
    else:
        name, which = op_name(op), ""
    if local.in_formula and name in _BY_NUMBER and not isinstance(tensors[-1], Tensor):
        which = "Scalar"  # C++ code with a number beside a tensor means this overload, Python code the other
    found = resolved(name + form, values, op.defaults, which, out)
    if found is None and form == "_" and which:
        found = resolved(name + form, values, op.defaults, "", out)
    if found is not None and how is not None and how.results is not None:
        found.results = how.keep
    return found


@functools.cache
def op_name(op):
    """The ATen name of an op that does not say otherwise: its own, or that with the prefix of one of torch's modules,
    whichever torch does not take apart."""
    bare = op.name.removesuffix("_op")
    names = [bare, *[prefix + bare for prefix in _PREFIXES], "_" + bare]
    known = [n for n in names if table.functional(n)]
    whole = [n for n in known if not all(r.is_composite for r in table.functional(n))]
    return (whole or known or names)[0]


def resolved(name, values, defaults=None, which="", out=None):
    """The Call of an overload of `name` with these named values; None where there is none."""
    best = None
    if out is not None:
        rows = [r for r in table.overloads(name).values() if "out" in r.facts]
    else:
        rows = table.functional(name)
    for row in rows:
        if which and row.overload_name != which and out is None:
            continue
        filled = _fill(row.schema, values, defaults or {}, name in NUMBERS_FOR_TENSORS, out)
        if filled is not None and (best is None or len(row.schema.arguments) < best[0]):
            best = len(row.schema.arguments), row, filled
    if best is None:
        return None
    _, row, (args, kwargs) = best
    return Call(aten(f"{name}.{row.overload_name}"), args, kwargs)


def _fill(schema, values, defaults, numbers, out):
    """(args, kwargs) of an overload's call with these named values, None where they do not fit it."""
    left, args, kwargs, first = dict(values), [], {}, next(iter(values), None)
    found = []
    outs = iter(out if isinstance(out, (tuple, list)) else (out,))
    for a in schema.arguments:
        if a.is_out:
            kwargs[a.name] = next(outs, None)
            continue
        key = _key(a.name, left, first)
        if key is None:
            if not a.has_default_value():
                return None
            found.append((a, a.default))
            continue
        value = left.pop(key)
        value = _converted(a, value)
        if not a.accepts(value):
            if isinstance(value, Tensor) and a.type.text == "Scalar":
                return None
            if not (numbers and a.type.text == "Tensor" and isinstance(value, (int, float, complex))):
                return None
        found.append((a, value))
    for key, value in left.items():
        if key not in defaults or not (value is defaults[key] or same_value(value, defaults[key])):
            return None
    for a, value in found:
        if a.kwarg_only and not (a.has_default_value() and same_value(value, a.default)):
            kwargs[a.name] = value
    plain = [(a, value) for a, value in found if not a.kwarg_only]
    while plain and plain[-1][0].has_default_value() and same_value(plain[-1][1], plain[-1][0].default):
        plain.pop()
    args = tuple([value for _, value in plain])
    return args, kwargs


def _converted(a, value):
    """An option as ATen writes it."""
    if isinstance(value, tuple):
        return list(value)
    if a.name == "reduction" and isinstance(value, str):
        return REDUCTIONS.index(value)
    if a.name == "padding_idx" and value is None:
        return -1
    if a.N is not None and isinstance(value, int) and a.type.text.rstrip("?").endswith("]"):
        return [value] * a.N
    return value


def _key(name, left, first):
    """Which of an op's parameters is an argument of a schema."""
    if name in left:
        return name
    for other in RENAMED.get(name, ()):
        if other in left:
            return other
    return first if name in ("self", "input") and first in left else None


def detach(t):
    """t.detach(), as modes see it."""
    return tell(aten("detach"), [t], (t,), {})


def lift(t):
    """A new tensor of Python data, as modes see it."""
    return tell(aten("lift_fresh"), [t], (t,), {})


def ones_like(t):
    """The gradient that a scalar starts from, as modes see it."""
    return tell(aten("ones_like"), [t], (t,), {"pin_memory": False, "memory_format": preserve_format})


def copied(x, src):
    """x.copy_(src), as modes see it."""
    return tell(aten("copy_"), [x, src], (x, src), {})


def clone(t):
    """A copy, as modes see it."""
    return tell(aten("clone"), [t], (t,), {})


def backward(node, g, edges):
    """The gradients of a node by the ATen call that torch makes for it; None where torch makes several."""
    return backward_call(node, g, edges)


def is_composite(name):
    """Has torch a composite of this name in C++, which its Python function of the same name calls?"""
    return any([r.is_composite for r in table.functional(name)])


def check_errors(info, name):
    """torch's op that looks at the info of a factorization."""
    return tell(aten("_linalg_check_errors"), [info], (info, name, info.dim() == 0), {})


__all__ = ["aten", "backward", "check_errors", "clone", "copied", "detach", "is_composite", "leaf", "lift", "ones_like", "resolved", "saved_results", "spell"]
