"""Sums, means and maxima of looked up rows: embedding_bag."""

from ..._backend.core import func_op
from ..._backend.families import Indexing
from ..._backend.registry import public
from ..._backend.rules import in_one_step
from ..._base import dtype as dtypes
from ..._base.warn import warn
from ..._tensor.tensor import Tensor
from ..creation.gfunc import arange, zeros
from ..shape.join import cat
from ..shape.repeat import repeat_interleave
from .embedding import shrink_rows, sparse_bag_rows

SUM, MEAN, MAX = 0, 1, 2
_NAMES = {"sum": SUM, "mean": MEAN, "max": MAX}


def _bags(xp, indices, offsets, include_last_offset):
    """(number of bags, the bag of each index)."""
    count = offsets.shape[0] - (1 if include_last_offset and offsets.shape[0] else 0)
    places = xp.sibling(dtypes.int64).arange(indices.shape[0])
    starts = xp.cast(xp.slice(offsets, 0, 0, count, 1), dtypes.int64)
    return count, xp.searchsorted(starts, places, True) - 1


def _kept(xp, indices, padding_idx):
    """Which indices count, in a column; None when all do."""
    return None if padding_idx < 0 else xp.unsqueeze(indices != padding_idx, 1)


def _only(xp, kept, rows):
    """Rows with zeros for those that do not count, whatever they hold."""
    return rows if kept is None else xp.where(kept, rows, xp.scalar(0))


def _sizes(xp, indices, bag, count, padding_idx):
    """How many rows each bag takes a mean of, at least 1, in a column."""
    ones = xp.ones(tuple(indices.shape)) if padding_idx < 0 else xp.cast(indices != padding_idx, xp.dtype)
    return xp.unsqueeze(xp.maximum(xp.index_add(xp.zeros((count,)), 0, bag, ones), xp.scalar(1)), 1)


def _maxima(xp, rows, indices, bag, count, kept):
    """The greatest of each column of each bag, and the row of weight it is in (-1: the bag is empty)."""
    n, columns = rows.shape
    long = xp.sibling(dtypes.int64)
    low = xp.scalar(float("-inf"))
    rows = rows if kept is None else xp.where(kept, rows, low)
    where = xp.expand(xp.unsqueeze(bag, 1), (n, columns))
    # NaN is greater than nothing: it remains where a bag begins with it
    rows = xp.where(xp.logical_and(xp.isnan(rows), xp.logical_not(_leads(long, bag, count, kept))), low, rows)
    top = xp.scatter_reduce(xp.full((count, columns), float("-inf")), 0, where, rows, "amax", True)
    found = xp.logical_or(rows == xp.index_select(top, 0, bag), xp.isnan(rows))
    found = found if kept is None else xp.logical_and(found, kept)
    places = long.where(found, long.unsqueeze(long.arange(n), 1), long.scalar(n))
    first = long.scatter_reduce(long.full((count, columns), n), 0, where, places, "amin", True)
    empty = first == n
    named = long.cat([long.cast(indices, dtypes.int64), long.full((1,), -1)], 0)
    return xp.where(empty, xp.scalar(0), top), long.index(named, (first,))


def _leads(long, bag, count, kept):
    """Is a row the first of its bag that counts? In a column."""
    n = bag.shape[0]
    places = long.arange(n)
    counted = places if kept is None else long.where(long.squeeze(kept, (1,)), places, long.scalar(n))
    first = long.scatter_reduce(long.full((count,), n), 0, bag, counted, "amin", True)
    return long.unsqueeze(places == long.index_select(first, 0, bag), 1)


