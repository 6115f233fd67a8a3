"""segment_reduce: sums, means, products and extremes of the pieces that lengths or offsets cut a dimension into."""

import functools
import math

from ..._backend.core import func_op
from ..._backend.dispatch import unseen
from ..._backend.families import Own, not_implemented_error
from ..._backend.registry import NAMESPACES, public, publish_name
from ..._base.dtype import FLOATING, int32, int64
from ..._base.shape import wrap_dim
from ..._tensor.tensor import bare

# what a piece begins with, unless `initial` says
_BEGINNINGS = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "amax": -math.inf, "amin": math.inf}
_NAMES = {"max": "amax", "min": "amin", **{name: name for name in ("sum", "mean", "prod", "amax", "amin")}}


_NOT_SO = (
    "to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request "
    "to PyTorch.)"
)


def _pieces(xp, offsets, shape, axis):
    """The piece that each element of data lies in, counted from 1, in data's shape: 0 and the last for none."""
    k = xp.of(offsets)
    n, lead = shape[axis], tuple(shape[:axis])
    places = k.expand(k.reshape(k.arange(n), (*[1] * axis, n)), (*lead, n))
    found = k.searchsorted(k.contiguous(offsets), k.contiguous(places), True)
    found = k.reshape(found, (*lead, n, *[1] * (len(shape) - axis - 1)))
    return k.expand(found, tuple(shape))


def _into_pieces(xp, values, index, shape, word, start, axis):
    """The values of each piece reduced by a word, from what all begin with; those in none are left out."""
    whole = xp.full((*shape[:axis], shape[axis] + 2, *shape[axis + 1 :]), start)
    if word == "sum":
        found = xp.scatter_add(whole, axis, index, values)
    else:
        found = xp.scatter_reduce(whole, axis, index, values, word, True)
    return xp.slice(found, axis, 1, shape[axis] + 1, 1)


def _spread(xp, x, index, axis):
    """What each piece has, given to its elements; 0 to those in none."""
    none = xp.zeros((*x.shape[:axis], 1, *x.shape[axis + 1 :]))
    return xp.gather(xp.cat([none, x, none], axis), axis, index)


def _offsets(xp, cuts, by_lengths):
    """Where pieces begin, and the last one ends."""
    if not by_lengths:
        return cuts
    k = xp.of(cuts)
    return k.cat([k.zeros((*cuts.shape[:-1], 1)), k.cumsum(cuts, len(cuts.shape) - 1)], len(cuts.shape) - 1)


class segment_reduction(Own):
    """segment_reduction(data, cuts, reduce, by_lengths, axis, unsafe, initial): cuts are lengths of pieces, or offsets
    between which they lie."""

    namespace, method, node_name, index_inputs = None, False, "SegmentReduceBackward0", ("cuts",)

    @func_op(2)
    def forward(xp, data, cuts, reduce, by_lengths, axis, unsafe, initial):
        if xp.dtype.category != FLOATING:
            raise not_implemented_error("_segment_reduce_cpu", xp.dtype)
        offsets = _offsets(xp, cuts, by_lengths)
        index = _pieces(xp, offsets, data.shape, axis)
        shape = (*data.shape[:axis], offsets.shape[-1] - 1, *data.shape[axis + 1 :])
        start = _BEGINNINGS[reduce] if initial is None else initial
        found = _into_pieces(xp, data, index, shape, "sum" if reduce == "mean" else reduce, start, axis)
        if reduce == "mean":
            counts = _into_pieces(xp, xp.ones(data.shape), index, shape, "sum", 0.0, axis)
            # of nothing, `initial` is the mean
            found = found / (counts if initial is None else xp.maximum(counts, xp.ones(shape)))
        return xp.contiguous(found)

    def grad_data(xp, g, data, cuts, out, reduce, by_lengths, axis, initial):
        gradient = xp.segment_gradient if xp.records else functools.partial(segment_gradient.forward, xp)
        return gradient(g, data, cuts, out, reduce, by_lengths, axis, initial)


