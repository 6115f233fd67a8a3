"""Normalisation and class picking with numpy arrays: few passes over the data, sums as dot products."""

import math

import numpy as np

from ..fallbacks import SPELLED
from .table import install

LONG = 1024  # elements of a row above which running sums in float32 lose digits, and pairwise ones are taken


def _ones(n, kind):
    return np.ones(n, kind)


def _channel_sums(x, y=None):
    """Per channel: the sum of x (N, C, L), or of x * y."""
    if y is None:
        part = x.dot(_ones(x.shape[2], x.dtype)) if x.flags.c_contiguous else np.add.reduce(x, 2)
    else:
        part = np.einsum("ncl,ncl->nc", x, y)
    return np.add.reduce(part, 0)


def _flat(x):
    """x as (N, C, L); two-dimensional input as (1, N, C) turned so that the samples lie last."""
    n, c = x.shape[:2]
    return x.reshape(n, c, math.prod(x.shape[2:]))


def normalize_channels(self, x, w, b, mean, var, training, eps):
    """See fallbacks.py."""
    shape = x.shape
    if x.ndim == 2:
        return _normalize_columns(x, w, b, mean, var, training, eps)
    x = _flat(x)
    count = x.shape[0] * x.shape[2]
    if training:
        mean = _channel_sums(x) / x.dtype.type(count)
    out = x - mean[:, None]
    if training:
        var = _channel_sums(out, out) / x.dtype.type(count)
    scale = _scale(var, eps, w)
    out *= scale[:, None]
    if b is not None:
        out += b[:, None]
    return out.reshape(shape), mean, var


def _scale(var, eps, w):
    scale = np.divide(1, np.sqrt(var + var.dtype.type(eps)), dtype=var.dtype)
    return scale if w is None else scale * w


def _normalize_columns(x, w, b, mean, var, training, eps):
    """The same for (N, C)."""
    n, kind = x.shape[0], x.dtype
    if training:
        mean = _ones(n, kind).dot(x) / kind.type(n)
    out = x - mean
    if training:
        var = np.einsum("nc,nc->c", out, out) / kind.type(n)
    out *= _scale(var, eps, w)
    if b is not None:
        out += b
    return out, mean, var


def normalize_channels_backward(self, g, x, w, mean, var, training, eps):
    """See fallbacks.py. With c = x - mean and s = 1 / sqrt(var + eps): s w (g - (sum g + c s^2 sum(g c)) / n)."""
    return through_channels(g, x, w, mean, _scale(var, eps, None), training)


def through_channels(g, x, w, mean, inv, training):
    """Gradients for x, w and b, where channels were centred around mean and multiplied by inv."""
    if x.ndim == 2:
        return _columns_backward(g, x, w, mean, inv, training)
    shape = x.shape
    x, g = _flat(x), _flat(g)
    to_x = x - mean[:, None]
    to_b, dot = _channel_sums(g), _channel_sums(g, to_x)
    factor = inv if w is None else inv * w
    if training:
        count = x.dtype.type(max(x.shape[0] * x.shape[2], 1))
        to_x *= (inv * inv * dot / -count)[:, None]
        to_x += g
        to_x -= (to_b / count)[:, None]
        to_x *= factor[:, None]
    else:
        np.multiply(g, factor[:, None], out=to_x)
    return to_x.reshape(shape), dot * inv, to_b


def _columns_backward(g, x, w, mean, inv, training):
    """The same for (N, C)."""
    to_x = x - mean
    to_b, dot = _ones(x.shape[0], x.dtype).dot(g), np.einsum("nc,nc->c", g, to_x)
    factor = inv if w is None else inv * w
    if training:
        n = x.dtype.type(max(x.shape[0], 1))
        to_x *= inv * inv * dot / -n
        to_x += g
        to_x -= to_b / n
        to_x *= factor
    else:
        np.multiply(g, factor, out=to_x)
    return to_x, dot * inv, to_b


def _rows(x, eps):
    """(normalised rows, mean, rstd) of x (rows, n)."""
    n = x.dtype.type(x.shape[1])
    if x.shape[1] > LONG:
        mean = np.add.reduce(x, 1) / n
        out = x - mean[:, None]
        left = np.add.reduce(out, 1) / n  # what rounding the mean left
        out -= left[:, None]
        mean, var = mean + left, np.add.reduce(out * out, 1) / n
    else:
        mean = x.dot(_ones(x.shape[1], x.dtype)) / n
        out = x - mean[:, None]
        var = np.einsum("ij,ij->i", out, out) / n
    rstd = _scale(var, eps, None)
    out *= rstd[:, None]
    return out, mean, rstd


def _hat(x, mean, rstd):
    out = x - mean.reshape(-1, 1)
    out *= rstd.reshape(-1, 1)
    return out


