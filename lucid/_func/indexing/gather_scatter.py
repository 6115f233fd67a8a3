"""Elements gathered and scattered along one dimension: gather, scatter, scatter_reduce, index_select, index_add and
relatives.
"""

import warnings

from ..._backend.core import func_op
from ..._backend.families import Indexing
from ..._backend.registry import FUNCTIONS, public, tensor_method
from ..._base import dtype as dtypes
from ..._base.shape import broadcast_shapes, wrap_dim
from ..._tensor.tensor import Tensor

_NAMES = dtypes.SCALAR_NAMES
_INTEGERS = (dtypes.int64, dtypes.int32)


# ---- gather


class gather_op(Indexing):
    """gather with the index beside the input."""

    name, node_name, index_inputs, method, namespace, has_out = (
        "gather",
        "GatherBackward0",
        ("index",),
        False,
        None,
        True,
    )

    @func_op(2)
    def forward(xp, input, index, dim):
        return xp.gather(input, dim, index)

    def grad_input(xp, g, index, dim, shape):
        return xp.scatter_add(xp.zeros(shape), dim, index, g)


def _check_index(input, dim, index, name, other="input", src=None):
    """The dimension, once index fits input (and src)."""
    if not isinstance(index, Tensor):
        raise TypeError(f"{name}(): argument 'index' (position 2) must be Tensor, not {type(index).__name__}")
    dim = wrap_dim(dim, input._array.ndim)
    if not index._array.size:
        return dim
    if index._table.dtype not in _INTEGERS:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    shape, wanted = index._array.shape or (1,), input._array.shape or (1,)
    if len(shape) != len(wanted):
        raise RuntimeError(f"Index tensor must have the same number of dimensions as {other} tensor")
    for d, n in enumerate(shape):
        if src is None and d != dim and n > wanted[d]:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(shape)} to be no larger "
                f"than self {list(wanted)} apart from dimension {dim}"
            )
    if src is not None:
        have = src._array.shape or (1,)
        if len(have) != len(shape):
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
        if any(n > wanted[d] for d, n in enumerate(shape) if d != dim) or any(n > m for n, m in zip(shape, have)):
            raise RuntimeError(
                f"Expected index {list(shape)} to be no larger than self {list(wanted)} apart from "
                f"dimension {dim} and to be no larger size than src {list(have)}"
            )
    return dim


@public(method=True)
def gather(input, dim, index, *, sparse_grad=False, out=None):
    """gather(input, dim, index) -> Tensor of index's shape: out[i][j] = input[index[i][j]][j] for dim 0, and so on."""
    dim = _check_index(input, dim, index, "gather")
    if out is not None and isinstance(out, Tensor) and out._table.dtype is not input._table.dtype:
        raise RuntimeError(f"Expected out tensor to have dtype {input.dtype}, but got {out.dtype} instead")
    return gather_op.fn(input, index, dim, out=out)


@public(method=True)
def take_along_dim(input, indices, dim=None, *, out=None):
    """take_along_dim(input, indices, dim=None) -> Tensor: gather, after input and indices have broadcast (flat for
    None).
    """
    if indices._table.dtype is not dtypes.int64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {_NAMES[indices._table.dtype]}"
        )
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1), out=out)
    if input._array.ndim != indices._array.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but "
            f"got {input._array.ndim} dimensions for input, and {indices._array.ndim} dimensions for indices"
        )
    dim = wrap_dim(dim, input._array.ndim)
    a, b = list(input._array.shape), list(indices._array.shape)
    one = list(a)
    one[dim] = b[dim]
    wide = list(broadcast_shapes(tuple(one), tuple(b)))
    n = a[dim]
    places = (FUNCTIONS["where"](indices < 0, indices + n, indices) if indices._array.size else indices).expand(wide)
    wide[dim] = a[dim]
    return gather(input.expand(wide), dim, places, out=out)


# ---- scatter


