"""torch.profiler: where time goes, op by op."""

from ..autograd.profiler import KinetoStepTracker, record_function
from ..autograd.profiler_util import DeviceType
from .profiler import (
    ExecutionTraceObserver,
    ProfilerAction,
    ProfilerActivity,
    _KinetoProfile,
    profile,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)

__all__ = [
    "profile",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "DeviceType",
    "record_function",
    "ExecutionTraceObserver",
]


def kineto_available():
    """kineto_available() -> False: lucid has a profiler of its own."""
    return False
