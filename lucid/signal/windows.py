"""torch.signal.windows: window functions of M points; sym=False: one longer without its last point (periodic).

Formulas: F. J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform", Proceedings
of the IEEE 66 (1978), and torch's documentation of each.
"""

import functools
import math
from collections.abc import Iterable

from .._base.dtype import float32, float64, get_default_dtype
from .._func.creation.from_data import tensor
from .._func.creation.gfunc import arange, empty, linspace, ones
from .._func.pointwise.bessel import i0
from .._tensor.tensor import strided

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


def _window(points, told_as=None):
    """A window function: what all have in common is checked, size 0 is done; points(M, sym, made, ...) gives others."""
    name = told_as or points.__name__

    @functools.wraps(points)
    def window(M, *, sym=True, dtype=None, layout=strided, device=None, requires_grad=False, **options):
        dtype = dtype or get_default_dtype()
        if M < 0:
            raise ValueError(f"{name} requires non-negative window length, got M={M}")
        if layout is not strided:
            raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
        if dtype not in (float32, float64):
            raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
        made = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
        result = points(M or 1, sym, made, **options)  # what refuses an option does so for size 0, too
        return result if M else empty((0,), **made)

    del window.__wrapped__  # its own signature is not the user's
    return window


def _from(start, step, M, made):
    """M numbers: start, start + step ..."""
    return linspace(start, start + (M - 1) * step, M, **made)


def _span(M, sym):
    """The last point's number: where the window ends, or would end if it were one longer."""
    return M if not sym and M > 1 else M - 1


@_window
def exponential(M, sym, made, *, center=None, tau=1.0):
    """exponential(M, *, center=None, tau=1.0, sym=True) -> Tensor of M: exp(-|n - center| / tau)."""
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    center = _span(M, sym) / 2.0 if center is None else center
    return (-(_from(-center / tau, 1 / tau, M, made).abs())).exp()


@_window
def cosine(M, sym, made):
    """cosine(M, *, sym=True) -> Tensor of M: sin(pi (n + 1/2) / M)."""
    step = math.pi / (_span(M, sym) + 1)
    return _from(step * 0.5, step, M, made).sin()


@_window
def gaussian(M, sym, made, *, std=1.0):
    """gaussian(M, *, std=1.0, sym=True) -> Tensor of M: exp(-((n - middle) / std)^2 / 2)."""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    unit = 1 / (std * math.sqrt(2))
    return (-(_from(-_span(M, sym) / 2.0 * unit, unit, M, made) ** 2)).exp()


@_window
def kaiser(M, sym, made, *, beta=12.0):
    """kaiser(M, *, beta=12.0, sym=True) -> Tensor of M: I0(beta sqrt(1 - ((n - middle) / middle)^2)) / I0(beta)."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M == 1:
        return ones((1,), **made)
    largest = tensor(beta, dtype=made["dtype"], device=made["device"])
    step = 2.0 * beta / _span(M, sym)
    n = linspace(-beta, min(beta, -beta + (M - 1) * step), M, **made)
    return i0.fn((largest * largest - n**2).sqrt()) / i0.fn(largest)


@_window
def bartlett(M, sym, made):
    """bartlett(M, *, sym=True) -> Tensor of M: a triangle, 1 - |2 n / (M - 1) - 1|."""
    if M == 1:
        return ones((1,), **made)
    return 1 - _from(-1, 2 / _span(M, sym), M, made).abs()


@_window
def general_cosine(M, sym, made, *, a):
    """general_cosine(M, *, a, sym=True) -> Tensor of M: sum_i (-1)^i a[i] cos(2 pi i n / (M - 1))."""
    if M > 1 and not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if M > 1 and not a:
        raise ValueError("Coefficients cannot be empty")
    return _cosines(M, sym, made, a)


_as_cosines = functools.partial(_window, told_as="general_cosine")  # as torch's messages call them


def _cosines(M, sym, made, a):
    if M == 1:
        return ones((1,), **made)
    n = _from(0, 2 * math.pi / _span(M, sym), M, made)
    signed = tensor([(-1) ** i * w for i, w in enumerate(a)], **made)
    return (signed.unsqueeze(-1) * (arange(len(a), **made).unsqueeze(-1) * n).cos()).sum(0)


@_as_cosines
def general_hamming(M, sym, made, *, alpha=0.54):
    """general_hamming(M, *, alpha=0.54, sym=True) -> Tensor of M: alpha - (1 - alpha) cos(2 pi n / (M - 1))."""
    return _cosines(M, sym, made, [alpha, 1.0 - alpha])


@_as_cosines
def hamming(M, sym, made):
    """hamming(M, *, sym=True) -> Tensor of M: 0.54 - 0.46 cos(2 pi n / (M - 1))."""
    return _cosines(M, sym, made, [0.54, 0.46])


@_as_cosines
def hann(M, sym, made):
    """hann(M, *, sym=True) -> Tensor of M: (1 - cos(2 pi n / (M - 1))) / 2."""
    return _cosines(M, sym, made, [0.5, 0.5])


@_window
def blackman(M, sym, made):
    """blackman(M, *, sym=True) -> Tensor of M: 0.42 - 0.5 cos(2 pi n / (M - 1)) + 0.08 cos(4 pi n / (M - 1))."""
    return _cosines(M, sym, made, [0.42, 0.5, 0.08])


@_as_cosines
def nuttall(M, sym, made):
    """nuttall(M, *, sym=True) -> Tensor of M: the four-term cosine sum of A. H. Nuttall (1981)."""
    return _cosines(M, sym, made, [0.3635819, 0.4891775, 0.1365995, 0.0106411])