class scatter_src(Indexing):
    """scatter of a tensor."""

    name, node_name, index_inputs, method, namespace, has_out = (
        "scatter_src",
        "ScatterBackward0",
        ("index",),
        False,
        None,
        True,
    )
    inplace = True

    @func_op(3)
    def forward(xp, input, index, src, dim):
        return xp.scatter(input, dim, index, src)

    def grad_input(xp, g, index, dim):
        return xp.scatter(g, dim, index, xp.scalar(0))

    def grad_src(xp, g, index, dim, shape):
        return _grown(xp, xp.gather(g, dim, index), shape)


def _grown(xp, g, shape):
    """g with zeros after it up to `shape`: what index did not reach of src has no gradient."""
    for d, n in enumerate(shape):
        if g.shape[d] != n:
            g = xp.slice_backward(g, tuple(g.shape[:d]) + (n,) + tuple(g.shape[d + 1 :]), d, 0, g.shape[d], 1)
    return g


class scatter_value(Indexing):
    """scatter of a number."""

    name, node_name, index_inputs, method, namespace, has_out = (
        "scatter_value",
        "ScatterBackward1",
        ("index",),
        False,
        None,
        True,
    )
    inplace = True

    @func_op(2)
    def forward(xp, input, index, dim, value):
        return xp.scatter(input, dim, index, xp.scalar(value))

    def grad_input(xp, g, index, dim):
        return xp.scatter(g, dim, index, xp.scalar(0))


class scatter_with(Indexing):
    """scatter with reduce="add" or "multiply": torch has no gradient of it."""

    name, node_name, index_inputs, method, namespace, has_out = (
        "scatter_with",
        "NotImplemented",
        ("index",),
        False,
        None,
        True,
    )
    inplace = True

    @func_op(3)
    def forward(xp, input, index, src, dim, reduce):
        if reduce == "add":
            return xp.scatter_add(input, dim, index, src)
        return xp.scatter_reduce(input, dim, index, src, "prod", True)

    def grad_input(xp, g):
        raise RuntimeError("derivative for aten::scatter is not implemented")

    def grad_src(xp, g):
        raise RuntimeError("derivative for aten::scatter is not implemented")


class scatter_add_op(Indexing):
    """scatter_add with the index beside the input."""

    name, node_name, index_inputs, method, namespace, has_out = (
        "scatter_add_op",
        "ScatterAddBackward0",
        ("index",),
        False,
        None,
        True,
    )
    inplace = True

    @func_op(3)
    def forward(xp, input, index, src, dim):
        return xp.scatter_add(input, dim, index, src)

    def grad_input(xp, g):
        return g

    def grad_src(xp, g, index, dim, shape):
        return _grown(xp, xp.gather(g, dim, index), shape)


def _scatter_case(input, dim, index, src, value, reduce, name):
    """(op, tensors after input, options) for one spelling of scatter."""
    if value is None and not isinstance(src, Tensor):
        src, value = None, src
    if reduce is not None:
        if reduce not in ("add", "multiply"):
            raise RuntimeError("reduce argument must be either add or multiply.")
        if src is not None:
            warnings.warn(
                "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in "
                "a future PyTorch release. Use torch.scatter_reduce instead for more reduction "
                "options.",
                UserWarning,
                stacklevel=3,
            )
        else:
            src = FUNCTIONS["full"](index._array.shape, value, dtype=input.dtype, device=input.device)
        dim = _check_index(input, dim, index, "scatter", "self", src)
        return scatter_with, (index, src), (dim, reduce)
    if src is not None:
        dim = _check_index(input, dim, index, "scatter", "self", src)
        if src._table.dtype is not input._table.dtype:
            raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
        return scatter_src, (index, src), (dim,)
    if value is None:
        raise TypeError(f"{name}() received an invalid combination of arguments")
    return scatter_value, (index,), (_check_index(input, dim, index, "scatter", "self"), value)


