"""torch.cpu: the CPU, seen as a device like others."""

import contextlib
import platform
import types

from .._base.processor import instructions as _instructions


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


# torch's names of what Linux calls otherwise
_FLAGS = {"avx512_f": "avx512f", "bmi": "bmi1", "fma3": "fma", "lzcnt": "abm", "sha": "sha_ni", "sse3": "pni"}
_FLAGS |= {f"avx512_{part}": f"avx512{part}" for part in ("bw", "cd", "dq", "ifma", "vbmi", "vl")}
_SAME = """aes amx_bf16 amx_fp16 amx_int8 amx_tile avx avx2 avx512_bf16 avx512_bitalg avx512_fp16 avx512_vbmi2
    avx512_vnni avx512_vpopcntdq avx_vnni bmi2 clflush clflushopt clwb f16c fma4 popcnt sse sse2 sse4_1 sse4_2 sse4a
    ssse3""".split()


def get_capabilities():
    """get_capabilities() -> dict: {"avx2": True ...}, which instructions the processor has, and its architecture."""
    flags = _instructions()
    found = {name: _FLAGS.get(name, name) in flags for name in [*_SAME, *_FLAGS]}
    return types.MappingProxyType({"architecture": platform.machine(), **found})


def _supports(name):
    def supported():
        return get_capabilities()[name]

    return supported


_is_avx2_supported, _is_avx512_supported = _supports("avx2"), _supports("avx512_f")
_is_avx512_bf16_supported, _is_vnni_supported = _supports("avx512_bf16"), _supports("avx512_vnni")
_is_amx_tile_supported, _is_amx_fp16_supported = _supports("amx_tile"), _supports("amx_fp16")


class StreamContext:
    """with StreamContext(stream): there is one stream."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return None

    def __exit__(self, *exc):
        return None
