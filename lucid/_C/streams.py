"""torch.Stream and torch.Event: on the CPU all work is done when a call returns, so there is nothing to wait for."""

import time

from .._base.device import device as _device


def _of(device):
    made = _device("cpu") if device is None else _device(device)
    if made.type not in ("cpu", "meta", "mps", "mlx"):
        raise RuntimeError(f"torch.Stream: there is no device of type {made.type} here")
    return made


class Stream:
    """Stream(device=None): a queue of work, always empty"""

    def __init__(self, device=None, priority=0, **kwargs):
        self.device = _of(device)
        self.stream_id, self.device_index, self.priority = 0, -1, priority
        self.device_type = 0

    def query(self):
        """query() -> True"""
        return True

    def synchronize(self):
        """synchronize(): nothing is under way."""

    def wait_event(self, event):
        """wait_event(event): nothing is under way."""

    wait_stream = wait_event

    def record_event(self, event=None):
        """record_event(event=None) -> Event"""
        event = Event(self.device) if event is None else event
        event.record(self)
        return event

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return False

    def __eq__(self, other):
        return isinstance(other, Stream) and self.device == other.device and self.stream_id == other.stream_id

    def __hash__(self):
        return hash((self.device, self.stream_id))

    def __repr__(self):
        return f"torch.Stream device_type={self.device.type}, device_index=-1, stream_id=0"


class Event:
    """Event(device=None, enable_timing=False): a moment; elapsed_time tells how far apart two are."""

    def __init__(self, device=None, *, enable_timing=False, blocking=False, interprocess=False):
        self.device, self.event_id = _of(device), 0
        self._timing, self._at = enable_timing, None

    def record(self, stream=None):
        """record(stream=None)"""
        self._at = time.perf_counter()

    def query(self):
        """query() -> True"""
        return True

    def wait(self, stream=None):
        """wait(stream=None): nothing is under way."""

    synchronize = wait

    def elapsed_time(self, end_event):
        """elapsed_time(later) -> float, milliseconds"""
        if not (self._timing and end_event._timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._at is None or end_event._at is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event._at - self._at) * 1000

    def __repr__(self):
        return f"torch.Event device_type={self.device.type}, device_index=-1, event_flag=0, event_id=0"


for _cls in (Stream, Event):
    _cls.__module__ = __name__.partition(".")[0]
