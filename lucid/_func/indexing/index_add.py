"""Whole slices by a vector of indices: index_select, index_add, index_copy, index_fill, index_reduce."""

from ..._backend.core import func_op
from ..._backend.families import Indexing, not_implemented_error
from ..._backend.registry import public, tensor_method
from ..._backend.view_history import before_write, check_overlap
from ..._base import dtype as dtypes
from ..._base.shape import wrap_dim
from ..._base.state import local
from ..._base.warn import warn
from ..._tensor.tensor import Tensor
from .gather_scatter import _INTEGERS, _NAMES, ByIndex, _reduction_grads


class index_reduce_op(ByIndex):
    """index_reduce with the index beside the input."""

    not_overgrown = "all"
    node_name, complex_gradient = "IndexReduceBackward0", False

    @func_op(3)
    def forward(xp, input, index, source, dim, reduce, *, include_self=True):
        in_order = xp.is_half and xp.only_ops is None  # one after the other, each result rounded
        scattered = xp.scatter_in_order if in_order else xp.scatter_reduce
        return scattered(input, dim, _spread(xp, index, source, dim), source, reduce, include_self)

    def backward(xp, needs, g, input, index, source, out, dim, reduce, include_self):
        index = _spread(xp, index, source, dim)
        to_self, to_source = _reduction_grads(xp, needs, g, input, source, out, index, dim, reduce, include_self)
        return to_self if needs[0] else None, None, to_source if needs[2] else None


def _spread(xp, index, source, dim):
    """A per-slice index as an index per element of source."""
    words = xp.of(index)
    shape = tuple(source.shape)
    if not shape:
        return words.reshape(index, ())
    return words.expand(words.reshape(index, tuple([shape[dim] if d == dim else 1 for d in range(len(shape))])), shape)


def _check_index_reduce(input, dim, index, source, reduce, include_self):
    warn("index_reduce() is in beta and the API may change at any time.", UserWarning)
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    dim = _check_slices(input, dim, index, source, "index_reduce_", RuntimeError)
    k = input._table
    if k.dtype is dtypes.bool_ or k.is_complex or k.dtype in _WIDE_UNSIGNED:
        kernel = _lacking(k, input._array.ndim, reduce, include_self, index._array.size)
        if kernel:
            raise not_implemented_error(kernel, k.dtype)
    return dim


_WIDE_UNSIGNED = (dtypes.uint16, dtypes.uint32, dtypes.uint64)


def _lacking(k, ndim, reduce, include_self, n):
    """The kernel that torch lacks to reduce bools, complex numbers and wide unsigned integers; None where it can."""
    if not include_self:
        return "index_reduce_func_exclude_input_init"
    if ndim < 2:
        return "index_func_"
    if not n or reduce == "prod":
        return None
    if reduce == "mean":
        return "div_floor_cpu" if k.dtype is dtypes.bool_ else None if k.is_complex else "add_stub"
    return None if k.dtype is dtypes.bool_ else "maximum_cpu" if reduce == "amax" else "minimum_cpu"


@public(method=True)
def index_reduce(input, dim, index, source, reduce, *, include_self=True, out=None):
    """index_reduce(input, dim, index, source, reduce, include_self=True) -> Tensor:
    source's slices reduced into index's places.
    """
    dim = _check_index_reduce(input, dim, index, source, reduce, include_self)
    _check_range(input, dim, index)
    return index_reduce_op.fn(input, index, source, dim, reduce, include_self=include_self, out=out)


@tensor_method
def index_reduce_(self, dim, index, source, reduce, *, include_self=True):
    """index_reduce_(dim, index, source, reduce, include_self=True) -> self after index_reduce."""
    before_write(self, local.grad and any(t._node is not None for t in (self, source)), expanded=True)
    dim = _check_index_reduce(self, dim, index, source, reduce, include_self)
    _check_range(self, dim, index)
    return self.index_reduce_op_(index, source, dim, reduce, include_self=include_self)


