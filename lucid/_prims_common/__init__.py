"""torch._prims_common: what functions of shapes and types share; see types.py and shapes.py."""

from .._aten.overloads import packet
from .._backend.registry import NAMESPACES
from .._base.device import device as _device
from .._base.refused import refused_class as _refused_class
from .._base.shape import Size as _Size
from .._tensor.tensor import Tensor
from . import wrappers
from .shapes import *  # noqa: F403
from .shapes import (
    _is_non_overlapping_and_dense_or_false,
    _memory_formats,
    is_cpu_scalar_tensor,
    is_same_shape,
)
from .strides import *  # noqa: F403
from .types import *  # noqa: F403
from .types import (
    _complex_dtypes,
    _complex_to_real_dtype_map,
    _computation_dtype_map,
    _integer_dtypes,
    _low_precision_dtypes,
    _ordered_types,
    _real_to_complex_dtype_map,
)

NumberType, RealNumberType = bool | int | float | complex, bool | int | float
NumberTypeType = type[bool] | type[int] | type[float] | type[complex]
Dim = IntWithoutSymInt = int
FloatWithoutSymFloat = float
ShapeType, StrideType = _Size | list[int] | tuple[int, ...], list[int] | tuple[int, ...]
DimsType, DimsSequenceType = int | list[int] | tuple[int, ...], list[int] | tuple[int, ...]
TensorLike = TensorLikeType = Tensor
TensorSequenceType = list[Tensor] | tuple[Tensor, ...]
TensorOrNumberLikeType = Tensor | NumberType
DeviceLikeType = str | _device | int
CustomOutParamAnnotation = "__custom_out_param__"
sym_max, sym_min, sym_int, sym_float = (NAMESPACES["torch"][f"sym_{n}"] for n in "max min int float".split())
torch_function_passthrough = {sym_max, Tensor.numel, Tensor.stride, Tensor.dim, Tensor.is_contiguous}
CUDARngStateHelper = _refused_class("torch._prims_common", "CUDARngStateHelper", "CUDA")


def check(b, s, exc_type=RuntimeError):
    """check(condition, message function, exc_type=RuntimeError): exc_type(message()) unless the condition holds"""
    if not b:
        raise exc_type(s())


def check_same_shape(*args, allow_cpu_scalar_tensors):
    """check_same_shape(*operands, allow_cpu_scalar_tensors=): RuntimeError unless tensors have one shape"""
    shape = None
    for x in args:
        if isinstance(x, Number):  # noqa: F405
            continue
        if not isinstance(x, Tensor):
            raise RuntimeError(f"Unexpected type when checking for same shape, {type(x)}!")
        if allow_cpu_scalar_tensors and is_cpu_scalar_tensor(x):
            continue
        if shape is not None and not is_same_shape(shape, x.shape):
            raise RuntimeError(f"Shape {x.shape} is not the expected shape {shape}!")
        shape = x.shape


def check_same_device(*args, allow_cpu_scalar_tensors):
    """check_same_device(*operands, allow_cpu_scalar_tensors=): RuntimeError unless tensors are on one device"""
    device = None
    for x in args:
        if isinstance(x, Number):  # noqa: F405
            continue
        if not isinstance(x, Tensor):
            raise RuntimeError(f"Unexpected type when checking for same device, {type(x)}!")
        if allow_cpu_scalar_tensors and is_cpu_scalar_tensor(x):
            continue
        if device is not None and x.device != device:
            raise RuntimeError(f"Tensor on device {x.device} is not on the expected device {device}!")
        device = x.device


def check_same_dtype(*args):
    """check_same_dtype(*operands): RuntimeError unless tensors have one type"""
    dtype = None
    for x in args:
        if isinstance(x, Tensor):
            if dtype is not None and x.dtype is not dtype:
                raise RuntimeError(f"Tensor with dtype {x.dtype} is not the expected dtype of {dtype}!")
            dtype = x.dtype


def check_layout(layout):
    """check_layout(layout): RuntimeError unless it is torch.strided"""
    check(str(layout) == "torch.strided", lambda: f"PrimTorch doesn't support layout={layout}")


def check_pin_memory(pin_memory):
    """check_pin_memory(on): RuntimeError if it is on"""
    check(not pin_memory, lambda: "PrimTorch does not support pinned memory", NotImplementedError)


def check_fp_or_complex(dtype, fn_name, allow_low_precision_dtypes=True):
    """check_fp_or_complex(dtype, name): RuntimeError for integers and bools"""
    check(
        is_grad_dtype(dtype),  # noqa: F405
        lambda: f"{fn_name}: Expected a floating point or complex tensor as input. Got {dtype}",
    )
    check(
        allow_low_precision_dtypes or not is_low_precision_dtype(dtype),  # noqa: F405
        lambda: f"{fn_name}: Half precision dtypes not supported. Got {dtype}",
    )


def check_is_matrix(A, f_name, arg_name="A"):
    """check_is_matrix(tensor, name): RuntimeError for fewer than two dimensions"""
    check(
        A.ndim >= 2,
        lambda: f"{f_name}: The input tensor {arg_name} must have at least 2 dimensions.",
    )


def alert_not_deterministic(caller):
    """alert_not_deterministic(name): nothing, lucid's kernels add up in one order."""


def get_aten_op(fn, name):
    """get_aten_op(function, name) -> the default overload of that op of ATen"""
    return getattr(packet("aten", name), "default", None)


def set_correction(unbiased=None, correction=None):
    """set_correction(unbiased=None, correction=None) -> float: what a variance subtracts from its count"""
    check(correction is None or unbiased is None, lambda: "cannot specify both correction and unbiased arguments")
    if correction is None:
        return 1.0 if unbiased is None else float(unbiased)
    if not isinstance(correction, (int, float)):
        raise ValueError("correction argument should be integer or float")
    return float(correction)


def mask_tensor(mask, t):
    """mask_tensor(mask, tensor) -> the tensor with zeros (False, of bools) where the mask is False"""
    return mask.logical_and(t) if is_boolean_dtype(t.dtype) else t.where(mask, t.new_zeros(()))  # noqa: F405


__all__ = [
    "Tensor",
    "_complex_dtypes",
    "_complex_to_real_dtype_map",
    "_computation_dtype_map",
    "_integer_dtypes",
    "_is_non_overlapping_and_dense_or_false",
    "_low_precision_dtypes",
    "_memory_formats",
    "_ordered_types",
    "_real_to_complex_dtype_map",
    "wrappers",
]
