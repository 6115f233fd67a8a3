"""Layer words spelled with the other words, for vocabularies that have no kernel of their own for them.

Every function takes a vocabulary first. Tensors use these, so that second derivatives are right: what depends on an
input is computed again from it, and saved statistics that are passed in are not used.
"""

import math

from .fallbacks_rnn import lstm_sequence, lstm_sequence_backward


def _per_channel(xp, v, ndim):
    return xp.reshape(v, (1, v.shape[0]) + (1,) * (ndim - 2))


def _scaled(xp, x, w, b):
    if w is not None:
        x = x * w
    return x if b is None else x + b


# ---- over everything but the channels: batch norm


def _around(ndim):
    return (0, *range(2, ndim))


def _centered(xp, x, mean, var, dims, training, shape, eps):
    """(x - mean, 1 / sqrt(var + eps), mean, var), statistics taken from x when training."""
    if training:
        mean = xp.mean(x, dims, True)
        centered = x - mean
        var = xp.mean(centered * centered, dims, True)
    else:
        mean, var = xp.reshape(mean, shape), xp.reshape(var, shape)
        centered = x - mean
    return centered, xp.rsqrt(var + eps), mean, var


def normalize_channels(xp, x, w, b, mean, var, training, eps):
    """(x - mean) / sqrt(var + eps) * w + b per channel (dimension 1), and the mean and biased variance used."""
    shape, channels = (1, x.shape[1]) + (1,) * (x.ndim - 2), (x.shape[1],)
    centered, scale, mean, var = _centered(xp, x, mean, var, _around(x.ndim), training, shape, eps)
    w, b = (None if v is None else xp.reshape(v, shape) for v in (w, b))
    return _scaled(xp, centered * scale, w, b), xp.reshape(mean, channels), xp.reshape(var, channels)


def normalize_channels_backward(xp, g, x, w, mean, var, training, eps):
    """Gradients for x, w and b."""
    dims, shape, channels = _around(x.ndim), (1, x.shape[1]) + (1,) * (x.ndim - 2), (x.shape[1],)
    centered, scale, _, _ = _centered(xp, x, mean, var, dims, training, shape, eps)
    hat = centered * scale
    to_b, to_w = xp.sum(g, dims, True), xp.sum(g * hat, dims, True)
    factor = scale if w is None else scale * xp.reshape(w, shape)
    if training:
        count = max(math.prod([x.shape[d] for d in dims]), 1)
        to_x = factor * (g - (to_b + hat * to_w) / count)
    else:
        to_x = factor * g
    return to_x, xp.reshape(to_w, channels), xp.reshape(to_b, channels)


# ---- over rows: layer norm over the last dimensions, group norm over groups of channels


def _rows(xp, x, dims, eps):
    mean = xp.mean(x, dims, True)
    centered = x - mean
    return centered, xp.rsqrt(xp.mean(centered * centered, dims, True) + eps), mean


def _rows_backward(xp, g, hat, rstd, dims):
    return rstd * (g - xp.mean(g, dims, True) - hat * xp.mean(g * hat, dims, True))


def normalize_rows(xp, x, w, b, n, eps):
    """x normalised over its last n dimensions, times w plus b of that shape; mean and 1 / sqrt(var + eps)."""
    centered, rstd, mean = _rows(xp, x, tuple(range(x.ndim - n, x.ndim)), eps)
    return _scaled(xp, centered * rstd, w, b), mean, rstd


def normalize_rows_backward(xp, g, x, w, mean, rstd, n, eps):
    """Gradients for x, w and b."""
    dims = tuple(range(x.ndim - n, x.ndim))
    centered, rstd, _ = _rows(xp, x, dims, eps)
    hat = centered * rstd
    outer = tuple(range(x.ndim - n))
    to_x = _rows_backward(xp, g if w is None else g * w, hat, rstd, dims)
    if not outer:
        return to_x, g * hat, g * 1
    return to_x, xp.sum(g * hat, outer, False), xp.sum(g, outer, False)


