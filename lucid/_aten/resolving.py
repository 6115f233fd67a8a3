"""Which overload a call by names means, and its arguments in order."""

from .._backend.dispatch import Call
from .._tensor.tensor import Tensor, preserve_format
from . import table
from .calls import REDUCTIONS, RENAMED
from .overloads import NUMBERS_FOR_TENSORS, aten, same_value


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
    if value is preserve_format:
        return None
    if value is None and a.type.text.endswith("]"):
        return []
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
