"""torch.jit: lucid has no TorchScript. What is scripted runs as Python; what is traced is a graph of torch.fx.

Running the Python code is what TorchScript promises to agree with, so programs that use `torch.jit.script` are right
without it; a warning says so once. `save` and `load` hold graphs of torch.fx; files of torch's own `torch.jit.save`
hold compiled programs, and cannot be read.
"""

import importlib as _importlib
from typing import Final

from .._base.entering import at_home as _at_home
from .._base.entering import set_module as set_module
from .._base.errors import JITException as Error
from .._base.refused import refuse as _refuse
from .._base.refused import refused_class as _refused_class
from ..futures import Future
from . import annotations
from ._isinstance import is_of as isinstance
from ._script import RecursiveScriptModule, ScriptFunction, ScriptModule, script
from ._serialization import load, save
from ._trace import TopLevelTracedModule, TracedModule, is_tracing, trace, trace_module

__all__ = [
    "Attribute",
    "Error",
    "Final",
    "Future",
    "ScriptFunction",
    "ScriptModule",
    "TracerWarning",
    "annotate",
    "export",
    "export_opnames",
    "fork",
    "freeze",
    "ignore",
    "interface",
    "is_scripting",
    "is_tracing",
    "isinstance",
    "load",
    "optimize_for_inference",
    "optimized_execution",
    "save",
    "script",
    "script_if_tracing",
    "script_method",
    "strict_fusion",
    "trace",
    "trace_module",
    "unused",
    "wait",
]


class TracerWarning(Warning):
    """What tracing warns with; lucid never does, programs filter it."""

    @staticmethod
    def ignore_lib_warnings():
        """ignore_lib_warnings(): there are none."""


def is_scripting():
    """is_scripting() -> False"""
    return False


def script_if_tracing(fn):
    """script_if_tracing(fn) -> fn"""
    return fn


_script_if_tracing = script_if_tracing


def script_method(fn):
    """script_method(fn) -> fn"""
    return fn


def export(fn):
    """export(fn) -> fn"""
    return fn


def unused(fn):
    """unused(fn) -> fn"""
    return fn


def ignore(drop=False, **kwargs):
    """ignore(fn) -> fn, or ignore(drop=...) as a decorator."""
    return drop if callable(drop) else lambda fn: fn


def interface(obj):
    """interface(cls) -> cls"""
    return obj


def _overload(fn):
    return fn


_overload_method = _copy_to_script_wrapper = _overload


def annotate(the_type, the_value):
    """annotate(type, value) -> value"""
    return the_value


def Attribute(value, type):
    """Attribute(value, type) -> value"""
    return value


def fork(func, *args, **kwargs):
    """fork(func, *args) -> Future, already done."""
    future = Future()
    try:
        future.set_result(func(*args, **kwargs))
    except Exception as error:
        future.set_exception(error)
    return future


def wait(future):
    """wait(future) -> its value"""
    return future.wait()


def export_opnames(m):
    """export_opnames(module) -> []: nothing was compiled."""
    return []


class strict_fusion:
    """with strict_fusion(): a block in which nothing changes."""

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False


def freeze(mod, preserved_attrs=None, optimize_numerics=True):
    """freeze(module) -> the module, in eval mode only (RuntimeError otherwise)."""
    if mod.training:
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() on "
            "your module before freezing."
        )
    return mod


def optimize_for_inference(mod, other_methods=None):
    """optimize_for_inference(module) -> the module"""
    return mod


class optimized_execution:
    """with optimized_execution(on): a block in which nothing changes."""

    def __init__(self, should_optimize=True):
        self.should_optimize = should_optimize

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        return False


def set_fusion_strategy(strategy):
    """set_fusion_strategy(strategy) -> []: there is no compiler to steer."""
    return []


def enable_onednn_fusion(enabled):
    """enable_onednn_fusion(enabled): there is no compiler to steer."""


def onednn_fusion_enabled():
    """onednn_fusion_enabled() -> False"""
    return False


class ScriptWarning(Warning):
    """What scripting warns with; lucid never does, programs filter it."""

    __module__ = _at_home("lucid.jit._script")


class TracingCheckError(Exception):
    """A traced program that gives other results than the original; lucid does not check, programs catch it."""

    __module__ = _at_home("lucid.jit._trace")


class fuser(strict_fusion):
    """with fuser("fuser0"): a block in which nothing changes; KeyError for a name that torch does not know."""

    def __init__(self, name):
        if name not in ("fuser0", "fuser1", "fuser2", "fuser3"):
            raise Exception(f"unrecognized fuser option (name: {name})")


def __getattr__(name):
    if name == "frontend":  # loaded when asked for
        return _importlib.import_module(f"{__name__}.frontend")
    raise AttributeError(f"module 'torch.jit' has no attribute {name!r}")


globals().update(
    _refuse(
        "torch.jit",
        """ONNXTracedModule RecursiveScriptClass jit_module_from_flatbuffer last_executed_optimized_graph
        run_frozen_optimizations save_jit_module_to_flatbuffer""",
        "TorchScript",
    )
)
globals().update(_refuse("torch.jit", "_flatten _get_trace_graph", "TorchScript"))
CompilationUnit = _refused_class("torch.jit", "CompilationUnit", "TorchScript")
