"""Words over dimensions, along one dimension, and moves in mlx's functions. See table.py."""

import math

from ..meta.table import reduced
from .elementwise import both
from .table import install, mx, one, through_numpy, word

through_numpy("mode_dim nonzero ramp linspace")


# ---- over dimensions: halves add up in float32


def wide(x):
    return mx.astype(x, mx.float32) if x.dtype in (mx.float16, mx.bfloat16) else x


def longs(x):
    return x if mx.issubdtype(x.dtype, mx.inexact) or x.dtype == mx.uint64 else mx.astype(x, mx.int64)


def over(f, of_nothing, x, dim, keepdim):
    """f over dim; mlx does not always return when x is empty."""
    if not x.size:
        return mx.full(reduced(x.shape, dim, keepdim), of_nothing, x.dtype)
    return f(x, axis=dim, keepdims=keepdim)


@word
def sum(k, x, dim, keepdim=False):
    return over(mx.sum, 0, wide(longs(x)), dim, keepdim)


@word
def prod(k, x, dim, keepdim=False):
    return over(mx.prod, 1, wide(longs(x)), dim, keepdim)


@word
def nansum(k, x, dim, keepdim=False):
    return sum(k, mx.where(mx.isnan(x), one(x, 0), x), dim, keepdim)


def count_of(x, dim):
    return math.prod([x.shape[d] for d in dim])


@word
def mean(k, x, dim, keepdim=False):
    return (
        sum(k, x, dim, keepdim) / count_of(x, dim)
        if count_of(x, dim)
        else mx.full(sum(k, x, dim, keepdim).shape, math.nan, k.native)
    )


@word
def amax(k, x, dim, keepdim=False):
    return mx.max(x, axis=dim, keepdims=keepdim)


@word
def amin(k, x, dim, keepdim=False):
    return mx.min(x, axis=dim, keepdims=keepdim)


@word
def all(k, x, dim, keepdim=False):
    return over(mx.all, True, x != 0, dim, keepdim)


@word
def any(k, x, dim, keepdim=False):
    return over(mx.any, False, x != 0, dim, keepdim)


@word
def count_nonzero(k, x, dim, keepdim=False):
    return over(mx.sum, 0, mx.astype(x != 0, mx.int64), dim, keepdim)


@word
def logsumexp(k, x, dim, keepdim=False):
    x = wide(x)
    top = mx.max(mx.real(x) if x.dtype == mx.complex64 else x, axis=dim, keepdims=True)
    top = mx.where(mx.isinf(top), one(top, 0), top)
    total = mx.log(mx.sum(mx.exp(x - top), axis=dim, keepdims=True)) + top
    return total if keepdim else mx.squeeze(total, axis=dim)


@word
def var_dim(k, x, dim, keepdim, correction):
    x, count = wide(x), count_of(x, dim)
    away = x - mean(k, x, dim, True)
    square = mx.square(mx.real(away)) + mx.square(mx.imag(away)) if x.dtype == mx.complex64 else away * away
    return over(mx.sum, 0, square, dim, keepdim) / one(square, max(count - correction, 0))


@word
def std_dim(k, x, dim, keepdim, correction):
    return mx.sqrt(var_dim(k, x, dim, keepdim, correction))


@word
def vector_norm(k, x, dim, keepdim, p):
    x = mx.abs(wide(x))
    if p == 0:
        return over(mx.sum, 0, mx.astype(x != 0, x.dtype), dim, keepdim)
    if p in (math.inf, -math.inf):
        return (mx.max if p > 0 else mx.min)(x, axis=dim, keepdims=keepdim)
    if p == 1:
        return over(mx.sum, 0, x, dim, keepdim)
    if p == 2:
        return mx.sqrt(over(mx.sum, 0, x * x, dim, keepdim))
    return mx.power(over(mx.sum, 0, mx.power(x, one(x, p)), dim, keepdim), one(x, 1 / p))


# ---- along one dimension


@word
def cumsum(k, x, dim):
    return mx.cumsum(wide(mx.astype(x, k.native)), axis=dim)


@word
def cumprod(k, x, dim):
    return mx.cumprod(wide(mx.astype(x, k.native)), axis=dim)


@word
def logcumsumexp(k, x, dim):
    if x.dtype != mx.complex64:
        return mx.logcumsumexp(wide(x), axis=dim)
    real = mx.real(x)
    top = mx.max(mx.where(mx.isfinite(real), real, one(real, 0)), axis=dim, keepdims=True)
    return mx.log(mx.cumsum(mx.exp(x - top), axis=dim)) + top


def ordered(x):
    return mx.astype(x, mx.uint8) if x.dtype == mx.bool_ else x


@word
def argmax(k, x, dim, keepdim=False):
    return mx.argmax(ordered(x), axis=dim, keepdims=keepdim)


@word
def argmin(k, x, dim, keepdim=False):
    return mx.argmin(ordered(x), axis=dim, keepdims=keepdim)


def picked(x, index, dim, keepdim):
    values = mx.take_along_axis(x, index, axis=dim)
    return (values, index) if keepdim else (mx.squeeze(values, axis=dim), mx.squeeze(index, axis=dim))


@word
def max_dim(k, x, dim, keepdim=False):
    return picked(x, argmax(k, x, dim, True), dim, keepdim)


