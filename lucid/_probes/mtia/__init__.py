"""torch.mtia: Meta's accelerators, none here."""

from .._base.refused import refuse as _refuse


def is_available():
    """is_available() -> False"""
    return False


def device_count():
    """device_count() -> 0"""
    return 0


globals().update(
    _refuse(
        "torch.mtia",
        """synchronize current_device current_stream default_stream get_device_capability get_device_properties
        record_memory_history snapshot attach_out_of_memory_observer set_device set_stream stream
        set_rng_state get_rng_state set_rng_state_all get_rng_state_all seed seed_all initial_seed MTIAGraph
        graph_pool_handle""",
        "MTIA",
    )
)


def init():
    """init(): there is nothing to start"""


def is_initialized():
    """is_initialized() -> False"""
    return False


def is_bf16_supported():
    """is_bf16_supported() -> False"""
    return False


def empty_cache():
    """empty_cache(): nothing to free"""


def manual_seed(seed):
    """manual_seed(seed): ignored, there is no MTIA here"""


manual_seed_all = manual_seed


def memory_stats(device=None):
    """memory_stats() -> {}"""
    return {}


def memory_allocated(device=None):
    """memory_allocated() -> 0"""
    return 0


max_memory_allocated = memory_allocated


def reset_peak_memory_stats(device=None):
    """reset_peak_memory_stats(): there are none"""


globals().update(_refuse("torch.mtia", "device graph", "MTIA", type))
