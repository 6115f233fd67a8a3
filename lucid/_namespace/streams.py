"""torch.Stream and torch.Event: queues of work on a device. lucid's devices do what they are asked at once, so there is
one queue, which is always empty."""

from .._base.device import device as device_type


def _place(device, index=-1):
    if isinstance(device, int):
        raise RuntimeError("Cannot access accelerator device when none is available.")
    place = device_type("cpu" if device is None else device)
    if place.type not in ("cpu", "meta"):
        raise RuntimeError(f"PyTorch is not linked with support for {place.type} devices")
    return place


class Stream:
    """Stream(device="cpu", *, priority=0): the queue of a device."""

    def __init__(self, device=None, *, priority=0, stream_id=0, device_index=-1, device_type=0):
        self.device, self.stream_id, self.device_index, self.device_type = _place(device), 0, -1, device_type

    def query(self):
        """query() -> True: everything is done."""
        return True

    def synchronize(self):
        """synchronize(): everything is done."""

    def wait_event(self, event):
        """wait_event(event): everything is done."""

    def record_event(self, event=None):
        """record_event(): RuntimeError, as on torch's CPU."""
        raise RuntimeError(f"{self.device.type} backend doesn't support events.")

    def wait_stream(self, stream):
        """wait_stream(stream): RuntimeError, as on torch's CPU."""
        raise RuntimeError(f"{self.device.type} backend doesn't support events.")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return None

    def __eq__(self, other):
        return isinstance(other, Stream) and self.device == other.device

    def __hash__(self):
        return hash((self.device, self.stream_id))

    def __repr__(self):
        return f"torch.Stream device_type={self.device.type}, device_index=-1, stream_id=0"


class Event:
    """Event(device="cpu", *, enable_timing=False): a moment in the queue of a device."""

    def __init__(self, device=None, *, enable_timing=False, blocking=False, interprocess=False):
        self.device, self.event_id, self._timing = _place(device), 0, enable_timing

    def query(self):
        """query() -> True: everything is done."""
        return True

    def synchronize(self):
        """synchronize(): everything is done."""

    def wait(self, stream=None):
        """wait(): everything is done."""

    def record(self, stream=None):
        """record(): RuntimeError, as on torch's CPU."""
        raise RuntimeError(f"{self.device.type} backend doesn't support events.")

    def elapsed_time(self, end_event):
        """elapsed_time(event): RuntimeError or ValueError, as on torch's CPU, which records no events."""
        if not (self._timing and end_event._timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        raise ValueError("Both events must be recorded before calculating elapsed time.")

    def __repr__(self):
        return f"torch.Event device_type={self.device.type}, device_index=-1, event_flag=0, event_id=0"


for _cls in (Stream, Event):
    _cls.__module__ = "lucid"
