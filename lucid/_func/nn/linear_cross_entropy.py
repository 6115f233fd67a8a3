"""linear_cross_entropy: the cross entropy of a linear layer's outputs, the layer included."""

import math

from ..._backend.autocast import as_called
from ..._backend.registry import public
from ..._base.dtype import int64
from ..._base.warn import warn
from ..linalg.linear import linear
from .loss import cross_entropy


def _check(input, linear_weight, linear_bias):
    """torch's errors for shapes; the shape of the layer's outputs."""
    shape, layer = tuple(input._array.shape), tuple(linear_weight._array.shape)
    if len(shape) not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {len(shape)}")
    if len(layer) < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {len(layer)}")
    if shape[-1] != layer[-1]:
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), "
            f"got {shape[-1]} and {layer[-1]}, respectively"
        )
    if linear_bias is not None and tuple(linear_bias._array.shape) != layer[:-1]:
        raise RuntimeError(f"expected linear_bias shape {layer[:-1]}, got {tuple(linear_bias._array.shape)}")
    if len(layer) > 2 and len(shape) == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {layer} requires batched input, (N, {shape[-1]}), got "
            f"unbatched input with shape {shape}"
        )
    return (*shape[:-1], *layer[:-1])


def _warn_of_options(reduction, label_smoothing, target, out_features, linear_bias):
    """torch's warning where its way in chunks cannot go: lucid always goes the whole way."""
    if out_features or reduction not in ("mean", "sum", "none") or label_smoothing != 0 or target.dtype is not int64:
        warn(
            "linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, "
            "label_smoothing == 0, target.dtype == int64, out_features == (). Got "
            f"reduction={reduction!r}, label_smoothing={label_smoothing}, target.dtype={target.dtype}, "
            f"out_features={out_features}, tracing=False, linear_bias.shape="
            f"{tuple(linear_bias.shape) if linear_bias is not None else None}."
        )


@public(namespace="nn.functional", word=False)
def linear_cross_entropy(
    input,
    linear_weight,
    target,
    *,
    linear_bias=None,
    weight=None,
    reduction="mean",
    ignore_index=None,
    label_smoothing=0.0,
    options=None,
):
    """linear_cross_entropy(input, linear_weight, target, *, linear_bias=None, weight=None, reduction="mean",
    ignore_index=None, label_smoothing=0.0, options=None) -> cross_entropy(linear(input, linear_weight), target).

    input (N, in) or (in); linear_weight (C, ..., in); target as cross_entropy takes it. options (how torch cuts the
    batch into chunks to save memory) are checked and change nothing: all is computed at once.
    """
    shape = _check(input, linear_weight, linear_bias)
    lead = input._array.ndim - 1
    if tuple(target._array.shape) == shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    if options is not None:
        _warn_of_options(reduction, label_smoothing, target, shape[lead + 1 :], linear_bias)
    if len(shape) > lead + 1:
        rows = math.prod(shape[lead:])
        linear_weight = linear_weight.reshape((rows, linear_weight._array.shape[-1]))
        linear_bias = None if linear_bias is None else linear_bias.reshape(rows)
    logits = linear(input, linear_weight, linear_bias).reshape(shape)
    return as_called(
        cross_entropy,
        logits,
        target,
        weight=weight,
        reduction=reduction,
        ignore_index=-100 if ignore_index is None else ignore_index,
        label_smoothing=label_smoothing,
    )
