"""torch.onnx.operators: sizes as tensors."""

from .._aten.overloads import packet

shape_as_tensor = packet("aten", "_shape_as_tensor")


def reshape_from_tensor_shape(x, shape):
    """reshape_from_tensor_shape(x, shape as a tensor) -> Tensor"""
    return x.reshape(shape.tolist())
