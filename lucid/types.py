"""torch.types: names for annotations."""

import builtins
import os
from typing import IO, Any, Union

from ._base.device import device
from ._base.dtype import dtype
from ._base.shape import Size
from ._serial.untyped import UntypedStorage as Storage
from ._tensor.tensor import Tensor, layout, qscheme

_TensorOrTensors = Union[Tensor, tuple]
_TensorOrTensorsOrGradEdge = Union[Tensor, tuple]
_int, _float, _bool, _complex = builtins.int, builtins.float, builtins.bool, builtins.complex
_dtype, _device, _layout, _qscheme = dtype, device, layout, qscheme
_size = Union[Size, list, tuple]
_symsize = _size
_dispatchkey = Union[str, int]
Number = builtins.int | builtins.float | builtins.bool
FileLike = Union[str, os.PathLike, IO[bytes]]
Device = device | str | int | None
IntLikeType, FloatLikeType, BoolLikeType = int, float, bool
PySymType = Any
py_sym_types = ()

__all__ = ["Number", "Device", "FileLike", "Storage", "Size", "Tensor"]
