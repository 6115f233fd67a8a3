"""The CPU's Fourier transforms: scipy.fft (pocketfft), with results laid out as torch's."""

import numpy as np

from ..._base.shape import fft_order
from .table import install

FORWARD = ("backward", "ortho", "forward")  # scipy's names of "no factor", "1/sqrt(n)" and "1/n" for the transform
INVERSE = ("forward", "ortho", "backward")  # and for its inverse


def _laid_out(k, x, dims, to_real, transform):
    """transform(x with dims at the end) in torch's order of memory; the last of dims stays the last if to_real."""
    order = fft_order(k.strides(x), dims, to_real)
    count = len(dims)
    result = transform(x.transpose(order), tuple(range(x.ndim - count, x.ndim)))
    if not result.flags.c_contiguous:
        result = result.copy("C")
    back = [0] * x.ndim
    for place, d in enumerate(order):
        back[d] = place
    return result.transpose(back)


def fft_c2c(k, x, dims, normalization, forward):
    """sum_j x[j] exp(-2 pi i j k / n) over dims; forward=False: with +."""
    if not dims:
        return x.copy()
    import scipy.fft

    f, names = (scipy.fft.fftn, FORWARD) if forward else (scipy.fft.ifftn, INVERSE)
    return _laid_out(k, x, dims, False, lambda x, axes: f(x, axes=axes, norm=names[normalization]))


def fft_r2c(k, x, dims, normalization, onesided):
    """The same of real numbers; onesided: the first n // 2 + 1 along the last of dims."""
    import scipy.fft

    def whole(x, axes):
        result = scipy.fft.fftn(x, axes=axes, norm=FORWARD[normalization])
        # scipy conjugates also what is its own conjugate: a zero below it turns negative, and an angle from pi to -pi.
        own = result[(..., *(slice(0, None, n // 2) if n and n % 2 == 0 else slice(0, 1) for n in x.shape[axes[0] :]))]
        np.conjugate(own, out=own)
        return result

    def half(x, axes):
        return scipy.fft.rfftn(x, axes=axes, norm=FORWARD[normalization])

    return _laid_out(k, x, dims, True, half if onesided else whole)


def fft_c2r(k, x, dims, normalization, last_count):
    """The inverse of the one-sided transform, with so many points along the last of dims."""
    import scipy.fft

    def transform(x, axes):
        counts = (*x.shape[x.ndim - len(axes) : -1], last_count)
        return scipy.fft.irfftn(x, counts, axes=axes, norm=INVERSE[normalization])

    return _laid_out(k, x, dims, True, transform)


install((fft_c2c, fft_r2c, fft_c2r))
