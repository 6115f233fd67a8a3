"""torch.cuda on a machine without CUDA: it is not available, and what would need it says so."""

import contextlib

from .._utils import _get_device_index
from . import amp, jiterator, memory, nccl, nvtx, profiler, random, sparse, streams
from .errors import AcceleratorError, CudaError, DeferredCudaCallError, OutOfMemoryError, no_cuda
from .memory import (
    caching_allocator_alloc,
    caching_allocator_delete,
    empty_cache,
    get_allocator_backend,
    host_memory_stats,
    list_gpu_processes,
    max_memory_allocated,
    max_memory_cached,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_cached,
    memory_reserved,
    memory_snapshot,
    memory_stats,
    memory_stats_as_nested_dict,
    memory_summary,
    reset_accumulated_memory_stats,
    reset_max_memory_allocated,
    reset_max_memory_cached,
    reset_peak_memory_stats,
    set_per_process_memory_fraction,
)
from .random import (
    get_rng_state,
    get_rng_state_all,
    initial_seed,
    manual_seed,
    manual_seed_all,
    seed,
    seed_all,
    set_rng_state,
    set_rng_state_all,
)
from .streams import (
    CUDAGraph,
    Event,
    ExternalStream,
    Stream,
    StreamContext,
    current_stream,
    default_stream,
    graph,
    graph_pool_handle,
    is_current_stream_capturing,
    make_graphed_callables,
    set_stream,
    stream,
)

has_half, has_magma = True, False
default_generators = ()
_initialized = False


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


def is_tf32_supported():
    """is_tf32_supported() -> False"""
    return False


def _is_in_bad_fork():
    return False


def _lazy_call(call, **kwargs):
    """What torch puts off until CUDA starts never runs."""


def _lazy_init():
    no_cuda()


def get_arch_list():
    """get_arch_list() -> []"""
    return []


def get_gencode_flags():
    """get_gencode_flags() -> "" """
    return ""


def set_device(device):
    """set_device(device): refuses every device but a negative index, which means none."""
    if _get_device_index(device) >= 0:
        no_cuda()


def _needs_cuda(name, *parameters):
    def f(*args, **kwargs):
        no_cuda()

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"{name}({', '.join(parameters)}): AssertionError, there is no CUDA here."
    return f


init = _needs_cuda("init")
ipc_collect = _needs_cuda("ipc_collect")
synchronize = _needs_cuda("synchronize", "device=None")
current_device = _needs_cuda("current_device")
current_blas_handle = _needs_cuda("current_blas_handle")
get_device_name = _needs_cuda("get_device_name", "device=None")
get_device_capability = _needs_cuda("get_device_capability", "device=None")
get_device_properties = _needs_cuda("get_device_properties", "device=None")
can_device_access_peer = _needs_cuda("can_device_access_peer", "device", "peer_device")
cudart = _needs_cuda("cudart")
check_error = _needs_cuda("check_error", "res")
get_sync_debug_mode = _needs_cuda("get_sync_debug_mode")
set_sync_debug_mode = _needs_cuda("set_sync_debug_mode", "debug_mode")
utilization = _needs_cuda("utilization", "device=None")
memory_usage = _needs_cuda("memory_usage", "device=None")
temperature = _needs_cuda("temperature", "device=None")
power_draw = _needs_cuda("power_draw", "device=None")
clock_rate = _needs_cuda("clock_rate", "device=None")
device_memory_used = _needs_cuda("device_memory_used", "device=None")
_sleep = _needs_cuda("_sleep", "cycles")


class device(contextlib.AbstractContextManager):
    """device(device): a context that would make a CUDA device the current one; entering it fails unless the index is
    negative."""

    def __init__(self, device):
        self.idx = _get_device_index(device, optional=device is None) if device is not None else -1

    def __enter__(self):
        if self.idx >= 0:
            raise RuntimeError("PyTorch was compiled without CUDA support")

    def __exit__(self, *exc):
        return False


class device_of(device):
    """device_of(tensor): the context of the tensor's device, which does nothing for tensors that are not on CUDA."""

    def __init__(self, obj):
        self.idx = obj.get_device() if getattr(obj, "is_cuda", False) else -1


def _refuse(name):
    def __new__(cls, *args, **kwargs):
        if name.endswith("Storage"):
            raise AssertionError("Torch not compiled with CUDA enabled")
        raise TypeError(f"type torch.cuda.{name} not available. Torch not compiled with CUDA enabled.")

    return type(
        name,
        (),
        {
            "__new__": __new__,
            "__module__": "torch.cuda",
            "is_cuda": True,
            "__doc__": f"{name}: making one raises, there is no CUDA here.",
        },
    )


FloatTensor = _refuse("FloatTensor")
DoubleTensor = _refuse("DoubleTensor")
HalfTensor = _refuse("HalfTensor")
BFloat16Tensor = _refuse("BFloat16Tensor")
LongTensor = _refuse("LongTensor")
IntTensor = _refuse("IntTensor")
ShortTensor = _refuse("ShortTensor")
CharTensor = _refuse("CharTensor")
ByteTensor = _refuse("ByteTensor")
BoolTensor = _refuse("BoolTensor")
FloatStorage = _refuse("FloatStorage")
DoubleStorage = _refuse("DoubleStorage")
HalfStorage = _refuse("HalfStorage")
BFloat16Storage = _refuse("BFloat16Storage")
LongStorage = _refuse("LongStorage")
IntStorage = _refuse("IntStorage")
ShortStorage = _refuse("ShortStorage")
CharStorage = _refuse("CharStorage")
ByteStorage = _refuse("ByteStorage")
BoolStorage = _refuse("BoolStorage")
ComplexFloatStorage = _refuse("ComplexFloatStorage")
ComplexDoubleStorage = _refuse("ComplexDoubleStorage")

__all__ = [
    "AcceleratorError",
    "CUDAGraph",
    "CudaError",
    "DeferredCudaCallError",
    "Event",
    "ExternalStream",
    "OutOfMemoryError",
    "Stream",
    "StreamContext",
    "amp",
    "caching_allocator_alloc",
    "caching_allocator_delete",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_count",
    "device_of",
    "empty_cache",
    "get_allocator_backend",
    "get_arch_list",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "get_rng_state_all",
    "graph",
    "graph_pool_handle",
    "host_memory_stats",
    "init",
    "initial_seed",
    "ipc_collect",
    "is_available",
    "is_bf16_supported",
    "is_current_stream_capturing",
    "is_initialized",
    "list_gpu_processes",
    "make_graphed_callables",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_cached",
    "max_memory_reserved",
    "mem_get_info",
    "memory",
    "memory_allocated",
    "memory_cached",
    "memory_reserved",
    "memory_snapshot",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "nccl",
    "nvtx",
    "profiler",
    "random",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "reset_peak_memory_stats",
    "seed",
    "seed_all",
    "set_device",
    "set_per_process_memory_fraction",
    "set_rng_state",
    "set_rng_state_all",
    "set_stream",
    "sparse",
    "stream",
    "streams",
    "synchronize",
    "utilization",
]
