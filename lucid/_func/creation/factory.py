"""What all factories share: the size, type and device they are asked for, out=, and the modes that may see them."""

import functools
import math

from ..._array.lookup import table
from ..._array.sparse.refusals import LAYOUTS as SPARSE_LAYOUTS
from ..._array.sparse.table import table as sparse_table
from ..._backend.calls import plain_ints
from ..._backend.dispatch import Speller
from ..._backend.graph import BackwardOperation, leaf, record
from ..._backend.out_argument import store_out
from ..._backend.overrides import ask_overrides
from ..._backend.registry import public
from ..._backend.signatures import int_list
from ..._backend.view_history import before_write, rebase
from ..._base import dtype as dtypes
from ..._base.device import device as device_type
from ..._base.errors import BadArgument
from ..._base.shape import contiguous_strides
from ..._base.state import DISPATCH, UNUSUAL, defaults, local, switches
from ..._tensor.storage import mark_inference
from ..._tensor.tensor import Tensor, strided, wrap


def factory(f):
    """A function without tensor arguments, yet visible to modes (`torch.set_default_device`, TorchFunctionMode)."""

    @functools.wraps(f)
    def call(*args, **kwargs):
        if UNUSUAL and local.interpreters:
            handled, result = ask_overrides(call, (), args, kwargs)
            if handled:
                return result
        if DISPATCH and local.dispatch_modes:
            taken, result = Speller.current.leaf(call, args, kwargs)
            if taken:
                return result
        try:
            if (dtype := kwargs.get("dtype")) is not None and type(dtype) is not dtypes.dtype:
                kwargs["dtype"] = dtypes.as_dtype(dtype)
            if (place := kwargs.get("device")) is not None and type(place) is not device_type:
                kwargs["device"] = _as_device(place)
            return f(*args, **kwargs)
        except BadArgument as trouble:
            raise trouble.of(f.__name__) from None

    return public()(call)


def _as_device(place):
    """What device=place means: a name, or the number of an accelerator."""
    if isinstance(place, int):
        raise RuntimeError("Cannot access accelerator device when none is available.")
    if not isinstance(place, str):
        raise BadArgument("device", "torch.device", place)
    return device_type(place)


def size_of(size, name="size", refusal=None, function="empty"):
    """The shape in zeros(2, 3), zeros((2, 3)) or zeros(Size), checked; refusal: what negative sizes are told."""
    if (
        len(size) == 1
        and not isinstance(size[0], int)
        and not (isinstance(size[0], Tensor) and size[0]._array.ndim == 0)
    ):
        if not isinstance(size[0], (tuple, list)) and not hasattr(size[0], "__iter__"):
            if hasattr(size[0], "__index__"):
                return (int(size[0]),)
            raise BadArgument(name, "tuple of ints", size[0])
        size = size[0]
        if isinstance(size, str):
            raise BadArgument(name, "tuple of ints", size)
    shape = size if plain_ints(size) else list(int_list(function, name, tuple(size)))
    for n in shape:
        if n < 0:
            raise RuntimeError(refusal or f"Trying to create tensor with negative dimension {n}: {list(shape)}")
    return tuple(shape)


def finish(d, k, requires_grad=False, out=None, name="factory", flat=False):
    """Wrap a new array; mark it a leaf; or store it in out=, of whose shape only the number of elements counts where
    flat."""
    if d.__class__ is not k.array_type:
        d = k.asarray(d)
    t = wrap(d, k)
    if out is not None:
        if local.grad and isinstance(out, Tensor) and out.requires_grad:
            return _store_in_graph(t, out, name, flat)
        return store_out(name, t, out, "any", flat)
    for frame in local.frames:
        if frame.takes_new:
            t = frame.receive(t)
    if local.inference:
        mark_inference(t)
    if requires_grad:
        if requires_grad is not True:
            raise BadArgument("requires_grad", "bool", requires_grad)
        if not k.inexact:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        leaf(t)
    return t


def _store_in_graph(t, out, name, flat):
    """out= of a factory that requires a gradient: what may not be written in place is refused, leaves and views of them
    among it; the rest gets a node that refuses to run.
    """
    try:
        before_write(out, True, expanded=True)
    except RuntimeError:
        raise RuntimeError(
            f"aten::{name}(): functions with out=... arguments don't support automatic differentiation, but one of "
            "the arguments requires grad."
        ) from None
    store_out(name, t, out, "any", flat)
    rebase(out, record(NOT_IMPLEMENTED, out._table, (out._node,), refused=f"aten::{name}"))
    return out


class NotImplementedNode(BackwardOperation):
    """The node of what has no derivative: it raises when a gradient reaches it."""

    __slots__ = ("refused",)

    def on_arrays(self, g, edges):
        raise RuntimeError(f"derivative for {self.refused} is not implemented")

    on_tensors = on_arrays


NOT_IMPLEMENTED = type("NotImplemented", (NotImplementedNode,), {"__slots__": ()})  # which Python has a use for


def table_for(out, dtype, device):
    """The table of a new tensor, which out= decides where it is given; RuntimeError for a dtype= or device= that
    differs."""
    if out is None:
        return table(dtype or defaults.dtype, device)
    if dtype is not None and dtype is not out.dtype:
        raise RuntimeError(f"dtype {dtype} does not match dtype of out parameter ({out.dtype})")
    k = out._table
    if device is not None and table(k.dtype, device).device != k.device:
        raise RuntimeError(f"device {device} does not match device of out parameter ({k.device})")
    return k


def fill_undefined(t, start=0):
    """t, its values from the start-th in memory on defined where use_deterministic_algorithms asks for that: as NaN,
    the largest integer, or True."""
    k = t._table
    if not switches.deterministic or not switches.fill_uninitialized or not k.host or t._array.size <= start:
        return t
    dtype = k.dtype
    if dtype.category == dtypes.COMPLEX:
        value = complex(math.nan, math.nan)
    else:
        value = math.nan if k.inexact else True if dtype is dtypes.bool_ else dtypes.iinfo(dtype).max
    k.as_strided(t._array, (t._array.size - start,), (1,), start)[...] = value
    return t


def _filled(name, fill, size, dtype, device, requires_grad, out, layout):
    if layout not in (None, strided):
        return _sparse(name, size, layout, dtype, requires_grad)
    k = table_for(out, dtype, device)
    return finish(fill(k, size), k, requires_grad, out, name)


def _sparse(name, size, layout, dtype, requires_grad):
    """A sparse tensor in which nothing is named, which is what sparse zeros are, and what is not initialised."""
    if layout.name not in SPARSE_LAYOUTS:
        raise NotImplementedError(f"layout {layout} is not supported: lucid has strided, COO, CSR and CSC tensors")
    if name not in ("zeros", "empty"):
        raise RuntimeError("full(...) is not implemented for sparse layout")
    k = sparse_table(dtype or defaults.dtype)
    return finish(k.empty_of(size, layout.name), k, requires_grad)


def keyword_size(f):
    """size= by keyword, as torch allows."""

    @functools.wraps(f)
    def call(*size, **kwargs):
        if "size" in kwargs:
            size = (kwargs.pop("size"),)
        return f(*size, **kwargs)

    return call


def format_strides(shape, order):
    """The strides of a dense tensor whose dimensions lie in memory in this order."""
    if len(order) != len(shape):
        name = "channels_last" if len(order) == 4 else "channels_last_3d"
        raise RuntimeError(f"required rank {len(order)} tensor to use {name} format")
    steps = contiguous_strides([shape[d] for d in order])
    strides = [0] * len(shape)
    for d, s in zip(order, steps):
        strides[d] = s
    return tuple(strides)
