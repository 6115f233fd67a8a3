"""torch._dynamo.eval_frame: compiled functions and modules as programs hold them."""

import functools
import inspect
import types

from ..nn.modules.module import Module
from .compiled import Settings, compiled
from .decode import is_plain
from .exc import Break
from .explaining import ExplainOutput, reason_of
from .guards import without_hooks
from .rules import BREAKS

__all__ = ["OptimizedModule", "optimize"]


def optimize(backend="inductor", *, nopython=False, dynamic=None, disable=False, mode=None, options=None, **kwargs):
    """optimize(backend="inductor", *, nopython=False, dynamic=None) -> decorator that compiles a function or module."""
    if disable:
        return lambda f: f
    settings = Settings(backend, nopython, dynamic, mode, options)
    settings.limit = kwargs.get("recompile_limit")
    if kwargs.get("isolate_recompiles"):
        settings.key = (*settings.key, object())

    def decorate(fn):
        if isinstance(fn, Module):
            return OptimizedModule(fn, settings)
        if inspect.isclass(fn):
            fn.__call__ = decorate(fn.__call__)
            return fn
        if not callable(fn):
            raise AssertionError(f"A callable function is expected, but {type(fn)} is provided.")
        if getattr(fn, "_torchdynamo_disable", False):
            return fn
        fn = getattr(fn, "_torchdynamo_orig_callable", fn)
        if hasattr(fn, "hooked"):  # an optimizer's step
            return functools.wraps(fn)(lambda *args, **kwargs: settings.call_step(fn, args, kwargs))
        if isinstance(fn, types.MethodType):
            return types.MethodType(compiled(fn.__func__, settings), fn.__self__)
        if not isinstance(fn, types.FunctionType):
            return _of_object(fn, settings)
        if not is_plain(fn.__code__):  # a generator or coroutine, which has no end that a graph could have
            return functools.wraps(fn)(lambda *args, **kwargs: fn(*args, **kwargs))
        return compiled(fn, settings)

    return decorate


def _of_object(fn, settings):
    """A callable that is no function: what it calls is compiled."""

    @functools.wraps(fn, assigned=("__doc__",), updated=())
    def wrapper(*args, **kwargs):
        call = type(fn).__call__ if isinstance(getattr(type(fn), "__call__", None), types.FunctionType) else None
        return settings.call(fn, args, kwargs) if call is None else settings.call(call, (fn, *args), kwargs)

    return wrapper


class OptimizedModule(Module):
    """A module whose forward is compiled. `_orig_mod` is the module; attributes and the state are that one's."""

    _torchdynamo_orig_callable: object
    _opt_mod_attributes = {"_orig_mod", "dynamo_ctx", "forward", "training"}

    def __init__(self, mod, dynamo_ctx=None):
        super().__init__()
        self._modules["_orig_mod"] = mod
        object.__setattr__(self, "dynamo_ctx", dynamo_ctx)
        object.__setattr__(self, "forward", self._compiled_forward)
        object.__setattr__(self, "training", mod.training)

    def _compiled_forward(self, *args, **kwargs):
        mod, settings = self._modules["_orig_mod"], self.__dict__["dynamo_ctx"]
        forward = getattr(mod.forward, "__func__", None)
        if forward is None or type(mod).__call__ is not Module.__call__ or not without_hooks(mod):
            return settings.call_module(mod, args, kwargs)
        entry = self.__dict__.get("_entry")
        if entry is None or entry._torchdynamo_orig_callable is not forward:
            if not settings.compiles(forward):
                return settings.call_module(mod, args, kwargs)
            entry = self.__dict__["_entry"] = compiled(forward, settings)
        return entry(mod.forward.__self__, *args, **kwargs)

    def __getattr__(self, name):
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self._modules["_orig_mod"], name)

    def __setattr__(self, name, value):
        if name in ("_orig_mod", "training") or "_modules" not in self.__dict__ or "_orig_mod" not in self._modules:
            super().__setattr__(name, value)
            if name == "training":
                self._modules.get("_orig_mod", self).__dict__["training"] = value
            return
        setattr(self._modules["_orig_mod"], name, value)

    def __delattr__(self, name):
        delattr(self._modules["_orig_mod"], name)

    def __dir__(self):
        return [*super().__dir__(), *dir(self._modules["_orig_mod"])]

    def __len__(self):
        return len(self._modules["_orig_mod"])

    def __reduce__(self):
        return type(self), (self._modules["_orig_mod"], self.__dict__["dynamo_ctx"])


def disable(fn=None, recursive=True, *, reason=None, wrapping=True):
    """disable(fn) -> fn, which is not compiled and at a call of which a graph ends; a decorator too."""
    if fn is None:
        return lambda f: disable(f, recursive)
    if isinstance(fn, Module):
        fn.forward = disable(fn.forward)
        return fn
    fn = getattr(fn, "_torchdynamo_orig_callable", fn)

    @functools.wraps(fn)
    def eager(*args, **kwargs):
        return fn(*args, **kwargs)

    eager._torchdynamo_disable = True
    return eager


def graph_break(msg=""):
    """graph_break(): a graph ends here."""


def _break(*args, **kwargs):
    raise Break("torch._dynamo.graph_break()")


BREAKS[graph_break] = _break


def explain(f, *extra_args, **extra_kwargs):
    """explain(f)(*args) -> ExplainOutput: the graphs of one call, where they end and why."""
    from . import compiled as caches

    def inner(*args, **kwargs):
        graphs = []

        def backend(gm, inputs):
            graphs.append(gm)
            return gm.forward

        caches.reset()
        optimize(backend)(f)(*args, **kwargs)
        segments = [s for cache in caches.CACHES.values() for found in cache.by_place.values() for s in found]
        caches.reset()
        reasons = [reason_of(s) for s in segments if s.reason and s.at is not None and s.draft.module is not None]
        ops = [[n.target for n in gm.graph.nodes if n.op == "call_function"] for gm in graphs]
        guards = [g for s in segments for g in s.guards]
        return ExplainOutput(graphs, len(graphs), max(0, len(graphs) - 1), reasons, sum(map(len, ops)), ops, guards)

    if extra_args or extra_kwargs:
        return inner(*extra_args, **extra_kwargs)
    return inner


def is_dynamo_supported():
    """is_dynamo_supported() -> True"""
    return True


def is_inductor_supported():
    """is_inductor_supported() -> True: its graphs run, as `eager` runs them."""
    return True