@public(method=True)
def scatter(input, dim, index, src=None, *, value=None, reduce=None, out=None):
    """scatter(input, dim, index, src) -> Tensor: a copy with out[index[i][j]][j] = src[i][j] for dim 0, and so on.

    src: a tensor or a number (`value=`); reduce: None, "add" or "multiply".
    """
    op, others, options = _scatter_case(input, dim, index, src, value, reduce, "scatter")
    return op.fn(input, *others, *options, out=out)


@tensor_method
def scatter_(self, dim, index, src=None, *, value=None, reduce=None):
    """scatter_(dim, index, src) -> self with self[index[i][j]][j] = src[i][j] for dim 0, and so on."""
    op, others, options = _scatter_case(self, dim, index, src, value, reduce, "scatter_")
    return getattr(Tensor, op.name + "_")(self, *others, *options)


def _check_scatter_add(input, dim, index, src):
    if not isinstance(src, Tensor):
        raise TypeError(f"scatter_add(): argument 'src' (position 3) must be Tensor, not {type(src).__name__}")
    dim = _check_index(input, dim, index, "scatter", "self", src)
    if src._table.dtype is not input._table.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    return dim


@public(method=True)
def scatter_add(input, dim, index, src, *, out=None):
    """scatter_add(input, dim, index, src) -> Tensor: input plus src's elements at index along dim, repeats adding
    up.
    """
    return scatter_add_op.fn(input, index, src, _check_scatter_add(input, dim, index, src), out=out)


@tensor_method
def scatter_add_(self, dim, index, src):
    """scatter_add_(dim, index, src) -> self plus src's elements at index along dim, repeats adding up."""
    return self.scatter_add_op_(index, src, _check_scatter_add(self, dim, index, src))


# ---- scatter_reduce and index_reduce: the same arithmetic, an index per element or per slice


def _reduction_grads(xp, needs, g, input, src, out, index, dim, reduce, include_self):
    """Gradients of scatter_reduce for (input, src), as torch spreads them (ties share; zeros in a product are set
    aside).
    """
    zeros = xp.zeros(tuple(input.shape))
    real = xp.dtype
    if reduce == "sum":
        to_self, to_src = g, xp.gather(g, dim, index)
    elif reduce == "mean":
        count = xp.scatter_add(zeros + 1.0 if include_self else zeros, dim, index, src * 0.0 + 1.0)
        count = xp.maximum(count, xp.ones(()))
        to_self = g / count
        to_src = xp.gather(to_self, dim, index)
    elif reduce == "prod":
        to_self, to_src = _product_grads(xp, g, input, src, out, index, dim, include_self, zeros)
    else:
        best = xp.gather(out, dim, index)
        src_best, self_best = xp.cast(xp.eq(src, best), real), xp.cast(xp.eq(input, out), real)
        share = g / xp.maximum(xp.scatter_add(self_best if include_self else zeros, dim, index, src_best), xp.ones(()))
        if include_self:
            share = g / xp.scatter_add(self_best, dim, index, src_best)
        to_self, to_src = self_best * share, src_best * xp.gather(share, dim, index)
    if not include_self:
        to_self = xp.scatter(to_self, dim, index, xp.scalar(0))
    return to_self, to_src


def _product_grads(xp, g, input, src, out, index, dim, include_self, zeros):
    nothing, one = xp.scalar(0), xp.ones(())
    real = xp.dtype
    self_zero = xp.eq(input, nothing)
    safe_self = xp.where(self_zero, one, input)
    others = xp.scatter_reduce(safe_self, dim, index, src, "prod", include_self)
    to_self = g * others / safe_self
    src_zero = xp.eq(src, nothing)
    how_many = xp.gather(xp.scatter_add(zeros, dim, index, xp.cast(src_zero, real)), dim, index)
    alone = xp.logical_and(src_zero, xp.eq(how_many, one))
    beside = xp.scatter_reduce(input, dim, index, xp.where(alone, one, src), "prod", include_self)
    to_src = xp.where(
        alone, xp.gather(g * beside, dim, index), xp.gather(g * out, dim, index) / xp.where(src_zero, one, src)
    )
    return to_self, to_src