class index_select_op(Indexing):
    """index_select with the index beside the input."""

    name, node_name = "index_select", "IndexSelectBackward0"
    index_inputs, method, namespace, has_out = ("index",), False, None, True

    @func_op(2)
    def forward(xp, input, index, dim):
        return xp.index_select(input, dim, index)

    def grad_input(xp, g, index, dim, shape):
        if not shape:
            return xp.sum(g, tuple(range(len(g.shape))), False)
        index = xp.of(index).reshape(index, (index.shape[0] if len(index.shape) else 1,))
        if dim < 8 and not xp.is_half:
            return xp.index_backward(g, shape, (None,) * dim + (index,))
        return xp.index_add(xp.zeros(shape), dim, index, g)


def _check_range(input, dim, index):
    """index_reduce's index must name slices from the front."""
    if index._table.host and index._array.size:
        n = input._array.shape[dim] if input._array.ndim else 1
        if index._array.min() < 0 or index._array.max() >= n:
            raise IndexError("index out of range in self")


@public(method=True)
def index_select(input, dim, index, *, out=None):
    """index_select(input, dim, index) -> Tensor: the slices of dim that the index vector names."""
    if not isinstance(index, Tensor):
        raise TypeError(f"index_select(): argument 'index' (position 2) must be Tensor, not {type(index).__name__}")
    dim = wrap_dim(dim, input._array.ndim)
    if index._array.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if not input._array.ndim and index._array.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index._array.size} value(s)")
    if index._table.dtype not in _INTEGERS:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    need_slices(input, dim, index)
    if index._table.host and index._array.size and index._array.min() < 0:  # the word would count from the end
        raise _beyond(input, dim, index)
    try:
        return index_select_op.fn(input, index, dim, out=out)
    except IndexError as trouble:
        raise (_beyond(input, dim, index) if "out of range in self" in str(trouble) else trouble) from None


def _beyond(input, dim, index):
    """torch's error for slices that are not there: it has a quick way of its own for dimension 1."""
    shape = input._array.shape
    if dim != 1 or len(shape) < 2 or not index._table.host:
        return IndexError("index out of range in self")
    bad = next(i for i in index.reshape(-1).tolist() if not 0 <= i < shape[1])
    return RuntimeError(f"INDICES element is out of DATA bounds, id={bad} axis_dim={shape[1]}")


def need_slices(input, dim, index):
    """torch's error where slices are taken of a dimension that has none."""
    shape = input._array.shape
    if len(shape) > 1 and not shape[dim] and 0 not in index._array.shape:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")


def _check_slices(input, dim, index, source, name, error):
    """The dimension, once source has one slice for each element of index."""
    dim = wrap_dim(dim, input._array.ndim)
    if index._array.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index._array.ndim} with type: "
            f"{_NAMES[index._table.dtype]} and size: {list(index._array.shape)}"
        )
    if index._table.dtype not in _INTEGERS:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index but got: {_NAMES[index._table.dtype]}")
    if source._table.dtype is not input._table.dtype:
        raise RuntimeError(
            f"{name}(): self ({_NAMES[input._table.dtype]}) and source ({_NAMES[source._table.dtype]}) must "
            "have the same scalar type"
        )
    if name == "index_copy_":
        _check_copied(dim, index._array.size, input._array.shape, source._array.shape)
    else:
        _check_added(dim, index._array.size, input._array.shape, source._array.shape, name, error)
    return dim


def _without(dim, shape):
    return shape[:dim] + shape[dim + 1 :]


def _check_added(dim, n, shape, have, name, error):
    """torch's error where n slices along dim of a source of shape `have` are not what goes into `shape`."""
    if dim and dim >= len(have):
        raise RuntimeError(f"{name}(): Indexing dim {dim} is out of bounds of the source tensor with dim {len(have)}")
    if not have and n != 1:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if have and n != have[dim]:
        raise error(
            f"{name}(): Number of indices ({n}) should be equal to source.size(dim): ({have[dim]}), for dim: {dim}"
        )
    if len(have) != len(shape) or _without(dim, shape) != _without(dim, have):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
            f"self.shape = {list(shape)} source.shape = {list(have)}"
        )


