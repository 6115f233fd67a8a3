"""Windows for spectral analysis, as `torch` has them: hann_window, hamming_window, blackman_window, bartlett_window,
kaiser_window. periodic: a window one longer without its last point, as a Fourier transform wants it.
"""

import math

from ..._backend.registry import public
from ..._base import dtype as dtypes
from ..._base.dtype import get_default_dtype
from ..._tensor.tensor import strided
from ..creation.gfunc import arange, ones
from ..pointwise.bessel import i0


def _window(name, form):
    """The function `name` of window_length and periodic, whose points are form(0, 1, 2 ..., length, ...)."""

    def window(window_length, periodic, options, dtype, layout, device, requires_grad):
        dtype = dtype or get_default_dtype()
        if layout not in (None, strided):
            raise RuntimeError(f"{name} is not implemented for sparse types, got: {layout}")
        if not (dtype.is_floating_point or dtype.is_complex):
            raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype}")
        if window_length < 0:
            raise RuntimeError(f"{name} requires non-negative window_length, got window_length={window_length}")
        if window_length <= 1:
            return ones(window_length, dtype=dtype, device=device, requires_grad=requires_grad)
        length = window_length + bool(periodic)
        result = form(arange(length, dtype=dtype, device=device), length, *options)
        return (result[:-1] if periodic else result).detach().requires_grad_(requires_grad)

    return window


def _hamming(n, length, alpha, beta):
    return n.mul_(math.pi * 2.0 / (length - 1)).cos_().mul_(-beta).add_(alpha)


def _bartlett(n, length):
    n.mul_(2.0 / (length - 1))
    n[((length - 1) >> 1) + 1 :].mul_(-1).add_(2)
    return n


def _blackman(n, length):
    n.mul_(math.pi / (length - 1))
    return n.mul(4).cos_().mul_(0.08) - n.mul(2).cos_().mul_(0.5) + 0.42


def _kaiser(n, length, beta):
    from_middle = n.mul_(2.0 / (length - 1)).sub_(1)
    return i0.fn((1 - from_middle * from_middle).clamp_(min=0).sqrt_().mul_(beta)) / _bessel(beta, n.dtype)


def _bessel(beta, dtype):
    from ..creation.from_data import tensor

    return i0.fn(tensor(beta, dtype=dtypes.float64)).item()


_hann_of, _hamming_of = _window("hann_window", _hamming), _window("hamming_window", _hamming)
_bartlett_of, _blackman_of = _window("bartlett_window", _bartlett), _window("blackman_window", _blackman)
_kaiser_of = _window("kaiser_window", _kaiser)


@public()
def hann_window(
    window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False
):
    """hann_window(window_length, periodic=True) -> Tensor of window_length: (1 - cos(2 pi n / (N - 1))) / 2."""
    return _hann_of(window_length, periodic, (0.5, 0.5), dtype, layout, device, requires_grad)


@public()
def hamming_window(
    window_length,
    periodic=True,
    alpha=0.54,
    beta=0.46,
    *,
    dtype=None,
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
):
    """hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46) -> Tensor:
    alpha - beta cos(2 pi n / (N - 1))."""
    return _hamming_of(window_length, periodic, (alpha, beta), dtype, layout, device, requires_grad)


@public()
def bartlett_window(
    window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False
):
    """bartlett_window(window_length, periodic=True) -> Tensor of window_length: a triangle, 1 - |2 n / (N - 1) - 1|."""
    return _bartlett_of(window_length, periodic, (), dtype, layout, device, requires_grad)


@public()
def blackman_window(
    window_length, periodic=True, *, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False
):
    """blackman_window(window_length, periodic=True) -> Tensor:
    0.42 - 0.5 cos(2 pi n / (N - 1)) + 0.08 cos(4 pi n / (N - 1))."""
    return _blackman_of(window_length, periodic, (), dtype, layout, device, requires_grad)


@public()
def kaiser_window(
    window_length,
    periodic=True,
    beta=12.0,
    *,
    dtype=None,
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
):
    """kaiser_window(window_length, periodic=True, beta=12.0) -> Tensor:
    I0(beta sqrt(1 - (2 n / (N - 1) - 1)^2)) / I0(beta)."""
    return _kaiser_of(window_length, periodic, (beta,), dtype, layout, device, requires_grad)
