"""What has to be as it was when a function was read, for what was read to be right again.

A `Guard` is a condition on what a source gives. All of a segment's are written out as one function.
"""

import math
import types

from .._backend.autocast import UNSET
from .._base.state import INFERENCE, NO_GRAD, UNUSUAL, defaults, local
from ..nn.modules import module as hooks_of_all
from .source import Constants, Reader, Source


class Guard:
    """A condition. condition(variable, constants) writes it; text says it to people."""

    __slots__ = ("source", "kind", "value", "other")

    def __init__(self, source, kind, value=None, other=None):
        self.source, self.kind, self.value, self.other = source, kind, value, other

    def __repr__(self):
        return f"{self.kind.upper()}({self.text()})"

    def condition(self, reader):
        """The condition as Python."""
        constants = reader.constants
        v = reader.fetch(self.source) if self.source is not None else None
        other = reader.fetch(self.other) if isinstance(self.other, Source) else self.other
        return WRITERS[self.kind](v, self.value, constants, other)

    def failure(self, L, S):
        """Why it does not hold for a frame's locals and stack, as torch says it; None if it does."""
        reader = Reader(Constants())
        lines = [f"return {self.condition(reader)}"]
        scope = reader.constants.found
        text = "def asked(L, S):\n" + "\n".join(f"    {line}" for line in [*reader.lines, *lines])
        exec(text, scope)
        try:
            holds = scope["asked"](L, S)
        except (KeyError, IndexError, AttributeError, TypeError, ValueError) as gone:
            return f"{self}: {type(gone).__name__}: {gone}"
        if holds:
            return None
        return self._told(L, S) if self.kind == "tensor" else self.text()

    def text(self):
        """The condition, for people."""
        return _TEXTS[self.kind].format(source=self.source, value=_named(self.value), other=self.other)

    def _told(self, L, S):
        """What of a tensor is another."""
        reader = Reader(Constants())
        lines = [f"return {reader.fetch(self.source)}"]
        scope = reader.constants.found
        exec("def asked(L, S):\n" + "\n".join(f"    {line}" for line in [*reader.lines, *lines]), scope)
        return self.value.difference(
            scope["asked"](L, S), str(self.source).removeprefix("L['").removesuffix("']"), self.other
        )


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
    shape = t.shape
    tests = [f"type({v}) is {constants.name(t.cls)} and {v}._table is {constants.name(t.table)}"]
    if t.requires_grad:
        tests.append(f"{v}._node is not None" if t.has_node else f"{v}.requires_grad")
    else:
        tests.append(f"{v}._node is None and ({v}._extra is None or not {v}.requires_grad)")
    array = f"{v}._array"
    if not dims:
        tests.append(f"(a := {array}).shape == {shape!r}")
        if shape:
            tests.append(f"a.strides == {t.strides!r}")
    else:
        tests.append(f"(a := {array}).ndim == {len(shape)}")
        tests += [f"a.shape[{i}] == {n}" for i, n in enumerate(shape) if i not in dims]
    return " and ".join(tests)


class TensorFacts:
    """What is asked of a tensor: the tensor itself is not kept alive."""

    __slots__ = ("cls", "table", "shape", "strides", "requires_grad", "has_node")

    def __init__(self, t):
        self.cls, self.table, self.requires_grad, self.has_node = (
            type(t),
            t._table,
            t.requires_grad,
            t._node is not None,
        )
        self.shape, self.strides = tuple(t._array.shape), tuple(t._array.strides)

    def __repr__(self):
        return f"{self.cls.__name__} {self.table.dtype} {self.shape}, requires_grad={self.requires_grad}"

    def difference(self, t, name, dims):
        """What t, found at `name`, has otherwise, in torch's words."""
        if type(t) is not self.cls:
            return f"expected type of '{name}' to be a tensor type, but found {type(t)}"
        if t._table is not self.table:
            return f"tensor '{name}' dtype mismatch. expected {self.table.dtype}, actual {t._table.dtype}"
        if t.requires_grad is not self.requires_grad:
            return f"tensor '{name}' requires_grad mismatch. expected requires_grad={int(self.requires_grad)}"
        shape, strides = tuple(t._array.shape), tuple(t._array.strides)
        if len(shape) != len(self.shape):
            return f"tensor '{name}' rank mismatch. expected {len(self.shape)}, actual {len(shape)}"
        for i, (wanted, n) in enumerate(zip(self.shape, shape)):
            if wanted != n and i not in (dims or ()):
                return f"tensor '{name}' size mismatch at index {i}. expected {wanted}, actual {n}"
        size = t.element_size()
        for i, (wanted, n) in enumerate(zip(self.strides, strides)):
            if wanted != n:
                return f"tensor '{name}' stride mismatch at index {i}. expected {wanted // size}, actual {n // size}"
        return f"tensor '{name}' is another"


