"""torch.jit: lucid has no TorchScript. `script` gives back what it was given, which runs as Python; `trace` raises.

Running the Python code is what TorchScript promises to agree with, so programs that decorate with `torch.jit.script`
are right without it. Files of `torch.jit.save` hold compiled programs and cannot be read.
"""

from typing import Final

from ..nn import Module
from . import annotations

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
    "trace",
    "trace_module",
    "unused",
    "wait",
]


class Error(RuntimeError):
    """An error in TorchScript code; lucid never raises it, programs catch it."""


class TracerWarning(Warning):
    """What tracing warns with; lucid never does, programs filter it."""

    @staticmethod
    def ignore_lib_warnings():
        """ignore_lib_warnings(): there are none."""


def is_scripting():
    """is_scripting() -> False"""
    return False


def is_tracing():
    """is_tracing() -> False"""
    return False


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """script(obj) -> obj itself: a function, class or module, which goes on to run as Python."""
    return obj


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


def isinstance(obj, target_type):
    """isinstance(obj, target_type) -> bool, for containers by their class."""
    import builtins

    origin = getattr(target_type, "__origin__", target_type)
    return builtins.isinstance(obj, origin)


def fork(func, *args, **kwargs):
    """fork(func, *args) -> Future, already done."""
    return Future(func(*args, **kwargs))


def wait(future):
    """wait(future) -> its value"""
    return future.wait()


class Future:
    """Future(value): what fork gives."""

    def __init__(self, value=None):
        self._value = value

    def wait(self):
        """wait() -> the value"""
        return self._value

    value = wait

    def done(self):
        """done() -> True"""
        return True


def _unsupported(name):
    def f(*args, **kwargs):
        raise NotImplementedError(
            f"torch.jit.{name}: lucid has no TorchScript; call the Python function or module "
            "itself, and keep models with torch.save(model.state_dict(), ...)"
        )

    f.__name__, f.__doc__ = name, f"{name}(...): NotImplementedError, lucid has no TorchScript."
    return f


trace, trace_module, load, save = (_unsupported(n) for n in ("trace", "trace_module", "load", "save"))


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
        return self

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


class ScriptModule(Module):
    """ScriptModule: a Module; torch's compiled form does not exist here."""


class RecursiveScriptModule(ScriptModule):
    """The class of what torch's script(module) gives; nothing here is one."""


class ScriptFunction:
    """The class of what torch's script(function) gives; nothing here is one."""


class CompilationUnit:
    """CompilationUnit(code): NotImplementedError, lucid has no TorchScript."""

    def __init__(self, *args, **kwargs):
        _unsupported("CompilationUnit")()


TopLevelTracedModule = TracedModule = ScriptModule
_flatten = _unsupported("_flatten")
