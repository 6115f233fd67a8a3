"""torch.onnx.operators: shapes as tensors, which a traced program would keep as computed."""

from .._tensor.tensor import Tensor
from ..nn._ops import ops


def shape_as_tensor(x):
    """shape_as_tensor(x) -> int64 tensor of x's shape"""
    return ops.tensor(list(x.shape), dtype=ops.arange(0).dtype)


def reshape_from_tensor_shape(x, shape):
    """reshape_from_tensor_shape(x, shape) -> x.reshape(shape), shape being a tensor"""
    return x.reshape(shape.tolist() if isinstance(shape, Tensor) else shape)
