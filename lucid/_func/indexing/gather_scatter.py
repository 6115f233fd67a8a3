"""Elements gathered and scattered along one dimension: gather, scatter, scatter_add, scatter_reduce, take_along_dim."""

from ..._backend.core import func_op
from ..._backend.families import Indexing, not_implemented_error
from ..._backend.registry import public, tensor_method
from ..._backend.rules import unbroadcast
from ..._base import dtype as dtypes
from ..._base.shape import broadcast_shapes, wrap_dim
from ..._base.warn import warn
from ..._tensor.tensor import Tensor
from ..creation.gfunc import full
from ..pointwise.bfunc import remainder

_NAMES = dtypes.SCALAR_NAMES
_INTEGERS = (dtypes.int64, dtypes.int32)


class ByIndex(Indexing):
    """An op with an index tensor, in place too, behind a public function that checks what it is given."""

    index_inputs, method, namespace, has_out, inplace = ("index",), False, None, True, True


# ---- gather


class gather_op(Indexing):
    """gather with the index beside the input."""

    not_overgrown = "all"
    name, node_name, index_inputs = "gather", "GatherBackward0", ("index",)
    method, namespace, has_out = False, None, True

    @func_op(2)
    def forward(xp, input, index, dim):
        return xp.gather(input, dim, index)

    def grad_input(xp, g, input, index, dim, shape):  # input is kept as torch keeps it: who writes it is refused
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
        fits = all([n <= m for n, m in zip(shape, have)]) and all([n <= m for n, m in zip(shape[:dim], wanted)])
        if len(have) < len(shape) and fits:  # torch asks src for sizes before it counts its dimensions
            wrap_dim(len(have), len(have))
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
    """take_along_dim(input, indices, dim=None) -> Tensor:
    gather, after input and indices have broadcast (flat for None).
    """
    if dim is None:
        return gather(input.view(-1), 0, indices.view(-1), out=out)
    if indices._table.dtype is not dtypes.int64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {_NAMES[indices._table.dtype]}"
        )
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
    places = indices.expand(wide)
    wide[dim] = a[dim]
    source = input.expand(wide)
    places = remainder(places, n) if indices._array.size and n else places
    return gather(source, dim, places, out=out)


# ---- scatter


class scatter_src(ByIndex):
    """scatter of a tensor."""

    not_overgrown = "all"
    node_name = "ScatterBackward0"

    @func_op(3)
    def forward(xp, input, index, src, dim):
        return xp.scatter(input, dim, index, src)

    def grad_input(xp, g, index, dim):
        return xp.scatter(g, dim, index, xp.scalar(0))

    def grad_src(xp, g, index, dim, shape):
        return _of_whole(xp, xp.gather(g, dim, index), shape, "Scatter")


def _of_whole(xp, g, shape, name):
    """The gradient of src, which torch refuses where index did not reach all of src, but for one that was no index."""
    if tuple(g.shape) != tuple(shape):
        have = tuple(g.shape)[max(len(g.shape) - len(shape), 0) :]
        if len(have) == len(shape) and all([n in (1, m) for n, m in zip(shape, have)]):
            return unbroadcast(xp, g, shape)
        raise RuntimeError(
            f"Function {name}Backward0 returned an invalid gradient at index 1 - got {list(g.shape)} but expected "
            f"shape compatible with {list(shape)}"
        )
    return g


class scatter_value(ByIndex):
    """scatter of a number."""

    not_overgrown = "all"
    node_name = "ScatterBackward1"
    fits_type = ("value",)

    @func_op(2)
    def forward(xp, input, index, dim, value):
        return xp.scatter(input, dim, index, xp.scalar(value))

    def grad_input(xp, g, index, dim):
        return xp.scatter(g, dim, index, xp.scalar(0))


class scatter_with(Indexing):
    """scatter with reduce="add" or "multiply": torch has no gradient of it."""

    not_overgrown = "all"
    name, node_name = "scatter_with", "NotImplemented"
    index_inputs, method, namespace, has_out = ("index",), False, None, True
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


