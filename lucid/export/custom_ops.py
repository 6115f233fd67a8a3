"""torch.export.custom_ops: reads of a wrapper's inner tensors, as calls."""

from ..utils._python_dispatch import is_traceable_wrapper_subclass


def _access_subclass_inner_tensor(src_subclass_tensor, attr):
    """_access_subclass_inner_tensor(tensor, attr) -> the tensor that a wrapper subclass holds under that name."""
    if not is_traceable_wrapper_subclass(src_subclass_tensor):
        raise AssertionError(
            f"Expected src_subclass_tensor to be a traceable wrapper subclass, but got {type(src_subclass_tensor)}"
        )
    return getattr(src_subclass_tensor, attr)
