"""torch.cpu: the CPU, seen as a device like others."""

import contextlib


class Stream:
    """Stream(): one that does nothing."""

    def __init__(self, priority=-1):
        self.priority = priority

    def wait_stream(self, stream):
        """wait_stream(stream): nothing to wait for."""

    def record_event(self):
        """record_event(): nothing to record."""

    def wait_event(self, event):
        """wait_event(event): nothing to wait for."""


class Event:
    """Event(): one that has always happened."""

    def query(self):
        return True

    def record(self, stream=None):
        """record(): nothing to record."""

    def synchronize(self):
        """synchronize(): nothing to wait for."""

    def wait(self, stream=None):
        """wait(): nothing to wait for."""


_stream = Stream()


def is_available():
    """is_available() -> True"""
    return True


def is_initialized():
    """is_initialized() -> True"""
    return True


def device_count():
    """device_count() -> 1"""
    return 1


def current_device():
    """current_device() -> "cpu" """
    return "cpu"


def set_device(device):
    """set_device(device): there is one."""


def synchronize(device=None):
    """synchronize(): nothing to wait for."""


def current_stream(device=None):
    """current_stream() -> Stream"""
    return _stream


@contextlib.contextmanager
def stream(stream):
    """with stream(stream): a block like any other."""
    yield
