"""torch.overrides: letting types and modes take over torch's functions."""

from ._backend.registry import NAMESPACES
from ._base.state import local
from ._modes import torch_function as _overriding
from ._modes.torch_function import (
    handle_torch_function,
    has_torch_function,
    is_tensor_like,
    redispatch_function,
    wrap_torch_function,
)
from ._tensor.tensor import Tensor

TorchFunctionMode, BaseTorchFunctionMode = _overriding.TorchFunctionMode, _overriding.BaseTorchFunctionMode
has_torch_function_unary = _overriding.has_torch_function_unary
has_torch_function_variadic = _overriding.has_torch_function_variadic
_push_mode, _pop_mode, _pop_mode_temporarily = (
    _overriding.push_mode,
    _overriding.pop_mode,
    _overriding.without_innermost,
)
_get_current_function_mode_stack, _get_overloaded_args = _overriding.function_modes, _overriding.overriding


def resolve_name(f):
    """resolve_name(f) -> str such as "torch.add" or "torch.Tensor.view", or None for a function that is not torch's."""
    if isinstance(f, str):
        return f
    for home, functions in NAMESPACES.items():
        for name, function in functions.items():
            if function is f:
                return f"torch.{name}" if home == "torch" else f"torch.{home}.{name}"
    for name, value in vars(Tensor).items():
        if value is f or getattr(value, "fget", None) is f:
            return f"torch.Tensor.{name}"
    return None


def is_tensor_method_or_property(func):
    """is_tensor_method_or_property(func) -> bool: is it one of Tensor's methods, or the getter of a property?"""
    return getattr(func, "__name__", "") == "__get__" or any(
        value is func or getattr(value, "fget", None) is func for value in vars(Tensor).values()
    )


def get_overridable_functions():
    """get_overridable_functions() -> {place: [function, ...]}: what asks __torch_function__."""
    return {home: list(functions.values()) for home, functions in NAMESPACES.items()}


def get_ignored_functions():
    """get_ignored_functions() -> set of functions that never ask __torch_function__ (those that take no tensors)."""
    return {Tensor.as_subclass, Tensor._make_subclass, Tensor.dim, Tensor.size}


def get_testing_overrides():
    """get_testing_overrides() -> {function: lambda with its parameters returning -1}."""
    return {f: (lambda *args, **kwargs: -1) for functions in NAMESPACES.values() for f in functions.values()}


def _get_current_function_mode():
    modes = _get_current_function_mode_stack()
    return modes[-1] if modes else None


def _is_torch_function_mode_enabled():
    return bool(local.interpreters)


__all__ = [
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "resolve_name",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "wrap_torch_function",
    "redispatch_function",
]
