"""torch.autograd.profiler: measures lucid's ops and the nodes of backward, as they run.

Ops have ATen's names. While a profiler is on, ops go the long way, which takes some microseconds more each.
"""

import contextlib
import functools
import math
import sys
import threading
import time

from .._aten.spelling import op_name
from .._backend.autocast import rules_run
from .._base.refused import refuse
from .._base.state import PROFILE, enter_unusual, leave_unusual
from .._tensor.tensor import Tensor
from ..futures import Future as Future
from .profiler_kinds import DeviceType, ProfilerActivity, ProfilerConfig, ProfilerState  # noqa: F401
from .profiler_kinds import kineto_available as kineto_available
from .profiler_util import EventList, FunctionEvent, FunctionEventAvg, Kernel, MemRecordsAcc  # noqa: F401

__all__ = ["profile", "record_function", "emit_itt", "emit_nvtx", "EnforceUnique", "KinetoStepTracker", "EventList"]
_MATMULS = {"mm", "addmm", "bmm", "baddbmm", "matmul", "linear"}


class _Recorder:
    """Notes what runs between `begin` and `end`; the ops and nodes of all threads."""

    def __init__(self, record_shapes=False, profile_memory=False, with_stack=False, with_flops=False):
        self.shapes, self.memory, self.stack, self.flops = record_shapes, profile_memory, with_stack, with_flops
        self.events, self._open = [], threading.local()

    def begin(self):
        PROFILE.append(self)
        enter_unusual()

    def end(self):
        leave_unusual()
        PROFILE.remove(self)

    @contextlib.contextmanager
    def event(self, name, tensors=(), note=False):
        """Note the time of a block, as a part of the block that is open."""
        opened = self._open.__dict__.setdefault("stack", [])
        made = FunctionEvent(len(self.events), name, threading.get_native_id(), 0.0, 0.0, note=note)
        if self.shapes:
            made.input_shapes = [list(t.shape) if isinstance(t, Tensor) else [] for t in tensors]
        if self.stack:
            made.stack = _stack()
        self.events.append(made)
        if opened:
            made.cpu_parent = opened[-1]
            opened[-1].cpu_children.append(made)
        opened.append(made)
        made.time_range.start = time.perf_counter_ns() / 1e3
        try:
            yield made
        finally:
            made.time_range.end = time.perf_counter_ns() / 1e3
            opened.remove(made)

    def op(self, compute, op, tensors, options, out):
        """Run an op, noted under its ATen name; out is "_" for the in-place form."""
        flat = [t for x in tensors for t in (x if isinstance(x, (tuple, list)) else (x,))]
        name = op_name(op) + ("_" if out == "_" else "")
        with self.event(f"aten::{name}", flat) as made:
            result = compute(op, tensors, options, out)
        if self.memory and out is None and isinstance(result, Tensor) and not op.view:
            made.cpu_memory_usage = result.numel() * result.element_size()
            above = made.cpu_parent
            while above is not None:
                above.cpu_memory_usage += made.cpu_memory_usage
                above = above.cpu_parent
        if self.flops and isinstance(result, Tensor):
            made.flops = _flops(name, flat, result)
        return result

    def node(self, node, g, edges, create):
        """Run a node of the walk, noted as torch's engine does."""
        name = node.name()
        with self.event(f"autograd::engine::evaluate_function: {name}"), self.event(name):
            return rules_run(node, g, edges, create)


def _flops(name, tensors, result):
    """torch's count of the products and sums of an op; 0 for those that it does not count."""
    if name in _MATMULS:
        factor = tensors[1 if name in ("addmm", "baddbmm") else 0]
        return 2 * result.numel() * (factor.shape[-1] if isinstance(factor, Tensor) and factor.ndim else 1)
    if name == "convolution" and isinstance(tensors[1], Tensor):
        return 2 * result.numel() * math.prod(tensors[1].shape[1:])
    return result.numel() if name in ("mul", "add") else 0


def _stack():
    """The calls above an op outside lucid, the innermost first."""
    frame, lines, home = sys._getframe(1), [], __name__.partition(".")[0]
    while frame is not None:
        inner = frame.f_globals.get("__name__", "").partition(".")[0] in ("lucid", "torch", "contextlib", home)
        if not inner and "<lucid>" not in frame.f_code.co_filename:
            lines.append(f"{frame.f_code.co_filename}({frame.f_lineno}): {frame.f_code.co_name}")
        frame = frame.f_back
    return lines


