"""The shape of a tensor changed in place: transpose_, t_, squeeze_, unsqueeze_."""

from ..._backend.dispatch import Speller, asked, tell
from ..._backend.graph import record
from ..._backend.registry import tensor_method
from ..._backend.view_history import before_write, reread_views
from ..._base.state import DISPATCH, local
from ..._tensor.storage import bump
from ..._tensor.tensor import Tensor
from .expand import squeeze_all, squeeze_dim, squeeze_dims, unsqueeze
from .transpose import t, transpose

_IN_PLACE: dict = {}
_NUMBERS = {f"SqueezeBackward{i}": f"SqueezeBackward{i + 3}" for i in range(3)}


def _node_in_place(op):
    """The node class of a view op done in place: torch numbers it apart."""
    found = _IN_PLACE.get(op)
    if found is None:
        name = op.Node.__name__
        slots = {"__slots__": (), "turned_in_place": True}
        found = _IN_PLACE[op] = type(_NUMBERS.get(name, name[:-1] + "1"), (op.Node,), slots)
    return found


def become(self, op, *options):
    """self itself turns into op's view of it; the memory stays."""
    before_write(self, local.grad and self._node is not None, expanded=True)
    if op.prepare is not None:
        options = op.prepare(self._array, *options)
    seen = _told(self, op, options)
    d = op.kernel(self._table)(self._table, self._array, *options) if not seen else self._array
    node = None
    if self._node is not None and local.grad:
        node = record(_node_in_place(op), self._table, (self._node,))
        for name, value in zip(op.options, options):
            if name in dir(type(node)):
                setattr(node, name, value)
        if hasattr(type(node), "shape_0"):
            node.shape_0 = seen[0] if seen else self._array.shape
    if not seen:
        self._array = d
        bump(self)
        self._extra.chain = (*self._extra.chain, (op, options))
    self._node = node or self._node
    reread_views(self)
    self._node = node or self._node  # a view that changes its own shape is not read anew
    return self


def _told(x, op, options):
    """(x's shape before), where a mode or x's class was told of the call and has done it; else None."""
    if not DISPATCH or not asked((x,)):
        return None
    call = Speller.current.spell(op, (x,), options, None, "_")
    if call is None:
        return None
    shape = x._array.shape
    tell(call.func, [x], call.args, call.kwargs)
    return (shape,)


@tensor_method
def transpose_(self, dim0, dim1):
    """transpose_(dim0, dim1) -> self with two dimensions swapped."""
    return become(self, transpose, dim0, dim1)


Tensor.swapaxes_ = Tensor.swapdims_ = transpose_


@tensor_method
def t_(self):
    """t_() -> self transposed."""
    return become(self, t)


@tensor_method
def squeeze_(self, dim=None):
    """squeeze_(dim=None) -> self without dimensions of size 1."""
    if dim is None:
        return become(self, squeeze_all)
    return become(self, squeeze_dims if isinstance(dim, (tuple, list)) else squeeze_dim, dim)


@tensor_method
def unsqueeze_(self, dim):
    """unsqueeze_(dim) -> self with a dimension of size 1 at dim."""
    return become(self, unsqueeze, dim)
