"""torch.FloatTensor and its like: Tensor.type, and the old classes of one element type each."""

import builtins

from ..._backend.registry import tensor_method
from ..._base import dtype as dtypes
from ..._base.dtype import dtype as dtype_type
from ..._tensor.tensor import Tensor, strided
from .convert import to

_LEGACY = {
    "Float": dtypes.float32,
    "Double": dtypes.float64,
    "Half": dtypes.float16,
    "BFloat16": dtypes.bfloat16,
    "Long": dtypes.int64,
    "Int": dtypes.int32,
    "Short": dtypes.int16,
    "Char": dtypes.int8,
    "Byte": dtypes.uint8,
    "Bool": dtypes.bool_,
    "ComplexFloat": dtypes.complex64,
    "ComplexDouble": dtypes.complex128,
}


class_type = type


@tensor_method
def type(self, dtype=None, non_blocking=False, **kwargs):
    """type() -> str such as "torch.FloatTensor"; type(dtype) -> Tensor of that type."""
    if dtype is None:
        place = self._table.device.type
        if self._table.is_sparse:
            if not self.is_sparse:
                raise RuntimeError("Unimplemented backend SparseCsrCPU")
            place = "sparse"
        return f"torch.{'' if place == 'cpu' else place + '.'}{dtypes.SCALAR_NAMES[self._table.dtype]}Tensor"
    if isinstance(dtype, str):
        *place, name = dtype.split(".")
        kind = _LEGACY.get(name.removesuffix("Tensor"))
        if not name.endswith("Tensor") or (name != "Tensor" and kind is None):
            raise ValueError(f"invalid type: '{dtype}'")
        if "cuda" in place:
            return self.cuda()
        dtype = kind or dtypes.get_default_dtype()
    elif not isinstance(dtype, (dtype_type, class_type)):
        raise TypeError("dtype must be a type, str, or dtype object")
    elif not isinstance(dtype, dtype_type):
        if not hasattr(dtype, "dtype"):
            raise ValueError(f"invalid type: '{getattr(dtype, '__name__', dtype)}'")
        dtype = dtype.dtype
    return to(self, dtype)


class LegacyType(builtins.type):
    """The metaclass of FloatTensor and its like: isinstance asks for the element type."""

    def __instancecheck__(cls, instance):
        if not isinstance(instance, Tensor) or instance._table.is_sparse:
            return False
        return instance.dtype is cls.dtype and instance.device.type == "cpu"


def _legacy(name, dtype):
    def __new__(cls, *args, device=None):
        return Tensor._construct(*args, dtype=dtype, device=device)

    return LegacyType(
        f"{name}Tensor",
        (),
        {
            "dtype": dtype,
            "__new__": __new__,
            "__module__": "torch",
            "is_cuda": False,
            "layout": strided,
            "__doc__": f"torch's old constructor of {dtype} tensors.",
        },
    )


LEGACY_TYPES = {
    f"{name}Tensor": _legacy(name, dtype) for name, dtype in _LEGACY.items() if not name.startswith("Complex")
}
