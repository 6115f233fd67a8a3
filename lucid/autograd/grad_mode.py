"""When operations are recorded: no_grad, enable_grad, set_grad_enabled, inference_mode; as contexts and decorators."""

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any, Self, TypeVar, overload

from .._base.entering import entered, found_in, left
from .._base.state import enter_unusual, grad_enabled, leave_unusual, local
from .._base.state import set_grad_enabled as _set

_F = TypeVar("_F", bound=Callable[..., Any])


class _ContextDecorator:
    """A context manager that also decorates functions, generators and (with a warning) classes."""

    def __call__(self, func: _F) -> _F:
        if inspect.isclass(func):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
                "functions or methods. To preserve the current behavior of class decoration, you can directly decorate "
                "the `__init__` method and nothing else.",
                FutureWarning,
                stacklevel=2,
            )
            func.__init__ = self(func.__init__)
            return func
        if inspect.isgeneratorfunction(func):
            return self._wrap_generator(func)

        @functools.wraps(func)
        def inside(*args, **kwargs):
            with self.clone():
                return func(*args, **kwargs)

        return inside

    def _wrap_generator(self, func):
        """Each step of the generator runs inside; its consumer does not."""

        @functools.wraps(func)
        def inside(*args, **kwargs):
            generator = func(*args, **kwargs)
            step, value = generator.send, None
            while True:
                try:
                    with self.clone():
                        got = step(value)
                except StopIteration as end:
                    return end.value
                try:
                    value, step = (yield got), generator.send
                except GeneratorExit:
                    with self.clone():
                        generator.close()
                    raise
                except BaseException as error:
                    value, step = error, generator.throw

        return inside

    def clone(self):
        return type(self)()


class _NoParamDecorator(_ContextDecorator):
    """Allows `@no_grad` without parentheses."""

    @overload
    def __new__(cls, orig_func: None = None) -> Self: ...
    @overload
    def __new__(cls, orig_func: _F) -> _F: ...

    def __new__(cls, orig_func=None):
        if orig_func is None:
            return super().__new__(cls)
        return cls()(orig_func)


class no_grad(_NoParamDecorator):
    """Inside, nothing is recorded; results do not require a gradient."""

    def __init__(self, orig_func=None):
        self.prev = False

    def __enter__(self):
        self.prev = grad_enabled()
        _set(False)

    def __exit__(self, exc_type, exc_value, traceback):
        _set(self.prev)


class enable_grad(_NoParamDecorator):
    """Inside, operations are recorded again."""

    def __init__(self, orig_func=None):
        self.prev = False

    def __enter__(self):
        self.prev = grad_enabled()
        _set(True)

    def __exit__(self, exc_type, exc_value, traceback):
        _set(self.prev)


class set_grad_enabled(_ContextDecorator):
    """Turn recording on or off at once; as a context manager, until its end."""

    def __init__(self, mode):
        if not isinstance(mode, bool):
            raise TypeError(
                f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}"
            )
        self.prev, self.mode = grad_enabled(), mode
        _set(mode)

    def __call__(self, func: _F) -> _F:
        _set(self.prev)
        return super().__call__(func)

    def __enter__(self):
        if grad_enabled() != self.mode:
            _set(self.mode)

    def __exit__(self, exc_type, exc_value, traceback):
        _set(self.prev)

    def __str__(self):
        return f"{type(self).__name__}(mode={self.mode})"

    def __repr__(self):
        return str(self)

    def clone(self):
        return type(self)(self.mode)


class inference_mode(_ContextDecorator):
    """no_grad, and the tensors made inside stay out of autograd for good."""

    def __new__(cls, mode=True):
        if isinstance(mode, bool):
            return super().__new__(cls)
        return cls()(mode)

    def __init__(self, mode=True):
        self.mode = mode
        self._before = []

    def __enter__(self):
        self._before.append((grad_enabled(), local.inference))
        if self.mode:
            _set(False)
            if not local.inference:
                enter_unusual()
        elif local.inference:
            _set(True)
            leave_unusual()
        local.inference = self.mode

    def __exit__(self, *exc):
        grad, inference = self._before.pop()
        if local.inference != inference:
            leave_unusual() if local.inference else enter_unusual()
        local.inference = inference
        _set(grad)

    def clone(self):
        return type(self)(self.mode)


def _set_grad_enabled(mode):
    """torch._C's: recording of gradients on or off."""
    _set(mode)


_set_grad_enabled.__module__ = "lucid._C"


@found_in("lucid.autograd.grad_mode")
def _enter_inference_mode(mode):
    """_enter_inference_mode(mode) -> the inference_mode, entered."""
    return entered(inference_mode(mode))


@found_in("lucid.autograd.grad_mode")
def _exit_inference_mode(mode):
    """_exit_inference_mode(mode): leave it."""
    left(mode)


def is_grad_enabled():
    """is_grad_enabled() -> bool: are operations recorded in this thread?"""
    return grad_enabled()


def is_inference_mode_enabled():
    """is_inference_mode_enabled() -> bool"""
    return local.inference


class _Kept(_ContextDecorator):
    """A switch of the thread that lucid keeps, and to which nothing listens; a context and a decorator, too."""

    def __init__(self, mode):
        self.mode, self.prev = mode, getattr(local, self.switch)
        setattr(local, self.switch, mode)

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        setattr(local, self.switch, self.prev)

    def clone(self):
        return type(self)(self.mode)


class set_multithreading_enabled(_Kept):
    """set_multithreading_enabled(on): backward walks in one thread, whatever is asked for."""

    switch = "multithreading"


class enforce_grad_layout_policy(_Kept):
    """enforce_grad_layout_policy(on): the strides of gradients follow torch's rule, whatever is asked for."""

    switch = "grad_layout_policy"


class _force_original_view_tracking(_Kept):
    """_force_original_view_tracking(on): views are always tracked by the steps that made them."""

    switch = "view_replay"

    def __call__(self, func):
        setattr(local, self.switch, self.prev)
        return super().__call__(func)

    def __enter__(self):
        setattr(local, self.switch, self.mode)


def is_multithreading_enabled():
    """is_multithreading_enabled() -> bool: what set_multithreading_enabled was told; True at first."""
    return local.multithreading


def is_view_replay_enabled():
    """is_view_replay_enabled() -> bool: what _force_original_view_tracking was told; False at first."""
    return local.view_replay


is_multithreading_enabled.__module__ = is_view_replay_enabled.__module__ = "lucid._C"
