"""torch.autograd: backward, grad, Function, gradient modes, gradcheck, and the graph's public names."""

from .._modes.torch_function import handle_torch_function as handle_torch_function
from .._modes.torch_function import has_torch_function as has_torch_function
from .._modes.torch_function import is_tensor_like as is_tensor_like
from . import anomaly_mode, forward_ad, function, functional, grad_mode, graph, variable
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .engine import backward, grad
from .function import Function, NestedIOFunction
from .grad_mode import _force_original_view_tracking as _force_original_view_tracking
from .grad_mode import (
    enable_grad,
    enforce_grad_layout_policy,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from .grad_mode import is_multithreading_enabled as is_multithreading_enabled
from .grad_mode import is_view_replay_enabled as is_view_replay_enabled
from .gradcheck import gradcheck, gradgradcheck
from .variable import Variable

__all__ = [
    "Variable",
    "Function",
    "NestedIOFunction",
    "enforce_grad_layout_policy",
    "set_multithreading_enabled",
    "backward",
    "grad_mode",
    "anomaly_mode",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "variable",
]


def _profiler_enabled():
    """_profiler_enabled() -> bool: does a profiler measure?"""
    from .._base.state import PROFILE

    return bool(PROFILE)


def _is_checkpoint_valid():
    """_is_checkpoint_valid() -> True: checkpoints may run in any backward"""
    return True


def _disable_profiler():
    """_disable_profiler(): RuntimeError where none is on."""
    raise RuntimeError("Can't disable Kineto profiler when it's not running")


_KINDS = "DeviceType ProfilerActivity ProfilerConfig ProfilerEvent ProfilerState SavedTensor kineto_available".split()


def __getattr__(name):
    if name in ("profiler", "profiler_util", "profiler_legacy", "profiler_kinds"):  # loaded when asked for
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    if name in _KINDS:
        from . import profiler_kinds

        return getattr(profiler_kinds, name)
    raise AttributeError(f"module 'torch.autograd' has no attribute {name!r}")
