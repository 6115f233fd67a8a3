"""Words that torch computes of halves in the type itself, rounding on the way: nll_loss adds up in levels."""

import numpy as np

from . import norm, special  # noqa: F401 - which gives the tables its words first
from .table import HalfWords, recomputing


def xlogy(self, x, y):
    """x log(y), 0 where x is and y is a number; the logarithm rounds."""
    return self.where((x == 0) & ~np.isnan(y), self.scalar(0), self.mul(x, self.log(y)))


def xlog1py(self, x, y):
    """x log(1 + y), 0 where x is and y is a number; the logarithm rounds."""
    return self.where((x == 0) & ~np.isnan(y), self.scalar(0), self.mul(x, self.log1p(y)))


def ldexp(self, x, exponent):
    """x * 2**exponent; the power rounds."""
    return self.mul(x, self.exp2(exponent))


HalfWords.xlogy, HalfWords.xlog1py, HalfWords.ldexp = xlogy, xlog1py, ldexp

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
