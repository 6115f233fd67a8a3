"""Elements picked out: take, put, nonzero, argwhere, masked_select, masked_scatter, unravel_index."""

import math

from ..._backend.core import func_op, unary_func_op
from ..._backend.families import Indexing, Own
from ..._backend.out_argument import store_out
from ..._backend.registry import public, tensor_method
from ..._backend.rules import unbroadcast
from ..._backend.view_history import before_write, refuse_expanded
from ..._base import dtype as dtypes
from ..._base.shape import broadcast_pair
from ..._base.state import local
from ..._tensor.tensor import Tensor
from ..creation.from_data import tensor
from ..creation.gfunc import empty
from ..pointwise.bfunc import floor_divide, remainder


class take_at(Indexing):
    """take(input, index) -> Tensor of index's shape: elements of input read as one long vector."""

    name, index_inputs, method, namespace, has_out = "take", ("index",), False, None, True

    @func_op(2)
    def forward(xp, input, index):
        return xp.index(xp.reshape(input, (math.prod(input.shape),)), (index,))

    def numpy(k, input, index):
        n = input.size
        if not n and index.size:
            raise IndexError("take(): tried to take from an empty tensor")
        try:
            return input.reshape(-1).take(index) if index.size else k.zeros(index.shape)
        except IndexError:
            bad = index[(index >= n) | (index < -n)].reshape(-1)[0]
            raise IndexError(f"out of range: tried to access index {bad} on a tensor of {n} elements.") from None

    def grad_input(xp, g, shape, index, input):  # input is kept as torch keeps it: who writes it is refused
        n = math.prod(index.shape)
        flat = xp.index_backward(xp.reshape(g, (n,)), (math.prod(shape),), (xp.of(index).reshape(index, (n,)),))
        return xp.reshape(flat, shape)


@public(method=True)
def take(input, index, *, out=None):
    """take(input, index) -> Tensor of index's shape: elements of input read as one long vector."""
    if index._table.dtype is not dtypes.int64:
        raise RuntimeError(
            f"take(): Expected a long tensor for index, but got {dtypes.SCALAR_NAMES[index._table.dtype]}"
        )
    return take_at.fn(input, index, out=out)


class put_at(Indexing):
    """A copy of input, read as one long vector, with source's elements at index (or added there)."""

    name, node_name, index_inputs, method, namespace, inplace = "put_at", "PutBackward0", ("index",), False, None, True

    @func_op(3)
    def forward(xp, input, index, source, accumulate=False):
        n = math.prod(index.shape)
        flat = xp.reshape(input, (math.prod(input.shape),))
        where = xp.of(index).reshape(index, (n,))
        return xp.reshape(xp.index_put(flat, (where,), xp.reshape(source, (n,)), accumulate), tuple(input.shape))

    def grad_input(xp, g, index, accumulate):
        if accumulate:
            return g
        n = math.prod(index.shape)
        where = xp.of(index).reshape(index, (n,))
        flat = xp.index_put(xp.reshape(g, (math.prod(g.shape),)), (where,), xp.zeros(()), False)
        return xp.reshape(flat, tuple(g.shape))

    def grad_source(xp, g, index, source, shape):  # source is kept as torch keeps it
        return xp.reshape(xp.index(xp.reshape(g, (math.prod(g.shape),)), (index,)), shape)


def _check_put(input, index, source, written=False):
    if index._table.dtype is not dtypes.int64:
        raise RuntimeError(
            f"put_(): Expected a long tensor for index, but got {dtypes.SCALAR_NAMES[index._table.dtype]}"
        )
    if source._table.dtype is not input._table.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{dtypes.SCALAR_NAMES[input._table.dtype]} and source.dtype = {dtypes.SCALAR_NAMES[source._table.dtype]}"
        )
    if source.numel() != index.numel():
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source.numel()}, index.numel() = {index.numel()}"
        )
    if written and input._table.aliases:
        refuse_expanded(input)
    n = input.numel()
    if not n and index.numel():
        raise IndexError("put_(): tried to put elements into an empty tensor")
    wrong = [i for i in index.view(-1).tolist() if not -n <= i < n] if index._table.host else []
    if wrong:
        raise IndexError(f"out of range: tried to access index {wrong[0]} on a tensor of {n} elements.")


@public(method=True)
def put(input, index, source, accumulate=False):
    """put(input, index, source, accumulate=False) -> Tensor:
    input read as one long vector, with source's elements at index.
    """
    _check_put(input, index, source)
    return put_at.fn(input, index, source, accumulate)


@tensor_method
def put_(self, index, source, accumulate=False):
    """put_(index, source, accumulate=False) -> self, read as one long vector, with source's elements at index."""
    before_write(self, local.grad and any(t._node is not None for t in (self, source)), expanded=True)
    _check_put(self, index, source, written=True)
    return self.put_at_(index, source, accumulate)


class nonzero_rows(Own):
    """The coordinates of elements that are not zero, one row each."""

    name, promote, method, namespace, result, has_out = "nonzero", "keep", False, None, "of", True

    @unary_func_op(has_gradient=False)
    def forward(xp, input):
        return xp.nonzero(input)


@public(method=True)
def nonzero(input, *, out=None, as_tuple=False):
    """nonzero(input, as_tuple=False) -> (n, ndim) int64 Tensor of coordinates, or a tuple with a vector per
    dimension.
    """
    if as_tuple:
        if out is not None:
            raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
        if not input._array.ndim:
            input = input.unsqueeze(0)
        return nonzero_rows.fn(input).unbind(1)
    return nonzero_rows.fn(input, out=out)


