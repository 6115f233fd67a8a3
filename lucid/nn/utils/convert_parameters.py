"""All parameters as one vector and back."""

from ..._tensor.tensor import Tensor
from .._ops import ops, typename

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def _one_device(parameters):
    """parameters, as they come; a TypeError when they are on different devices."""
    device = None
    for p in parameters:
        if device is not None and p.get_device() != device:
            raise TypeError("Found two parameters on different devices, this is currently not supported.")
        device = p.get_device()
        yield p


def parameters_to_vector(parameters):
    """parameters_to_vector(parameters) -> 1-D Tensor of all their elements."""
    return ops.cat([p.view(-1) for p in _one_device(parameters)])


def vector_to_parameters(vec, parameters):
    """vector_to_parameters(vec, parameters): the parameters become views of vec's consecutive parts."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for p in _one_device(parameters):
        end = start + p.numel()
        p.data = vec[start:end].view_as(p).data
        start = end
