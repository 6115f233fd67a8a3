"""torch.profiler.profile: profiles of some of a program's steps."""

import enum
import gzip
import json
import os
import socket
import time

from .._base.refused import refused_class
from ..autograd.profiler import KinetoStepTracker, record_function
from ..autograd.profiler import profile as _autograd_profile
from ..autograd.profiler_kinds import ProfilerActivity
from ..autograd.profiler_util import chrome_trace

__all__ = [
    "supported_activities",
    "ProfilerAction",
    "schedule",
    "tensorboard_trace_handler",
    "profile",
    "ExecutionTraceObserver",
]
ExecutionTraceObserver = refused_class("torch.profiler", "ExecutionTraceObserver", "execution traces")


class ProfilerAction(enum.Enum):
    """What to do in a step."""

    NONE, WARMUP, RECORD, RECORD_AND_SAVE, DEVICE_STOPPED = range(5)


def supported_activities():
    """supported_activities() -> {ProfilerActivity.CPU}"""
    return {ProfilerActivity.CPU}


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """schedule(wait=, warmup=, active=, repeat=0, skip_first=0) -> function from the number of a step to a
    ProfilerAction."""

    def action(step):
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait != 0:
            step += wait
        cycle = wait + warmup + active
        if repeat and step // cycle >= repeat:
            return ProfilerAction.NONE
        at = step % cycle
        if at < wait:
            return ProfilerAction.NONE
        if at < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if at < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    if not (wait >= 0 and warmup >= 0 and active > 0 and repeat >= 0 and skip_first >= 0):
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    return action


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False, use_python_export=False):
    """tensorboard_trace_handler(dir_name) -> on_trace_ready= that writes each profile to the directory"""

    def handler(prof):
        os.makedirs(dir_name, exist_ok=True)
        name = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        prof.export_chrome_trace(
            os.path.join(dir_name, f"{name}.{time.time_ns()}.pt.trace.json{'.gz' if use_gzip else ''}")
        )

    return handler


class _KinetoProfile:
    """A profile from start to stop."""

    def __init__(
        self,
        *,
        activities=None,
        record_shapes=False,
        profile_memory=False,
        with_stack=False,
        with_flops=False,
        with_modules=False,
        experimental_config=None,
        execution_trace_observer=None,
        acc_events=False,
        custom_trace_id_callback=None,
        post_processing_timeout_s=None,
    ):
        self.activities = set(activities) if activities else supported_activities()
        self.record_shapes, self.profile_memory, self.with_stack = record_shapes, profile_memory, with_stack
        self.with_flops, self.with_modules, self.acc_events = with_flops, with_modules, acc_events
        self.profiler, self._metadata = None, {}

    def start(self):
        """start()"""
        self.prepare_trace()
        self.start_trace()

    def stop(self):
        """stop()"""
        self.stop_trace()

    def prepare_trace(self):
        """prepare_trace()"""
        self.profiler = _autograd_profile(
            record_shapes=self.record_shapes,
            with_flops=self.with_flops,
            profile_memory=self.profile_memory,
            with_stack=self.with_stack,
            with_modules=self.with_modules,
        )

    def start_trace(self):
        """start_trace()"""
        self._profiler().__enter__()

    def stop_trace(self):
        """stop_trace()"""
        self._profiler().__exit__(None, None, None)

    def _profiler(self):
        if self.profiler is None:
            raise AssertionError("Profiler must be initialized before using it")
        return self.profiler

    def events(self):
        """events() -> EventList"""
        return self._profiler().function_events

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False):
        """key_averages(group_by_input_shape=False, group_by_stack_n=0) -> EventList of averages"""
        return self._profiler().key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def export_chrome_trace(self, path):
        """export_chrome_trace(path): JSON for chrome://tracing; compressed if path ends in .gz"""
        trace = {**chrome_trace(self.events(), self.record_shapes), **self._metadata, "traceName": path}
        opened = gzip.open(path, "wt") if path.endswith(".gz") else open(path, "w")
        with opened as file:
            json.dump(trace, file)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """export_stacks(path, metric)"""
        self._profiler().export_stacks(path, metric)

    def add_metadata(self, key, value):
        """add_metadata(key, text)"""
        self._metadata[key] = value

    def add_metadata_json(self, key, value):
        """add_metadata_json(key, json text)"""
        self._metadata[key] = json.loads(value)

    def preset_metadata_json(self, key, value):
        """preset_metadata_json(key, json text)"""
        self.add_metadata_json(key, value)

    def toggle_collection_dynamic(self, enable, activities):
        """toggle_collection_dynamic(enable, activities): stop or go on measuring"""
        if ProfilerActivity.CPU in set(activities):
            self._profiler().toggle_collection_dynamic(enable, activities)

    def export_memory_timeline(self, path, device=None):
        """export_memory_timeline(path): NotImplementedError."""
        raise NotImplementedError("torch.profiler.profile.export_memory_timeline: lucid has no timeline of memory")


class profile(_KinetoProfile):
    """profile(activities=None, schedule=None, on_trace_ready=None, record_shapes=False, ...): measures the ops of all
    steps, or of those that the schedule names; `step()` ends a step."""

    def __init__(
        self,
        *,
        activities=None,
        schedule=None,
        on_trace_ready=None,
        record_shapes=False,
        profile_memory=False,
        with_stack=False,
        with_flops=False,
        with_modules=False,
        experimental_config=None,
        execution_trace_observer=None,
        acc_events=False,
        use_cuda=None,
        custom_trace_id_callback=None,
        post_processing_timeout_s=None,
    ):
        super().__init__(
            activities=activities,
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
            acc_events=acc_events,
        )
        self.record_steps = schedule is not None
        self.schedule = schedule or (lambda step: ProfilerAction.RECORD)
        self.on_trace_ready, self.step_num, self.step_rec_fn = on_trace_ready, 0, None
        self.current_action = self.schedule(0)
        self._running = False

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exc):
        self.stop()
        return False

    def start(self):
        """start()"""
        self._go(self.current_action)
        self._mark()

    def stop(self):
        """stop(): the profile that is being made ends, and on_trace_ready gets it."""
        self._unmark()
        if self._running:
            self._finish()

    def step(self):
        """step(): the next step begins."""
        self._unmark()
        before, self.step_num = self.current_action, self.step_num + 1
        self.current_action = self.schedule(self.step_num)
        if before == ProfilerAction.RECORD_AND_SAVE and self._running:
            self._finish()
        elif self._running and self.current_action not in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE):
            self._finish()
        KinetoStepTracker.increment_step("Torch")
        self._go(self.current_action)
        self._mark()

    def set_custom_trace_id_callback(self, callback):
        """set_custom_trace_id_callback(f): traces have no numbers here."""

    def get_trace_id(self):
        """get_trace_id() -> None"""
        return None

    def _go(self, action):
        if not self._running and action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE):
            self._running = True
            super().start()

    def _finish(self):
        self._running = False
        super().stop()
        if self.on_trace_ready:
            self.on_trace_ready(self)

    def _mark(self):
        if self.record_steps and self._running:
            self.step_rec_fn = record_function(f"ProfilerStep#{self.step_num}")
            self.step_rec_fn.__enter__()

    def _unmark(self):
        if self.step_rec_fn is not None:
            self.step_rec_fn.__exit__(None, None, None)
            self.step_rec_fn = None
