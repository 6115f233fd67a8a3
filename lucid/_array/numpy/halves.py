"""Words that torch computes of halves in the type itself, rounding on the way: sums of windows, norms, nll_loss."""

import itertools
import math

import numpy as np

from ..._base.dtype import bfloat16, float16, float32
from ..fallbacks import SPELLED
from . import norm, pool, scatter
from .table import HalfWords, NumpyWords, install, recomputing


def xlogy(self, x, y):
    """x log(y), 0 where x is and y is a number; the logarithm rounds."""
    return self.where((x == 0) & ~np.isnan(y), self.scalar(0), self.mul(x, self.log(y)))


def xlog1py(self, x, y):
    """x log(1 + y), 0 where x is and y is a number; the logarithm rounds."""
    return self.where((x == 0) & ~np.isnan(y), self.scalar(0), self.mul(x, self.log1p(y)))


def ldexp(self, x, exponent):
    """x * 2**exponent; the power rounds, unless the exponent is a number in float32."""
    return self.mul(x, self.exp2(exponent) if exponent.dtype == self.array_dtype else np.exp2(exponent))


HalfWords.xlogy, HalfWords.xlog1py, HalfWords.ldexp = xlogy, xlog1py, ldexp


# (2k)! / B_2k, as in Cephes (S. L. Moshier, zeta.c)
_EULER_MACLAURIN = np.array(
    """12 -720 30240 -1209600 47900160 -1.8924375803183791606e9 7.47242496e10 -2.950130727918164224e12
    1.1646782814350067249e14 -4.5979787224074726105e15 1.8152105401943546773e17 -7.1661652561756670113e18""".split(),
    np.float32,
)


def _zeta(x, q):
    """The sum of (q + k)**-x over k >= 0, x > 1 and whole: by Cephes' method in float32, as for torch's halves."""
    x, shape, q = np.float32(x), q.shape, q.reshape(-1)
    at_pole = (q <= 0) & (q == np.floor(q))
    a, last, done = q.copy(), np.zeros_like(q), at_pole | np.isnan(q)
    total = q**-x
    count = 0
    while (going := ~done & ((count < 9) | (a <= 9))).any():
        count += 1
        a[going] += 1
        last[going] = a[going] ** -x
        total[going] += last[going]
        done |= going & (np.abs(last) < np.float32(1.11e-16) * np.abs(total))
    w, last, factor = a, np.where(done, 0, last), np.float32(1)
    total += last * w / (x - 1) - np.float32(0.5) * last
    for k, divisor in enumerate(_EULER_MACLAURIN):
        factor *= x + 2 * k
        last = last / w
        total += factor * last / divisor
        factor *= x + 2 * k + 1
        last = last / w
    return np.where(at_pole, np.float32(np.inf), total).reshape(shape)


def polygamma(self, n, x):
    """See special.py; the sum is rounded before it meets the factorial."""
    if n < 2:
        return _polygamma(self, n, x)
    product = np.float32(math.factorial(n)) * self.widen(self.narrow(_zeta(n + 1, self.widen(x))))
    return self.narrow(product if n % 2 else -product)


_polygamma, HalfWords.polygamma = HalfWords.polygamma, polygamma
HalfWords.histc = NumpyWords.histc  # the part that each number is in is computed in the type itself


def logsumexp(self, x, dim, keepdim=False):
    """See reduce.py; what is taken from the greatest, its exponential, their sum and its logarithm round."""
    if not x.size:
        return _logsumexp(self, x, dim, keepdim)
    top = self.amax(x, dim, True)
    top = self.where(np.isinf(top), self.scalar(0), top)
    total = self.log(self.sum(self.exp(self.sub(x, top)), dim, True)) + top
    return total if keepdim else total.reshape([n for i, n in enumerate(x.shape) if i not in dim])


_logsumexp, HalfWords.logsumexp = HalfWords.logsumexp, logsumexp

# ---- sums that round after each summand

_STEPS = 1 << 14  # more of them, each a call of numpy's, would take too long: such sums are rounded once


def window_spread(self, g, kernel, stride, padding, size):
    """See pool.py; each element takes what its windows send in the windows' order."""
    if math.prod(kernel) > _STEPS:
        return _window_spread(self, g, kernel, stride, padding, size)
    dims = len(kernel)
    room = pool.room_of(size, kernel, stride, padding, (1,) * dims, g.shape[-dims:])
    wide = np.zeros((*g.shape[:-dims], *room), g.dtype)
    for tap in itertools.product(*[range(k - 1, -1, -1) for k in kernel]):
        where = [slice(t, t + s * (n - 1) + 1, s) for t, s, n in zip(tap, stride, g.shape[-dims:])]
        wide[(..., *where)] += g
    return wide if list(size) == room else wide[(..., *pool.inside_of(size, padding))].copy()


def max_pool_backward(self, g, x, out, kernel, stride, padding, dilation):
    """See pool.py."""
    return pool.max_pool_backward(self, g, self.widen(x), self.widen(out), kernel, stride, padding, dilation)


