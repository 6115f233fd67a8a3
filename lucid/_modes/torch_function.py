"""__torch_function__: what subclasses of Tensor do by default, modes that see every call, and dispatch for functions of
one's own."""

import contextlib
import functools

from .._backend.overrides import PLAIN, ask_overrides, is_disabled
from .._backend.watched import watch
from .._base.state import enter_unusual, leave_unusual, local
from .._tensor.tensor import Tensor


class DisableTorchFunctionSubclass:
    """with DisableTorchFunctionSubclass(): subclasses of Tensor are treated as plain tensors (modes still see
    calls)."""

    def __enter__(self):
        self._before, local.subclass_off = local.subclass_off, True
        return self

    def __exit__(self, *exc):
        local.subclass_off = self._before


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """with DisableTorchFunction(): neither subclasses nor modes are asked."""

    def __enter__(self):
        self._modes, local.interpreters = (
            local.interpreters,
            tuple(m for m in local.interpreters if not isinstance(m, TorchFunctionMode)),
        )
        return super().__enter__()

    def __exit__(self, *exc):
        local.interpreters = self._modes
        super().__exit__(*exc)


# ---- subclasses


def converted(result, cls):
    """`result` with its tensors made instances of cls, inside tuples and lists too."""
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else result.as_subclass(cls)
    if isinstance(result, (tuple, list)):
        parts = [converted(r, cls) for r in result]
        return type(result)(parts) if type(result) is not tuple else tuple(parts)
    return result


_AS_THEY_ARE = {Tensor._base.__get__, Tensor.grad.__get__, Tensor._grad.__get__}  # what these give keeps its type


def _default(cls, func, types, args=(), kwargs=None):
    """Run func as for plain tensors and give its results the subclass."""
    if not all(issubclass(cls, t) for t in types):
        return NotImplemented
    before, local.subclass_off = local.subclass_off, True
    try:
        result = func(*args, **kwargs or {})
    finally:
        local.subclass_off = before
    return result if cls in PLAIN or func in _AS_THEY_ARE else converted(result, cls)


Tensor._default_torch_function = classmethod(_default)


# ---- modes


class TorchFunctionMode:
    """The base of modes: inside `with MyMode():` every call of torch's goes to `__torch_function__(func, types, args,
    kwargs)`.

    While that runs the mode is off, so calling func in it goes to the next mode, and in the end computes.
    """

    inner = None

    def __init__(self):
        pass

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        push_mode(self)
        return self

    def __exit__(self, *exc):
        pop_mode()

    @classmethod
    def push(cls, *args, **kwargs):
        return cls(*args, **kwargs)

    def intercept(self, func, relevant, args, kwargs):
        """What the engine calls."""
        outer = local.interpreters
        local.interpreters = outer[:-1]
        try:
            types = tuple(dict.fromkeys(type(t) for t in overriding(relevant)))
            result = self.__torch_function__(func, types, args, kwargs)
            return func(*args, **kwargs) if result is NotImplemented else result
        finally:
            local.interpreters = outer


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that does what would be done without it."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **kwargs or {})


def push_mode(mode):
    """Make mode (an object with `intercept`) the innermost."""
    if isinstance(mode, TorchFunctionMode):
        watch()
    enter_unusual()
    local.interpreters = (*local.interpreters, mode)


def pop_mode():
    """Take the innermost mode off, and give it back."""
    *rest, mode = local.interpreters
    local.interpreters = tuple(rest)
    leave_unusual()
    return mode


def function_modes():
    """The TorchFunctionModes that are on, the innermost last."""
    return [m for m in local.interpreters if isinstance(m, TorchFunctionMode)]


@contextlib.contextmanager
def without_innermost():
    """with without_innermost() as mode: the innermost mode is off inside the block."""
    mode = pop_mode()
    try:
        yield mode
    finally:
        push_mode(mode)


# ---- functions of one's own


def overrides(thing):
    """Has its type a __torch_function__ that wants a say?"""
    cls = type(thing)
    if cls in PLAIN or not hasattr(cls, "__torch_function__"):
        return False
    return not local.subclass_off and not is_disabled(cls.__torch_function__)


def overriding(relevant):
    """Those of the arguments whose type wants a say."""
    return [t for t in relevant if overrides(t)]


def has_torch_function(relevant_args):
    """has_torch_function(args) -> bool: must a call with these go through handle_torch_function?"""
    return bool(function_modes()) or any(map(overrides, relevant_args))


def has_torch_function_unary(obj):
    """has_torch_function((obj,))"""
    return has_torch_function((obj,))


def has_torch_function_variadic(*args):
    """has_torch_function(args)"""
    return has_torch_function(args)


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """What the modes and types of the arguments make of public_api(*args, **kwargs); TypeError when none takes it."""
    handled, result = ask_overrides(public_api, tuple(relevant_args), args, kwargs)
    if not handled and not local.subclass_off and any(isinstance(t, Tensor) for t in relevant_args):
        return public_api(*args, **kwargs)  # as Tensor.__torch_function__ has it
    if not handled:
        names = f"{getattr(public_api, '__module__', '')}.{getattr(public_api, '__name__', public_api)}"
        raise TypeError(
            f"no implementation found for '{names}' on types that implement __torch_function__: "
            f"{[type(t) for t in overriding(relevant_args)]}"
        )
    return result


def wrap_torch_function(dispatcher):
    """A decorator for functions that types may override; dispatcher(*args, **kwargs) gives the arguments that count."""

    def decorate(func):
        @functools.wraps(func)
        def wrapped(*args, **kwargs):
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return func(*args, **kwargs)

        return wrapped

    return decorate


def redispatch_function(func, types, args, kwargs):
    """Call func one level further in: its own dispatch is skipped, that of what it calls is not."""
    inner = getattr(func, "__wrapped__", None)
    return (inner or func)(*args, **kwargs or {}) if inner else _default(Tensor, func, (), args, kwargs)


def is_tensor_like(inp):
    """is_tensor_like(x) -> bool: a tensor, or of a type with __torch_function__."""
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")
