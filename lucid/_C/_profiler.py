"""torch._C._profiler: tracebacks of the program, kinds of what a profiler sees; kineto's own events are not there."""

import sys
import time

from .._base.enumeration import enumeration
from .._base.refused import refuse
from ..autograd.profiler import record_function
from ..autograd.profiler_kinds import ProfilerActivity, ProfilerConfig, ProfilerState

_HERE = "lucid._C._profiler"
RecordScope = enumeration(
    "RecordScope",
    _HERE,
    """FUNCTION BACKWARD_FUNCTION TORCHSCRIPT_FUNCTION KERNEL_FUNCTION_DTYPE CUSTOM_CLASS BUILD_FEATURE
    LITE_INTERPRETER USER_SCOPE STATIC_RUNTIME_OP STATIC_RUNTIME_MODEL""",
)
ActiveProfilerType = enumeration("ActiveProfilerType", _HERE, "NONE LEGACY KINETO NVTX ITT PRIVATEUSE1")
_EventType = enumeration("_EventType", _HERE, "TorchOp Backend Vulkan Allocation OutOfMemory PyCall PyCCall Kineto")


class CapturedTraceback:
    """Where a program was: made by gather_traceback, read by symbolize_tracebacks."""

    __slots__ = ("_frames",)

    def __init__(self, frames):
        self._frames = frames


def gather_traceback(python=True, script=True, cpp=True):
    """gather_traceback(python=True, script=True, cpp=True) -> CapturedTraceback of the calls that run; there are
    frames of Python only."""
    frames, frame = [], sys._getframe(1) if python else None
    while frame is not None:
        frames.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back
    return CapturedTraceback(frames)


def symbolize_tracebacks(to_symbolize):
    """symbolize_tracebacks([CapturedTraceback]) -> for each a list of {"name", "filename", "line"}, innermost first."""
    return [
        [{"name": code.co_name, "filename": code.co_filename, "line": line} for code, line in captured._frames]
        for captured in to_symbolize
    ]


def _get_approximate_time():
    """_get_approximate_time() -> int: a clock in nanoseconds."""
    return time.perf_counter_ns()


class _RecordFunctionFast(record_function):
    """with _RecordFunctionFast(name, input_values=(), keyword_values=None): a block that profilers show."""

    def __init__(self, name, input_values=None, keyword_values=None):
        super().__init__(name)


globals().update(
    refuse(
        "torch._C._profiler",
        """_ApproximateClockToUnixTimeConverter _ExperimentalConfig _ExtraFields_Allocation _ExtraFields_Backend
        _ExtraFields_Kineto _ExtraFields_OutOfMemory _ExtraFields_PyCCall _ExtraFields_PyCall _ExtraFields_TorchOp
        _ExtraFields_Vulkan _NNModuleInfo _OptimizerInfo _ProfilerEvent _PyFrameState _TensorMetadata
        _add_execution_trace_observer _disable_execution_trace_observer _enable_execution_trace_observer
        _remove_execution_trace_observer _set_cuda_sync_enabled_val _set_fwd_bwd_enabled_val
        _set_record_concrete_inputs_enabled_val symbolize_addresses""",
        "kineto; use torch.profiler.profile",
    )
)
__all__ = ["ActiveProfilerType", "CapturedTraceback", "ProfilerActivity", "ProfilerConfig", "ProfilerState"]