def prod(self, x, dim, keepdim=False):
    """The product of one element after the other."""
    kept = [d for d in range(x.ndim) if d not in dim]
    rows = x.transpose(*kept, *dim).reshape(*[x.shape[d] for d in kept], math.prod([x.shape[d] for d in dim]))
    if not rows.shape[-1]:
        found = np.ones(rows.shape[:-1], x.dtype)
    else:
        found = np.multiply.accumulate(rows, -1)[..., -1].copy()
    return np.expand_dims(found, tuple(dim)) if keepdim else found


def points_back(self, g, taps):
    """The gradient of a tensor whose last dimensions were read at other points, one for each: output by output."""
    n, lead = len(taps), g.shape[: g.ndim - len(taps)]
    at = [np.arange(m) if t is None else t.indices[0] for t, m in zip(taps, g.shape[-n:])]
    size = [m if t is None else t.n_in for t, m in zip(taps, g.shape[-n:])]
    places = np.ravel_multi_index(np.ix_(*at), size).reshape(-1)
    out = np.zeros((math.prod(lead), math.prod(size)), g.dtype)
    np.add.at(out, (slice(None), places), g.reshape(out.shape[0], places.size))
    return out.reshape(*lead, *size)


def scatter_in_order(self, x, dim, index, src, reduce, include_self):
    """See scatter.py."""
    return scatter.scatter_reduce(self, x, dim, index, src, reduce, include_self)


