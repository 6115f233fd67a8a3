"""parallel_apply: modules on GPUs at once; without a GPU, torch's error."""

__all__ = ["get_a_var", "parallel_apply"]

from ..._tensor.tensor import Tensor


def get_a_var(obj):
    """get_a_var(obj) -> the first tensor in it, or None"""
    if isinstance(obj, Tensor):
        return obj
    if isinstance(obj, dict):
        obj = list(obj.items())
    for part in obj if isinstance(obj, (list, tuple)) else ():
        found = get_a_var(part)
        if found is not None:
            return found
    return None


def parallel_apply(modules, inputs, kwargs_tup=None, devices=None):
    """parallel_apply(modules, inputs): AssertionError for lists of different lengths; RuntimeError, there is no GPU."""
    for name, other in (("inputs", inputs), ("kwargs_tup", kwargs_tup), ("devices", devices)):
        if other is not None and len(modules) != len(other):
            raise AssertionError(
                f"The number of modules {len(modules)} is not equal to the number of {name} {len(other)}"
            )
    raise RuntimeError("Cannot access accelerator device when none is available.")
