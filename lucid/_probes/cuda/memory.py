"""torch.cuda.memory: nothing is allocated where there is no device."""

import collections

from .errors import no_cuda


def empty_cache():
    """empty_cache(): nothing to free."""


def memory_stats(device=None):
    """memory_stats() -> empty OrderedDict"""
    return collections.OrderedDict()


host_memory_stats = memory_stats


def memory_stats_as_nested_dict(device=None):
    """memory_stats_as_nested_dict() -> {}"""
    return {}


def _zero(name):
    def f(device=None):
        return 0

    f.__name__, f.__doc__ = name, f"{name}() -> 0"
    return f


memory_allocated, max_memory_allocated = _zero("memory_allocated"), _zero("max_memory_allocated")
memory_reserved, max_memory_reserved = _zero("memory_reserved"), _zero("max_memory_reserved")
memory_cached, max_memory_cached = _zero("memory_cached"), _zero("max_memory_cached")


def _nothing(name):
    def f(device=None):
        return None

    f.__name__, f.__doc__ = name, f"{name}(): nothing to reset."
    return f


reset_peak_memory_stats = _nothing("reset_peak_memory_stats")
reset_accumulated_memory_stats = _nothing("reset_accumulated_memory_stats")
reset_max_memory_allocated = _nothing("reset_max_memory_allocated")
reset_max_memory_cached = _nothing("reset_max_memory_cached")


def memory_summary(device=None, abbreviated=False):
    """memory_summary() -> str that says there is no CUDA."""
    return "torch.cuda: no CUDA memory, lucid has no CUDA device"


def memory_snapshot(mempool_id=None):
    """memory_snapshot() -> []"""
    return []


def mem_get_info(device=None):
    """mem_get_info(): AssertionError, there is no CUDA here."""
    no_cuda()


def set_per_process_memory_fraction(fraction, device=None):
    """set_per_process_memory_fraction(fraction): AssertionError, there is no CUDA here."""
    no_cuda()


def caching_allocator_alloc(size, device=None, stream=None):
    """caching_allocator_alloc(size): AssertionError, there is no CUDA here."""
    no_cuda()


def caching_allocator_delete(mem_ptr):
    """caching_allocator_delete(pointer): AssertionError, there is no CUDA here."""
    no_cuda()


def get_allocator_backend():
    """get_allocator_backend() -> "native" """
    return "native"


def list_gpu_processes(device=None):
    """list_gpu_processes() -> str"""
    return "pynvml module not found, please install nvidia-ml-py"


def _record_memory_history(enabled="all", *args, **kwargs):
    """_record_memory_history(): AssertionError, there is no CUDA here."""
    no_cuda()


def _snapshot(device=None):
    """_snapshot(): AssertionError, there is no CUDA here."""
    no_cuda()