class record_function:
    """with record_function(name): a block in the profile, under its name; also a decorator."""

    def __init__(self, name, args=None):
        self.name, self.args, self._notes = name, args, []

    def __enter__(self):
        self._notes = [recorder.event(self.name, note=True) for recorder in PROFILE]
        for note in self._notes:
            note.__enter__()
        return self

    def __exit__(self, *exc):
        notes, self._notes = self._notes, []
        for note in notes:
            note.__exit__(None, None, None)

    def __call__(self, fn):
        @functools.wraps(fn)
        def wrapped(*args, **kwargs):
            with type(self)(self.name, self.args):
                return fn(*args, **kwargs)

        return wrapped

    def _call_end_callbacks_on_future(self, fut):
        return fut


class profile:
    """with profile() as prof: ...; prof.key_averages().table(), prof.function_events."""

    def __init__(
        self,
        enabled=True,
        *,
        use_cuda=False,
        use_device=None,
        record_shapes=False,
        with_flops=False,
        profile_memory=False,
        with_stack=False,
        with_modules=False,
        use_kineto=False,
        use_cpu=True,
        experimental_config=None,
        acc_events=False,
        custom_trace_id_callback=None,
        post_processing_timeout_s=None,
        activity_filters=None,
    ):
        self.enabled, self.entered = enabled, False
        self.record_shapes = record_shapes or with_flops
        self.profile_memory, self.with_stack, self.with_flops = profile_memory, with_stack, with_flops
        self.with_modules, self.use_device, self.use_cpu = with_modules, None, use_cpu
        self._recorder, self._events, self._stats = None, None, None

    def __enter__(self):
        if not self.enabled:
            return self
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self.entered = True
        self._recorder = _Recorder(self.record_shapes, self.profile_memory, self.with_stack, self.with_flops)
        self._recorder.begin()
        return self

    def __exit__(self, *exc):
        if self.enabled:
            self._recorder.end()
            events = self._recorder.events
            for event in events:
                event.time_range.end = max(event.time_range.end, event.time_range.start)
            self._events = EventList(events, None, self.profile_memory, self.with_flops)
        return False

    def _checked(self):
        if self._events is None:
            raise RuntimeError("Profiler didn't finish running")
        return self._events

    @property
    def function_events(self):
        """EventList of what ran"""
        return self._checked()

    def __repr__(self):
        return "<unfinished profiler_legacy.profile>" if self._events is None else repr(self._events)

    def __str__(self):
        return "<unfinished profile>" if self._events is None else str(self._events)

    def table(self, sort_by=None, row_limit=100, **kwargs):
        """table(sort_by=None, row_limit=100, ...) -> str"""
        return self._checked().table(sort_by, row_limit, **kwargs)

    def export_chrome_trace(self, path):
        """export_chrome_trace(path)"""
        self._checked().export_chrome_trace(path)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """export_stacks(path, metric)"""
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self._checked().export_stacks(path, metric)

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """key_averages(group_by_input_shape=False) -> EventList of averages"""
        return self._checked().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self):
        """total_average() -> FunctionEventAvg"""
        return self._checked().total_average()

    @property
    def self_cpu_time_total(self):
        """Microseconds of all"""
        return self._checked().self_cpu_time_total

    def toggle_collection_dynamic(self, enabled, activities):
        """toggle_collection_dynamic(enabled, activities): stop or go on measuring"""
        on = self._recorder in PROFILE
        if on != bool(enabled):
            self._recorder.begin() if enabled else self._recorder.end()


class emit_nvtx:
    """with emit_nvtx(): marks for NVIDIA's profiler, of which there are none."""

    def __init__(self, enabled=True, record_shapes=False):
        self.enabled = enabled

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False


class emit_itt(emit_nvtx):
    """with emit_itt(): marks for Intel's profiler, of which there are none."""


globals().update(refuse("torch.autograd.profiler", "load_nvprof parse_nvprof_trace", "traces of NVIDIA's profiler"))


class EnforceUnique:
    """EnforceUnique().see(key): RuntimeError for a key that came before"""

    def __init__(self):
        self.seen = set()

    def see(self, *key):
        """see(*key)"""
        if key in self.seen:
            raise RuntimeError("duplicate key: " + str(key))
        self.seen.add(key)


class KinetoStepTracker:
    """Counts steps, by name."""

    _current_step = 0
    _steps: dict = {}

    @classmethod
    def init_step_count(cls, requester):
        """init_step_count(requester)"""
        cls._steps[requester] = cls._current_step

    @classmethod
    def erase_step_count(cls, requester):
        """erase_step_count(requester) -> bool"""
        return cls._steps.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester):
        """increment_step(requester) -> int"""
        cls._steps[requester] = cls._steps.get(requester, cls._current_step) + 1
        cls._current_step = max(cls._steps.values())
        return cls._current_step

    @classmethod
    def current_step(cls):
        """current_step() -> int"""
        return cls._current_step