@word
def min_dim(k, x, dim, keepdim=False):
    return picked(x, argmin(k, x, dim, True), dim, keepdim)


def part(x, dim, start, stop):
    return x[(slice(None),) * dim + (slice(start, stop),)]


def turned(x, dim):
    """x back to front along dim."""
    return x[(slice(None),) * dim + (slice(None, None, -1),)]


def order(x, dim, descending=False):
    """The stable order of x along dim, NaN last (first when descending)."""
    x = ordered(x)
    if not descending:
        return mx.argsort(x, axis=dim)
    index = mx.astype(mx.argsort(turned(x, dim), axis=dim), mx.int64)
    return turned(x.shape[dim] - 1 - index, dim)


@word
def sort(k, x, dim, descending=False, stable=True):
    index = order(x, dim, descending)
    return mx.take_along_axis(x, index, axis=dim), index


@word
def topk(k, x, count, dim, largest=True):
    index = part(order(x, dim, largest), dim, 0, count)
    return mx.take_along_axis(x, index, axis=dim), index


@word
def kthvalue(k, x, nth, dim, keepdim=False):
    return picked(x, part(order(x, dim), dim, nth - 1, nth), dim, keepdim)


@word
def median_dim(k, x, dim, keepdim=False, ignore_nan=False):
    n = x.shape[dim]
    index = mx.astype(order(x, dim), mx.int64)
    middle = part(index, dim, (n - 1) // 2, (n - 1) // 2 + 1)
    if k.inexact:
        nans = mx.isnan(x)
        if ignore_nan:
            left = n - mx.sum(mx.astype(nans, mx.int64), axis=dim, keepdims=True) - 1
            return picked(x, mx.take_along_axis(index, mx.maximum(left, 0) // 2, axis=dim), dim, keepdim)
        first = mx.argmax(mx.astype(nans, mx.uint8), axis=dim, keepdims=True)
        middle = mx.where(mx.any(nans, axis=dim, keepdims=True), mx.astype(first, mx.int64), middle)
    return picked(x, middle, dim, keepdim)


def running(pick, x, dim):
    """Running extremum and the index where it was last reached (NaN once seen stays)."""
    x = ordered(x)
    values = pick(x, axis=dim)
    hit = x == values
    if mx.issubdtype(x.dtype, mx.floating):
        seen = mx.cumsum(mx.astype(mx.isnan(x), mx.int32), axis=dim) > 0
        values, hit = mx.where(seen, one(x, math.nan), values), mx.where(seen, mx.isnan(x), hit)
    shape = [1] * x.ndim
    shape[dim] = -1
    place = mx.where(hit, mx.reshape(mx.arange(x.shape[dim], dtype=mx.int32), shape), mx.array(0, mx.int32))
    return values, mx.cummax(place, axis=dim)


@word
def cummax(k, x, dim):
    return running(mx.cummax, x, dim)


@word
def cummin(k, x, dim):
    return running(mx.cummin, x, dim)


# ---- moves and contraction


@word
def cat(k, arrays, dim):
    return mx.concatenate(arrays, axis=dim)


@word
def stack(k, arrays, dim):
    return mx.stack(arrays, axis=dim)


@word
def flip(k, x, dims):
    for d in dims:
        x = turned(x, d)
    return x


@word
def roll(k, x, shifts, dims):
    shifts, dims = ((shifts,), (dims,)) if isinstance(shifts, int) and dims is not None else (shifts, dims)
    if dims is None or not len(dims):
        return mx.reshape(mx.roll(mx.reshape(x, (-1,)), shifts), x.shape)
    for s, d in zip(shifts, dims):
        x = mx.roll(x, s, axis=d)
    return x


@word
def tril(k, x, diagonal=0):
    return mx.tril(x, diagonal)


@word
def triu(k, x, diagonal=0):
    return mx.triu(x, diagonal)


@word
def pad(k, x, widths, value=0):
    return mx.pad(x, [tuple(w) for w in widths], constant_values=one(x, value)) if x.ndim else x


@word
def repeat(k, x, repeats):
    return mx.tile(x, repeats)


@word
def matmul(k, a, b):
    a, b = both(a, b)
    if mx.issubdtype(a.dtype, mx.inexact):
        return mx.matmul(wide(a), wide(b))
    a, b = (longs(x) for x in (a, b))  # mlx multiplies matrices of floating types only
    row, column = a.ndim == 1, b.ndim == 1
    a, b = mx.expand_dims(a, 0) if row else a, mx.expand_dims(b, 1) if column else b
    out = mx.sum(mx.expand_dims(a, -1) * mx.expand_dims(b, -3), axis=-2)
    gone = [d for d, there in ((-2, row), (-1, column)) if there]
    return mx.squeeze(out, axis=gone) if gone else out


# ---- making


@word
def zeros(k, shape):
    return mx.zeros(shape, k.native)


install("empty", zeros)


@word
def ones(k, shape):
    return mx.ones(shape, k.native)


@word
def full(k, shape, value):
    return mx.broadcast_to(k.scalar(value).value, shape)


@word
def arange(k, n):
    return mx.astype(mx.arange(0, n, dtype=mx.int64), k.native)


@word
def eye(k, n, m=None):
    return mx.eye(n, n if m is None else m, dtype=k.native)
