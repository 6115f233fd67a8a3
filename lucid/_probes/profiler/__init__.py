"""torch.profiler: where time goes, which lucid does not measure yet; marks in programs change nothing, `profile` raises
when entered."""

import enum

__all__ = ["profile", "schedule", "tensorboard_trace_handler", "ProfilerAction", "ProfilerActivity", "record_function"]


class ProfilerActivity(enum.Enum):
    """What to watch."""

    CPU, XPU, MTIA, CUDA, HPU, PrivateUse1 = range(6)


class ProfilerAction(enum.Enum):
    """What to do in a step."""

    NONE, WARMUP, RECORD, RECORD_AND_SAVE = range(4)


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

    return action


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False):
    """tensorboard_trace_handler(dir_name) -> function that would write a profile for TensorBoard; NotImplementedError
    when called."""

    def handler(prof):
        raise NotImplementedError("torch.profiler.tensorboard_trace_handler: lucid does not record profiles yet")

    return handler


class record_function:
    """with record_function(name): a mark for the profiler; also a decorator."""

    def __init__(self, name, args=None):
        self.name, self.args = name, args

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    def __call__(self, fn):
        return fn


class profile:
    """profile(activities=None, schedule=None, ...): NotImplementedError when entered or started; use cProfile."""

    def __init__(self, **options):
        self.options = options

    def start(self):
        """start(): NotImplementedError."""
        raise NotImplementedError(
            "torch.profiler.profile: lucid does not record profiles yet; Python's cProfile shows where time goes"
        )

    __enter__ = start

    def stop(self):
        """stop(): nothing was started."""

    def step(self):
        """step(): nothing was started."""

    def __exit__(self, *exc):
        return False

    def key_averages(self, *args, **kwargs):
        """key_averages(): NotImplementedError."""
        self.start()

    def export_chrome_trace(self, path):
        """export_chrome_trace(path): NotImplementedError."""
        self.start()


_KinetoProfile = profile
