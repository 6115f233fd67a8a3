"""scatter and gather: between GPUs; torch has no such thing for the CPU, and its errors are raised."""

from ..._base.device import device
from ..._tensor.tensor import Tensor

__all__ = ["scatter", "scatter_kwargs", "gather"]


def is_namedtuple(obj):
    """is_namedtuple(obj) -> bool"""
    return isinstance(obj, tuple) and hasattr(obj, "_asdict") and hasattr(obj, "_fields")


_is_namedtuple = is_namedtuple


def scatter(inputs, target_gpus, dim=0):
    """scatter(inputs, devices, dim=0) -> a list of inputs for each device. Tensors cannot be scattered on the CPU
    (ValueError); the rest is repeated."""

    def each(obj):
        if isinstance(obj, Tensor):
            kinds = [device(d).type if not isinstance(d, int) else None for d in target_gpus]
            if "cpu" in kinds:
                raise ValueError("Expected a non cpu device, but got: cpu")
            raise RuntimeError("scatter: there is no GPU to scatter a tensor to")
        if is_namedtuple(obj):
            return [type(obj)(*args) for args in zip(*map(each, obj), strict=False)]
        if isinstance(obj, tuple) and obj:
            return list(zip(*map(each, obj), strict=False))
        if isinstance(obj, list) and obj:
            return [list(i) for i in zip(*map(each, obj), strict=False)]
        if isinstance(obj, dict) and obj:
            return [type(obj)(i) for i in zip(*map(each, obj.items()), strict=False)]
        return [obj for _ in target_gpus]

    return each(inputs)


def scatter_kwargs(inputs, kwargs, target_gpus, dim=0):
    """scatter_kwargs(inputs, kwargs, devices, dim=0) -> (inputs for each device, kwargs for each device)"""
    given = scatter(inputs, target_gpus, dim) if inputs else []
    named = scatter(kwargs, target_gpus, dim) if kwargs else []
    given.extend(() for _ in range(len(named) - len(given)))
    named.extend({} for _ in range(len(given) - len(named)))
    return tuple(given), tuple(named)


def gather(outputs, target_device, dim=0):
    """gather(outputs, device, dim=0) -> outputs as one. Tensors cannot be gathered on the CPU (AssertionError)."""
    first = outputs[0]
    if isinstance(first, Tensor):
        raise AssertionError("Gather function not implemented for CPU tensors")
    if first is None:
        return None
    if isinstance(first, dict):
        if not all(len(first) == len(other) for other in outputs):
            raise ValueError("All dicts must have the same number of keys")
        return type(first)((k, gather([o[k] for o in outputs], target_device, dim)) for k in first)
    parts = [gather(part, target_device, dim) for part in zip(*outputs, strict=True)]
    return type(first)._make(parts) if is_namedtuple(first) else type(first)(parts)