def _check_copied(dim, n, shape, have):
    """The same for index_copy, which says it in its own order."""
    if not have and n != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {n})")
    if have and shape and len(have) != len(shape):
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({len(have)}), destination dimensionality ({len(shape)})"
        )
    if _without(dim, shape) != _without(dim, have):
        slices = [" ".join(map(str, _without(dim, s))) for s in (shape, have)]
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{slices[0]} at dimension {dim} and source slice shape: {slices[1]} at dimension 0."
        )
    if have and n != have[dim]:
        raise IndexError(f"index_copy_(): Number of indices ({n}) should be equal to source.size(dim) ({have[dim]})")


class index_add_op(ByIndex):
    """index_add with the index beside the input."""

    not_overgrown = "all"
    node_name = "IndexAddBackward0"
    fits_type = ("alpha",)

    @func_op(3)
    def forward(xp, input, index, source, dim, *, alpha=1):
        return xp.index_add(input, dim, index, source if alpha == 1 else xp.mul(source, xp.scalar(alpha)))

    def grad_input(xp, g):
        return g

    def grad_source(xp, g, index, source, dim, alpha):  # torch saves the source, so it may not be overwritten
        got = _slices(xp, g, dim, index, source.shape)
        return got if alpha == 1 else xp.mul(got, xp.scalar(alpha))


def _slices(xp, g, dim, index, shape):
    """The gradient of a source whose slices went to index's places."""
    return xp.reshape(xp.index_select(g, dim, index), shape)


@public(method=True)
def index_add(input, dim, index, source, *, alpha=1, out=None):
    """index_add(input, dim, index, source, alpha=1) -> Tensor:
    input plus alpha times source's slices at index along dim.
    """
    dim = _check_slices(input, dim, index, source, "index_add_", RuntimeError)
    return index_add_op.fn(input, index, source, dim, alpha=alpha, out=out)


@tensor_method
def index_add_(self, dim, index, source, *, alpha=1):
    """index_add_(dim, index, source, alpha=1) -> self plus alpha times source's slices at index along dim."""
    before_write(self, local.grad and any(t._node is not None for t in (self, source)), expanded=True)
    dim = _check_slices(self, dim, index, source, "index_add_", RuntimeError)
    return self.index_add_op_(index, source, dim, alpha=alpha)


class index_copy_op(ByIndex):
    """index_copy with the index beside the input."""

    not_overgrown = "all"
    node_name = "IndexCopyBackward0"

    @func_op(3)
    def forward(xp, input, index, source, dim):
        return _placed(xp, xp.contiguous(input), index, source, dim)

    def grad_input(xp, g, index, dim):
        return _placed(xp, g, index, xp.zeros(()), dim)

    def grad_source(xp, g, index, source, dim):
        return _slices(xp, g, dim, index, source.shape)


def _placed(xp, x, index, source, dim):
    """x with source at the places of dim that index names."""
    n = index.shape[0] if len(index.shape) else 1
    if not len(x.shape) and n > 1:  # all of them go to the one place: the last one stays
        index = xp.of(index).slice(index, 0, n - 1, n, 1)
        source, n = xp.slice(source, 0, n - 1, n, 1) if source.shape else source, 1
    where = (None,) * dim + (xp.of(index).reshape(index, (n,)),)
    if not len(x.shape):
        source = xp.reshape(source, (1,)) if n else source
        return xp.reshape(xp.index_put(xp.reshape(x, (1,)), where, source, False), ())
    return xp.index_put(x, where, source, False)


def _check_copy(input, dim, index, source):
    dim = wrap_dim(dim, input._array.ndim)
    if not source._array.ndim and index._array.size != 1:
        _check_copied(dim, index._array.size, input._array.shape, ())
    if input._array.ndim and source._array.ndim and input._array.ndim != source._array.ndim:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source._array.ndim}), destination dimensionality ({input._array.ndim})"
        )
    if index._array.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index._array.ndim})")
    if index._table.dtype is not dtypes.int64:
        raise RuntimeError("index_copy_(): Expected a long tensor for index, but got " + _NAMES[index._table.dtype])
    if source._table.dtype is not input._table.dtype:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{_NAMES[input._table.dtype]} and (source) {_NAMES[source._table.dtype]}"
        )
    dim = _check_slices(input, dim, index, source, "index_copy_", IndexError)
    _in_range(index, input._array.shape[dim] if input._array.ndim else 1, dim, "index_copy_(): ")
    return dim


