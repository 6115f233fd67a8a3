"""From samples to batches: numbers and arrays become tensors, equal parts of structures are stacked."""

import collections.abc
import copy
import re

import numpy as np

from ...._base.device import cpu
from ...._base.dtype import float64
from ...._func.creation.from_data import as_tensor, from_numpy, tensor
from ...._func.creation.gfunc import empty
from ...._func.shape.join import stack
from ...._serial.untyped import UntypedStorage
from ...._tensor.tensor import Tensor
from .worker import get_worker_info

SHARED_FROM = 1 << 16  # bytes from which a file of its own costs less than another copy
np_str_obj_array_pattern = re.compile(r"[SaUO]")
default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def _is_strings(array):
    return np_str_obj_array_pattern.search(array.dtype.str) is not None


def _rebuilt(template, items):
    """A mapping of template's kind: a changed copy, a new one, or a dict where the kind cannot be made."""
    try:
        if isinstance(template, collections.abc.MutableMapping):
            clone = copy.copy(template)
            clone.update(items)
            return clone
        return type(template)(items)
    except TypeError:
        return items


def _rebuilt_sequence(template, items):
    try:
        if isinstance(template, collections.abc.MutableSequence):
            clone = copy.copy(template)
            for i, item in enumerate(items):
                clone[i] = item
            return clone
        return type(template)(items)
    except TypeError:
        return items


def default_convert(data):
    """default_convert(data) -> data with numpy arrays and scalars as tensors, inside mappings and sequences too."""
    kind = type(data)
    if isinstance(data, Tensor):
        return data
    if kind.__module__ == "numpy" and kind.__name__ not in ("str_", "string_"):
        return data if kind.__name__ == "ndarray" and _is_strings(data) else as_tensor(data)
    if isinstance(data, collections.abc.Mapping):
        return _rebuilt(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return kind(*(default_convert(d) for d in data))
    if isinstance(data, tuple):
        return [default_convert(d) for d in data]
    if isinstance(data, collections.abc.Sequence) and not isinstance(data, (str, bytes)):
        return _rebuilt_sequence(data, [default_convert(d) for d in data])
    return data


def collate(batch, *, collate_fn_map=None):
    """collate(batch, *, collate_fn_map=None) -> the samples as one structure of batches.

    collate_fn_map: {type or tuple of types: f(batch, *, collate_fn_map)} for the leaves; the first entry that fits is
    used.
    """
    first = batch[0]
    if collate_fn_map is not None:
        if type(first) in collate_fn_map:
            return collate_fn_map[type(first)](batch, collate_fn_map=collate_fn_map)
        for kind, function in collate_fn_map.items():
            if isinstance(first, kind):
                return function(batch, collate_fn_map=collate_fn_map)

    def inner(samples):
        return collate(samples, collate_fn_map=collate_fn_map)

    if isinstance(first, collections.abc.Mapping):
        return _rebuilt(first, {key: inner([sample[key] for sample in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(inner(samples) for samples in zip(*batch)))
    if isinstance(first, collections.abc.Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [inner(samples) for samples in zip(*batch)]
        return columns if isinstance(first, tuple) else _rebuilt_sequence(first, columns)
    raise TypeError(default_collate_err_msg_format.format(type(first)))


def collate_tensor_fn(batch, *, collate_fn_map=None):
    """Tensors of one shape, stacked."""
    first = batch[0]
    if first.is_nested:
        raise RuntimeError(
            "Batches of nested tensors are not currently supported by the default collate_fn; please "
            "provide a custom collate_fn to handle them appropriately."
        )
    if first.is_sparse or first.is_sparse_csr:
        raise RuntimeError(
            "Batches of sparse tensors are not currently supported by the default collate_fn; please "
            "provide a custom collate_fn to handle them appropriately."
        )
    return stack.fn(batch, 0) if get_worker_info() is None else _stacked_in_worker(batch)


def _stacked_in_worker(batch):
    """stack(batch), where large in memory that the DataLoader's process will share."""
    first = batch[0]
    shape, kind = first._array.shape, first._table
    usual = kind.device == cpu and all(
        type(t) is Tensor and t._table is kind and t._array.shape == shape for t in batch
    )
    if not usual or any(t.requires_grad or t.is_conj() or t.is_neg() for t in batch):
        # torch writes into memory of its own here, too, which refuses gradients and other types.
        return stack.fn(batch, 0, out=empty((len(batch), *shape), dtype=first.dtype, device=first.device))
    size = len(batch) * first._array.nbytes
    if size < SHARED_FROM:
        return stack.fn(batch, 0)
    out = UntypedStorage._new_shared(size)._tensor(first.dtype, 0, (len(batch), *shape))
    np.stack([t._array for t in batch], out=out._array)
    return out


def collate_numpy_array_fn(batch, *, collate_fn_map=None):
    """numpy arrays of one shape, stacked; TypeError for arrays of strings or objects."""
    if _is_strings(batch[0]):
        raise TypeError(default_collate_err_msg_format.format(batch[0].dtype))
    return collate([as_tensor(b) for b in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch, *, collate_fn_map=None):
    """numpy scalars as a 1-D tensor."""
    return as_tensor(batch)


def collate_float_fn(batch, *, collate_fn_map=None):
    """Python floats as a float64 tensor."""
    if set(map(type, batch)) == {float}:
        return from_numpy(np.array(batch))
    return tensor(batch, dtype=float64)


def collate_int_fn(batch, *, collate_fn_map=None):
    """Python ints (and bools) as a tensor."""
    if set(map(type, batch)) == {int}:
        array = np.array(batch)  # beyond 64 bits: unsigned, or objects, which tensor() refuses as torch does
        if array.dtype == np.int64:
            return from_numpy(array)
    return tensor(batch)


def collate_str_fn(batch, *, collate_fn_map=None):
    """Strings stay a sequence of strings."""
    return batch


default_collate_fn_map = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch):
    """default_collate(batch) -> a batch: tensors stacked, numbers as tensors, strings listed, mappings and sequences
    part by part."""
    return collate(batch, collate_fn_map=default_collate_fn_map)
