"""torch.monitor: events that a program logs, and numbers that are summed up in windows of time and logged as events."""

import datetime
import threading
import time

from ._base.enumeration import enumeration

STAT_EVENT = "torch.monitor.Stat"
Aggregation = enumeration(
    "Aggregation", "lucid._C._monitor", {"VALUE": 0, "MEAN": 2, "COUNT": 3, "SUM": 4, "MAX": 5, "MIN": 6}
)
VALUE, MEAN, COUNT, SUM, MAX, MIN = Aggregation.__members__.values()
_handlers: dict = {}
_AGGREGATE = {
    MEAN: lambda values: sum(values) / len(values) if values else 0.0,
    COUNT: lambda values: float(len(values)),
    SUM: lambda values: float(sum(values)),
    MAX: lambda values: max(values, default=0.0),
    MIN: lambda values: min(values, default=0.0),
}


class data_value_t:
    """What an event holds: str, float, int or bool."""


class Event:
    """Event(name, timestamp, data): something that happened; data maps names to str, float, int or bool."""

    def __init__(self, name, timestamp, data):
        fits = isinstance(name, str) and isinstance(timestamp, datetime.datetime) and isinstance(data, dict)
        if not fits or not all(isinstance(v, (str, float, int)) for v in data.values()):
            raise TypeError(
                "__init__(): incompatible constructor arguments. The following argument types are supported:\n"
                "    1. torch._C._monitor.Event(name: str, timestamp: datetime.datetime, data: "
                f"collections.abc.Mapping[str, data_value_t])\n\nInvoked with: {name!r}, {timestamp!r}, {data!r}"
            )
        self.name, self.timestamp = name, timestamp
        self.data = {k: float(v) if isinstance(v, bool) else v for k, v in data.items()}


class EventHandlerHandle:
    """What register_event_handler gives."""


def register_event_handler(callback):
    """register_event_handler(callback) -> EventHandlerHandle: callback(event) is called for every event."""
    handle = EventHandlerHandle()
    _handlers[handle] = callback
    return handle


def unregister_event_handler(handler):
    """unregister_event_handler(handle): its function is not called any more."""
    _handlers.pop(handler, None)


def log_event(event):
    """log_event(event): all handlers are called with it."""
    for callback in list(_handlers.values()):
        callback(event)


class Stat:
    """Stat(name, aggregations, window_size, max_samples=2**63 - 1): numbers of a window of time (a timedelta), logged
    as an event when the window is over or max_samples are there; what comes then until its end is not counted."""

    def __init__(self, name, aggregations, window_size, max_samples=2**63 - 1):
        self.name, self._kinds, self._most = name, list(aggregations), max_samples
        self._length, self._lock = window_size.total_seconds(), threading.Lock()
        self._values: list = []
        self._result = self._summary([])
        self._window, self._full = self._now(), False

    def _now(self):
        return int(time.monotonic() / self._length)

    def _summary(self, values):
        return {kind: _AGGREGATE[kind](values) for kind in self._kinds if kind in _AGGREGATE}

    def _log(self):
        self._result, self._values = self._summary(self._values), []
        data = {f"{self.name}.{kind.name.lower()}": value for kind, value in self._result.items()}
        log_event(Event(STAT_EVENT, datetime.datetime.now(), data))

    def _turn(self):
        """A window that is over is logged."""
        if (now := self._now()) != self._window:
            self._window, self._full = now, False
            if self._values:
                self._log()

    def add(self, v):
        """add(v): one number more."""
        with self._lock:
            self._turn()
            if not self._full:
                self._values.append(float(v))
            if len(self._values) >= self._most:
                self._full = True
                self._log()

    def get(self):
        """get() -> {Aggregation: number} of the window that was logged last, zeros before."""
        with self._lock:
            return dict(self._result)

    @property
    def count(self):
        """How many numbers the window that runs has."""
        return len(self._values)


class TensorboardEventHandler:
    """TensorboardEventHandler(writer): writes the numbers of Stats to a SummaryWriter, as scalars."""

    def __init__(self, writer):
        self._writer = writer

    def __call__(self, event):
        if event.name == STAT_EVENT:
            for k, v in event.data.items():
                self._writer.add_scalar(k, v, walltime=event.timestamp.timestamp())