def _windows(shape, areas):
    """(output, slices of the input, lengths) of adaptive pooling's windows, in order."""
    sides = []
    for n, area in zip(shape, areas):
        count = n if area is None else area.n_out
        sides.append([(i * n // count, -(-(i + 1) * n // count)) for i in range(count)])
    for at in itertools.product(*[range(len(s)) for s in sides]):
        bounds = [s[i] for s, i in zip(sides, at)]
        yield at, tuple([slice(*b) for b in bounds]), [b - a for a, b in bounds]


def area_mean(self, x, areas):
    """Adaptive average pooling of the last dimensions: element by element, then divided by each length."""
    n = len(areas)
    if math.prod([m if a is None else a.n_out for a, m in zip(areas, x.shape[-n:])]) > _STEPS:
        return _area_mean(self, x, areas)
    out = np.empty((*x.shape[:-n], *[m if a is None else a.n_out for a, m in zip(areas, x.shape[-n:])]), x.dtype)
    for at, where, lengths in _windows(x.shape[-n:], areas):
        window = x[(..., *where)].reshape(*x.shape[:-n], math.prod(lengths))
        total = np.add.accumulate(window, -1)[..., -1]
        for length in lengths:
            total = total / self.scalar(length)
        out[(..., *at)] = total
    return out


def area_spread(self, g, areas):
    """The gradient of adaptive average pooling, window by window."""
    n = len(areas)
    if math.prod(g.shape[-n:]) > _STEPS:
        return _area_spread(self, g, areas)
    shape = (*g.shape[:-n], *[m if a is None else a.n_in for a, m in zip(areas, g.shape[-n:])])
    out = np.zeros(shape, g.dtype)
    for at, where, lengths in _windows(shape[-n:], areas):
        share = g[(..., *at)]
        for length in lengths:
            share = share / self.scalar(length)
        out[(..., *where)] += share[(..., *[None] * n)]
    return out


def normalize_rows_backward(self, g, x, w, mean, rstd, n, eps):
    """See norm.py; the gradients of weight and bias grow row by row."""
    to_x, *_ = _rows_backward(self, g, x, w, mean, rstd, n, eps)
    rows, inner = math.prod(x.shape[: x.ndim - n]), x.shape[x.ndim - n :]
    wide, flat = (self.widen(t).reshape(rows, math.prod(inner)) for t in (x, g))
    mean, rstd = (self.widen(t).reshape(rows, 1) for t in (mean, rstd))
    hats = wide * rstd - mean * rstd
    return to_x, self._one_by_one(flat * hats).reshape(inner), self._one_by_one(flat).reshape(inner)


def _one_by_one(self, rows):
    """The sum of float32 rows, rounded after each."""
    if len(rows) > _STEPS:
        return self.narrow(rows.sum(0))
    total = np.zeros(rows.shape[1], self.array_dtype)
    for row in rows:
        total = (total + row).astype(self.array_dtype)
    return total


_rows_backward = HalfWords.normalize_rows_backward
for _name in ("col2im", "unfold_backward", "index_backward", "as_strided_backward"):
    setattr(HalfWords, _name, getattr(NumpyWords, _name))  # they add in torch's order, and each sum rounds
_window_spread, HalfWords.window_spread, HalfWords._one_by_one = HalfWords.window_spread, window_spread, _one_by_one
HalfWords.normalize_rows_backward, HalfWords.prod = normalize_rows_backward, prod
HalfWords.max_pool_backward = max_pool_backward
_OWN = area_mean, area_spread, points_back, scatter_in_order
install(_OWN)
_area_mean, _area_spread = (recomputing(SPELLED[name]) for name in ("area_mean", "area_spread"))
for _word in _OWN:
    setattr(HalfWords, _word.__name__, _word)

# ---- batch norm


def normalize_channels(self, x, w, b, mean, var, training, eps):
    """See norm.py. The statistics of a batch are rounded before they are used; those of bfloat16 on their way, too."""
    if not training:
        return _channels(self, x, w, b, mean, var, training, eps)
    wide = self.sibling(float32)
    _, mean, var = wide.normalize_channels(self.widen(x), None, None, None, None, True, eps)
    if self.dtype is bfloat16:
        count = np.float32(x.size // max(x.shape[1], 1))
        var = self.narrow(self.widen(self.narrow(var * count)) / count)
    mean, scale = self.narrow(mean), _rounded_scale(self, var, eps)
    out = self.widen(x) - _beside(self.widen(mean), x.ndim)
    out *= _beside(scale if w is None else scale * self.widen(w), x.ndim)
    out = out if b is None else out + _beside(self.widen(b), x.ndim)
    return self.narrow(out), mean, self.narrow(var)


def normalize_channels_backward(self, g, x, w, mean, var, training, eps):
    """See norm.py."""
    if not training:
        return _channels_backward(self, g, x, w, mean, var, training, eps)
    g, x, w, mean = map(self.widen, (g, x, w, mean))
    if self.dtype is float16:  # whose scale is made of a variance that only then is rounded
        *_, anew = self.sibling(float32).normalize_channels(x, None, None, None, None, True, eps)
        var = np.where(self.narrow(anew) == var, anew, self.widen(var))
    return self.narrow(norm.through_channels(g, x, w, mean, _rounded_scale(self, var, eps), True))


def _rounded_scale(self, var, eps):
    """1 / sqrt(var + eps) as float32 numbers that halves can hold."""
    return self.widen(self.narrow(1 / np.sqrt(self.widen(var) + np.float32(eps))))


def _beside(v, ndim):
    """Numbers of channels beside (N, C, ...)."""
    return v.reshape(-1, *[1] * (ndim - 2))


_channels, _channels_backward = HalfWords.normalize_channels, HalfWords.normalize_channels_backward
HalfWords.normalize_channels, HalfWords.normalize_channels_backward = normalize_channels, normalize_channels_backward


# ---- nll_loss

_LEVELS = 8
_in_float32, _backward_in_float32 = recomputing(norm.nll), recomputing(norm.nll_backward)


def nll(self, x, target, weight, reduction, ignore_index):
    """See fallbacks.py; sums and means as torch's nll_loss_out_frame rounds them."""
    if reduction == "none" or x.ndim == 1:
        return _in_float32(self, x, target, weight, reduction, ignore_index)
    losses = _in_float32(self, x, target, weight, "none", ignore_index)
    kept = np.flatnonzero(target.reshape(-1) != ignore_index)
    total = _in_levels(losses.reshape(-1)[kept], kept, target.size)
    return total if reduction == "sum" else np.divide(total, self._divisor(target, weight, kept))


def nll_backward(self, g, target, weight, reduction, ignore_index, shape):
    """See fallbacks.py."""
    if reduction == "mean" and len(shape) > 1:
        kept = np.flatnonzero(target.reshape(-1) != ignore_index)
        g, reduction = np.divide(g, self._divisor(target, weight, kept)), "sum"
    return _backward_in_float32(self, g, target, weight, reduction, ignore_index, shape)


def _divisor(self, target, weight, kept):
    """What a mean is divided by: the number of samples, or their weights added up."""
    if weight is None:
        return np.array(kept.size).astype(self.array_dtype)
    return _in_levels(weight[target.reshape(-1)[kept]], kept, target.size)


def _in_levels(values, places, n):
    """The sum of values, which lie at these places of n, in partial sums that are each added to the next after sixteen
    places (or a higher power of 2, where n is large); each addition rounds."""
    width, partial = max(4, (n - 1).bit_length() // _LEVELS), []
    for level in range(_LEVELS - 1):
        ends = np.flatnonzero(places & ((1 << width) - 1) << level * width == 0)
        values, left = _runs(values, ends)
        places = places[ends]
        partial.append(left)
    total = np.zeros((), values.dtype)
    for part in [*partial, _runs(values, np.empty(0, np.int64))[1]]:
        total = np.add(total, part)
    return total


def _runs(values, ends):
    """(sums of the runs that end at these indices, the sum of what comes after the last), added up one by one."""
    starts = np.concatenate([[0], ends + 1])
    lengths = np.diff(np.append(starts, values.size))
    sums = np.zeros(starts.size, values.dtype)
    for step in range(lengths.max()):
        longer = lengths > step
        sums[longer] = sums[longer] + values[starts[longer] + step]
    return sums[:-1], sums[-1]


HalfWords.nll, HalfWords.nll_backward, HalfWords._divisor = nll, nll_backward, _divisor