class scatter_reduce_op(Indexing):
    """scatter_reduce with the index beside the input."""

    name, node_name, index_inputs = "scatter_reduce_op", "ScatterReduceBackward0", ("index",)
    method, namespace, has_out, inplace = False, None, True, True

    @func_op(3)
    def forward(xp, input, index, src, dim, reduce, *, include_self=True):
        return xp.scatter_reduce(input, dim, index, src, reduce, include_self)

    def backward(xp, needs, g, input, index, src, out, dim, reduce, include_self):
        part = src
        for d, n in enumerate(index.shape):
            if part.shape[d] != n:
                part = xp.slice(part, d, 0, n, 1)
        to_self, to_src = _reduction_grads(xp, needs, g, input, part, out, index, dim, reduce, include_self)
        return to_self if needs[0] else None, None, _grown(xp, to_src, tuple(src.shape)) if needs[2] else None


def _check_reduce(input, dim, index, src, reduce):
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    dim = _check_index(input, dim, index, "scatter", "self", src)
    if src._table.dtype is not input._table.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    return dim


@public(method=True)
def scatter_reduce(input, dim, index, src, reduce, *, include_self=True, out=None):
    """scatter_reduce(input, dim, index, src, reduce, include_self=True) -> Tensor: src's elements reduced into
    index's places.

    reduce: "sum", "prod", "mean", "amax" or "amin"; include_self: is input's own value among the reduced ones?
    """
    dim = _check_reduce(input, dim, index, src, reduce)
    return scatter_reduce_op.fn(input, index, src, dim, reduce, include_self=include_self, out=out)


@tensor_method
def scatter_reduce_(self, dim, index, src, reduce, *, include_self=True):
    """scatter_reduce_(dim, index, src, reduce, include_self=True) -> self after scatter_reduce."""
    dim = _check_reduce(self, dim, index, src, reduce)
    return self.scatter_reduce_op_(index, src, dim, reduce, include_self=include_self)


class index_reduce_op(Indexing):
    """index_reduce with the index beside the input."""

    name, node_name, index_inputs, method, namespace, has_out = (
        "index_reduce_op",
        "IndexReduceBackward0",
        ("index",),
        False,
        None,
        True,
    )
    inplace = True

    @func_op(3)
    def forward(xp, input, index, source, dim, reduce, *, include_self=True):
        return xp.scatter_reduce(input, dim, _spread(xp, index, source, dim), source, reduce, include_self)

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


def _check_index_reduce(input, dim, index, source, reduce):
    warnings.warn("index_reduce() is in beta and the API may change at any time.", UserWarning, stacklevel=3)
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    return _check_slices(input, dim, index, source, "index_reduce_", RuntimeError)


@public(method=True)
def index_reduce(input, dim, index, source, reduce, *, include_self=True, out=None):
    """index_reduce(input, dim, index, source, reduce, include_self=True) -> Tensor: source's slices reduced into
    index's places.
    """
    dim = _check_index_reduce(input, dim, index, source, reduce)
    return index_reduce_op.fn(input, index, source, dim, reduce, include_self=include_self, out=out)


@tensor_method
def index_reduce_(self, dim, index, source, reduce, *, include_self=True):
    """index_reduce_(dim, index, source, reduce, include_self=True) -> self after index_reduce."""
    dim = _check_index_reduce(self, dim, index, source, reduce)
    return self.index_reduce_op_(index, source, dim, reduce, include_self=include_self)


# ---- whole slices by index


