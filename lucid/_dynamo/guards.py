"""What has to be as it was when a function was read, for what was read to be right again.

A `Guard` is a condition on what a source gives. All of a segment's are written out as one function.
"""

import math

from .._base.state import local
from .._tensor.tensor import Tensor
from .source import Source


class Guard:
    """A condition. condition(variable, constants) writes it; text says it to people."""

    __slots__ = ("source", "kind", "value", "other")

    def __init__(self, source, kind, value=None, other=None):
        self.source, self.kind, self.value, self.other = source, kind, value, other

    def __repr__(self):
        about = "" if self.value is None and self.kind != "equal" else f", {self.value!r}"
        return f"{self.kind.upper()}({self.source}{about}{'' if self.other is None else f', {self.other}'})"

    def condition(self, reader):
        """The condition as Python."""
        constants = reader.constants
        v = reader.fetch(self.source) if self.source is not None else None
        other = reader.fetch(self.other) if isinstance(self.other, Source) else self.other
        return WRITERS[self.kind](v, self.value, constants, other)


def _equal(v, value, constants, other):
    kind = type(value)
    if value is None or kind is bool or value is ...:
        return f"{v} is {value!r}" if value is not ... else f"{v} is ..."
    if kind is float:
        if math.isnan(value):
            return f"type({v}) is float and {v} != {v}"
        sign = f" and str({v}) == {str(value)!r}" if value == 0 else ""
        return f"type({v}) is float and {v} == {constants.literal(value)}{sign}"
    name = kind.__name__ if kind in (int, str, bytes) else constants.name(kind)
    return f"type({v}) is {name} and {v} == {constants.literal(value)}"


def _tensor(v, t, constants, dims):
    """dims: the dimensions of symbolic size. What they may be is asked elsewhere (segment.py)."""
    shape = tuple(t._array.shape)
    tests = [
        f"type({v}) is {constants.name(type(t))}",
        f"{v}._table is {constants.name(t._table)}",
        f"{v}._array.shape == {shape!r}" if not dims else f"{v}._array.ndim == {len(shape)}",
        f"{v}.requires_grad is {t.requires_grad}",
    ]
    tests += [f"{v}._array.shape[{i}] == {n}" for i, n in enumerate(shape) if dims and i not in dims]
    if t._array.ndim and not dims:
        strides = getattr(t._array, "strides", None)
        tests.append(f"{v}._array.strides == {tuple(strides)!r}")
    return " and ".join(tests)


WRITERS = {
    "equal": _equal,
    "tensor": _tensor,
    "is": lambda v, value, k, other: f"{v} is {k.name(value)}",
    "type": lambda v, value, k, other: f"type({v}) is {k.name(value)}",
    "length": lambda v, value, k, other: f"len({v}) == {value}",
    "keys": lambda v, value, k, other: f"[*{v}] == {k.name(value)}",
    "same": lambda v, value, k, other: f"{v} is {other}",
    "distinct": lambda v, value, k, other: f"{v} is not {other}",
    "absent": lambda v, value, k, other: f"{value!r} not in {v}.__dict__",
    "unbound": lambda v, value, k, other: f"{value!r} not in {v}",
    "no_hooks": lambda v, value, k, other: f"{k.name(without_hooks)}({v})",
    "modes": lambda v, value, k, other: f"{k.name(modes)}() == {k.name(value)}",
    "holds": lambda v, value, k, other: f"{k.name(holds)}({v})",
    "empty_cell": lambda v, value, k, other: f"not {k.name(holds)}({v})",
}


def holds(cell):
    """Has a closure's cell a value?"""
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True


def without_hooks(module):
    """Does a call of the module do nothing but call its forward?"""
    d = module.__dict__
    return not (
        d["_forward_hooks"]
        or d["_forward_pre_hooks"]
        or d["_backward_hooks"]
        or d["_backward_pre_hooks"]
        or d.get("_compiled_call_impl")
    )


def no_global_hooks():
    """Are no hooks set that every module runs?"""
    from ..nn.modules import module

    return not (
        module._global_forward_hooks
        or module._global_forward_pre_hooks
        or module._global_backward_hooks
        or module._global_backward_pre_hooks
    )


def modes():
    """What a thread is set to, as far as programs see it."""
    from .._base.state import defaults

    return local.grad, local.inference, len(local.interpreters), defaults.dtype, len(local.frames)


def tensor_facts(t):
    """(class, table, shape, strides, requires_grad) of a tensor, for logs."""
    return type(t).__name__, str(t.dtype), tuple(t.shape), t.requires_grad


__all__ = ["Guard", "Tensor", "modes", "no_global_hooks", "without_hooks"]
