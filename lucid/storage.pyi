"""torch.storage: the memory of tensors as objects.

Written by scripts/stubs: change the functions, or the types in scripts/stub_types.py.
"""

from ._serial.typed import TypedStorage as TypedStorage
from ._serial.typed import _LegacyStorage as _LegacyStorage
from ._serial.untyped import UntypedStorage as UntypedStorage

class BFloat16Storage(TypedStorage):
    """torch's old constructor of storages of torch.bfloat16 elements."""

class BoolStorage(TypedStorage):
    """torch's old constructor of storages of torch.bool elements."""

class ByteStorage(TypedStorage):
    """torch's old constructor of storages of torch.uint8 elements."""

class CharStorage(TypedStorage):
    """torch's old constructor of storages of torch.int8 elements."""

class ComplexDoubleStorage(TypedStorage):
    """torch's old constructor of storages of torch.complex128 elements."""

class ComplexFloatStorage(TypedStorage):
    """torch's old constructor of storages of torch.complex64 elements."""

class DoubleStorage(TypedStorage):
    """torch's old constructor of storages of torch.float64 elements."""

class FloatStorage(TypedStorage):
    """torch's old constructor of storages of torch.float32 elements."""

class HalfStorage(TypedStorage):
    """torch's old constructor of storages of torch.float16 elements."""

class IntStorage(TypedStorage):
    """torch's old constructor of storages of torch.int32 elements."""

class LongStorage(TypedStorage):
    """torch's old constructor of storages of torch.int64 elements."""

class ShortStorage(TypedStorage):
    """torch's old constructor of storages of torch.int16 elements."""