class nonzero_first(Own):
    """Of the coordinates of elements that are not zero, `size` rows, filled up with fill_value."""

    name, promote, method, namespace, result, vmap_by_loop = "nonzero_first", "keep", False, None, "of", True

    @unary_func_op(has_gradient=False)
    def forward(xp, input, size, fill_value):
        rows = xp.nonzero(input)
        k = xp.of(rows)
        rest = k.full((max(size - rows.shape[0], 0), input.ndim), fill_value)
        return k.cat([k.slice(rows, 0, 0, min(size, rows.shape[0]), 1), rest], 0)


@public(method=True)
def nonzero_static(input, *, size, fill_value=-1, out=None):
    """nonzero_static(input, size, fill_value=-1) -> (size, ndim) int64 Tensor:
    nonzero, cut off or filled up to `size` rows.
    """
    if not input._table.has_data:
        return empty((size, input._array.ndim), dtype=dtypes.int64, device="meta")
    found = nonzero_first.fn(input, int(size), fill_value)
    return found if out is None else store_out("nonzero_static", found, out)


@public()
def unravel_index(indices, shape):
    """unravel_index(indices, shape) -> tuple of Tensors:
    the coordinates of flat positions in a tensor of that shape.
    """
    if not isinstance(indices, Tensor):
        raise TypeError(f"expected 'indices' to be a tensor, but got {indices.__class__}")
    if indices._table.inexact or indices._table.dtype is dtypes.bool_:
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    shape = (int(shape),) if hasattr(shape, "__index__") else tuple([int(n) for n in shape])
    if any(n < 0 for n in shape):
        raise ValueError(f"'shape' cannot have negative values, but got {shape}")
    steps = []
    for d in range(len(shape)):
        steps.append(math.prod(shape[d + 1 :]))
    like = {"dtype": dtypes.int64, "device": indices.device}
    places = floor_divide(indices.unsqueeze(-1), tensor(steps, **like))
    return remainder(places, tensor(list(shape), **like)).unbind(-1)


class argwhere(Own):
    """argwhere(input) -> (n, ndim) int64 Tensor: the coordinates of elements that are not zero."""

    promote, result, vmap_by_loop = "keep", "of", True  # under vmap torch counts them for each member

    @unary_func_op(has_gradient=False)
    def forward(xp, input):
        return xp.nonzero(input)


class masked_pick(Indexing):
    """masked_select with both operands already of one shape."""

    name, node_name = "masked_select", "MaskedSelectBackward0"
    index_inputs, method, namespace, has_out = ("mask",), False, None, True

    @func_op(2)
    def forward(xp, input, mask):
        full = _together(mask.shape, input.shape)  # torch names the mask first
        return xp.index(xp.expand(input, full), (xp.of(mask).expand(mask, full),))

    def grad_input(xp, g, input, mask, shape):  # input is kept as torch keeps it
        full = _together(shape, mask.shape)
        return unbroadcast(xp, xp.index_backward(g, full, (xp.of(mask).expand(mask, full),)), shape)


def _together(a, b):
    return broadcast_pair(tuple(a), tuple(b))


@public(method=True)
def masked_select(input, mask, *, out=None):
    """masked_select(input, mask) -> 1-D Tensor: the elements where the bool mask is true (both broadcast)."""
    if mask._table.dtype is not dtypes.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    mask._table.need_unbatched(mask._array, "masked_select", "mask")
    return masked_pick.fn(input, mask, out=out)


class masked_scatter_from(Indexing):
    """A copy of input in which the places where mask is true hold source's elements, in order."""

    name, node_name, index_inputs = "masked_scatter_from", "MaskedScatterBackward0", ("mask",)
    method, namespace, inplace, vmap_by_loop, overlap = False, None, True, True, None

    @func_op(3)
    def forward(xp, input, mask, source):
        full = _together(input.shape, mask.shape)
        if not xp.has_data:
            return xp.empty(full)
        mask = xp.of(mask).expand(mask, full)
        taken = xp.of(mask).nonzero(mask).shape[0]
        if taken > math.prod(source.shape):
            raise RuntimeError("Number of elements of source < number of ones in mask")
        flat = xp.slice(xp.reshape(source, (math.prod(source.shape),)), 0, 0, taken, 1)
        return xp.contiguous(xp.index_put(xp.expand(input, full), (mask,), flat, False))

    def grad_input(xp, g, mask, shape):
        return unbroadcast(xp, xp.masked_fill(g, mask, xp.scalar(0)), shape)

    def grad_source(xp, g, mask, shape):
        if not xp.has_data:
            return xp.empty(shape)
        flat = xp.index(g, (xp.of(mask).expand(mask, tuple(g.shape)),))
        return xp.reshape(xp.slice_backward(flat, (math.prod(shape),), 0, 0, flat.shape[0], 1), shape)


def _check_masked_scatter(input, mask, source):
    if mask._table.dtype is not dtypes.bool_:
        raise RuntimeError(
            "masked_scatter_ only supports boolean masks, but got mask with dtype "
            f"{dtypes.SCALAR_NAMES[mask._table.dtype]}"
        )
    if source._table.dtype is not input._table.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got "
            f"{dtypes.SCALAR_NAMES[input._table.dtype]} and {dtypes.SCALAR_NAMES[source._table.dtype]}"
        )


@public(method=True)
def masked_scatter(input, mask, source):
    """masked_scatter(input, mask, source) -> Tensor: source's elements, in order, where the bool mask is true."""
    _check_masked_scatter(input, mask, source)
    return masked_scatter_from.fn(input, mask, source)


@tensor_method
def masked_scatter_(self, mask, source):
    """masked_scatter_(mask, source) -> self with source's elements, in order, where the bool mask is true."""
    _check_masked_scatter(self, mask, source)
    return self.masked_scatter_from_(mask, source)
