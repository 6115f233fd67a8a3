"""Enumerations and classes of torch's profiler and graph in C++ that torch.autograd shows."""

from .._base.entering import at_home
from .._base.enumeration import enumeration
from .._base.refused import refuse, refused_class

_PROFILER, _AUTOGRAD = "lucid._C._profiler", "lucid._C._autograd"

ProfilerActivity = enumeration(
    "ProfilerActivity",
    _PROFILER,
    {"CPU": 0, "XPU": 1, "MTIA": 4, "CUDA": 2, "HPU": 3, "PrivateUse1": 5},
    "ProfilerActivity.CPU ...: what to watch.",
)
ProfilerState = enumeration(
    "ProfilerState",
    _PROFILER,
    {"Disabled": 0, "CPU": 1, "CUDA": 2, "NVTX": 3, "ITT": 4, "PRIVATEUSE1": 5, "KINETO": 6}
    | {"KINETO_GPU_FALLBACK": 7, "KINETO_PRIVATEUSE1_FALLBACK": 8, "KINETO_PRIVATEUSE1": 9},
)
DeviceType = enumeration(
    "DeviceType",
    _AUTOGRAD,
    {"CPU": 0, "CUDA": 1, "MKLDNN": 2, "OPENGL": 3, "OPENCL": 4, "IDEEP": 5, "HIP": 6, "FPGA": 7, "MAIA": 8, "XLA": 9}
    | {"Vulkan": 10, "Metal": 11, "XPU": 12, "MPS": 13, "MTIA": 19, "Meta": 14, "HPU": 15, "VE": 16, "Lazy": 17}
    | {"IPU": 18, "PrivateUse1": 20},
)
ProfilerConfig, ProfilerEvent = refuse(
    "torch.autograd", "ProfilerConfig ProfilerEvent", "kineto; use torch.profiler.profile"
).values()
SavedTensor = refused_class(
    "torch.autograd", "SavedTensor", "such object; use torch.autograd.graph.saved_tensors_hooks"
)


def kineto_available():
    """kineto_available() -> True: torch.profiler.profile works."""
    return True


kineto_available.__module__ = at_home(_AUTOGRAD)