class segment_gradient(Own):
    """segment_gradient(g, data, cuts, out, reduce, by_lengths, axis, initial): segment_reduction's; torch has no second
    one."""

    namespace, method, node_name, index_inputs = None, False, "NotImplemented", ("cuts",)

    @func_op(4)
    def forward(xp, g, data, cuts, out, reduce, by_lengths, axis, initial):
        index = _pieces(xp, _offsets(xp, cuts, by_lengths), data.shape, axis)
        shape = tuple(out.shape)
        g_of_each = _spread(xp, g, index, axis)
        if reduce == "sum":
            return g_of_each
        if reduce == "mean":
            counts = _into_pieces(xp, xp.ones(tuple(data.shape)), index, shape, "sum", 0.0, axis)
            return _spread(xp, g / xp.maximum(counts, xp.ones(shape)), index, axis)
        if reduce == "prod":
            start = 1.0 if initial is None else initial
            return g_of_each * _product_of_others(xp, data, index, out, axis, start)
        hit = xp.logical_or(xp.eq(data, _spread(xp, out, index, axis)), xp.isnan(data))
        share = xp.cast(hit, xp.dtype)
        counts = _into_pieces(xp, share, index, shape, "sum", 0.0, axis)
        return g_of_each * share / xp.maximum(_spread(xp, counts, index, axis), xp.ones(tuple(data.shape)))

    def backward(xp, needs, g):
        raise RuntimeError("derivative for aten::_segment_reduce_backward is not implemented")


def _product_of_others(xp, data, index, out, axis, start):
    """The derivative of a piece's product: out / x, or, where x is 0 or NaN, the product of what is beside it."""
    shape, zero, nan = tuple(out.shape), xp.eq(data, 0), xp.isnan(data)
    bad = xp.logical_or(zero, nan)
    regular = xp.masked_fill(data, bad, 1.0)
    rest = _spread(xp, _into_pieces(xp, regular, index, shape, "prod", start, axis), index, axis)
    for kind, factor in ((zero, 0.0), (nan, math.nan)):
        count = xp.cast(kind, xp.dtype)
        others = _spread(xp, _into_pieces(xp, count, index, shape, "sum", 0.0, axis), index, axis) - count
        rest = xp.where(xp.gt(others, 0), rest * factor, rest)
    return xp.where(bad, rest, _spread(xp, out, index, axis) / regular)


def _check_lengths(lengths, total):
    if lengths._array.size and lengths.lt(0).any():
        raise RuntimeError("lengths contains negative value!")
    if lengths.sum(-1).ne(total).any():
        raise RuntimeError(
            "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when "
            "!unsafe."
        )


@public()
def segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0, unsafe=False, initial=None):
    """segment_reduce(data, reduce, *, lengths=None, offsets=None, axis=0, unsafe=False, initial=None) -> Tensor.

    data cut along axis into pieces of these lengths, or at these offsets, and each reduced: reduce is "sum", "mean",
    "prod", "max" or "min". axis must be the last dimension of lengths; those before it are data's. unsafe: lengths are
    not checked. initial: what each piece begins with.
    """
    axis = wrap_dim(axis, data._array.ndim)
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if reduce not in _NAMES:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    _check_cuts(data, lengths, offsets, axis, unsafe)
    cuts, start = lengths if offsets is None else offsets, None if initial is None else float(initial)
    return segment_reduction.fn(data, cuts, _NAMES[reduce], offsets is None, axis, unsafe, start)


def _check_cuts(data, lengths, offsets, axis, unsafe):
    what, given = ("lengths", lengths) if offsets is None else ("offsets", offsets)
    if data._array.ndim < given._array.ndim:
        raise RuntimeError(f"Expected data.dim() >= {what}_value.dim() {_NOT_SO}")
    if axis != given._array.ndim - 1:
        raise RuntimeError(f"segment_reduce(): Expected axis to be the last dimension of {what} but got {axis}.")
    if offsets is None and not unsafe and lengths._table.has_data:
        with unseen():
            _check_lengths(bare(lengths), data._array.shape[axis])
    if offsets is not None and offsets._table.has_data and offsets._array.shape[-1] > 1:
        with unseen():
            if bare(offsets).diff(dim=-1).lt(0).any():
                raise RuntimeError(f"Expected segment_length >= 0 {_NOT_SO}")
    if given._table.dtype not in (int32, int64):
        raise not_implemented_error(f"_segment_reduce_{what}_cpu_kernel1", given._table.dtype)


def _same_entry(*_):
    """torch has one function under both names."""
    return NAMESPACES["torch"]["segment_reduce"]


publish_name("_segment_reduce", segment_reduce, "torch", word=False, entry=_same_entry)
