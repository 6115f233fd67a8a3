"""Memory lent to other libraries and borrowed from them, in DLPack's capsules, bfloat16 and float8 among the types.

numpy does not know those, so they pass as unsigned integers, and the capsule's type code is set here. The layout of a
capsule's struct is that of dlpack.h, https://dmlc.github.io/dlpack/latest/c_api.html.
"""

import ctypes

import numpy as np

from ..._base import dtype as dtypes

_name_of = ctypes.pythonapi.PyCapsule_GetName
_name_of.restype, _name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_CAPSULE = type(np.empty(0).__dlpack__())
_TENSOR_AT = {b"dltensor": 0, b"dltensor_versioned": 32}  # where the DLTensor begins, in bytes
_DTYPE_AT = 20  # where its element type does: after an address, a device and the number of dimensions
_FLAGS_AT, _READ_ONLY = 24, 1  # of a versioned capsule
_UNSIGNED = 1
_CODES = {dtypes.complex32: 5, dtypes.bfloat16: 4, dtypes.float8_e4m3fn: 10, dtypes.float8_e5m2: 12}
_INVALID = (
    "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might have "
    "already constructed a tensor from it once."
)


def _element_type(capsule):
    """(type code, bits) in a capsule's memory; a third field follows, the number of lanes."""
    name = _name_of(capsule)
    if name not in _TENSOR_AT:
        raise RuntimeError(_INVALID)
    at = _pointer_of(capsule, name) + _TENSOR_AT[name] + _DTYPE_AT
    return (ctypes.c_uint8 * 2).from_address(at)


def readable(array):
    """Elements that Python has no numbers for, in the next larger type that it has."""
    if array.dtype.names is None:
        return array.astype(np.float32)
    wide = np.empty(array.shape, np.complex64)
    wide.real, wide.imag = array["real"], array["imag"]
    return wide


def lend(array, dtype, max_version=None, copy=None):
    """A capsule over an array's memory; with max_version (1, 0) or more a versioned one, where numpy makes them."""
    if copy:
        array = array.copy()
    if dtype in _CODES:
        array = array.view(f"u{dtype.itemsize}")
    try:
        capsule = array.__dlpack__(max_version=max_version)
    except TypeError:  # numpy before 2.1
        capsule = array.__dlpack__()
    if dtype in _CODES:
        _element_type(capsule)[0] = _CODES[dtype]
    return capsule


def _flags(capsule):
    return ctypes.c_uint64.from_address(_pointer_of(capsule, b"dltensor_versioned") + _FLAGS_AT).value


class _Writeable:
    """An array's memory without numpy's mark that it must not be written: capsules of old cannot say that it may."""

    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__ | {"data": (array.ctypes.data, False)}


class _Lender:
    """A capsule as numpy wants to be given it."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **options):
        return self.capsule

    def __dlpack_device__(self):
        return 1, 0


def borrow(source, kinds):
    """The array that a capsule, or an object with __dlpack__, lends; RuntimeError for others and for used capsules.

    kinds: {dtype: numpy's type}.
    """
    if type(source) is not _CAPSULE:
        if not hasattr(source, "__dlpack__"):
            raise RuntimeError(_INVALID)
        try:
            source = source.__dlpack__(max_version=(1, 0))
        except TypeError:
            source = source.__dlpack__()
    kind = _element_type(source)
    dtype = next((d for d, code in _CODES.items() if (code, 8 * d.itemsize) == tuple(kind)), None)
    if dtype is not None:
        kind[0] = _UNSIGNED
    frozen = _name_of(source) == b"dltensor_versioned" and _flags(source) & _READ_ONLY
    array = np.from_dlpack(_Lender(source))
    if not frozen and not array.flags.writeable:
        array = np.asarray(_Writeable(array)) if array.size else array.copy()
    return array if dtype is None else array.view(kinds[dtype])