class index_select_op(Indexing):
    """index_select with the index beside the input."""

    name, node_name, index_inputs, method, namespace, has_out = (
        "index_select",
        "IndexSelectBackward0",
        ("index",),
        False,
        None,
        True,
    )

    @func_op(2)
    def forward(xp, input, index, dim):
        return xp.index_select(input, dim, index)

    def grad_input(xp, g, index, dim, shape):
        if not shape:
            return xp.sum(g, tuple(range(len(g.shape))), False)
        index = xp.of(index).reshape(index, (index.shape[0] if len(index.shape) else 1,))
        if dim < 8:
            return xp.index_backward(g, shape, (None,) * dim + (index,))
        return xp.index_add(xp.zeros(shape), dim, index, g)


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
    return index_select_op.fn(input, index, dim, out=out)


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
    n, have = index._array.size, source._array.shape
    if source._array.ndim and (dim >= source._array.ndim or source._array.ndim != max(input._array.ndim, 1)):
        if name == "index_add_":
            raise RuntimeError(
                "source tensor shape must match self tensor shape, excluding the specified dimension. "
                f"Got self.shape = {list(input._array.shape)} source.shape = {list(have)}"
            )
        raise error(
            f"{name}(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source._array.ndim}), destination dimensionality ({input._array.ndim})"
        )
    if source._array.ndim and n != have[dim] or not source._array.ndim and n != 1:
        raise error(
            f"{name}(): Number of indices ({n}) should be equal to source.size(dim): "
            f"({have[dim] if have else 1}), for dim: {dim}"
        )
    sizes = enumerate(zip(input._array.shape, have))
    if source._array.ndim == input._array.ndim and any(a != b for d, (a, b) in sizes if d != dim):
        if name == "index_copy_":
            slices = [" ".join(str(n) for d, n in enumerate(s) if d != dim) for s in (input._array.shape, have)]
            raise RuntimeError(
                "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
                f"{slices[0]} at dimension {dim} and source slice shape: {slices[1]} at dimension 0."
            )
        raise error(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got "
            f"self.shape = {list(input._array.shape)} source.shape = {list(have)}"
        )
    return dim


class index_add_op(Indexing):
    """index_add with the index beside the input."""

    name, node_name, index_inputs, method, namespace, has_out = (
        "index_add_op",
        "IndexAddBackward0",
        ("index",),
        False,
        None,
        True,
    )
    inplace = True

    @func_op(3)
    def forward(xp, input, index, source, dim, *, alpha=1):
        return xp.index_add(input, dim, index, source if alpha == 1 else source * xp.scalar(alpha))

    def grad_input(xp, g):
        return g

    def grad_source(xp, g, index, dim, alpha, shape):
        got = _slices(xp, g, dim, index, shape)
        return got if alpha == 1 else got * xp.scalar(alpha)


def _slices(xp, g, dim, index, shape):
    """The gradient of a source whose slices went to index's places."""
    return xp.reshape(xp.index_select(g, dim, index), shape)


@public(method=True)
def index_add(input, dim, index, source, *, alpha=1, out=None):
    """index_add(input, dim, index, source, alpha=1) -> Tensor: input plus alpha times source's slices at index along
    dim.
    """
    dim = _check_slices(input, dim, index, source, "index_add_", RuntimeError)
    return index_add_op.fn(input, index, source, dim, alpha=alpha, out=out)


@tensor_method
def index_add_(self, dim, index, source, *, alpha=1):
    """index_add_(dim, index, source, alpha=1) -> self plus alpha times source's slices at index along dim."""
    dim = _check_slices(self, dim, index, source, "index_add_", RuntimeError)
    return self.index_add_op_(index, source, dim, alpha=alpha)


class index_copy_op(Indexing):
    """index_copy with the index beside the input."""

    name, node_name, index_inputs, method, namespace, has_out = (
        "index_copy_op",
        "IndexCopyBackward0",
        ("index",),
        False,
        None,
        True,
    )
    inplace = True

    @func_op(3)
    def forward(xp, input, index, source, dim):
        return _placed(xp, input, index, source, dim)

    def grad_input(xp, g, index, dim):
        return _placed(xp, g, index, xp.zeros(()), dim)

    def grad_source(xp, g, index, dim, shape):
        return _slices(xp, g, dim, index, shape)


