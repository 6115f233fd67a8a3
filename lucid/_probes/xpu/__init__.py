"""torch.xpu: Intel GPUs, none here."""

import collections


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