def _in_range(index, n, dim, prefix=""):
    if index._table.host and index._array.size and not (0 <= int(index._array.min()) and int(index._array.max()) < n):
        bad = next(i for i in index.view(-1).tolist() if not 0 <= i < n)
        raise IndexError(f"{prefix}index {bad} is out of bounds for dimension {dim} with size {n}")


@public(method=True)
def index_copy(input, dim, index, source, *, out=None):
    """index_copy(input, dim, index, source) -> Tensor: input with source's slices at index along dim."""
    return index_copy_op.fn(input, index, source, _check_copy(input, dim, index, source), out=out)


@tensor_method
def index_copy_(self, dim, index, source):
    """index_copy_(dim, index, source) -> self with source's slices at index along dim."""
    wrap_dim(dim, self._array.ndim)
    before_write(self, local.grad and any(t._node is not None for t in (self, source)))
    check_overlap(self, source, partly=False)  # before the sizes are looked at, as in torch
    return self.index_copy_op_(index, source, _check_copy(self, dim, index, source))


class index_fill_number(ByIndex):
    """index_fill with a number."""

    node_name, has_out, writes_expanded = "IndexFillBackward0", False, True

    @func_op(2)
    def forward(xp, input, index, dim, value):
        return _placed(xp, input, index, xp.full((), dtypes.fitted(value, xp.dtype)), dim)

    def grad_input(xp, g, index, dim):
        return _placed(xp, g, index, xp.zeros(()), dim)


class index_fill_tensor(ByIndex):
    """index_fill with a 0-dim tensor."""

    node_name, has_out, writes_expanded, may_overlap = "IndexFillBackward1", False, True, ("value",)

    @func_op(3)
    def forward(xp, input, index, value, dim):
        return _placed(xp, input, index, xp.cast(value, xp.dtype), dim)

    def grad_input(xp, g, index, dim):
        return _placed(xp, g, index, xp.zeros(()), dim)

    def grad_value(xp, g, index, dim):
        zeros = xp.zeros(tuple(g.shape))  # a place named twice was filled once
        filled = xp.ne(_placed(xp, zeros, index, xp.ones(()), dim), zeros)
        return xp.sum(xp.where(filled, g, zeros), tuple(range(len(g.shape))), False)


_FROM_COMPLEX = "index_fill_(): Converting complex Scalar to non-complex type is not supported"


def _fill_case(input, dim, index, value):
    dim = wrap_dim(dim, input._array.ndim)
    if index._table.dtype is not dtypes.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if index._array.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    n = input._array.shape[dim] if input._array.ndim else 1
    if index._table.host and index._array.size and not (-n <= int(index._array.min()) and int(index._array.max()) < n):
        bad = next(i for i in index.view(-1).tolist() if not -n <= i < n)
        raise IndexError(f"index {bad} is out of bounds for dimension {dim} with size {n}")
    if isinstance(value, Tensor):
        if value._array.ndim:
            raise RuntimeError(
                "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{value._array.ndim} dimension(s)."
            )
        if value._table.is_complex and not input._table.is_complex:
            raise RuntimeError(_FROM_COMPLEX)
        k = value._table
        if k is not input._table and k.has_data and not k.is_transform:
            dtypes.fitted(value.item(), input._table.dtype)  # torch fills in a number
        return index_fill_tensor, (index, value), (dim,)
    if isinstance(value, complex) and not input._table.is_complex:
        raise RuntimeError(_FROM_COMPLEX)
    return index_fill_number, (index,), (dim, value)


@public(method=True)
def index_fill(input, dim, index, value):
    """index_fill(input, dim, index, value) -> Tensor:
    input with value (a number or 0-dim tensor) in the slices index names.
    """
    op, others, options = _fill_case(input, dim, index, value)
    return op.fn(input, *others, *options)


@tensor_method
def index_fill_(self, dim, index, value):
    """index_fill_(dim, index, value) -> self with value in the slices of dim that index names."""
    op, others, options = _fill_case(self, dim, index, value)
    return getattr(Tensor, op.name + "_")(self, *others, *options)
