"""torch.fft: discrete Fourier transforms.

Written by scripts/stubs: change the functions, or the types in scripts/stub_types.py.
"""

from collections.abc import Sequence

from ._base.device import device
from ._base.dtype import dtype
from ._tensor.tensor import Tensor as Tensor
from ._tensor.tensor import layout

def fft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """fft(input, n=None, dim=-1, norm=None) -> complex Tensor: the Fourier transform over n points along dim."""

def fft2(
    input: Tensor,
    s: int | Sequence[int] | None = None,
    dim: int | Sequence[int] = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """fft2(input, s=None, dim=(-2, -1), norm=None) -> Tensor: fftn of the last two dims."""

def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | int | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """fftfreq(n, d=1.0) -> Tensor of n: the frequencies of fft's results, in cycles per unit of the spacing d."""

def fftn(
    input: Tensor,
    s: int | Sequence[int] | None = None,
    dim: int | Sequence[int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """fftn(input, s=None, dim=None, norm=None) -> complex Tensor: the transform over dim (all), s points along each."""

def fftshift(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """fftshift(input, dim=None) -> Tensor: frequency 0 moved to the middle of dim (all)."""

def hfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """hfft(input, n=None, dim=-1, norm=None) -> real Tensor: the transform of a Hermitian signal, given by its half."""

def hfft2(
    input: Tensor,
    s: int | Sequence[int] | None = None,
    dim: int | Sequence[int] = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """hfft2(input, s=None, dim=(-2, -1), norm=None) -> Tensor: hfftn of the last two dims."""

def hfftn(
    input: Tensor,
    s: int | Sequence[int] | None = None,
    dim: int | Sequence[int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """hfftn(input, s=None, dim=None, norm=None) -> real Tensor: the transform of a Hermitian signal over dim (all)."""

def ifft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """ifft(input, n=None, dim=-1, norm=None) -> complex Tensor: the inverse of fft."""

def ifft2(
    input: Tensor,
    s: int | Sequence[int] | None = None,
    dim: int | Sequence[int] = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """ifft2(input, s=None, dim=(-2, -1), norm=None) -> Tensor: ifftn of the last two dims."""

def ifftn(
    input: Tensor,
    s: int | Sequence[int] | None = None,
    dim: int | Sequence[int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """ifftn(input, s=None, dim=None, norm=None) -> complex Tensor: the inverse of fftn."""

def ifftshift(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """ifftshift(input, dim=None) -> Tensor: the inverse of fftshift."""

def ihfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """ihfft(input, n=None, dim=-1, norm=None) -> complex Tensor: the inverse of hfft: half of a Hermitian signal."""

def ihfft2(
    input: Tensor,
    s: int | Sequence[int] | None = None,
    dim: int | Sequence[int] = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """ihfft2(input, s=None, dim=(-2, -1), norm=None) -> Tensor: ihfftn of the last two dims."""

def ihfftn(
    input: Tensor,
    s: int | Sequence[int] | None = None,
    dim: int | Sequence[int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """ihfftn(input, s=None, dim=None, norm=None) -> complex Tensor: the inverse of hfftn."""

def irfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """irfft(input, n=None, dim=-1, norm=None) -> real Tensor: the inverse of rfft, with n points (2 * (size - 1))."""

def irfft2(
    input: Tensor,
    s: int | Sequence[int] | None = None,
    dim: int | Sequence[int] = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """irfft2(input, s=None, dim=(-2, -1), norm=None) -> Tensor: irfftn of the last two dims."""

def irfftn(
    input: Tensor,
    s: int | Sequence[int] | None = None,
    dim: int | Sequence[int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """irfftn(input, s=None, dim=None, norm=None) -> real Tensor: the inverse of rfftn."""

def rfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Tensor:
    """rfft(input, n=None, dim=-1, norm=None) -> complex Tensor: the first n // 2 + 1 of a real input's transform."""

def rfft2(
    input: Tensor,
    s: int | Sequence[int] | None = None,
    dim: int | Sequence[int] = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """rfft2(input, s=None, dim=(-2, -1), norm=None) -> Tensor: rfftn of the last two dims."""

def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: device | str | int | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """rfftfreq(n, d=1.0) -> Tensor of n // 2 + 1: the frequencies of rfft's results."""

def rfftn(
    input: Tensor,
    s: int | Sequence[int] | None = None,
    dim: int | Sequence[int] | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """rfftn(input, s=None, dim=None, norm=None) -> complex Tensor: fftn of a real input, half of the last dimension."""
