"""The memory of tensors in elements: TypedStorage, FloatStorage and the others, and the Tensor methods that give
them."""

import functools
import warnings

from .._array.numpy import memory
from .._base import dtype as dtypes
from .._tensor.tensor import Tensor
from .untyped import PLAIN_SIZE, UntypedStorage, of_tensor

_REMOVAL = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage "
    "class. This should only matter to you if you are using storages directly.  To access UntypedStorage "
    "directly, use tensor.untyped_storage() instead of tensor.storage()"
)

# torch's names of typed storages.
NAMES = {
    dtypes.float64: "DoubleStorage",
    dtypes.float32: "FloatStorage",
    dtypes.float16: "HalfStorage",
    dtypes.int64: "LongStorage",
    dtypes.int32: "IntStorage",
    dtypes.int16: "ShortStorage",
    dtypes.int8: "CharStorage",
    dtypes.uint8: "ByteStorage",
    dtypes.bool_: "BoolStorage",
    dtypes.bfloat16: "BFloat16Storage",
    dtypes.complex128: "ComplexDoubleStorage",
    dtypes.complex64: "ComplexFloatStorage",
}

_warned = []


def _warn_typed_storage_removal(stacklevel=2):
    """torch's deprecation warning, once."""
    if not _warned:
        _warned.append(True)
        warnings.warn(_REMOVAL, UserWarning, stacklevel=stacklevel + 1)


def _reset_warn_typed_storage_removal():
    _warned.clear()


def _warns(method):
    @functools.wraps(method)
    def warned(self, *args, **kwargs):
        if not _warned:
            _warn_typed_storage_removal(2)
        return method(self, *args, **kwargs)

    return warned


