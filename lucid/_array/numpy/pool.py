"""Pooling and resampling of numpy arrays: the greatest or the sum of each window, and lines read at other points.

Windows lie over the last len(kernel) dimensions. Maxima and sums are taken one dimension at a time: k + k steps instead
of k * k, the outer dimension first, so that whole rows are combined.
"""

import itertools
import math

import numpy as np

from ..resampling import whole_weights
from .products import matmul
from .table import install

MANY_TAPS = 8  # from here on a product with a dense matrix beats adding up one tap after another
DENSE = 256  # up to this length of a line it does so for weighted gradients with any taps


def room_of(size, kernel, stride, padding, dilation, out_size):
    """The padded size that the windows reach over (with ceil_mode they may reach beyond the padding)."""
    return [
        max(n + 2 * p, (m - 1) * s + d * (k - 1) + 1)
        for n, k, s, p, d, m in zip(size, kernel, stride, padding, dilation, out_size)
    ]


def _padded(x, room, padding, value):
    """x with `value` around its last dimensions, up to `room`."""
    dims = len(room)
    if list(x.shape[-dims:]) == room:
        return x
    out = np.full((*x.shape[:-dims], *room), value, x.dtype)
    out[(..., *inside_of(x.shape[-dims:], padding))] = x
    return out


def inside_of(size, padding):
    return tuple([slice(p, p + n) for p, n in zip(padding, size)])


FEW = 4  # how many times as many taps as windows make it quicker to go by windows


def _along(x, dim, kernel, stride, dilation, count, combine):
    """combine() over the window of each output along one dimension."""
    where = [slice(None)] * x.ndim
    if kernel > FEW * count:  # window by window
        shape = (*x.shape[:dim], count, *x.shape[dim + 1 :])
        total = np.empty(shape, x.dtype)
        for i in range(count):
            where[dim] = slice(i * stride, i * stride + dilation * (kernel - 1) + 1, dilation)
            combine.reduce(x[tuple(where)], dim, None, total[(*[slice(None)] * dim, i)])
        return total
    total = None
    for i in range(kernel):
        where[dim] = slice(i * dilation, i * dilation + stride * (count - 1) + 1, stride)
        part = x[tuple(where)]
        total = part.copy() if total is None else combine(total, part, out=total)
    return total


def _taps(kernel, stride, dilation, out_size):
    """(tap, where it lies in the padded input for every window), in reading order."""
    for tap in itertools.product(*map(range, kernel)):
        yield (
            tap,
            (..., *[slice(i * d, i * d + s * (m - 1) + 1, s) for i, d, s, m in zip(tap, dilation, stride, out_size)]),
        )


# ---- the greatest of each window


def _lowest(kind):
    return -np.inf if kind.kind == "f" else np.iinfo(kind).min


def max_pool(self, x, kernel, stride, padding, dilation, out_size):
    """The greatest element of each window; NaN wins."""
    dims = len(kernel)
    room = room_of(x.shape[-dims:], kernel, stride, padding, dilation, out_size)
    x = _padded(x, room, padding, _lowest(x.dtype))
    for i in range(dims):
        x = _along(x, x.ndim - dims + i, kernel[i], stride[i], dilation[i], out_size[i], np.maximum)
    return x


def _winners(x, out, kernel, stride, padding, dilation):
    """(tap, where, mask) for each tap: mask is true at the windows whose result is this tap's element.

    The first greatest element wins, or the last NaN, as in torch's loop.
    """
    dims = len(kernel)
    size, out_size = x.shape[-dims:], out.shape[-dims:]
    room = room_of(size, kernel, stride, padding, dilation, out_size)
    real = x.dtype.kind == "f"
    if not real or np.isnan(np.add.reduce(out, None)):  # (inf - inf only costs the slower way)
        yield from _careful_winners(x, out, room, kernel, stride, padding, dilation)
        return
    x = _padded(x, room, padding, np.nan)  # NaN equals nothing: padding never wins
    taken = None
    for tap, where in _taps(kernel, stride, dilation, out_size):
        mask = x[where] == out
        if taken is None:
            taken = mask.copy()
        else:
            np.greater(mask, taken, mask)
            taken |= mask
        yield tap, where, mask