class embedding_bag_op(Indexing):
    """(bags, which rows the maxima are from)"""

    name, node_name = "embedding_bag_op", "EmbeddingBagBackward0"
    index_inputs, method, namespace = ("indices", "offsets"), False, None
    differentiable = (0,)

    @func_op(4, 2)
    def forward(
        xp,
        weight,
        indices,
        offsets,
        per_sample_weights=None,
        mode=SUM,
        scale_grad_by_freq=False,
        padding_idx=-1,
        include_last_offset=False,
        sparse=False,
    ):
        count, bag = _bags(xp, indices, offsets, include_last_offset)
        rows, kept = xp.index(weight, (indices,)), _kept(xp, indices, padding_idx)
        if mode == MAX:
            return _maxima(xp, rows, indices, bag, count, kept)
        out = in_one_step(xp, _summed, rows, per_sample_weights, kept, count, bag)
        if mode == MEAN:
            out = out / _sizes(xp, indices, bag, count, padding_idx)
        return out, xp.sibling(dtypes.int64).zeros((0,))

    def numpy(k, weight, indices, offsets, *rest):
        wrong = indices[(indices < 0) | (indices >= weight.shape[0])]
        if wrong.size:
            raise RuntimeError(
                f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {int(wrong[0])}"
            )
        if offsets.size and offsets[0]:
            raise RuntimeError(
                "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
                f"position 0. However, got {int(offsets[0])}"
            )
        if offsets.size and offsets[-1] > indices.size:
            raise RuntimeError(
                f"offsets[-1] can not be greater than input's length({indices.size}) but got "
                f"offsets[-1] of {int(offsets[-1])}"
            )
        return embedding_bag_op.forward(k, weight, indices, offsets, *rest)

    def grad_weight(
        xp,
        g,
        indices,
        offsets,
        per_sample_weights,
        mode,
        scale_grad_by_freq,
        padding_idx,
        include_last_offset,
        sparse,
        out1,
        shape,
    ):
        if mode == MAX:
            g = xp.where(out1 < 0, xp.scalar(0), g)
            return xp.scatter_add(xp.zeros(shape), 0, xp.maximum(out1, xp.sibling(dtypes.int64).scalar(0)), g)
        count, bag = _bags(xp, indices, offsets, include_last_offset)
        if mode == MEAN:
            g = g / _sizes(xp, indices, bag, count, padding_idx)
        rows, kept = xp.index_select(g, 0, bag), _kept(xp, indices, padding_idx)
        rows = rows if per_sample_weights is None else rows * xp.unsqueeze(per_sample_weights, 1)
        rows = _only(xp, kept, rows)
        if scale_grad_by_freq:
            times = xp.index_backward(xp.ones(tuple(indices.shape)), (shape[0],), (indices,))
            rows = rows / xp.unsqueeze(xp.index(times, (indices,)), 1)
        if sparse:
            return sparse_bag_rows(xp, rows, indices, padding_idx, shape)
        return xp.index_backward(rows, shape, (indices,))

    def grad_per_sample_weights(xp, g, weight, indices, offsets, padding_idx, include_last_offset):
        count, bag = _bags(xp, indices, offsets, include_last_offset)
        rows, kept = xp.index(weight, (indices,)), _kept(xp, indices, padding_idx)
        return in_one_step(xp, _dots, xp.index_select(g, 0, bag), rows, kept)


def _summed(xp, rows, weights, kept, count, bag):
    rows = _only(xp, kept, rows if weights is None else rows * xp.unsqueeze(weights, 1))
    return xp.index_add(xp.zeros((count, rows.shape[1])), 0, bag, rows)


def _dots(xp, a, b, kept):
    return xp.sum(_only(xp, kept, a * b), (1,), False)


def _check(weight, indices, offsets, per_sample_weights):
    for name, t in (("weight", weight), ("indices", indices), ("offsets", offsets)):
        if not isinstance(t, Tensor):
            raise TypeError(f"embedding_bag(): argument '{name}' must be Tensor, not {type(t).__name__}")
    for i, (name, t) in enumerate((("indices", indices), ("offsets", offsets)), 1):
        if t._table.dtype not in (dtypes.int64, dtypes.int32):
            raise RuntimeError(
                f"Expected tensor for argument #{i} '{name}' to have one of the following scalar types: "
                f"Long, Int; but got {t.type()} instead (while checking arguments for embedding_bag)"
            )
    if per_sample_weights is not None and per_sample_weights._table.dtype is not weight._table.dtype:
        raise RuntimeError(
            "expected scalar type "
            + str(weight.dtype)
            + " for per_sample_weights but found "
            + str(per_sample_weights.dtype)
        )


