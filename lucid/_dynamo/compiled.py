"""Compiled functions: which segment fits a call, and what runs between segments."""

import functools
import inspect
import types
import warnings

from .._base.state import FAKING, local
from ..nn.modules.module import Module
from . import config
from .backends import lookup_backend
from .decode import is_plain
from .exc import BackendCompilerFailed, FailOnRecompileLimitHit
from .frame import frame_of
from .guards import no_global_hooks, without_hooks
from .machine import run, step
from .reading import Stopped, read, read_until
from .real import Real, plainly
from .rules import is_read, is_torch
from .segment import MISS, Rest, Unproved
from .symbols import Dynamics, Settled
from .utils import counters

CACHES: dict = {}  # (code, settings' key) -> Cache


class Cache:
    """The segments of one code object, by where they begin."""

    def __init__(self):
        self.by_place, self.dynamics = {}, {}  # place -> segments; what differed there


class Settings:
    """What torch.compile was told."""

    def __init__(self, backend="inductor", fullgraph=False, dynamic=None, mode=None, options=None):
        self.backend, self.fullgraph, self.dynamic, self.options = lookup_backend(backend), fullgraph, dynamic, options
        self.key = (id(self.backend), fullgraph, dynamic)
        self.real = Real(self.call)
        self.log = []

    def compile_graph(self, module, inputs):
        """What runs in the place of a graph, from the backend."""
        counters["stats"]["unique_graphs"] += 1
        before, local.interpreters = local.interpreters, ()
        try:
            made = (
                self.backend(module, inputs) if not self.options else self.backend(module, inputs, options=self.options)
            )
        except Exception as error:
            raise BackendCompilerFailed(self.backend, error) from error
        finally:
            local.interpreters = before
        if not callable(made):
            raise BackendCompilerFailed(self.backend, TypeError("compiler_fn did not return callable"))
        return made

    # ---- calls

    def call(self, function, args, kwargs):
        """A call that is run between segments: functions of the program are compiled for themselves."""
        function, args = unwrapped(function, args)
        if isinstance(function, types.FunctionType) and self.compiles(function):
            return self.run(function, args, kwargs)
        return function(*args, **kwargs)

    def call_module(self, module, args, kwargs):
        """A module's call: its forward is compiled, hooks run around it."""
        if type(module).__call__ is Module.__call__ and _plain(module):
            return self.call(module.forward, args, kwargs)
        if type(module).__call__ is not Module.__call__:
            return self.call(type(module).__call__, (module, *args), kwargs)
        return self.run(Module._call_impl, (module, *args), kwargs)

    def compiles(self, function):
        """Is a function one to compile?"""
        return is_read(function) and not is_torch(function) and is_plain(function.__code__)

    def run(self, function, args, kwargs):
        """function(*args, **kwargs), compiled."""
        cache = CACHES.get((function.__code__, self.key))
        if cache is None:
            cache = CACHES[function.__code__, self.key] = Cache()
        if config.stance == "force_eager":
            return function(*args, **kwargs)
        frame = frame_of(function, args, kwargs)
        while True:
            segment, result = self._fitting(cache, frame)
            if type(segment) is Rest:
                return self._rest(function, frame, args, kwargs, segment.native)
            if segment.done:
                return result
            frame.locals, frame.stack = result
            frame.at = segment.at
            if segment.rest:
                return plainly(run, self.real, frame)
            plainly(self._pass, frame)
            if frame.state != "running":
                return frame.result

    def _pass(self, frame):
        """Run what could not be read, and the except clause to which that led."""
        step(self.real, frame)
        while frame.handling and frame.state == "running":
            step(self.real, frame)

    def _fitting(self, cache, frame):
        """(the segment that fits, what it gave)"""
        place = frame.at, len(frame.stack)
        found = cache.by_place.setdefault(place, [])
        for segment in found:
            if type(segment) is Rest:
                return segment, None
            result = segment.run(frame.locals, frame.stack)
            if type(result) is Unproved:
                result = self._proved(segment, frame, result.key)
            if result is not MISS:
                return segment, result
        if len(found) >= config.recompile_limit:
            return self._too_many(frame, found), None
        if found:
            counters["recompiles"][frame.program.code.co_name] += 1
        segment = self._read(frame, cache.dynamics.setdefault(place, Dynamics(self.dynamic)))
        found.append(segment)
        counters["frames"]["total"] += place[0] == 0
        if type(segment) is Rest:
            return segment, None
        result = segment.run(frame.locals, frame.stack)
        if type(result) is Unproved:  # by the very reading that it comes from
            segment.seen.add(result.key)
            result = segment.run(frame.locals, frame.stack)
        if result is MISS:
            found[-1] = segment = Rest("conditions that do not hold", native=True)
            return segment, None
        return segment, result

    def _read(self, frame, dynamics):
        draft = read(frame, self, dynamics)
        if type(draft) is Rest:
            return draft
        return draft.segment(self, draft.at, draft.done, draft.reason)

    def _proved(self, segment, frame, key):
        """What a segment gives for sizes that it has not been read with, if it holds for them; else MISS."""
        if key in segment.refused:
            return MISS
        draft = segment.draft
        try:
            again = read_until(frame, self, Settled(draft.chosen), None if draft.done else draft.count, draft.reason)
        except Stopped as stopped:
            again = stopped
        return segment.run(frame.locals, frame.stack) if segment.proved(key, again) else MISS

    def _too_many(self, frame, found):
        code = frame.program.code
        if self.fullgraph:
            raise FailOnRecompileLimitHit(f"recompile_limit reached for {code.co_name}")
        warnings.warn(
            f"torch._dynamo hit config.recompile_limit ({config.recompile_limit})\n"
            f"   function: '{code.co_name}' ({code.co_filename}:{code.co_firstlineno})\n"
            '   To log all recompilation reasons, use TORCH_LOGS="recompiles".',
            stacklevel=5,
        )
        found.insert(0, Rest("recompile_limit", native=True))
        return found[0]

    def _rest(self, function, frame, args, kwargs, native):
        if frame.at == 0 and native:
            return function(*args, **kwargs)
        return plainly(run, self.real, frame)


def unwrapped(function, args):
    """(function, args) with methods, modules without hooks and objects that are called as functions of their owner."""
    while True:
        if isinstance(function, types.MethodType) and not is_torch(function):
            function, args = function.__func__, (function.__self__, *args)
        elif isinstance(function, Module) and type(function).__call__ is Module.__call__ and _plain(function):
            function = function.forward
        else:
            return function, args


def _plain(module):
    return without_hooks(module) and no_global_hooks()


def compiled(function, settings):
    """The function that compiles `function` when it is called."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        if FAKING and local.faking or local.interpreters and not config.compile_under_modes:
            return function(*args, **kwargs)
        return settings.run(function, args, kwargs)

    wrapper._torchdynamo_orig_callable = function
    wrapper.settings = settings
    return wrapper


def reset():
    """Forget every segment."""
    CACHES.clear()
    counters.clear()


__all__ = ["CACHES", "Settings", "compiled", "inspect", "reset"]
