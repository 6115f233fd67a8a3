"""Compiled functions: which segment fits a call, and what runs between segments."""

import dis
import functools
import re
import types
import warnings

from .._base.state import FAKING, local
from .._functorch import told as watchers
from .._inductor import config as inductor_config
from ..nn.modules.module import Module
from . import config, logs
from .backends import lookup_backend
from .decode import binder, is_plain
from .exc import Again, BackendCompilerFailed, FailOnRecompileLimitHit, RecompileError
from .frame import frame_of
from .guards import no_global_hooks, without_hooks
from .machine import run, step
from .reading import Stopped, read, read_until
from .real import REAL, Real, plainly
from .rules import is_library, is_read, is_torch
from .segment import MISS, Rest, Unproved
from .symbols import Dynamics, Settled
from .utils import counters

CACHES: dict = {}  # (code, settings' key) -> Cache


_CONTAINERS = ("Sequential.",)  # layers of torch's that call the program's


class Cache:
    """The segments of one code object, by where they begin."""

    def __init__(self, backend):
        self.by_place, self.dynamics = {}, {}  # place -> segments; what differed there
        self.backend = backend  # kept alive, since it is part of the key

    def clear(self):
        """Forget them."""
        for found in self.by_place.values():
            found.clear()
        self.dynamics.clear()


class Settings:
    """What torch.compile was told."""

    limit = None  # of variants of one place; None: config.recompile_limit

    def __init__(self, backend="inductor", fullgraph=False, dynamic=None, mode=None, options=None):
        self.backend, self.fullgraph, self.dynamic = lookup_backend(backend), fullgraph, dynamic
        told = {"mode": None if mode == "default" else mode, "options": options}
        self.told = {name: value for name, value in told.items() if value}
        kept = self.backend if callable(getattr(self.backend, "__hash__", None)) else id(self.backend)
        self.key = (kept, fullgraph, dynamic, repr(self.told))
        self.real = Real(self.call)

    def compile_graph(self, module, inputs):
        """What runs in the place of a graph, from the backend."""
        counters["stats"]["unique_graphs"] += 1
        watchers.show("graph", module)
        before, local.interpreters = local.interpreters, ()
        try:
            made = self.backend(module, inputs, **self.told)
        except Exception as error:
            raise BackendCompilerFailed(self.backend, error) from error
        finally:
            local.interpreters = before
        if not callable(made):
            raise BackendCompilerFailed(self.backend, TypeError("compiler_fn did not return callable"))
        return made

    # ---- calls

    def cache(self, code):
        """The segments of a code object."""
        found = CACHES.get((code, self.key))
        if found is None:
            found = CACHES[code, self.key] = Cache(self.backend)
        return found

    def call(self, function, args, kwargs):
        """A call that is run between segments: functions of the program are compiled for themselves."""
        if hasattr(function, "hooked"):
            return self.call_step(function, args, kwargs)
        function, args = unwrapped(function, args)
        if isinstance(function, types.FunctionType) and self.compiles(function):
            if not is_library(function):
                return self.run(function, args, kwargs)
            if function.__name__ == "forward" and function.__qualname__.startswith(_CONTAINERS):
                return plainly(run, self.real, frame_of(function, args, kwargs))
        return function(*args, **kwargs)

    def call_step(self, step, args, kwargs):
        """A call of an optimizer's step, which makes graphs of its own."""
        before, local.compiled_with = local.compiled_with, self
        try:
            return step(*args, **kwargs)
        finally:
            local.compiled_with = before

    def graphs_of(self, optimizer):
        """The graphs of an optimizer's steps."""
        from .optimizers import steps_of

        return steps_of(self, optimizer)

    def call_module(self, module, args, kwargs):
        """A module's call: its forward is compiled, hooks run around it."""
        if type(module).__call__ is Module.__call__ and _plain(module):
            function, args = unwrapped(module.forward, args)
            if isinstance(function, types.FunctionType) and self.compiles(function):
                return self.run(function, args, kwargs)
            return function(*args, **kwargs)
        if type(module).__call__ is not Module.__call__:
            return self.call(type(module).__call__, (module, *args), kwargs)
        return self.run(Module._call_impl, (module, *args), kwargs)

    def compiles(self, function):
        """Is a function one to compile?"""
        return is_read(function) and not is_torch(function) and is_plain(function.__code__)

    def run(self, function, args, kwargs):
        """function(*args, **kwargs), compiled."""
        cache = self.cache(function.__code__)
        if config.stance == "force_eager":
            return function(*args, **kwargs)
        frame = frame_of(function, args, kwargs)
        while True:
            try:
                segment, result = self._fitting(cache, frame)
            except Again as failed:
                error = failed.error
                break
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

        plainly(run, REAL, frame)
        raise error

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
        if len(found) >= (self.limit or config.recompile_limit):
            return self._too_many(frame, found), None
        if found:
            if config.stance == "eager_on_recompile":
                return Rest("the stance is eager_on_recompile", native=True), None
            self._recompiles(frame, found)
        segment = self._read(frame, cache.dynamics.setdefault(place, Dynamics(self.dynamic)))
        told(segment, frame, len(found))
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
        if config.stop_where_torch_does and segment.done and segment.draft.is_empty and not self.fullgraph:
            found.insert(0, Rest("nothing for a graph: torch never compiles that again"))
        return segment, result

    def _recompiles(self, frame, found):
        """No segment fits: say why, if somebody wants to know."""
        code = frame.program.code
        counters["recompiles"][code.co_name] += 1
        if "recompiles" in logs.wanted or config.error_on_recompile or config.stance == "fail_on_recompile":
            reasons = [f"- {frame.at}/{n}: {s.misfit(frame.locals, frame.stack)}" for n, s in enumerate(found)]
            text = f"Recompiling function {code.co_name} in {code.co_filename}:{code.co_firstlineno}\n"
            text += "\n".join(["    triggered by the following guard failure(s):", *[f"    {r}" for r in reasons]])
            logs.tell("recompiles", text, f"{frame.at}/{len(found)}")
            if config.error_on_recompile:
                raise RecompileError(text)
            if config.stance == "fail_on_recompile":
                raise RuntimeError(
                    f"Detected recompile when torch.compile stance is 'fail_on_recompile'. Reason:\n{text}"
                )

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
        if self.fullgraph or config.fail_on_recompile_limit_hit:
            raise FailOnRecompileLimitHit(f"recompile_limit reached for {code.co_name}")
        last = re.sub(r"\bL\['(\w+)'\]", r"\1", found[-1].misfit(frame.locals, frame.stack))
        warnings.warn(
            f"torch._dynamo hit config.recompile_limit ({self.limit or config.recompile_limit})\n"
            f"   function: '{code.co_name}' ({code.co_filename}:{code.co_firstlineno})\n"
            f"   last reason: {frame.at}/{len(found) - 1}: {last}\n"
            '   To log all recompilation reasons, use TORCH_LOGS="recompiles".',
            stacklevel=5,
        )
        found.insert(0, Rest("recompile_limit", native=True))
        return found[0]

    def _rest(self, function, frame, args, kwargs, native):
        if frame.at == 0 and native:
            return function(*args, **kwargs)
        return plainly(run, self.real, frame)