class TypedStorage:
    """TypedStorage(size or sequence, dtype=..., device=...), TypedStorage(wrap_storage=..., dtype=...): memory in
    elements.

    Deprecated in torch, in favour of UntypedStorage; what it shows is the same memory.
    """

    is_cuda = is_sparse = is_hpu = False

    def __init__(self, *args, device=None, dtype=None, wrap_storage=None, _internal=False):
        if not _internal:
            _warn_typed_storage_removal(2)
        self.dtype = getattr(type(self), "dtype", None) or dtype or dtypes.get_default_dtype()
        if wrap_storage is not None:
            if not isinstance(wrap_storage, UntypedStorage):
                raise TypeError(f"Argument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}")
            self._untyped_storage = wrap_storage
            return
        given = args[0] if args else 0
        if isinstance(given, TypedStorage):
            given = given._tolist()
        if isinstance(given, int) and not isinstance(given, bool):
            self._untyped_storage = UntypedStorage(given * self.dtype.itemsize, device=device)
            return
        if isinstance(given, str) or not hasattr(given, "__iter__"):
            raise TypeError(f"new(): invalid data type '{type(given).__name__}'")
        self._untyped_storage = UntypedStorage._over(memory.from_python(list(given), self.dtype))
        if device is not None:
            self._untyped_storage = self._untyped_storage.to(device=device)

    def __class_getitem__(cls, item):
        return cls

    @property
    def device(self):
        return self._untyped_storage.device

    def _wrapped(self, untyped, dtype=None):
        return TypedStorage(wrap_storage=untyped, dtype=dtype or self.dtype, _internal=True)

    def untyped(self):
        """untyped() -> UntypedStorage: the same memory in bytes."""
        return self._untyped_storage

    def _size(self):
        return self._untyped_storage.nbytes() // self.dtype.itemsize

    def _tolist(self):
        return memory.to_python(self._untyped_storage._filled(), self.dtype)

    @_warns
    def __len__(self):
        return self._size()

    size = __len__

    def __sizeof__(self):
        return PLAIN_SIZE + self._untyped_storage.nbytes()

    @_warns
    def nbytes(self):
        """nbytes() -> int"""
        return self._untyped_storage.nbytes()

    @_warns
    def element_size(self):
        """element_size() -> int: bytes of one element."""
        return self.dtype.itemsize

    @_warns
    def data_ptr(self):
        """data_ptr() -> int: the address of the first byte."""
        return self._untyped_storage.data_ptr()

    def _data_ptr(self):
        return self._untyped_storage.data_ptr()

    @property
    def _cdata(self):
        return self._untyped_storage._cdata

    def get_device(self):
        return self._untyped_storage.get_device()

    def _place(self, index):
        if not isinstance(index, int):
            raise TypeError(f"can't index a <class 'torch.storage.TypedStorage'> with {type(index)}")
        n = self._size()
        if n == 0 or not -n <= index < n:
            raise IndexError(f"index {index} out of range for storage of size {n}")
        return index % n

    @_warns
    def __getitem__(self, index):
        if self.device.type == "meta":
            self._untyped_storage._filled()
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        at = self._place(index) * self.dtype.itemsize
        return memory.to_python(self._untyped_storage._filled()[at : at + self.dtype.itemsize], self.dtype)[0]

    @_warns
    def __setitem__(self, index, value):
        if self.device.type == "meta":
            return
        elements = memory.typed(self._untyped_storage._filled(), self.dtype)
        elements[index if isinstance(index, slice) else self._place(index)] = value

    def __iter__(self):
        return iter(self.tolist())

    @_warns
    def tolist(self):
        """tolist() -> list of the elements as Python numbers."""
        return self._tolist()

    @_warns
    def fill_(self, value):
        """fill_(value) -> self, every element set to value."""
        self[:] = value
        return self

    @_warns
    def copy_(self, source, non_blocking=None):
        """copy_(source) -> self, overwritten by the elements of another storage (cast if its type differs)."""
        if self.device.type == "meta":
            return self
        data = source.untyped()._copied_out()
        if isinstance(source, TypedStorage) and source.dtype is not self.dtype:
            data = memory.cast_bytes(data, source.dtype, self.dtype)
        self._untyped_storage.copy_(UntypedStorage._over(data))
        return self

    @_warns
    def clone(self):
        """clone() -> TypedStorage: a copy."""
        return self._wrapped(self._untyped_storage.clone())

    @_warns
    def resize_(self, size):
        """resize_(size): another number of elements."""
        self._untyped_storage.resize_(size * self.dtype.itemsize)

    @_warns
    def cpu(self):
        """cpu() -> TypedStorage on the CPU."""
        return self._wrapped(self._untyped_storage.cpu())

    @_warns
    def to(self, *, device, non_blocking=False):
        """to(device=...) -> TypedStorage on that device."""
        return self._wrapped(self._untyped_storage.to(device=device))

    @_warns
    def cuda(self, device=None, non_blocking=False):
        """cuda() -> torch's error: lucid computes on cpu and mlx."""
        return self._wrapped(self._untyped_storage.cuda(device))

    @_warns
    def type(self, dtype=None, non_blocking=False):
        """type() -> str such as "torch.FloatStorage"; type(dtype) -> TypedStorage of that type."""
        return f"torch.{self._pickle_storage_type()}" if dtype is None else self._cast(dtype)

    def _cast(self, dtype):
        if dtype is self.dtype:
            return self
        if self.device.type == "meta":
            return self._wrapped(UntypedStorage(self._size() * dtype.itemsize, device="meta"), dtype)
        data = memory.cast_bytes(self._untyped_storage._filled(), self.dtype, dtype)
        return self._wrapped(UntypedStorage._over(data, place=self.device), dtype)

    def is_pinned(self, device="cuda"):
        return False

    def pin_memory(self, device=None):
        return self._untyped_storage.pin_memory()

    def is_shared(self):
        """is_shared() -> bool"""
        return self._untyped_storage.is_shared()

    def share_memory_(self):
        """share_memory_() -> self, see UntypedStorage."""
        self._untyped_storage.share_memory_()
        return self

    def resizable(self):
        return True

    def _pickle_storage_type(self):
        if self.dtype not in NAMES:
            raise KeyError(f"dtype {self.dtype} is not recognized")
        return NAMES[self.dtype]

    pickle_storage_type = _pickle_storage_type

    def _get_legacy_storage_class(self):
        return LEGACY.get(NAMES.get(self.dtype))

    @classmethod
    def from_file(cls, filename, shared=False, size=0):
        """from_file(filename, shared=False, size=0) -> storage over the file's first `size` elements."""
        dtype = getattr(cls, "dtype", None) or dtypes.get_default_dtype()
        return cls(wrap_storage=UntypedStorage.from_file(filename, shared, size * dtype.itemsize))

    @classmethod
    def _from_buffer(cls, *args, **kwargs):
        """_from_buffer(buffer) -> storage of this type, of a buffer in native order"""
        return cls.from_buffer(*args, **{"byte_order": "native", **kwargs})

    @classmethod
    def from_buffer(cls, *args, dtype=None, device=None, **kwargs):
        """from_buffer(buffer, byte_order) -> storage: a copy of a buffer's elements."""
        dtype = getattr(cls, "dtype", None) or dtype or dtypes.get_default_dtype()
        untyped = UntypedStorage.from_buffer(*args, dtype=dtype, **kwargs)
        return TypedStorage(wrap_storage=untyped, dtype=dtype, _internal=True)

    def _tensor(self, dtype, offset=0, size=None, stride=None, grow=False):
        """The tensor that reads this memory; dtype must be the storage's own."""
        if dtype is not self.dtype:
            raise RuntimeError(
                f"Expected a Storage of type {dtypes.SCALAR_NAMES[dtype].lower()} or an UntypedStorage, "
                f"but got type {dtypes.SCALAR_NAMES[self.dtype]} for argument 1 'storage'"
            )
        return self._untyped_storage._tensor(dtype, offset, size, stride, grow)

    def _as_tensor(self, dtype=None):
        return self._untyped_storage._tensor(self.dtype)

    def __array__(self, dtype=None, copy=None):
        return self._as_tensor().numpy().astype(dtype) if dtype is not None else self._as_tensor().numpy()

    def __deepcopy__(self, memo):
        return self._wrapped(self._untyped_storage._deepcopy(memo))

    _deepcopy = __deepcopy__

    def __copy__(self):
        return self._wrapped(self._untyped_storage.clone())

    def __eq__(self, other):
        return self is other

    __hash__ = object.__hash__

    def __repr__(self):
        place = f"[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {self._size()}]"
        if self.device.type == "meta":
            return "...\n" + place
        return " " + "\n ".join(map(str, self._tolist())) + "\n" + place