def _careful_winners(x, out, room, kernel, stride, padding, dilation):
    """The same where NaN or a padding of integers may win."""
    out_size = out.shape[-len(kernel) :]
    inside = _padded(np.ones(x.shape[-len(kernel) :], bool), room, padding, False)
    x = _padded(x, room, padding, _lowest(x.dtype))
    taps = list(_taps(kernel, stride, dilation, out_size))
    nan = out != out
    hits = np.stack([(x[w] == out) | nan & (x[w] != x[w]) for _, w in taps]) & np.stack(
        [np.broadcast_to(inside[w[1:]], out.shape) for _, w in taps]
    )
    chosen = np.where(nan, len(taps) - 1 - hits[::-1].argmax(0), hits.argmax(0))
    for i, (tap, where) in enumerate(taps):
        yield tap, where, chosen == i


def max_pool_indices(self, x, out, kernel, stride, padding, dilation):
    """Where the result of each window lies: int64 indices into the flattened last dimensions of x."""
    dims = len(kernel)
    size, out_size = x.shape[-dims:], out.shape[-dims:]
    base = np.zeros((1,) * dims, np.int64)
    for i in range(dims):
        shape = [1] * dims
        shape[i] = -1
        base = base + ((np.arange(out_size[i]) * stride[i] - padding[i]) * math.prod(size[i + 1 :])).reshape(shape)
    index = np.zeros(out.shape, np.int64)
    for tap, _, mask in _winners(x, out, kernel, stride, padding, dilation):
        shift = sum(t * d * math.prod(size[i + 1 :]) for i, (t, d) in enumerate(zip(tap, dilation)))
        np.copyto(index, base + shift, where=mask)
    return index


def max_pool_backward(self, g, x, out, kernel, stride, padding, dilation):
    """g of each window, sent to the element that was its result."""
    dims = len(kernel)
    size = x.shape[-dims:]
    room = room_of(size, kernel, stride, padding, dilation, out.shape[-dims:])
    got = np.zeros((*x.shape[:-dims], *room), g.dtype)
    apart = all(d * (k - 1) < s for k, s, d in zip(kernel, stride, dilation))
    bits = np.dtype(f"i{g.itemsize}")
    as_bits = np.ascontiguousarray(g).view(bits)
    winners = _winners(x, out, kernel, stride, padding, dilation)
    if g.dtype.itemsize == 2 and not apart:  # whose sums round: what an element gets comes window by window
        winners = reversed(list(winners))
    for _, where, mask in winners:
        # masking the bits keeps inf and NaN exact, and is quicker than `where=`
        part = mask.view(np.int8).astype(bits)
        np.negative(part, part)
        part &= as_bits
        if apart:
            got[where] = part.view(g.dtype)
        else:
            target = got[where]
            target += part.view(g.dtype)
    return got if list(size) == room else got[(..., *inside_of(size, padding))].copy()


def _last_nan_or_largest(x):
    """Where the largest of each row is, the first of equal ones; among NaNs the last, as in torch's kernel."""
    at = x.argmax(-1)
    unknown = np.isnan(x) if x.dtype.kind == "f" else None
    if unknown is None or not unknown.any():
        return at
    return np.where(unknown.any(-1), x.shape[-1] - 1 - unknown[..., ::-1].argmax(-1), at)