def _rows_backward(g, hat, rstd):
    """rstd (g - mean(g) - hat mean(g hat)), row by row; uses up neither argument."""
    n = g.dtype.type(g.shape[1])
    out = hat * (np.einsum("ij,ij->i", g, hat) / -n)[:, None]
    out += g
    out -= (g.dot(_ones(g.shape[1], g.dtype)) / n)[:, None]
    out *= rstd.reshape(-1, 1)
    return out


def normalize_rows(self, x, w, b, n, eps):
    """See fallbacks.py."""
    shape, lead = x.shape, x.shape[: x.ndim - n]
    rows, inner = math.prod(lead), math.prod(shape[x.ndim - n :])
    out, mean, rstd = _rows(x.reshape(rows, inner), eps)
    if w is not None:
        out *= w.reshape(inner)
    if b is not None:
        out += b.reshape(inner)
    stats = (*lead, *[1] * n)
    return out.reshape(shape), mean.reshape(stats), rstd.reshape(stats)


def normalize_rows_backward(self, g, x, w, mean, rstd, n, eps):
    """See fallbacks.py."""
    shape, inner = x.shape, x.shape[x.ndim - n :]
    size = (math.prod(shape[: x.ndim - n]), math.prod(inner))
    g, hat = g.reshape(size), _hat(x.reshape(size), mean, rstd)
    to_x = _rows_backward(g if w is None else g * w.reshape(-1), hat, rstd)
    to_w, to_b = np.einsum("ij,ij->j", g, hat), _ones(size[0], g.dtype).dot(g)
    return to_x.reshape(shape), to_w.reshape(inner), to_b.reshape(inner)


def normalize_groups(self, x, w, b, groups, eps):
    """See fallbacks.py."""
    n, c = x.shape[:2]
    pixels = math.prod(x.shape[2:])
    out, mean, rstd = _rows(x.reshape(n * groups, c * pixels // groups), eps)
    out = out.reshape(n, c, pixels)
    if w is not None:
        out *= w[:, None]
    if b is not None:
        out += b[:, None]
    return out.reshape(x.shape), mean.reshape(n, groups), rstd.reshape(n, groups)


def normalize_groups_backward(self, g, x, w, mean, rstd, groups, eps):
    """See fallbacks.py."""
    shape, (n, c) = x.shape, x.shape[:2]
    rows = (n * groups, c * math.prod(shape[2:]) // groups)
    hat = _hat(x.reshape(rows), mean, rstd)
    g = _flat(g)
    to_x = _rows_backward((g if w is None else g * w[:, None]).reshape(rows), hat, rstd)
    return to_x.reshape(shape), _channel_sums(g, hat.reshape(g.shape)), _channel_sums(g)


# ---- one class per sample


def _places(target, classes):
    """Indices of every sample and its class in an array (N, C, ...)."""
    if target.size and np.maximum.reduce(target.view(np.uint64), None) >= classes:  # negative ones too
        raise IndexError(f"Target {target[(target < 0) | (target >= classes)][0]} is out of bounds.")
    if target.ndim == 1:
        return np.arange(target.shape[0]), target
    grid = np.ogrid[tuple([slice(n) for n in target.shape])]
    return (grid[0], target, *grid[1:])


def class_gather(self, x, target):
    """See fallbacks.py."""
    return x[_places(target, x.shape[1])]


def class_scatter(self, g, target, classes):
    """See fallbacks.py."""
    out = np.zeros((g.shape[0], classes, *g.shape[1:]), g.dtype)
    out[_places(target, classes)] = g
    return out


def _plain(target, weight, classes, ignore_index):
    """Is it one class for each sample, all in range, none weighted or left out?"""
    return (
        weight is None
        and target.ndim == 1
        and target.size
        and not 0 <= ignore_index < classes
        and np.maximum.reduce(target.view(np.uint64)) < classes
    )


def nll(self, x, target, weight, reduction, ignore_index):
    """See fallbacks.py."""
    if x.ndim != 2 or not _plain(target, weight, x.shape[1], ignore_index):
        return SPELLED["nll"](self, x, target, weight, reduction, ignore_index)
    n = target.size
    picked = x[_samples(n), target]
    if reduction == "none":
        return -picked
    return picked.dot(_ones(n, x.dtype)) / x.dtype.type(-n if reduction == "mean" else -1)


def nll_backward(self, g, target, weight, reduction, ignore_index, shape):
    """See fallbacks.py."""
    if len(shape) != 2 or not _plain(target, weight, shape[1], ignore_index):
        return SPELLED["nll_backward"](self, g, target, weight, reduction, ignore_index, shape)
    out = np.zeros(shape, g.dtype)
    out[_samples(target.size), target] = g / g.dtype.type(-target.size if reduction == "mean" else -1)
    return out


_SAMPLES: dict = {}


def _samples(n):
    """0 ... n - 1, kept for the next batch of this size."""
    found = _SAMPLES.get(n)
    if found is None:
        if len(_SAMPLES) > 64:
            _SAMPLES.clear()
        found = _SAMPLES[n] = np.arange(n)
    return found


install(
    (
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
    )
)