def _grouped(xp, x, groups):
    return xp.reshape(x, (x.shape[0], groups, math.prod(x.shape[1:]) // groups))


def normalize_groups(xp, x, w, b, groups, eps):
    """x normalised over each group of channels of a sample, times w plus b per channel; mean, 1 / sqrt(var + eps)."""
    rows = _grouped(xp, x, groups)
    centered, rstd, mean = _rows(xp, rows, (2,), eps)
    out = xp.reshape(centered * rstd, tuple(x.shape))
    w, b = (None if v is None else _per_channel(xp, v, x.ndim) for v in (w, b))
    stats = (x.shape[0], groups)
    return _scaled(xp, out, w, b), xp.reshape(mean, stats), xp.reshape(rstd, stats)


def normalize_groups_backward(xp, g, x, w, mean, rstd, groups, eps):
    """Gradients for x, w and b."""
    shape, dims = tuple(x.shape), _around(x.ndim)
    centered, rstd, _ = _rows(xp, _grouped(xp, x, groups), (2,), eps)
    hat = centered * rstd
    to_hat = g if w is None else g * _per_channel(xp, w, x.ndim)
    to_x = xp.reshape(_rows_backward(xp, _grouped(xp, to_hat, groups), hat, rstd, (2,)), shape)
    return to_x, xp.sum(g * xp.reshape(hat, shape), dims, False), xp.sum(g, dims, False)


# ---- one class per sample: the negative log likelihood


def class_gather(xp, x, target):
    """x (N, C, ...) at class target (N, ...): (N, ...)."""
    return xp.squeeze(xp.gather(x, 1, xp.unsqueeze(target, 1)), (1,))


def class_scatter(xp, g, target, classes):
    """Zeros (N, classes, ...) with g (N, ...) at class target (N, ...): the transpose of class_gather."""
    shape = (g.shape[0], classes, *g.shape[1:])
    return xp.scatter(xp.zeros(shape), 1, xp.unsqueeze(target, 1), xp.unsqueeze(g, 1))


def _shares(xp, target, weight, ignore_index):
    """(targets with 0 for those to ignore, what each sample counts: 0 for those; which are not ignored)."""
    valid = target != ignore_index
    safe = xp.where(valid, target, 0)
    share = xp.cast(valid, xp.dtype)
    if weight is not None:
        flat = xp.reshape(safe, (math.prod(safe.shape),))
        share = share * xp.reshape(xp.index_select(weight, 0, flat), tuple(safe.shape))
    return safe, share, valid


def nll(xp, input, target, weight, reduction, ignore_index):
    """-weight[target] * input[target] along the classes (dimension 1, or the only one), reduced; 0 for ignore_index."""
    lone = input.ndim == 1
    if lone:
        input, target = xp.reshape(input, (1, input.shape[0])), xp.reshape(target, (1,))
    safe, share, valid = _shares(xp, target, weight, ignore_index)
    loss = xp.where(valid, -xp.class_gather(input, safe) * share, xp.scalar(0))  # 0 of NaN, too
    dims = tuple(range(loss.ndim))
    if reduction == "none":
        return xp.reshape(loss, ()) if lone else loss
    total = xp.sum(loss, dims, False)
    return total if reduction == "sum" else total / xp.sum(share, dims, False)


def nll_backward(xp, g, target, weight, reduction, ignore_index, shape):
    """The gradient of nll for an input of `shape`."""
    lone = len(shape) == 1
    if lone:
        target = xp.reshape(target, (1,))
        g = xp.reshape(g, (1,)) if reduction == "none" else g
    safe, share, valid = _shares(xp, target, weight, ignore_index)
    if reduction == "mean":
        g = g / xp.sum(share, tuple(range(share.ndim)), False)
    # not -g * share, which is -0.0 where nothing comes through, and NaN where the mean of nothing was taken
    away = xp.where(valid, xp.scalar(0) - g * share, xp.scalar(0))
    return xp.reshape(xp.class_scatter(away, safe, shape[-1 if lone else 1]), tuple(shape))


# ---- attention


def _probabilities(xp, q, k, mask, causal, scale):
    """softmax(q k^T scale + mask), with zeros in rows where all is masked."""
    last = q.ndim - 1
    scores = xp.matmul(q * scale, xp.permute(k, (*range(last - 1), last, last - 1)))
    if causal:
        scores = scores + xp.triu(xp.full((q.shape[-2], k.shape[-2]), -math.inf), 1)
    if mask is not None:
        scores = scores + mask
    return safe_softmax(xp, scores, last)


def safe_softmax(xp, x, dim):
    """softmax along dim, but zeros where every element is -inf."""
    if not x.shape[dim]:
        return xp.copy(x)
    top = xp.amax(x, (dim,), True)
    e = xp.exp(x - xp.where(top == -math.inf, xp.scalar(0), top))
    total = xp.sum(e, (dim,), True)
    return e / xp.where(total == 0, xp.scalar(1), total)


def attention(xp, q, k, v, mask, causal, scale):
    """(softmax(q k^T scale + mask) v, the softmax): q (..., L, E), k and v (..., S, E), mask to be added or None."""
    p = _probabilities(xp, q, k, mask, causal, scale)
    return xp.matmul(p, v), p


def attention_backward(xp, g, q, k, v, mask, p, causal, scale):
    """Gradients for q, k and v."""
    last = q.ndim - 1
    turn = (*range(last - 1), last, last - 1)
    p = _probabilities(xp, q, k, mask, causal, scale)
    to_p = xp.matmul(g, xp.permute(v, turn))
    to_s = p * (to_p - xp.sum(p * to_p, (last,), True)) * scale
    return xp.matmul(to_s, k), xp.matmul(xp.permute(to_s, turn), q), xp.matmul(xp.permute(p, turn), g)


# ---- sums in torch's order, which tells only where each of them rounds


def area_mean(xp, x, taps):
    """The last len(taps) dimensions of x read at other points, as each dimension's taps say (None: as it is)."""
    for i in range(len(taps) - 1, -1, -1):
        x = x if taps[i] is None else xp.resample(x, len(x.shape) - len(taps) + i, taps[i])
    return x


def area_spread(xp, g, taps):
    """The transpose."""
    for i, along in enumerate(taps):
        g = g if along is None else xp.resample_backward(g, len(g.shape) - len(taps) + i, along)
    return g


def points_back(xp, g, taps):
    """The same of taps that take inputs as they are."""
    return area_spread(xp, g, taps)


def scatter_in_order(xp, x, dim, index, src, reduce, include_self):
    """scatter_reduce"""
    return xp.scatter_reduce(x, dim, index, src, reduce, include_self)


SPELLED = {
    f.__name__: f
    for f in (
        normalize_channels,
        normalize_channels_backward,
        normalize_rows,
        normalize_rows_backward,
        normalize_groups,
        normalize_groups_backward,
        class_gather,
        class_scatter,
        nll,
        nll_backward,
        attention,
        attention_backward,
        lstm_sequence,
        lstm_sequence_backward,
        area_mean,
        area_spread,
        points_back,
        scatter_in_order,
    )
}