def told(segment, frame, number):
    """Tell the logs of a new segment."""
    where, code = f"{frame.at}/{number}", frame.program.code
    if segment.reason:
        line = frame.line if type(segment) is Rest else segment.draft.line
        text = f"Graph break in user code at {code.co_filename}:{line}\nGraph Break Reason: {segment.reason}"
        logs.tell("graph_breaks", text, where)
    if type(segment) is Rest:
        return
    module = segment.draft.module
    if module is not None and inductor_config.trace.enabled:
        _write(module, segment, f"torchdynamo/{code.co_name}_{code.co_firstlineno}_{frame.at}_{number}")
    if module is not None and "graph_code" in logs.wanted:
        logs.tell("graph_code", f"TRACED GRAPH\n{module.print_readable(print_output=False)}", where)
    if module is not None and "graph" in logs.wanted:
        logs.tell("graph", f"TRACED GRAPH\n{module.graph}", where)
    if "guards" in logs.wanted:
        logs.tell("guards", "GUARDS:\n" + "\n".join(f"+- {g.text()}" for g in segment.guards), where)
    if "segments" in logs.wanted:
        logs.tell("segments", segment.text, where)
    if "bytecode" in logs.wanted:
        logs.tell("bytecode", f"ORIGINAL BYTECODE {code.co_name}\n" + dis.Bytecode(code).dis(), where)


def _write(module, segment, name):
    """TORCH_COMPILE_DEBUG: a graph and its segment as files."""
    from .._inductor.debug import write_graph  # loaded when somebody compiles

    guards = "".join([f"{g.text()}\n" for g in segment.guards])
    write_graph(name, module, **{"segment.py": segment.text, "guards.txt": guards})


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
    code, bind = function.__code__, binder(function)
    cache = settings.cache(code)
    first = cache.by_place.setdefault((0, 0), [])
    is_simple = not (code.co_cellvars or code.co_freevars)

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        # The quick way, for a function that was read to its end.
        if is_simple and config.stance == "default" and function.__defaults__ is bind.__defaults__:
            locals = bind(*args, **kwargs)
            for segment in first:
                if not segment.done:
                    break
                try:
                    result = segment.run(locals, ())
                except Again:
                    break  # it fails once more below
                if result is not MISS and type(result) is not Unproved:
                    return result
        if FAKING and local.faking or local.interpreters and not config.compile_under_modes:
            return function(*args, **kwargs)
        return settings.run(function, args, kwargs)

    wrapper._torchdynamo_orig_callable = function
    wrapper.settings = settings
    return wrapper


def reset():
    """Forget every segment."""
    for cache in CACHES.values():
        cache.clear()
    counters.clear()


__all__ = ["CACHES", "Settings", "compiled", "reset"]