def adaptive_max_indices(self, x, out_size):
    """Where the greatest element of each adaptive window lies, flat over the last dimensions."""
    dims = len(out_size)
    size = x.shape[-dims:]
    index = np.empty((*x.shape[:-dims], *out_size), np.int64)
    edges = [[(i * n // m, -(-(i + 1) * n // m)) for i in range(m)] for n, m in zip(size, out_size)]
    for at in itertools.product(*map(range, out_size)):
        spans = [edges[d][i] for d, i in enumerate(at)]
        part = x[(..., *[slice(a, b) for a, b in spans])]
        flat = part.reshape(*x.shape[:-dims], math.prod(part.shape[-dims:]))
        inner = np.unravel_index(_last_nan_or_largest(flat), part.shape[-dims:])
        index[(..., *at)] = np.ravel_multi_index([i + a for i, (a, _) in zip(inner, spans)], size)
    return index


# ---- sums over windows


def window_sum(self, x, kernel, stride, padding, out_size):
    """The sum of each window, zeros beyond the edges."""
    dims = len(kernel)
    x = _padded(x, room_of(x.shape[-dims:], kernel, stride, padding, (1,) * dims, out_size), padding, 0)
    for i in range(dims):
        x = _along(x, x.ndim - dims + i, kernel[i], stride[i], 1, out_size[i], np.add)
    return x


def window_spread(self, g, kernel, stride, padding, size):
    """The transpose of window_sum: g of each window added to all its elements."""
    dims = len(kernel)
    room = room_of(size, kernel, stride, padding, (1,) * dims, g.shape[-dims:])
    for i in reversed(range(dims)):
        dim = g.ndim - dims + i
        wide = np.zeros((*g.shape[:dim], room[i], *g.shape[dim + 1 :]), g.dtype)
        where = [slice(None)] * g.ndim
        if kernel[i] > FEW * g.shape[dim]:  # window by window
            one = [slice(None)] * g.ndim
            for t in range(g.shape[dim]):
                where[dim], one[dim] = slice(t * stride[i], t * stride[i] + kernel[i]), slice(t, t + 1)
                wide[tuple(where)] += g[tuple(one)]
            g = wide
            continue
        for t in range(kernel[i]):
            where[dim] = slice(t, t + stride[i] * (g.shape[dim] - 1) + 1, stride[i])
            wide[tuple(where)] += g
        g = wide
    return g if list(size) == room else g[(..., *inside_of(size, padding))].copy()


# ---- lines read at other points (see sampling.py)


def _column(values, ndim, dim):
    shape = [1] * ndim
    shape[dim] = -1
    return values.reshape(shape)


def _weights(taps, kind):
    found = taps.cache.get(kind)
    if found is None:
        found = taps.cache[kind] = taps.weights.astype(kind)
    return found


def resample(self, x, dim, taps):
    """Each output along dim as the weighted sum of the inputs that its taps name; bytes in whole numbers."""
    if x.dtype == np.uint8 and taps.weights is not None:
        return _resample_bytes(x, dim, taps)
    if len(taps.indices) >= MANY_TAPS:
        total = _apply(_matrix(taps, x.dtype), x, dim)
        return total if _all_finite(total) else _resample_finely(x, dim, taps)
    if taps.real is not None and not _all_finite(x):
        return _resample_finely(x, dim, taps)
    total = np.take(x, taps.indices[0], dim)
    if taps.weights is None:
        return total
    weights = _weights(taps, x.dtype)
    total *= _column(weights[0], x.ndim, dim)
    for index, weight in zip(taps.indices[1:], weights[1:]):
        part = np.take(x, index, dim)
        part *= _column(weight, x.ndim, dim)
        total += part
    return total


def _all_finite(x):
    return math.isfinite(x.sum(dtype=np.float64 if x.dtype.kind == "f" else None))


def _resample_finely(x, dim, taps):
    """resample of infinities and NaNs: they reach those outputs only that read them."""
    total = None
    for t, (index, weight) in enumerate(zip(taps.indices, _weights(taps, x.dtype))):
        part = np.take(x, index, dim) * _column(weight, x.ndim, dim)
        if taps.real is not None:
            part = np.where(_column(taps.real[t], x.ndim, dim), part, x.dtype.type(0))
        total = part if total is None else total + part
    return total


def _resample_bytes(x, dim, taps):
    """The same with weights of 15 bits, as many behind the binary point as the largest allows, rounded to bytes."""
    if "bytes" not in taps.cache:
        taps.cache["bytes"] = whole_weights(taps)
    weights, bits = taps.cache["bytes"]
    total = np.full((*x.shape[:dim], taps.n_out, *x.shape[dim + 1 :]), 1 << bits - 1, np.int32)
    for index, weight in zip(taps.indices, weights):
        total += np.take(x, index, dim) * _column(weight, x.ndim, dim)
    return np.clip(total >> bits, 0, 255).astype(np.uint8)


def resample_backward(self, g, dim, taps):
    """The transpose of resample."""
    if taps.weights is None and len(taps.indices) < MANY_TAPS:
        return _returned(g, dim, taps, 0)
    if len(taps.indices) >= MANY_TAPS or taps.n_in <= DENSE:
        total = _apply(_matrix(taps, g.dtype).T, g, dim)
        if _all_finite(total):
            return total
    total = None
    for t, weight in enumerate(_weights(taps, g.dtype)):
        part = g * _column(weight, g.ndim, dim)
        if taps.real is not None:
            part = np.where(_column(taps.real[t], g.ndim, dim), part, g.dtype.type(0))
        part = _returned(part, dim, taps, t)
        total = part if total is None else np.add(total, part, total)
    return total


def _returned(g, dim, taps, t):
    """g added up at the inputs that tap t read."""
    if not g.size:
        return np.zeros((*g.shape[:dim], taps.n_in, *g.shape[dim + 1 :]), g.dtype)
    plan = taps.cache.get(t)
    if plan is None:
        plan = taps.cache[t] = _repeats(taps, t) or _runs(taps, t) or _sorted(taps, t)
    return plan(g, dim)


def _cut(dim, *bounds):
    return (slice(None),) * dim + (slice(*bounds),)


def _repeats(taps, t):
    """Every input read the same number of times, in order: those readers summed."""
    times, rest = divmod(taps.n_out, taps.n_in)
    if rest or not (taps.indices[t] == np.arange(taps.n_out) // max(times, 1)).all():
        return None

    def apply(g, dim):
        total = g[_cut(dim, 0, None, times)].copy()
        for i in range(1, times):
            total += g[_cut(dim, i, None, times)]
        return total

    return apply


def _runs(taps, t):
    """A few runs that go up, down or stand still by one (padding): each added as a slice."""
    index = taps.indices[t]
    runs, first = [], 0
    while first < len(index):
        if len(runs) == 12:
            return None
        step = int(index[first + 1] - index[first]) if first + 1 < len(index) else 1
        last = first + 1
        while last < len(index) and index[last] - index[last - 1] == step:
            last += 1
        if step not in (-1, 0, 1):
            step, last = 1, first + 1
        runs.append((first, last, int(index[first]), step))
        first = last

    def apply(g, dim):
        out = np.zeros((*g.shape[:dim], taps.n_in, *g.shape[dim + 1 :]), g.dtype)
        for first, last, at, step in runs:
            part, n = g[_cut(dim, first, last)], last - first
            if step == 0:
                out[_cut(dim, at, at + 1)] += np.add.reduce(part, dim, None, None, True)
            elif step == 1:
                out[_cut(dim, at, at + n)] += part
            else:
                out[_cut(dim, at - n + 1, at + 1)] += np.flip(part, dim)
        return out

    return apply


def _sorted(taps, t):
    """Readers sorted by input, so that each one's lie side by side."""
    index = taps.indices[t]
    order = index.argsort(kind="stable")
    starts = np.flatnonzero(np.diff(index[order], prepend=-1))
    inputs = index[order][starts]

    def apply(g, dim):
        sums = np.add.reduceat(np.take(g, order, dim), starts, dim)
        if len(inputs) == taps.n_in:
            return sums
        out = np.zeros((*g.shape[:dim], taps.n_in, *g.shape[dim + 1 :]), g.dtype)
        out[(slice(None),) * dim + (inputs,)] = sums
        return out

    return apply


def _matrix(taps, kind):
    """The dense (n_out, n_in) matrix of a resampling."""
    found = taps.cache.get((kind, "matrix"))
    if found is None:
        found = taps.cache[kind, "matrix"] = np.zeros((taps.n_out, taps.n_in), kind)
        for index, weight in zip(taps.indices, taps.weights):
            np.add.at(found, (np.arange(taps.n_out), index), weight)
    return found


def _apply(matrix, x, dim):
    """matrix times x along dim."""
    if dim == x.ndim - 1:
        return matmul(x, matrix.T)
    out = matmul(matrix, x.reshape(-1, x.shape[dim], math.prod(x.shape[dim + 1 :])))
    return out.reshape(*x.shape[:dim], matrix.shape[0], *x.shape[dim + 1 :])


install(
    (
        max_pool,
        max_pool_indices,
        max_pool_backward,
        adaptive_max_indices,
        window_sum,
        window_spread,
        resample,
        resample_backward,
    )
)
