"""Tensors taken apart and put together: what pickling, copying and saving them does, under torch's names."""

import collections
import copy
import copyreg
import threading
import warnings

from .. import _tensor as tensor_room
from .._backend.overrides import PLAIN
from .._base.device import device as device_type
from .._base.state import local as thread
from .._base.state import set_grad_enabled
from .._func.creation.from_data import from_numpy
from .._func.creation.gfunc import empty_strided
from .._func.creation.legacy_constructor import as_subclass
from .._func.pointwise.complex import _conj, _neg_view
from .._func.sparse.checks import check_coo
from .._func.sparse.construct import sparse_compressed_tensor, sparse_coo_tensor
from .._tensor.mirror import mirror_of
from .._tensor.storage import extra
from .._tensor.tensor import Tensor, layout, sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr, strided
from .damage import need_room
from .typed import NAMES, TypedStorage
from .untyped import of_tensor, place_of


class _Local(threading.local):
    """What a `load` in this thread was asked for."""

    map_location = None
    skip_data = False


loading = _Local()


# ---- together


def _rebuild_tensor(storage, storage_offset, size, stride):
    """A tensor of the storage's element type that reads its memory so."""
    return storage._untyped_storage._tensor(storage.dtype, storage_offset, size, stride)


def _rebuild_tensor_v2(storage, storage_offset, size, stride, requires_grad, backward_hooks, metadata=None):
    """What a saved tensor is read with. metadata: torch's marks "conj" and "neg"."""
    t = _with_marks(_rebuild_tensor(storage, storage_offset, size, stride), metadata)
    return t.requires_grad_() if requires_grad else t


def _rebuild_tensor_v3(storage, storage_offset, size, stride, requires_grad, backward_hooks, dtype, metadata=None):
    """The same for element types that have no storage class of their own."""
    untyped = getattr(storage, "_untyped_storage", storage)
    t = _with_marks(untyped._tensor(dtype, storage_offset, size, stride), metadata)
    return t.requires_grad_() if requires_grad else t


def _with_marks(t, metadata):
    for mark, turn in (("conj", _conj), ("neg", _neg_view)):
        if metadata and metadata.get(mark):
            t = turn(t).detach()
    return t


def _rebuild_meta_tensor_no_storage(dtype, size, stride, requires_grad):
    """A tensor of the meta device."""
    return empty_strided(size, stride, dtype=dtype, device="meta", requires_grad=requires_grad)


def _restored(place):
    """The device that a rebuilt tensor should be on, given map_location."""
    wanted = loading.map_location
    if wanted is None:
        return place
    if isinstance(wanted, dict):
        return wanted.get(place, place)
    if isinstance(wanted, (str, device_type)):
        return wanted
    raise RuntimeError(
        "Callable map_location not supported with _rebuild_wrapper_subclass or _rebuild_device_tensor_from_numpy"
    )


def _rebuild_device_tensor_from_cpu_tensor(data, dtype, device, requires_grad):
    """A tensor of a device without storages, from its copy on the CPU."""
    need_room(data.numel(), max(of_tensor(data).nbytes(), 1), "an expanded tensor")
    t = data.to(dtype=dtype, device=_restored(device))
    return t.requires_grad_() if requires_grad else t


def _rebuild_device_tensor_from_numpy(data, dtype, device, requires_grad):
    """The same from a numpy array, as older files have it."""
    return _rebuild_device_tensor_from_cpu_tensor(from_numpy(data), dtype, device, requires_grad)


_rebuild_xla_tensor = _rebuild_device_tensor_from_numpy


def _unsupported(name, what):
    def rebuild(*args):
        raise NotImplementedError(f"this file holds a {what} tensor; lucid has strided tensors only")

    rebuild.__name__ = rebuild.__qualname__ = name
    return rebuild


