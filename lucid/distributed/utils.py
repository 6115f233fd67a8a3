"""torch.distributed.utils"""

from .._tensor.tensor import Tensor


def _to_kwargs(inputs, kwargs, target_device, use_side_stream_for_tensor_copies):
    return [inputs], [kwargs or {}]


def _verify_param_shape_across_processes(process_group, tensors, logger=None):
    """Nobody else has other shapes."""


def _sync_module_states(module, process_group, broadcast_bucket_size, src, params_and_buffers_to_ignore, **kwargs):
    """Nobody else has other states."""


_sync_params_and_buffers = _verify_param_shape_across_processes


def _apply_to_tensors(fn, container):
    if isinstance(container, Tensor):
        return fn(container)
    if isinstance(container, dict):
        return type(container)((k, _apply_to_tensors(fn, v)) for k, v in container.items())
    if isinstance(container, tuple) and hasattr(container, "_fields"):
        return type(container)(*(_apply_to_tensors(fn, v) for v in container))
    if isinstance(container, (list, tuple, set)):
        return type(container)(_apply_to_tensors(fn, v) for v in container)
    return container
