"""torch._utils: the functions that pickled tensors name, flattening of tensor lists, and errors carried between
processes."""

import os
import sys
import traceback

from ._backend.registry import FUNCTIONS
from ._base.device import device as device_type
from ._serial.rebuild import (
    REBUILDERS,
    _get_obj_state,
    _rebuild_device_tensor_from_cpu_tensor,
    _rebuild_device_tensor_from_numpy,
    _rebuild_meta_tensor_no_storage,
    _rebuild_nested_tensor,
    _rebuild_qtensor,
    _rebuild_sparse_tensor,
    _rebuild_tensor,
    _rebuild_tensor_v2,
    _rebuild_tensor_v3,
    _rebuild_wrapper_subclass,
    _rebuild_xla_tensor,
    _set_obj_state,
)


def _flatten_dense_tensors(tensors):
    """One 1-D tensor with the elements of all of them, in order."""
    return FUNCTIONS["cat"]([t.reshape(-1) for t in tensors]) if len(tensors) else FUNCTIONS["empty"](0)


def _unflatten_dense_tensors(flat, tensors):
    """Views of `flat` with the shapes of `tensors`: the inverse of _flatten_dense_tensors."""
    parts, at = [], 0
    for t in tensors:
        parts.append(flat.narrow(0, at, t.numel()).view(t.shape))
        at += t.numel()
    return tuple(parts)


def _take_tensors(tensors, size_limit):
    """Group tensors of one type into lists of at most `size_limit` bytes (or of one larger tensor)."""
    open_groups = {}
    for t in tensors:
        size = t.numel() * t.element_size()
        group = open_groups.setdefault(t.type(), [[], 0])
        if group[1] + size > size_limit and group[1] > 0:
            yield group[0]
            group = open_groups[t.type()] = [[], 0]
        group[0].append(t)
        group[1] += size
    for group, _ in open_groups.values():
        if group:
            yield group


def _element_size(dtype):
    """Bytes of one element."""
    return dtype.itemsize


def _import_dotted_name(name):
    """The module or attribute of a dotted name."""
    first, *rest = name.split(".")
    found = __import__(first)
    for part in rest:
        found = getattr(found, part)
    return found


def _get_device_index(device, optional=False, allow_cpu=False):
    """The index in a device, a string or an int; -1 for the CPU where that is allowed."""
    if isinstance(device, str):
        device = device_type(device)
    if isinstance(device, device_type):
        if device.type == "cpu":
            if not allow_cpu:
                raise ValueError(f"Expected a non cpu device, but got: {device}")
            return -1
        device = device.index
    if device is None:
        if optional:
            raise AssertionError("Torch not compiled with CUDA enabled")
        raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
    return device


class KeyErrorMessage(str):
    """Text whose repr is itself, so that a KeyError shows its line breaks."""

    __slots__ = ()

    def __repr__(self):
        return self


class ExceptionWrapper:
    """ExceptionWrapper(exc_info=None, where="in background"): an error of another thread or process, to be raised in
    this one."""

    def __init__(self, exc_info=None, where="in background"):
        exc_info = exc_info or sys.exc_info()
        self.exc_type, self.where = exc_info[0], where
        self.exc_msg = "".join(traceback.format_exception(*exc_info))

    def reraise(self):
        """Raise the error, with the other side's traceback in its message."""
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            message = KeyErrorMessage(message)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=message)
        try:
            error = self.exc_type(message)
        except Exception:  # its constructor wants something else
            raise RuntimeError(message) from None
        raise error


def cpu_count():
    """How many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


class classproperty:
    """A property of the class itself."""

    def __init__(self, func):
        self.fget = getattr(func, "__func__", func)

    def __get__(self, instance, owner=None):
        return self.fget(owner or type(instance))


__all__ = [
    "ExceptionWrapper",
    "KeyErrorMessage",
    "REBUILDERS",
    "_get_obj_state",
    "_rebuild_device_tensor_from_cpu_tensor",
    "_rebuild_device_tensor_from_numpy",
    "_rebuild_meta_tensor_no_storage",
    "_rebuild_nested_tensor",
    "_rebuild_qtensor",
    "_rebuild_sparse_tensor",
    "_rebuild_tensor",
    "_rebuild_tensor_v2",
    "_rebuild_tensor_v3",
    "_rebuild_wrapper_subclass",
    "_rebuild_xla_tensor",
    "_set_obj_state",
]


def _is_privateuse1_backend_available():
    """_is_privateuse1_backend_available() -> bool: has a device of one's own been added under torch's spare name?"""
    from ._array.lookup import MAKERS

    return "privateuseone" in MAKERS