class scatter_add_op(ByIndex):
    """scatter_add with the index beside the input."""

    not_overgrown = "all"
    node_name = "ScatterAddBackward0"

    @func_op(3)
    def forward(xp, input, index, src, dim):
        return xp.scatter_add(input, dim, index, src)

    def grad_input(xp, g):
        return g

    def grad_src(xp, g, index, dim, shape):
        return _of_whole(xp, xp.gather(g, dim, index), shape, "ScatterAdd")


def _scatter_case(input, dim, index, src, value, reduce, name):
    """(op, tensors after input, options) for one spelling of scatter."""
    if value is None and not isinstance(src, Tensor):
        src, value = None, src
    if reduce is not None:
        if reduce not in ("add", "multiply"):
            raise RuntimeError("reduce argument must be either add or multiply.")
        if src is not None:
            warn(
                "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future "
                "PyTorch release. Use torch.scatter_reduce instead for more reduction options.",
                UserWarning,
            )
        else:
            src = full(index._array.shape, value, dtype=input.dtype, device=input.device)
        dim = _check_index(input, dim, index, "scatter", "self", src)
        if src._table.dtype is not input._table.dtype:
            raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
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
    """scatter_add(input, dim, index, src) -> Tensor:
    input plus src's elements at index along dim, repeats adding up.
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
        count = xp.scatter_add(zeros + 1.0 if include_self else zeros, dim, index, xp.ones(tuple(src.shape)))
        count = xp.where(xp.eq(count, xp.scalar(0)), xp.ones(()), count)
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

    not_overgrown = "all"
    name, node_name, index_inputs = "scatter_reduce_op", "ScatterReduceBackward0", ("index",)
    complex_gradient = False
    method, namespace, has_out, inplace = False, None, True, True

    @func_op(3)
    def forward(xp, input, index, src, dim, reduce, *, include_self=True):
        return xp.scatter_reduce(input, dim, index, src, reduce, include_self)

    def backward(xp, needs, g, input, index, src, out, dim, reduce, include_self):
        if 0 in index.shape:
            to_src = _of_whole(xp, xp.zeros(tuple(index.shape)), src.shape, "ScatterReduce") if needs[2] else None
            return g if needs[0] else None, None, to_src
        part = src
        for d, n in enumerate(index.shape):
            if part.shape[d] != n:
                part = xp.slice(part, d, 0, n, 1)
        to_self, to_src = _reduction_grads(xp, needs, g, input, part, out, index, dim, reduce, include_self)
        return (
            to_self if needs[0] else None,
            None,
            _of_whole(xp, to_src, src.shape, "ScatterReduce") if needs[2] else None,
        )


def _check_reduce(input, dim, index, src, reduce):
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    dim = _check_index(input, dim, index, "scatter", "self", src)
    if src._table.dtype is not input._table.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    k = input._table
    if k.dtype is dtypes.bool_ and reduce == "mean" or k.is_complex and reduce[0] == "a" and index._array.size:
        kernel = f"scatter_gather_tensor_cpu_reduce_{reduce}" if index._array.size else "div_floor_cpu"
        raise not_implemented_error(kernel, k.dtype)
    return dim


@public(method=True)
def scatter_reduce(input, dim, index, src, reduce, *, include_self=True, out=None):
    """scatter_reduce(input, dim, index, src, reduce, include_self=True) -> Tensor:
    src's elements reduced into index's places.

    reduce: "sum", "prod", "mean", "amax" or "amin"; include_self: is input's own value among the reduced ones?
    """
    dim = _check_reduce(input, dim, index, src, reduce)
    return scatter_reduce_op.fn(input, index, src, dim, reduce, include_self=include_self, out=out)


@tensor_method
def scatter_reduce_(self, dim, index, src, reduce, *, include_self=True):
    """scatter_reduce_(dim, index, src, reduce, include_self=True) -> self after scatter_reduce."""
    dim = _check_reduce(self, dim, index, src, reduce)
    return self.scatter_reduce_op_(index, src, dim, reduce, include_self=include_self)
