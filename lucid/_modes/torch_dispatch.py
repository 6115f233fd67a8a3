"""__torch_dispatch__: modes that see each ATen call, and classes that wrap tensors and answer for them."""

import contextlib

from .._array.meta import fake
from .._backend import dispatch
from .._base.device import device as device_type
from .._base.shape import contiguous_strides
from .._base.state import defaults, local
from .._tensor.tensor import Tensor, new_object, strided


class TorchDispatchMode:
    """The base of modes: inside `with MyMode():` an ATen call goes to `__torch_dispatch__(func, types, args, kwargs)`.

    func: an OpOverload. While that runs the mode is off, so that func(*args) goes to the next mode, and in the end
    computes.
    """

    supports_higher_order_operators = False
    sees_own_ops = False  # is it told of ops that only lucid has, too?
    takes_apart = False  # composites as the Python dispatcher of torch does, which AOTAutograd runs under?

    traces = None  # the class of the level below all transforms that run, where it notes ATen calls (traced.py)

    def __init__(self, _dispatch_key=None):
        self._dispatch_key = _dispatch_key

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def stands_for(self, made, t):
        """made, a new Tensor, is t to whoever is told of it."""

    def __enter__(self):
        dispatch.push(self)
        return self

    def __exit__(self, *exc):
        dispatch.pop()

    @classmethod
    def push(cls, *args, **kwargs):
        """push(): cls(*args), torch's old name."""
        return cls(*args, **kwargs)

    @classmethod
    def is_infra_mode(cls):
        """is_infra_mode() -> bool: is it part of the machinery of tracing?"""
        return False


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that does what would be done without it."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **kwargs or {})


def modes():
    """The modes that are on, the innermost last."""
    return list(local.dispatch_modes)


@contextlib.contextmanager
def disable_modes():
    """with disable_modes() as modes: none of them sees a call."""
    before, local.dispatch_modes = local.dispatch_modes, ()
    try:
        yield list(before)
    finally:
        local.dispatch_modes = before


@contextlib.contextmanager
def without_innermost():
    """with without_innermost() as mode: the innermost mode is off."""
    before = local.dispatch_modes
    local.dispatch_modes = before[:-1]
    try:
        yield before[-1]
    finally:
        local.dispatch_modes = before


def _make_wrapper_subclass(
    cls,
    size,
    strides=None,
    storage_offset=None,
    memory_format=None,
    dtype=None,
    layout=strided,
    device=None,
    pin_memory=False,
    requires_grad=False,
    dispatch_sizes_strides_policy=None,
    dispatch_device=False,
    dispatch_layout=False,
    *ignored,
    **more,
):
    """Tensor._make_wrapper_subclass(cls, size, dtype=, device=...): an instance of cls that has a shape and a type, and
    no data: its class answers for it, by __torch_dispatch__."""
    if not dispatch.is_seen(cls):
        raise RuntimeError("Tensor subclass must define a __torch_dispatch__ to be made by _make_wrapper_subclass")
    place = device_type("cpu") if device is None else device if isinstance(device, device_type) else device_type(device)
    k = fake.table(dtype or defaults.dtype, place)
    made = new_object(cls)
    size = tuple(size)
    made._array = k.empty_strided(size, contiguous_strides(size) if strides is None else tuple(strides))
    made._table, made._node, made._extra = k, None, None
    if requires_grad:
        made.requires_grad_()
    return made


Tensor._make_wrapper_subclass = staticmethod(_make_wrapper_subclass)


# ---- classes that wrap tensors


def is_traceable_wrapper_subclass(t):
    """is_traceable_wrapper_subclass(t) -> bool: an instance of a class that can be taken apart into tensors."""
    is_class = isinstance(t, type) and issubclass(t, Tensor)
    cls = t if is_class else type(t)
    if not issubclass(cls, Tensor) or cls is Tensor:
        return False
    return hasattr(cls, "__tensor_flatten__") and hasattr(cls, "__tensor_unflatten__")


def transform_subclass(t, callback, outer_size=None, outer_stride=None):
    """transform_subclass(t, callback): t made again of its inner tensors, each callback(name, tensor)."""
    size = t.size() if outer_size is None else outer_size
    stride = t.stride() if outer_stride is None else outer_stride
    names, context = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    return type(t).__tensor_unflatten__(inner, context, size, stride)


def return_and_correct_aliasing(func, args, kwargs, out):
    """return_and_correct_aliasing(func, args, kwargs, out): out, with the arguments that func writes to in place of
    what stands for them."""
    schema = func._schema
    given = dict(zip([a.name for a in schema.arguments], args)) | (kwargs or {})
    written = {}
    for a in schema.arguments:
        if a.is_write:
            for name in a.alias_info.before_set:
                written[name] = given.get(a.name)
    if not written:
        return out

    def chosen(returned, value):
        info = returned.alias_info
        names = info.before_set if info is not None and info.is_write else ()
        found = next((written[n] for n in names if written.get(n) is not None), None)
        return value if found is None else found

    if len(schema.returns) == 1:
        return chosen(schema.returns[0], out)
    return type(out)([chosen(r, o) for r, o in zip(schema.returns, out)]) if out is not None else None
