"""Contexts of torch's that a graph enters and leaves by nodes: autocast, inference_mode.

A graph stands for itself: contexts that are open where it ends are left by its last nodes, and entered by the first
nodes of the next one. So what runs between graphs runs inside of the true context, and what a segment finds open it
leaves before its graph runs (`leave`), and enters again behind it what is still open (`reopen`).

While a program is read, a copy of the context is entered and left; at the end of reading all that is undone.
"""

import contextlib
import inspect
import types
from typing import NamedTuple

from .._base.entering import leave_since
from .._base.state import local
from .._base.state import set_grad_enabled as record_gradients
from .._modes.autocast import _enter_autocast, _exit_autocast, autocast
from .._modes.decorating import decorated, decorated_anew
from .._modes.steps import STATE
from ..autograd.grad_mode import (
    _ContextDecorator,
    _enter_inference_mode,
    _exit_inference_mode,
    enable_grad,
    inference_mode,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from ..cpu.amp.autocast_mode import autocast as cpu_autocast
from ..cuda.amp.autocast_mode import autocast as cuda_autocast
from ..profiler import record_function
from . import config
from .builtins import BUILTINS, read
from .exc import Again, Break
from .frame import HARMLESS
from .recorder import unrecorded


class Kind(NamedTuple):
    """A class of contexts: the functions of its two nodes, and the arguments of the first, asked of a context."""

    enter: object
    leave: object
    arguments: object


class Open(NamedTuple):
    """A context that is open: as the program has it, its copy, its node, and whether gradients were recorded before."""

    context: object
    copy: object
    kind: Kind
    node: object
    grad: bool


KINDS: dict = {}  # a class's __exit__ -> Kind


class Contexts:
    """The contexts that are open while a program is read. began: which were so at first; held: which are at the end."""

    def __init__(self, tracer):
        self.tracer, self.open, self.began, self.held = tracer, [], [], []
        self._undo, self._state = [], state()

    def begin(self, stack, grad):
        """Reading begins inside of the contexts that a frame's stack holds: are gradients recorded in there?"""
        recorder = self.tracer.recorder
        for leaving in stack:
            if not is_leaving(leaving):
                continue
            context, kind = leaving.__self__, KINDS[leaving.__func__]
            before = _grad_before(context, grad)
            if before is not grad:
                recorder.grad_node(before)
            self.open.append(Open(context, _copy(context), kind, self._entering(context, kind), before))
            grad = before and not _stops_recording(context)
        self.began = [(o.context, o.grad) for o in self.open]
        return grad

    def enter(self, context, kind):
        """The program enters a context: what that gives."""
        is_outside = id(context) in self.tracer.sources and isinstance(context, inference_mode)
        if config.stop_where_torch_does and is_outside:
            raise Break("an inference_mode from outside")
        copy, grad = _copy(context), local.grad
        with unrecorded():
            try:
                result = copy.__enter__()
            except Exception as error:
                raise Break(f"{type(error).__name__}: {error}") from None
        self._undo.append(copy.__exit__)
        self.open.append(Open(context, copy, kind, self._entering(context, kind), grad))
        return context if result is copy else result

    def leave(self, context):
        """The program leaves a context."""
        if not self.open or self.open[-1].context is not context:
            raise Break("contexts that are not left in the order in which they were entered")
        self._leave()

    def end(self):
        """Reading ends: what is open is left, and noted to be entered again."""
        self.held = [(o.context, o.grad) for o in self.open]
        while self.open:
            self._leave()

    def undo(self):
        """Put back how the thread was when reading began."""
        while self._undo:
            self._undo.pop()(None, None, None)
        restore(self._state)

    def _leave(self):
        done = self.open.pop()
        with unrecorded():
            done.copy.__exit__(None, None, None)
        self._undo.append(lambda *exc: done.copy.__enter__())
        self.tracer.recorder.mode_node(done.kind.leave, (done.node,))

    def _entering(self, context, kind):
        return self.tracer.recorder.mode_node(kind.enter, kind.arguments(self.tracer, context))


def is_leaving(value):
    """Is it the __exit__ of such a context, as a frame's stack holds it?"""
    return type(value) is types.MethodType and value.__func__ in KINDS


def _copy(context):
    made = object.__new__(type(context))
    made.__dict__.update({k: list(v) if type(v) is list else v for k, v in vars(context).items()})
    return made


def _grad_before(context, grad):
    """Were gradients recorded before an open context was entered? grad: what is known without asking it."""
    return context._before[-1][0] if isinstance(context, inference_mode) else grad


def _stops_recording(context):
    return isinstance(context, inference_mode) and context.mode


# ---- the kinds


def _reads(cls, enter, leave, arguments):
    kind = KINDS[cls.__exit__] = Kind(enter, leave, arguments)
    BUILTINS[cls.__enter__] = lambda m, frame, context: m.contexts.enter(context, kind)
    BUILTINS[cls.__exit__] = lambda m, frame, context, *exc: m.contexts.leave(context)


def _autocast_arguments(m, context):
    """As the program gave them, where it was read; else what is known of them."""
    if hasattr(context, "_given"):
        return tuple(m.load_attr(context, "_given"))
    return tuple([m.load_attr(context, name) for name in ("device", "fast_dtype", "_enabled", "_cache_enabled")])


_reads(autocast, _enter_autocast, _exit_autocast, _autocast_arguments)
_reads(
    inference_mode,
    _enter_inference_mode,
    _exit_inference_mode,
    lambda m, context: (m.load_attr(context, "mode"),),
)


@read(_ContextDecorator.__call__)
def _decorate(m, frame, context, function):
    if not isinstance(function, types.FunctionType) or function.__code__.co_flags & _GENERATOR:
        raise Break("a class or generator that is decorated by a context")
    return m.call(frame, decorated_anew, [context, function], {})


_GENERATOR = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def _given(device_type, dtype=None, enabled=True, cache_enabled=None):
    return device_type, dtype, enabled, cache_enabled


def _makes(cls, given):
    """A call of the class makes a context for real. given: the arguments that its node has."""

    def make(m, frame, *args, **kwargs):
        made = m.made_object(m.native(cls, list(args), kwargs))
        if given is not None:
            made._given = given(made, *args, **kwargs)
        return made

    BUILTINS[cls] = make


def _resolved(made, *args, **kwargs):
    return made.device, made.fast_dtype, made._enabled, made._cache_enabled


_makes(autocast, lambda made, *args, **kwargs: _given(*args, **kwargs))
_makes(cpu_autocast, _resolved)
_makes(cuda_autocast, _resolved)
BUILTINS[autocast.__call__] = lambda m, frame, context, function: m.call(frame, decorated, [context, function], {})


@read(is_inference_mode_enabled)
def _is_inference_mode_enabled(m, frame):
    if config.stop_where_torch_does:
        raise Break("torch.is_inference_mode_enabled()")
    return local.inference


# marks for a profiler, which no graph has
_makes(record_function, None)
BUILTINS[record_function.__enter__] = lambda m, frame, context: context
BUILTINS[record_function.__exit__] = lambda m, frame, context, *exc: False


# What begins or ends in these ends no differently for an exception.
_PASS_ON = (autocast, inference_mode, no_grad, enable_grad, set_grad_enabled, record_function, contextlib.nullcontext)
HARMLESS.update(cls.__exit__ for cls in _PASS_ON)


# ---- where a segment runs


def leave(contexts, grad):
    """Leave contexts, and record gradients or not: how it was. contexts: pairs (context, were gradients recorded?)."""
    before = contexts, local.grad, len(local.entered), state()
    for context, _ in reversed(contexts):
        context.__exit__(None, None, None)
    record_gradients(grad)
    return before


def back(before, error):
    """After an error in a graph: all is as before `leave` if its segment is to run as Python; else it stays left."""
    contexts, grad, count, found = before
    leave_since(count)
    restore(found)
    if isinstance(error, Again):
        reopen(contexts, grad)


def state():
    """How far transforms are nested in this thread."""
    return [getattr(local, name) for name in STATE]


def restore(found):
    """Put that back."""
    for name, value in zip(STATE, found):
        setattr(local, name, value)


def reopen(contexts, grad):
    """Enter contexts; in the end record gradients or not."""
    for context, recorded in contexts:
        record_gradients(recorded)
        context.__enter__()
    record_gradients(grad)


__all__ = ["Contexts", "back", "is_leaving", "leave", "reopen"]
