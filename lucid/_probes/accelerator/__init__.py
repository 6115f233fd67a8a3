"""torch.accelerator: the machine's accelerator, whichever it is: the Apple GPU through mlx, or none."""

from .._array.mlx.device import has_metal
from .._base.device import device
from .._base.refused import refuse as _refuse


def is_available():
    """is_available() -> bool"""
    return has_metal()


def device_count():
    """device_count() -> int"""
    return int(has_metal())


def current_accelerator(check_available=False):
    """current_accelerator() -> device, or None where there is none."""
    return device("mps") if has_metal() else None


def _needs():
    if not has_metal():
        raise RuntimeError("Cannot access accelerator device when none is available.")


def current_device_index():
    """current_device_index() -> 0; RuntimeError without an accelerator."""
    _needs()
    return 0


current_device_idx = current_device_index


def set_device_index(device):
    """set_device_index(device): there is one at most; RuntimeError without an accelerator."""
    _needs()


set_device_idx = set_device_index


def synchronize(device=None):
    """synchronize(): values are there when they are read; RuntimeError without an accelerator."""
    _needs()


def current_stream(device=None):
    """current_stream(): RuntimeError, there are no streams."""
    _needs()
    raise NotImplementedError("lucid has no streams")


def set_stream(stream):
    """set_stream(stream): RuntimeError, there are no streams."""
    _needs()
    raise NotImplementedError("lucid has no streams")


def empty_cache():
    """empty_cache(): nothing to free; RuntimeError without an accelerator."""
    _needs()


def memory_stats(device=None):
    """memory_stats() -> {}: nothing is counted; RuntimeError without an accelerator."""
    _needs()
    return {}


def memory_allocated(device=None):
    """memory_allocated() -> 0: nothing is counted; RuntimeError without an accelerator."""
    _needs()
    return 0


def get_memory_info(device=None):
    """get_memory_info(): RuntimeError without an accelerator; NotImplementedError, lucid has no count of its memory."""
    _needs()
    raise NotImplementedError("torch.accelerator.get_memory_info: lucid has no count of a device's memory")


max_memory_allocated = max_memory_reserved = memory_reserved = memory_allocated


def reset_peak_memory_stats(device=None):
    """reset_peak_memory_stats(): nothing is counted; RuntimeError without an accelerator."""
    _needs()


reset_accumulated_memory_stats = empty_host_cache = reset_peak_memory_stats


globals().update(
    _refuse(
        "torch.accelerator",
        """Graph""",
        "graphs of an accelerator",
    )
)


def get_device_capability(device=None):
    """get_device_capability(): RuntimeError without an accelerator"""
    _needs()
    return {}


class device_index:
    """with device_index(i): another accelerator for a while; None changes nothing, RuntimeError without one."""

    def __init__(self, device, /):
        self.idx = device

    def __enter__(self):
        if self.idx is not None:
            _needs()

    def __exit__(self, *exc):
        return None
