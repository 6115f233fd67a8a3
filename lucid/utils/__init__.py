"""torch.utils: data loading, checkpointing, pytrees, hooks and other helpers of programs."""

import importlib

from .._array.lookup import rename_privateuse1_backend as rename_privateuse1_backend
from .._tensor.tensor import Tensor as _Tensor
from . import backcompat, hooks

_LAZY = {
    "benchmark",
    "checkpoint",
    "collect_env",
    "cpp_extension",
    "data",
    "deterministic",
    "dlpack",
    "flop_counter",
    "model_zoo",
    "serialization",
    "tensorboard",
    "_pytree",
    "mobile_optimizer",
    "throughput_benchmark",
}


def swap_tensors(t1, t2):
    """swap_tensors(t1, t2): each becomes the other: memory, graph, gradient, class and attributes."""
    for t in (t1, t2):
        if not isinstance(t, _Tensor):
            raise TypeError(f"swap_tensors: expected a Tensor, got {type(t).__name__}")
    t1.__class__, t2.__class__ = type(t2), type(t1)
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for name in ("_array", "_table", "_node", "_extra"):
        a, b = getattr(t1, name), getattr(t2, name)
        setattr(t1, name, b)
        setattr(t2, name, a)


def set_module(obj, mod):
    """set_module(obj, mod): set obj.__module__ for display."""
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


def generate_methods_for_privateuse1_backend(*args, **kwargs):
    """generate_methods_for_privateuse1_backend(): NotImplementedError, lucid has no backends to register."""
    raise NotImplementedError("torch.utils.generate_methods_for_privateuse1_backend: lucid has no backends to register")


cmake_prefix_path = ""


def __getattr__(name):
    if name in _LAZY:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.utils' has no attribute '{name}'", name=name)


__all__ = ["backcompat", "hooks", "rename_privateuse1_backend", "set_module", "swap_tensors"]