def _rebuild_sparse_tensor(layout, data):
    """A sparse tensor of its parts; they are looked at, since a file may say anything."""
    if layout is sparse_coo:
        indices, values, size, *known = data
        check_coo(indices, values, size)
        flag = bool(known and known[0])
        return sparse_coo_tensor(indices, values, size, check_invariants=flag, is_coalesced=flag)
    if layout in (sparse_csr, sparse_csc):
        compressed, plain, values, size = data
        return sparse_compressed_tensor(compressed, plain, values, size, layout=layout, check_invariants=True)
    raise NotImplementedError(f"rebuilding sparse tensor for layout {layout}")


_rebuild_nested_tensor = _unsupported("_rebuild_nested_tensor", "nested")
_rebuild_qtensor = _unsupported("_rebuild_qtensor", "quantized")
_rebuild_wrapper_subclass = _unsupported("_rebuild_wrapper_subclass", "wrapper subclass")


def _rebuild_from_type_v2(func, new_type, args, state):
    """An instance of a Tensor subclass, or a tensor with attributes."""
    t = func(*args)
    if type(t) is not new_type:
        t = as_subclass(t, new_type)
    if getattr(type(t), "__setstate__", Tensor.__setstate__) is not Tensor.__setstate__:
        t.__setstate__(state)
    else:
        _set_obj_state(t, state)
    return t


def _set_obj_state(obj, state):
    """Give obj the attributes that _get_obj_state took from another."""
    attributes, slots = state if isinstance(state, tuple) and len(state) == 2 else (state, None)
    if attributes:
        obj.__dict__.update(attributes)
    for name, value in (slots or {}).items():
        setattr(obj, name, value)
    return obj


# ---- apart

_OWN_SLOTS = {"_array", "_table", "_node", "_extra"}


def _slot_names(cls):
    return [n for n in copyreg._slotnames(cls) if n not in _OWN_SLOTS]


def _get_obj_state(obj):
    """The attributes of obj: a dict, or (dict, dict of slots) when its class has slots."""
    own = type(obj).__dict__.get("__getstate__")
    if own is not None:
        return obj.__getstate__()
    slots = {n: getattr(obj, n) for n in _slot_names(type(obj)) if hasattr(obj, n)}
    return (obj.__dict__, slots) if slots else obj.__dict__


def _parts(t):
    """(function, arguments) that rebuild t without its attributes."""
    hooks = t._node is not None and t.is_leaf and getattr(t._node, "tensor_hooks", None)
    if hooks and any(not getattr(f, "__torch_unserializable__", False) for f in hooks.get(0, {}).values()):
        warnings.warn(
            f"backward hook {list(hooks[0].values())} on tensor will not be serialized.  If this is expected, you can "
            "decorate the function with @torch.utils.hooks.unserializable_hook to suppress this warning",
            stacklevel=4,
        )
    none = collections.OrderedDict()
    kind = t.dtype
    if t.device.type == "meta":
        return _rebuild_meta_tensor_no_storage, (kind, tuple(t.shape), t.stride(), t.requires_grad)
    if t._table.is_sparse:
        return _rebuild_sparse_tensor, (
            t.layout,
            (*_sparse_parts(t), t.shape, *([t.is_coalesced()] if t.is_sparse else [])),
        )
    offset, stride = place_of(t)
    where = (offset, tuple(t.shape), stride, t.requires_grad, none)
    marks = {name: True for name, on in (("conj", t.is_conj()), ("neg", t.is_neg())) if on}
    marks = (marks,) if marks else ()
    if kind not in NAMES:
        return _rebuild_tensor_v3, (of_tensor(t), *where, kind, *marks)
    return _rebuild_tensor_v2, (TypedStorage(wrap_storage=of_tensor(t), dtype=kind, _internal=True), *where, *marks)


def _sparse_parts(t):
    """The indices and values of a sparse tensor, outside its graph."""
    if t.layout is sparse_coo:
        return t._indices(), t._values()
    t = t.detach()
    if t.layout is sparse_csr:
        return t.crow_indices(), t.col_indices(), t.values()
    return t.ccol_indices(), t.row_indices(), t.values()