def _placed(xp, x, index, source, dim):
    """x with source at the places of dim that index names."""
    n = index.shape[0] if len(index.shape) else 1
    where = (None,) * dim + (xp.of(index).reshape(index, (n,)),)
    if not len(x.shape):
        source = xp.reshape(source, (1,)) if n else source
        return xp.reshape(xp.index_put(xp.reshape(x, (1,)), where, source, False), ())
    return xp.index_put(x, where, source, False)


def _check_copy(input, dim, index, source):
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
    if (
        index._table.host
        and index._array.size
        and not (0 <= int(index._array.min()) and int(index._array.max()) < n)
    ):
        bad = next(i for i in index.view(-1).tolist() if not 0 <= i < n)
        raise IndexError(f"{prefix}index {bad} is out of bounds for dimension {dim} with size {n}")


@public(method=True)
def index_copy(input, dim, index, source, *, out=None):
    """index_copy(input, dim, index, source) -> Tensor: input with source's slices at index along dim."""
    return index_copy_op.fn(input, index, source, _check_copy(input, dim, index, source), out=out)


@tensor_method
def index_copy_(self, dim, index, source):
    """index_copy_(dim, index, source) -> self with source's slices at index along dim."""
    return self.index_copy_op_(index, source, _check_copy(self, dim, index, source))


class index_fill_number(Indexing):
    """index_fill with a number."""

    name, node_name, index_inputs, method, namespace = (
        "index_fill_number",
        "IndexFillBackward0",
        ("index",),
        False,
        None,
    )
    inplace = True

    @func_op(2)
    def forward(xp, input, index, dim, value):
        return _placed(xp, input, index, xp.full((), value), dim)

    def grad_input(xp, g, index, dim):
        return _placed(xp, g, index, xp.zeros(()), dim)


class index_fill_tensor(Indexing):
    """index_fill with a 0-dim tensor."""

    name, node_name, index_inputs, method, namespace = (
        "index_fill_tensor",
        "IndexFillBackward1",
        ("index",),
        False,
        None,
    )
    inplace = True

    @func_op(3)
    def forward(xp, input, index, value, dim):
        return _placed(xp, input, index, xp.cast(value, xp.dtype), dim)

    def grad_input(xp, g, index, dim):
        return _placed(xp, g, index, xp.zeros(()), dim)

    def grad_value(xp, g, index, dim):
        zeros = xp.zeros(tuple(g.shape))  # a place named twice was filled once
        filled = xp.ne(_placed(xp, zeros, index, xp.ones(()), dim), zeros)
        return xp.sum(xp.where(filled, g, zeros), tuple(range(len(g.shape))), False)


def _fill_case(input, dim, index, value):
    dim = wrap_dim(dim, input._array.ndim)
    if index._table.dtype is not dtypes.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if index._array.ndim > 1:
        raise IndexError("Index has to be a vector/scalar")
    n = input._array.shape[dim] if input._array.ndim else 1
    if (
        index._table.host
        and index._array.size
        and not (-n <= int(index._array.min()) and int(index._array.max()) < n)
    ):
        bad = next(i for i in index.view(-1).tolist() if not -n <= i < n)
        raise IndexError(f"index {bad} is out of bounds for dimension {dim} with size {n}")
    if isinstance(value, Tensor):
        if value._array.ndim:
            raise RuntimeError(
                "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{value._array.ndim} dimension(s)."
            )
        return index_fill_tensor, (index, value), (dim,)
    if isinstance(value, complex) and not input._table.is_complex:
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    return index_fill_number, (index,), (dim, value)


@public(method=True)
def index_fill(input, dim, index, value):
    """index_fill(input, dim, index, value) -> Tensor: input with value (a number or 0-dim tensor) in the slices index
    names.
    """
    op, others, options = _fill_case(input, dim, index, value)
    return op.fn(input, *others, *options)


@tensor_method
def index_fill_(self, dim, index, value):
    """index_fill_(dim, index, value) -> self with value in the slices of dim that index names."""
    op, others, options = _fill_case(self, dim, index, value)
    return getattr(Tensor, op.name + "_")(self, *others, *options)
