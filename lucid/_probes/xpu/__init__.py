"""torch.xpu: Intel GPUs, none here."""

import collections

from .._base.refused import refuse as _refuse


def is_available():
    """is_available() -> False"""
    return False


def device_count():
    """device_count() -> 0"""
    return 0


def is_initialized():
    """is_initialized() -> False"""
    return False


def is_bf16_supported(including_emulation=True):
    """is_bf16_supported() -> False"""
    return False


def empty_cache():
    """empty_cache(): nothing to free."""


def manual_seed(seed):
    """manual_seed(seed): ignored, there is no XPU here."""


manual_seed_all = manual_seed


def memory_stats(device=None):
    """memory_stats() -> empty OrderedDict"""
    return collections.OrderedDict()


def get_rng_state_all():
    """get_rng_state_all() -> []"""
    return []


def set_rng_state_all(new_states):
    """set_rng_state_all(states): ignored, there is no XPU here."""


def _needs_xpu(name):
    def f(*args, **kwargs):
        raise AssertionError("Torch not compiled with XPU enabled")

    f.__name__, f.__doc__ = name, f"{name}(...): AssertionError, there is no XPU here."
    return f


init = _needs_xpu("init")
synchronize = _needs_xpu("synchronize")
current_device = _needs_xpu("current_device")
set_device = _needs_xpu("set_device")
get_device_name = _needs_xpu("get_device_name")
get_device_properties = _needs_xpu("get_device_properties")
get_device_capability = _needs_xpu("get_device_capability")
mem_get_info = _needs_xpu("mem_get_info")
current_stream = _needs_xpu("current_stream")
get_rng_state = _needs_xpu("get_rng_state")
set_rng_state = _needs_xpu("set_rng_state")
memory_allocated = _needs_xpu("memory_allocated")
max_memory_allocated = _needs_xpu("max_memory_allocated")
memory_reserved = _needs_xpu("memory_reserved")
max_memory_reserved = _needs_xpu("max_memory_reserved")
reset_peak_memory_stats = _needs_xpu("reset_peak_memory_stats")


globals().update(
    _refuse(
        "torch.xpu",
        """Event Stream StreamContext XPUPluggableAllocator XPUGraph can_device_access_peer change_current_allocator
        clock_rate   device_memory_used get_per_process_memory_fraction get_stream_from_external
         graph_pool_handle initial_seed is_tf32_supported make_graphed_callables memory_snapshot
        memory_stats_as_nested_dict memory_usage MemPool power_draw use_mem_pool reset_accumulated_memory_stats
        seed seed_all set_per_process_memory_fraction set_stream stream streams temperature utilization""",
        "XPU",
    )
)


default_generators: tuple = ()


def get_arch_list():
    """get_arch_list() -> []: lucid is not built for any"""
    return []


def get_gencode_flags():
    """get_gencode_flags() -> "": lucid is not built for any"""
    return ""


def is_current_stream_capturing():
    """is_current_stream_capturing() -> False"""
    return False


globals().update(_refuse("torch.xpu", "device device_of graph", "XPU", type))
