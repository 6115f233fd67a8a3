"""Tensor(2, 3), Tensor([1.0, 2.0]): torch's old constructor, and tensors as instances of a subclass."""

from ..._array.lookup import table
from ..._backend.dispatch import unseen
from ..._backend.graph import leaf
from ..._base.dtype import C_NAMES
from ..._base.shape import Size
from ..._base.state import DISPATCH, defaults
from ..._tensor.tensor import Tensor, wrap
from .factory import size_of
from .from_python import array_from

_OPTIONS = (
    "TensorOptions(dtype={}, device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false "
    "(default), memory_format=(nullopt))"
)
_UNLIKE = f"expected {_OPTIONS} (got {_OPTIONS})"


def _construct(cls, *args, dtype=None, device=None, requires_grad=False):
    """Tensor(2, 3), Tensor([1., 2.]), Tensor(other): torch's old constructor."""
    if cls is not Tensor and args and isinstance(args[0], Tensor):
        t = (
            args[0].detach()
            if not args[0].requires_grad
            else args[0].alias()
            if hasattr(args[0], "alias")
            else args[0].detach()
        )
        return as_subclass(t, cls)
    k = table(dtype or defaults.dtype, device)
    if not args:
        d = k.empty((0,))
    elif len(args) == 1 and isinstance(args[0], Tensor):
        if dtype is not None and args[0].dtype is not dtype:
            raise TypeError(_UNLIKE.format(C_NAMES[dtype], C_NAMES[args[0].dtype]))
        return args[0].detach()
    elif len(args) == 1 and hasattr(args[0], "_as_tensor"):  # a storage: the same memory
        d = args[0]._tensor(k.dtype)._array
    elif all(isinstance(a, int) and not isinstance(a, bool) for a in args) or isinstance(args[0], Size):
        d = k.empty(size_of(args))
    elif len(args) > 1:
        got = ", ".join(type(a).__name__ for a in args)
        raise TypeError(
            f"new() received an invalid combination of arguments - got ({got}), but expected one of:\n"
            " * (*, torch.device device = None)\n * (Tensor other)\n * (tuple of ints size, *, torch.device "
            "device = None)\n * (object data, *, torch.device device = None)"
        )
    else:
        if not hasattr(args[0], "__len__") and not hasattr(args[0], "__array__") or args[0] is None:
            raise TypeError(f"new(): data must be a sequence (got {type(args[0]).__name__})")
        d, _ = array_from(args[0], k.dtype, k.device)
    return as_subclass(wrap(d, k), cls)


def as_subclass(t, cls):
    """t's memory and graph in an instance of cls."""
    if type(t) is cls:
        return t
    out = object.__new__(cls)
    out._array, out._table, out._node, out._extra = t._array, t._table, t._node, t._extra
    if t._extra is not None and t._extra.storage is not None:
        t._extra.storage.add(out)
    return out


Tensor._construct = classmethod(_construct)
Tensor.as_subclass = as_subclass


def _own_detach(data):
    """data.detach(), of which modes are not told."""
    if not DISPATCH:
        return data.detach()
    with unseen():
        return data.detach()


def _make_subclass(cls, data, require_grad=False):
    """Tensor._make_subclass(cls, data): data's memory as an instance of cls, outside the graph."""
    out = as_subclass(_own_detach(data), cls)
    if require_grad:
        leaf(out)
    return out


Tensor._make_subclass = staticmethod(_make_subclass)
