"""The shape of a tensor changed in place (transpose_, t_, squeeze_, unsqueeze_), and atleast_1d, atleast_2d,
atleast_3d.
"""

from ..._backend.registry import public, tensor_method
from ..._backend.view_history import before_write
from ..._base.state import local, tick
from ..._tensor.storage import bump
from ..._tensor.tensor import Tensor, new_object
from .view import reshape, squeeze_all, squeeze_dim, squeeze_dims, t, transpose, unsqueeze


@tensor_method
def sum_to_size(self, *size):
    """sum_to_size(*size) -> Tensor: the sum over the dimensions that broadcasting size to this shape would stretch."""
    size = tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    shape = self._array.shape
    lead = len(shape) - len(size)
    if lead < 0 or any(want not in (1, have) for want, have in zip(size, shape[lead:])):
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(shape)}}}.")
    if not size:
        return self.sum()
    stretched = [lead + i for i, (want, have) in enumerate(zip(size, shape[lead:])) if want == 1 != have]
    found = self.sum([*range(lead), *stretched], True) if lead or stretched else self
    return found.view(size) if lead else found


@public()
def atleast_1d(*tensors):
    """atleast_1d(*tensors) -> Tensor or tuple: 0-dim tensors as shape (1,), others as they are."""
    return _each(tensors, lambda x: reshape(x, (1,)) if not x._array.ndim else x)


@public()
def atleast_2d(*tensors):
    """atleast_2d(*tensors) -> Tensor or tuple: with at least two dimensions, new ones in front."""

    def one(x):
        if x._array.ndim < 2:
            return unsqueeze.fn(x, 0) if x._array.ndim else reshape(x, (1, 1))
        return x

    return _each(tensors, one)


@public()
def atleast_3d(*tensors):
    """atleast_3d(*tensors) -> Tensor or tuple: with at least three dimensions: (n,) -> (1, n, 1), (m, n) -> (m, n,
    1).
    """

    def one(x):
        n = x._array.ndim
        if n == 0:
            return reshape(x, (1, 1, 1))
        if n == 1:
            return unsqueeze.fn(unsqueeze.fn(x, 0), -1)
        return unsqueeze.fn(x, -1) if n == 2 else x

    return _each(tensors, one)


def _each(tensors, one):
    if len(tensors) == 1 and not isinstance(tensors[0], (tuple, list)):
        return one(tensors[0])
    return tuple([one(x) for x in (tensors[0] if len(tensors) == 1 else tensors)])


# ---- the shape of self changed in place

_IN_PLACE: dict = {}
_NUMBERS = {f"SqueezeBackward{i}": f"SqueezeBackward{i + 3}" for i in range(3)}


def _node_in_place(op):
    """The node class of a view op done in place: torch numbers it apart."""
    found = _IN_PLACE.get(op)
    if found is None:
        name = op.Node.__name__
        found = _IN_PLACE[op] = type(_NUMBERS.get(name, name[:-1] + "1"), (op.Node,), {"__slots__": ()})
    return found


def become(self, op, *options):
    """self itself turns into op's view of it; the memory stays."""
    before_write(self, local.grad and self._node is not None)
    if op.prepare is not None:
        options = op.prepare(self._array, *options)
    d = op.kernel(self._table)(self._table, self._array, *options)
    if self._node is not None and local.grad:
        node = new_object(_node_in_place(op))
        node.k, node.edges, node.seq = self._table, (self._node,), tick()
        for name, value in zip(op.options, options):
            if name in dir(type(node)):
                setattr(node, name, value)
        if hasattr(type(node), "shape_0"):
            node.shape_0 = self._array.shape
        self._node = node
    self._array = d
    bump(self)
    self._extra.chain = (*self._extra.chain, (op, options))
    return self


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
