"""Tensors from numbers, numpy arrays and buffers: tensor, as_tensor, asarray, from_numpy, frombuffer, from_dlpack."""

import numbers

from ..._array.lookup import table
from ..._array.numpy.table import TABLES
from ..._array.numpy.table import table as cpu_table
from ..._backend.dispatch import Speller, asked
from ..._backend.registry import public
from ..._base import dtype as dtypes
from ..._base.dtype import SCALAR_NAMES, fitted_as_element
from ..._base.state import DISPATCH, TURNED, defaults
from ..._base.warn import warn
from ..._tensor.storage import Storage, extra
from ..._tensor.tensor import Tensor, strided, wrap
from .factory import factory, finish
from .from_python import array_from


@factory
def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """tensor(data) -> Tensor: a copy of numbers, nested sequences, a numpy array or a tensor; a new leaf."""
    if isinstance(data, Tensor):
        warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).",
            UserWarning,
        )
        if data._table.is_sparse:
            k = data._table if dtype is None else data._table.sibling(dtype)
            return finish(k.copy(k.cast(data._array, k.dtype)), k, requires_grad)
    d, k = array_from(data, dtype, device)
    made = finish(d, k, requires_grad)
    if DISPATCH and asked((made,)):
        lifted = Speller.current.lift(made)
        return lifted.requires_grad_() if requires_grad else lifted
    return made


@factory
def scalar_tensor(s, *, dtype=None, layout=strided, device=None, requires_grad=False, pin_memory=False):
    """scalar_tensor(s) -> 0-dim Tensor of the default type. RuntimeError for a complex number in a real type."""
    dtype = dtype or defaults.dtype
    return tensor(fitted_as_element(s, dtype), dtype=dtype, device=device, requires_grad=requires_grad)


@public()
def from_numpy(ndarray):
    """from_numpy(ndarray) -> Tensor that shares the array's memory."""
    import_from = getattr(ndarray, "__array_interface__", None)
    if import_from is None or not hasattr(ndarray, "strides"):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    if any(s < 0 for s in ndarray.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) "
        )
    if not ndarray.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order. Conversion between byte "
            "orders is currently not supported."
        )
    if any(s % ndarray.itemsize for s in ndarray.strides):
        raise ValueError(
            "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the "
            "memory."
        )
    k = TABLES[ndarray.dtype]
    d = ndarray[...] if type(ndarray) is k.array_type else k.asarray(ndarray)
    if not TURNED and not d.flags.c_contiguous:
        TURNED.append(None)
    if not d.flags.writeable:
        warn(
            "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means "
            "writing to this tensor will result in undefined behavior. You may want to copy the array to protect its "
            "data or make it writable before converting it to a tensor. This type of warning will be suppressed for "
            "the rest of this program.",
            UserWarning,
        )
    t = wrap(d, k)
    storage = extra(t).storage = Storage()
    storage.owner = d
    storage.add(t)
    return t


Tensor._from_numpy = staticmethod(from_numpy)


@factory
def as_tensor(data, dtype=None, device=None):
    """as_tensor(data) -> Tensor: shares memory and graph with data where it can."""
    if isinstance(data, Tensor):
        same = (dtype is None or data.dtype is dtype) and (
            device is None or data.device == table(data.dtype, device).device
        )
        return data if same else data.to(device=device or data.device, dtype=dtype or data.dtype)
    if hasattr(data, "__array_interface__") and hasattr(data, "strides") and data.dtype.isnative and data.ndim:
        t = from_numpy(data)
        return t if dtype is None and device is None else t.to(device=device or t.device, dtype=dtype or t.dtype)
    return tensor(data, dtype=dtype, device=device)


@factory
def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """asarray(obj) -> Tensor: from a tensor, an array, a buffer or numbers; shares memory unless copy=True."""
    if isinstance(obj, Tensor):
        t = obj.to(device=device or obj.device, dtype=dtype or obj.dtype)
        if copy and t is obj:
            t = obj.clone()
        if copy is False and t is not obj:
            raise _cannot_alias(obj, dtype)
        if requires_grad:
            return t if t.requires_grad else t.requires_grad_()
        return t if not t.requires_grad or t is not obj else t.detach()
    if copy is False and not hasattr(obj, "__dlpack__"):
        if hasattr(obj, "__array_interface__") and not hasattr(obj, "__array_finalize__") and not obj.ndim:
            raise RuntimeError("can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. ")
        if isinstance(obj, (list, tuple, numbers.Number)):
            raise ValueError("can't alias arbitrary sequence into a tensor.")
    if hasattr(obj, "__dlpack__") and not hasattr(obj, "__array_interface__"):
        t = from_dlpack(obj)
    elif hasattr(obj, "__array_interface__") and hasattr(obj, "strides") and obj.dtype.isnative:
        t = from_numpy(obj)
    elif not isinstance(obj, (list, tuple, numbers.Number)):
        t = frombuffer(obj, dtype=dtype or defaults.dtype) if _is_buffer(obj) else tensor(obj, dtype=dtype)
    else:
        t = tensor(obj, dtype=dtype)
    if copy is False and dtype not in (None, t.dtype):
        raise _cannot_alias(t, dtype)
    if dtype is not None or device is not None:
        t = t.to(device=device or t.device, dtype=dtype or t.dtype)
    t = t.clone() if copy else t
    return t.requires_grad_() if requires_grad else t


def _cannot_alias(t, dtype):
    if dtype in (None, t.dtype):
        return ValueError("can't alias tensor with dtype or device change and copy=False")
    return ValueError(f"can't alias tensor with dtype '{SCALAR_NAMES[t.dtype]}' into dtype '{SCALAR_NAMES[dtype]}'.")


def _is_buffer(obj):
    try:
        memoryview(obj)
    except TypeError:
        return False
    return True


@public()
def from_dlpack(ext_tensor, *, device=None, copy=None):
    """from_dlpack(ext_tensor, *, device=None, copy=None) -> Tensor that shares the memory of an object with __dlpack__,
    or of a capsule, which can be used once. copy=True gives memory of its own.
    """
    t = from_numpy(cpu_table(dtypes.float32).from_dlpack(ext_tensor))
    t = t.clone() if copy else t
    return t if device is None else t.to(device=device)


@public()
def frombuffer(buffer, *, dtype, count=-1, offset=0, requires_grad=False):
    """frombuffer(buffer, dtype, count=-1, offset=0) -> 1-D Tensor that shares the buffer's memory."""
    try:
        view = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    total, item = view.nbytes, dtype.itemsize
    if total == 0 or count == 0:
        raise ValueError(f"both buffer length ({total}) and count ({count}) must not be 0")
    if not 0 <= offset < total:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({total} bytes) minus 1"
        )
    if count <= 0 and (total - offset) % item:
        raise ValueError(
            f"buffer length ({total - offset} bytes) after offset ({offset} bytes) must be a multiple of element size "
            f"({item})"
        )
    n = (total - offset) // item if count < 0 else count
    if offset + n * item > total:
        raise ValueError(
            f"requested buffer length ({n} * {item} bytes) after offset ({offset} bytes) must not be greater than "
            f"actual buffer length ({total} bytes)"
        )
    k = cpu_table(dtype)
    t = from_numpy(k.from_buffer(buffer, n, offset))
    return t.requires_grad_() if requires_grad else t
