"""The Fourier transforms on the `meta` device: sizes of their results, and how these lie in memory."""

from ..._base.shape import contiguous_strides, fft_order
from .table import MetaWords


def _in_order(k, shape, order):
    """An array of this shape whose memory has the dimensions in this order."""
    strides = [0] * len(shape)
    for d, stride in zip(order, contiguous_strides([shape[d] for d in order])):
        strides[d] = stride
    return k.new(shape, tuple(strides))


class SpectralShapes:
    """See numpy/fft.py for what the words give."""

    def fft_c2c(self, x, dims, normalization, forward):
        return _in_order(x.k, x.shape, fft_order(x.strides, dims, False))

    def fft_r2c(self, x, dims, normalization, onesided):
        shape = list(x.shape)
        if onesided:
            shape[dims[-1]] = shape[dims[-1]] // 2 + 1
        return _in_order(x.k.sibling(x.k.dtype.to_complex()), tuple(shape), fft_order(x.strides, dims, True))

    def fft_c2r(self, x, dims, normalization, last_count):
        shape = list(x.shape)
        shape[dims[-1]] = last_count
        return _in_order(x.k.sibling(x.k.dtype.to_real()), tuple(shape), fft_order(x.strides, dims, True))


for _name in ("fft_c2c", "fft_r2c", "fft_c2r"):
    setattr(MetaWords, _name, vars(SpectralShapes)[_name])
