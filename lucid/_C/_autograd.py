"""torch._C._autograd: names of the graph's and the profiler's C++ half that Python programs touch."""

from .._base.entering import found_in
from .._base.enumeration import enumeration
from .._base.refused import refuse
from .._base.state import PROFILE, local
from .._modes.steps import _saved_tensors_hooks_disable, _saved_tensors_hooks_enable
from ..autograd.profiler_kinds import (
    DeviceType,
    ProfilerActivity,
    ProfilerEvent,
    SavedTensor,
    kineto_available,
)

CreationMeta = enumeration(
    "CreationMeta",
    "lucid._C._autograd",
    "DEFAULT IN_CUSTOM_FUNCTION MULTI_OUTPUT_NODE NO_GRAD_MODE INFERENCE_MODE",
)


@found_in("lucid._C._autograd")
def _get_data_attr(tensor):
    """_get_data_attr(tensor) -> tensor.data"""
    return tensor.data


def _profiler_enabled():
    """_profiler_enabled() -> bool: does a profiler measure?"""
    return bool(PROFILE)


def _supported_activities():
    """_supported_activities() -> {ProfilerActivity.CPU}"""
    return {ProfilerActivity.CPU}


def _saved_tensors_hooks_is_enabled():
    """_saved_tensors_hooks_is_enabled() -> bool"""
    return local.saved_hooks_error is None


def _saved_tensors_hooks_get_disabled_error_message():
    """_saved_tensors_hooks_get_disabled_error_message() -> what saved_tensors_hooks would raise, or None"""
    return local.saved_hooks_error


def _push_saved_tensors_default_hooks(pack, unpack):
    """_push_saved_tensors_default_hooks(pack, unpack): from now on they see every tensor that is saved."""
    if local.saved_hooks_error is not None:
        raise RuntimeError(local.saved_hooks_error)
    local.saved_hooks = (*local.saved_hooks, (pack, unpack))


def _pop_saved_tensors_default_hooks():
    """_pop_saved_tensors_default_hooks(): the last pair is taken away."""
    local.saved_hooks = local.saved_hooks[:-1]


def _top_saved_tensors_default_hooks(ignore_is_tracing=False):
    """_top_saved_tensors_default_hooks() -> the last pair, or None"""
    return local.saved_hooks[-1] if local.saved_hooks else None


globals().update(
    refuse(
        "torch._C._autograd",
        """TensorGeometry _ITraceActivity _InputMetadata _KinetoEvent _ProfilerDisableOptions _ProfilerResult
        _add_metadata_json _disable_profiler _disable_profiler_legacy _enable_profiler _enable_profiler_legacy
        _enable_record_function _is_kineto_stopped _kineto_step _prepare_profiler _profiler_type
        _record_function_with_args_enter _record_function_with_args_exit _set_empty_test_observer _soft_assert_raises
        _toggle_collection_dynamic""",
        "kineto; use torch.profiler.profile",
    )
)
globals().update(
    refuse(
        "torch._C._autograd",
        """_clear_callbacks _get_creation_meta _get_current_graph_task_keep_graph _get_sequence_nr _make_saved_tensor
        _saved_tensors_hooks_set_tracing _set_creation_meta _unsafe_set_version_counter""",
        "counterpart of this part of torch's engine",
    )
)
__all__ = [
    "CreationMeta",
    "DeviceType",
    "ProfilerActivity",
    "ProfilerEvent",
    "SavedTensor",
    "_get_data_attr",
    "_saved_tensors_hooks_disable",
    "_saved_tensors_hooks_enable",
    "kineto_available",
]
