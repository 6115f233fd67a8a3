"""torch.utils: data loading, checkpointing, pytrees, hooks and other helpers of programs."""

import importlib

from .._array.lookup import rename_privateuse1_backend as rename_privateuse1_backend
from .._backend.swap import swap_tensors as swap_tensors
from .._base.entering import set_module as set_module
from . import backcompat, hooks

_LAZY = {
    "_python_dispatch",
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
    "_foreach_utils",
    "_triton",
    "file_baton",
    "_pytree",
    "mobile_optimizer",
    "throughput_benchmark",
    "weak",
}


def generate_methods_for_privateuse1_backend(*args, **kwargs):
    """generate_methods_for_privateuse1_backend(): NotImplementedError, lucid has no backends to register."""
    raise NotImplementedError("torch.utils.generate_methods_for_privateuse1_backend: lucid has no backends to register")


cmake_prefix_path = ""


def __getattr__(name):
    if name in _LAZY:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.utils' has no attribute '{name}'", name=name)


__all__ = ["backcompat", "hooks", "rename_privateuse1_backend", "set_module", "swap_tensors"]
