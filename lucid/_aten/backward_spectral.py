"""The gradients of the Fourier transforms as the ATen calls that torch makes for them."""

from .backward_calls import at, backward_of


@backward_of("fft_c2c")
def _fft_c2c(v, g, needs):
    return [at._fft_c2c(g, list(v.dim), v.normalization, not v.forward)]


@backward_of("fft_r2c")
def _fft_r2c(v, g, needs):
    """The other half of the frequencies has no gradient."""
    if v.onesided:
        whole = list(g.shape)
        whole[v.dim[-1]] = v.sizes[v.dim[-1]]
        zeros = at.new_zeros(g, whole)
        at.copy_(at.slice(zeros, v.dim[-1], 0, g.shape[v.dim[-1]]), g)
        g = zeros
    parts = at.view_as_real(at._fft_c2c(g, list(v.dim), v.normalization, False))
    return [at.select(parts, parts.ndim - 1, 0)]


@backward_of("fft_c2r")
def _fft_c2r(v, g, needs):
    """Frequencies that stand for their conjugates, too, count twice."""
    last = v.dim[-1]
    half = at._fft_r2c(g, list(v.dim), v.normalization, True)
    twice = g.shape[last] - half.shape[last]
    if twice:
        at.mul_(at.slice(half, last, 1, 1 + twice), 2)
    return [half]