@public(method=False)
def embedding_bag(
    weight,
    indices,
    offsets,
    scale_grad_by_freq=False,
    mode=SUM,
    sparse=False,
    per_sample_weights=None,
    include_last_offset=False,
    padding_idx=None,
):
    """embedding_bag(weight, indices, offsets, ...) -> (bags, the bag of each index, bag sizes, rows of the maxima).

    mode: 0 sum, 1 mean, 2 max. F.embedding_bag is for daily use. With sparse=True the gradient
    of weight is a COO tensor.
    """
    _check(weight, indices, offsets, per_sample_weights)
    n = weight._array.shape[0]
    if padding_idx is not None and not -n <= padding_idx < n:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, {-n} through {n - 1}, but got {padding_idx}"
        )
    padding_idx = -1 if padding_idx is None else padding_idx % n
    out, rows = embedding_bag_op.fn(
        weight, indices, offsets, per_sample_weights, mode, scale_grad_by_freq, padding_idx, include_last_offset, sparse
    )
    count = out._array.shape[0]
    if mode == SUM:  # torch leaves out what only the gradients of the others need
        return out, indices.new_empty((0,)), zeros((count,), dtype=indices.dtype), zeros((count,), dtype=indices.dtype)
    last = [] if include_last_offset else [offsets.new_tensor([indices.numel()])]
    sizes = cat.fn([offsets[1:], *last]) - offsets[:count]
    # the bag of each index; without numbers, as many as there are indices
    bags = repeat_interleave(sizes) if sizes._table.has_data else sizes.new_empty((indices.numel(),))
    return out, bags, sizes, rows.clamp(0) if mode == MAX else sizes


def _offsets(input, offsets):
    """Where each bag begins: as given, or one bag for each row of a 2-D input."""
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                f"sequences. However, found offsets of type {type(offsets)}"
            )
        return arange(0, input.numel(), max(input.shape[1], 1), dtype=input.dtype, device=input.device)
    if input.dim() != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.dim() != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    return offsets


def _check_mode(mode, scale_grad_by_freq, sparse):
    if mode not in _NAMES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")


@public("embedding_bag", namespace="nn.functional")
def pooled_rows(
    input,
    weight,
    offsets=None,
    max_norm=None,
    norm_type=2,
    scale_grad_by_freq=False,
    mode="mean",
    sparse=False,
    per_sample_weights=None,
    include_last_offset=False,
    padding_idx=None,
):
    """embedding_bag(input, weight, offsets=None, ..., mode="mean") -> (bags, weight.shape[1]) Tensor.

    The rows of weight that input names, pooled bag by bag. input (B, N): B bags of N; input (N) with offsets (B): bag i
    begins at offsets[i] (with include_last_offset, the last offset ends the last bag). An empty bag gives zeros.
    per_sample_weights: factors of input's shape, for mode "sum". padding_idx: an index that is left out of its bag.
    scale_grad_by_freq: a row's gradient is divided by how often it was used (by its own count: torch 2.13's CPU kernel
    takes the count of another row). ValueError for shapes and modes that do not fit.
    """
    if weight.dtype is dtypes.int64 and input.is_floating_point():
        warn(
            "Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, "
            "...)` is deprecated, and should now be `embedding_bag(input, weight, ...)`.",
        )
        weight, input = input, weight
    if per_sample_weights is not None and input.shape != per_sample_weights.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must "
            f"have the same shape as the input ({input.shape})"
        )
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    offsets = _offsets(input, offsets)
    if input.dim() == 2:
        include_last_offset, input = False, input.reshape(-1)
        per_sample_weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    _check_mode(mode, scale_grad_by_freq, sparse)
    if max_norm is not None:
        shrink_rows(weight, input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}'). Please open a feature request on GitHub."
        )
    return embedding_bag(
        weight,
        input,
        offsets,
        scale_grad_by_freq,
        _NAMES[mode],
        sparse,
        per_sample_weights,
        include_last_offset,
        padding_idx,
    )[0]


pooled_rows.__name__ = pooled_rows.__qualname__ = "embedding_bag"