def _modes(v, value, constants, other):
    """The usual modes are asked in a few nanoseconds: the lists that are empty while no thread is in any other."""
    k = constants.name
    asked = f"{k(modes)}() == {k(value)}"
    usual = f"not ({k(UNUSUAL)} or {k(NO_GRAD)} or {k(INFERENCE)}) and {k(local)}.autocast is {k(UNSET)}"
    same_type = f"{k(defaults)}.dtype is {k(value[-1])}"
    return f"{same_type} and ({usual} or {asked})" if value[:-1] == _USUAL else asked


def _no_hooks(v, value, constants, other):
    hooks = " or ".join(f"d[{name!r}]" for name in _HOOKS)
    return f"not ((d := {v}.__dict__) and ({hooks} or d.get('_compiled_call_impl')))"


_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


WRITERS = {
    "equal": _equal,
    "tensor": _tensor,
    "is": lambda v, value, k, other: f"{v} is {k.name(value)}",
    "holds": lambda v, value, k, other: f"{k.name(value[0])}({v}, {k.name(value[1])})",
    "type": lambda v, value, k, other: f"type({v}) is {k.name(value)}",
    "length": lambda v, value, k, other: f"len({v}) == {value}",
    "keys": lambda v, value, k, other: f"[*{v}] == {k.name(value)}",
    "same": lambda v, value, k, other: f"{v} is {other}",
    "distinct": lambda v, value, k, other: f"{v} is not {other}",
    "absent": lambda v, value, k, other: f"{value!r} not in {v}.__dict__",
    "no_hooks": _no_hooks,
    "no_global_hooks": lambda v, value, k, other: f"{k.name(no_global_hooks)}()",
    "modes": _modes,
}


_TEXTS = {
    "equal": "{source} == {value}",
    "tensor": "{source}: {value}",
    "is": "{source} is {value}",
    "holds": "{source} is what it was",
    "type": "type({source}) is {value}",
    "length": "len({source}) == {value}",
    "keys": "[*{source}] == {value}",
    "same": "{source} is {other}",
    "distinct": "{source} is not {other}",
    "absent": "{source} has no attribute {value}",
    "no_hooks": "{source} has no hooks",
    "no_global_hooks": "no hooks of all modules",
    "modes": "grad mode, inference mode, interpreters, transforms, autocast, default dtype: {value}",
}


def _named(value):
    """A value as it is called, without addresses and paths."""
    if isinstance(value, types.ModuleType):
        return value.__name__
    return getattr(value, "__qualname__", None) or repr(value)


def without_hooks(module):
    """Does a call of the module do nothing but call its forward?"""
    d = module.__dict__
    return not (any([d[name] for name in _HOOKS]) or d.get("_compiled_call_impl"))


def no_global_hooks():
    """Are no hooks set that every module runs?"""
    return not (
        hooks_of_all._global_forward_hooks
        or hooks_of_all._global_forward_pre_hooks
        or hooks_of_all._global_backward_hooks
        or hooks_of_all._global_backward_pre_hooks
    )


def modes():
    """What a thread is set to, as far as programs see it."""
    state = local.grad, local.inference, len(local.interpreters), len(local.frames), local.autocast[:3]
    return *state, defaults.dtype


_USUAL = True, False, 0, 0, UNSET[:3]


__all__ = ["Guard", "TensorFacts", "modes", "no_global_hooks", "without_hooks"]