def _reduce_ex(self, proto):
    state = _get_obj_state(self)
    parts = _parts(self)
    if type(self) is Tensor and not state:
        return parts
    return _rebuild_from_type_v2, (parts[0], type(self), parts[1], state)


def _deepcopy(self, memo):
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
            "at the moment.  If you were attempting to deepcopy a module, this may be because of a "
            "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(self) in memo:
        return memo[id(self)]
    before = thread.grad
    set_grad_enabled(False)
    try:
        made = _copied(self, memo)
    finally:
        set_grad_enabled(before)
    if self.requires_grad:
        made.requires_grad_()
    if self.grad is not None:
        made.grad = copy.deepcopy(self.grad, memo)
    for name in _slot_names(type(self)) if type(self) not in PLAIN else ():
        if hasattr(self, name):
            setattr(made, name, copy.deepcopy(getattr(self, name), memo))
    if self.__dict__:
        made.__dict__ = copy.deepcopy(self.__dict__, memo)
    memo[id(self)] = made
    return made


def _copied(t, memo):
    """t's elements in memory of their own; tensors that share memory share the copy's."""
    if t.device.type != "cpu" or mirror_of(t) is not None or t._table.is_sparse:
        made = t.detach().clone()
    else:
        untyped = of_tensor(t)._deepcopy(memo)
        offset, stride = place_of(t)
        made = untyped._tensor(t.dtype, offset, t._array.shape, stride)
    if t._extra is not None and t._extra.inference and thread.inference:
        extra(made).inference = True
    return made if type(t) is Tensor else as_subclass(made, type(t))


def set_within(t, storage, storage_offset, size, stride):
    """t.set_(storage, ...), which may not make the storage larger: a few bytes of a file could claim any memory."""
    _rebuild_tensor(storage, storage_offset, size, stride)
    t.set_(storage, storage_offset, size, stride)


def _setstate(self, state):
    """Legacy pickles: (storage, offset, size, stride), or (data, ..., hooks, requires_grad) of a Variable."""
    if not self.is_leaf:
        raise RuntimeError("__setstate__ can be only called on leaf Tensors")
    if len(state) == 4:
        set_within(self, *state)
        return
    if len(state) == 5:
        self.data = state[0]
        state = (state[3], state[4], state[2])
    self.requires_grad = state[0]


_reduce_ex.__name__, _deepcopy.__name__, _setstate.__name__ = "__reduce_ex__", "__deepcopy__", "__setstate__"
Tensor.__reduce_ex__, Tensor.__deepcopy__, Tensor.__setstate__ = _reduce_ex, _deepcopy, _setstate
tensor_room._rebuild_from_type_v2 = _rebuild_from_type_v2
_rebuild_from_type_v2.__module__ = "lucid._tensor"

REBUILDERS = [
    _rebuild_tensor,
    _rebuild_tensor_v2,
    _rebuild_tensor_v3,
    _rebuild_meta_tensor_no_storage,
    _rebuild_device_tensor_from_cpu_tensor,
    _rebuild_device_tensor_from_numpy,
    _rebuild_sparse_tensor,
    _rebuild_nested_tensor,
    _rebuild_qtensor,
    _rebuild_wrapper_subclass,
]
for _f in (*REBUILDERS, _set_obj_state, _get_obj_state):
    _f.__module__ = "lucid._utils"  # where torch has them, so that pickles say so


# ---- layouts by name


def _get_layout(name):
    """The layout that prints as `name`."""
    found = next(
        (x for x in (strided, sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc) if repr(x) == name), None
    )
    if found is None:
        raise KeyError(name)
    return found


_get_layout.__module__ = "lucid.serialization"
copyreg.pickle(layout, lambda x: (_get_layout, (repr(x),)))
__all__ = ["REBUILDERS", "loading", "set_within"]
