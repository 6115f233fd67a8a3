"""Checks with torch's errors (`torch._check` and its relatives), and small functions of the face."""

import builtins
import importlib
import os

from .._backend.overrides import ask_overrides
from .._base.device import device as device_type
from .._base.dtype import DTYPES
from .._tensor.tensor import Tensor


def _failed(kind, message, default):
    if message is None:
        raise kind(default)
    if not callable(message):
        raise TypeError("message must be a callable")
    raise kind(str(message()))


def _assert(condition, message):
    """_assert(condition, message): assert, as a function."""
    handled, result = ask_overrides(_assert, (condition,), (condition, message), {})
    if handled:
        return result
    assert condition, message
    return None


_assert.__module__ = __name__.partition(".")[0]  # where torch has it


def _checker(name, kind):
    def check(cond, message=None):
        if not isinstance(cond, builtins.bool):
            raise TypeError(f"cond must be a bool, but got {type(cond)}")
        if not cond:
            _failed(
                kind,
                message,
                "Expected cond to be True, but got False. (Could this error message be improved? "
                "If so, please report an enhancement request to PyTorch.)",
            )

    check.__name__, check.__doc__ = name, f"{name}(cond, message=None): {kind.__name__} with message() unless cond."
    return check


def _check_is_size(i, message=None, *, max=None):
    """_check_is_size(i): RuntimeError if i is negative."""
    CHECKS["_check"](i >= 0, message)


def _check_with(error_type, cond, message):
    """_check_with(error_type, cond, message): error_type with message() unless cond."""
    _checker("_check_with", error_type)(cond, message)


def _check_tensor_all_with(error_type, cond, message=None):
    """_check_tensor_all_with(error_type, tensor, message=None): error_type with message() unless all are True."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype != DTYPES["bool"]:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, cond.all().item(), message)


def _check_tensor_all(cond, message=None):
    """_check_tensor_all(tensor, message=None): RuntimeError with message() unless all are True."""
    _check_tensor_all_with(RuntimeError, cond, message)


def get_file_path(*path_components):
    """get_file_path("torch", "lib", ...) -> str: a path inside the installation."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parts = path_components[1:] if path_components[:1] == ("torch",) else path_components
    return os.path.join(root, *parts)


def get_device_module(device=None):
    """get_device_module(device=None) -> module such as torch.cuda or torch.cpu."""
    if device is None:
        kind = "cpu"
    elif isinstance(device, (str, device_type)):
        kind = device_type(device).type
    else:
        raise RuntimeError(f"Invalid value of device '{device}', expect torch.device, str, or None")
    name = __name__.partition(".")[0]
    try:
        return importlib.import_module(f"{name}.{kind}")
    except ImportError:
        raise RuntimeError(
            f"Device '{kind}' does not have a corresponding module registered as 'torch.{kind}'."
        ) from None


CHECKS = {
    f.__name__: f
    for f in (
        _assert,
        _check_is_size,
        _check_with,
        _check_tensor_all_with,
        _check_tensor_all,
        get_file_path,
        get_device_module,
        _checker("_check", RuntimeError),
        _checker("_check_index", IndexError),
        _checker("_check_value", ValueError),
        _checker("_check_type", TypeError),
        _checker("_check_not_implemented", NotImplementedError),
    )
}