def _converter(name, dtype):
    def convert(self):
        source = (
            self
            if isinstance(self, TypedStorage)
            else TypedStorage(wrap_storage=self, dtype=dtypes.uint8, _internal=True)
        )
        return source._cast(dtype)

    convert.__name__, convert.__doc__ = name, f"{name}() -> TypedStorage of type {dtype}."
    setattr(TypedStorage, name, convert)
    setattr(UntypedStorage, name, convert)


for _name, _dtype in {
    "float": dtypes.float32,
    "double": dtypes.float64,
    "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16,
    "long": dtypes.int64,
    "int": dtypes.int32,
    "short": dtypes.int16,
    "char": dtypes.int8,
    "byte": dtypes.uint8,
    "bool": dtypes.bool_,
    "complex_float": dtypes.complex64,
    "complex_double": dtypes.complex128,
}.items():
    _converter(_name, _dtype)


TypedStorage.__module__ = "lucid.storage"  # where torch has it


class _LegacyMeta(type):
    """isinstance(storage, FloatStorage) asks for the element type."""

    def __instancecheck__(cls, instance):
        if type(instance) is TypedStorage:
            return "dtype" in vars(cls) and instance.dtype is cls.dtype
        return type.__instancecheck__(cls, instance)


class _LegacyStorage(TypedStorage, metaclass=_LegacyMeta):
    """The base of FloatStorage and its like: names for constructors; what they make is a TypedStorage."""

    def __new__(cls, *args, wrap_storage=None, **kwargs):
        return TypedStorage(*args, wrap_storage=wrap_storage, dtype=cls.dtype, **kwargs)


_LegacyStorage.__module__ = "lucid.storage"
LEGACY = {
    name: _LegacyMeta(
        name,
        (_LegacyStorage,),
        {"dtype": dtype, "__module__": "lucid", "__doc__": f"torch's old constructor of storages of {dtype} elements."},
    )
    for dtype, name in NAMES.items()
}
DTYPE_OF = {name: dtype for dtype, name in NAMES.items()}


def is_storage(obj):
    """is_storage(obj) -> bool: is it an UntypedStorage or a TypedStorage?"""
    return isinstance(obj, (UntypedStorage, TypedStorage))


# ---- what tensors offer


def _untyped_storage(self):
    """untyped_storage() -> UntypedStorage: the memory this tensor reads, in bytes."""
    return of_tensor(self)


def _typed_storage(self):
    """_typed_storage() -> TypedStorage: the memory this tensor reads, in its elements."""
    return TypedStorage(wrap_storage=of_tensor(self), dtype=self.dtype, _internal=True)


def _storage(self):
    """storage() -> TypedStorage (deprecated in torch): the memory this tensor reads, in its elements."""
    _warn_typed_storage_removal(2)
    return _typed_storage(self)


def _storage_type(self):
    """storage_type() -> the storage class of its elements."""
    return LEGACY.get(NAMES.get(self.dtype))


def _share_memory_(self):
    """share_memory_() -> self, its memory now shared with the processes that it is sent to, or that are forked."""
    of_tensor(self).share_memory_()
    return self


Tensor.untyped_storage, Tensor._typed_storage, Tensor.storage = _untyped_storage, _typed_storage, _storage
Tensor.storage_type, Tensor.share_memory_ = _storage_type, _share_memory_
Tensor.is_shared = lambda self: of_tensor(self).is_shared()
for _f, _name in (
    (_untyped_storage, "untyped_storage"),
    (_storage, "storage"),
    (_storage_type, "storage_type"),
    (_share_memory_, "share_memory_"),
    (Tensor.is_shared, "is_shared"),
):
    _f.__name__ = _name
