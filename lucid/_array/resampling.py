"""Where a resampled line reads its input: indices and weights of interpolation, averaging and mirrored padding.

The formulas, and the precision each is computed in, are those of torch's CPU kernels, so that large images agree too.
"""

import functools

import numpy as np


class Taps:
    """How each of n_out outputs is made of n_in inputs: sum over t of weights[t, i] * input[indices[t, i]].

    weights is None when each output is one input, unchanged. `real` says which taps are no filling up (None: all): only
    those bring an infinity along where their weight is 0. `cache` is for what a vocabulary derives from these.
    """

    __slots__ = ("n_in", "n_out", "indices", "weights", "real", "cache")

    def __init__(self, n_in, indices, weights=None, real=None):
        self.real = None if real is None or real.all() else real
        self.n_in, self.n_out, self.indices, self.weights, self.cache = n_in, indices.shape[1], indices, weights, {}

    def __repr__(self):
        return f"Taps({self.n_in} -> {self.n_out}, {len(self.indices)} each)"


def _kind(double):
    return np.float64 if double else np.float32


def _scale(n_in, n_out, align_corners, scale, kind):
    """How far the input moves per output; a given scale factor wins over the ratio of sizes."""
    if align_corners:
        return kind(n_in - 1) / kind(n_out - 1) if n_out > 1 else kind(0)
    if scale is not None and scale > 0:
        return kind(1.0 / scale)
    return kind(n_in) / kind(n_out)


def _source(n_in, n_out, align_corners, scale, kind):
    """The point of the input that each output lies on."""
    step, i = _scale(n_in, n_out, align_corners, scale, kind), np.arange(n_out, dtype=kind)
    return step * i if align_corners else step * (i + kind(0.5)) - kind(0.5)


@functools.lru_cache(1024)
def whole(n_in, factor=1):
    """Every input `factor` times, whatever the scale factor was."""
    return Taps(n_in, np.repeat(np.arange(n_in), factor)[None])


@functools.lru_cache(1024)
def nearest(n_in, n_out, scale=None, exact=False):
    """The nearest input: of the pixel's corner, or of its middle when exact."""
    step = _scale(n_in, n_out, False, scale, np.float32)
    i = np.arange(n_out, dtype=np.float32) + np.float32(0.5 if exact else 0)
    return Taps(n_in, np.minimum(np.floor(i * step).astype(np.int64), n_in - 1)[None])


@functools.lru_cache(1024)
def standing(n_in):
    """Every input as it is, and once more with weight 0, as torch's kernels of two neighbours read it."""
    i = np.arange(n_in)
    return Taps(n_in, np.stack([i, i]), np.stack([np.ones(n_in), np.zeros(n_in)]))


def _floor(at, n_in):
    """(index, distance beyond it) of a point of the input."""
    low = np.minimum(np.floor(at).astype(np.int64), n_in - 1)
    return low, np.clip(at - low, 0, 1).astype(at.dtype)


@functools.lru_cache(1024)
def linear(n_in, n_out, align_corners=False, scale=None, double=False):
    """The two neighbours of the source point."""
    if n_in == n_out:
        return standing(n_in)
    low, beyond = _floor(np.maximum(_source(n_in, n_out, align_corners, scale, _kind(double)), 0), n_in)
    return Taps(n_in, np.stack([low, np.minimum(low + 1, n_in - 1)]), np.stack([1 - beyond, beyond]))


def cubic_weights(t, a=-0.75):
    """Keys' cubic convolution (IEEE Trans. ASSP 29, 1981) for the four neighbours of a point t beyond the second."""

    def near(x):
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x):
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


@functools.lru_cache(1024)
def cubic(n_in, n_out, align_corners=False, scale=None, double=False):
    """The four neighbours of the source point, edges repeated."""
    low, beyond = _floor(_source(n_in, n_out, align_corners, scale, _kind(double)), n_in)
    indices = np.stack([np.clip(low + t, 0, n_in - 1) for t in (-1, 0, 1, 2)])
    return Taps(n_in, indices, np.stack(cubic_weights(beyond)))


@functools.lru_cache(1024)
def area(n_in, n_out):
    """The mean from floor(i n_in / n_out) to ceil((i + 1) n_in / n_out): adaptive average pooling."""
    i = np.arange(n_out)
    first, last = i * n_in // n_out, -(-(i + 1) * n_in // n_out)
    t = np.arange((last - first).max(initial=1))[:, None]
    real = first + t < last
    return Taps(n_in, np.minimum(first + t, last - 1), np.where(real, 1.0 / (last - first), 0.0), real)


@functools.lru_cache(1024)
def antialiased(n_in, n_out, form, align_corners=False, scale=None, double=False):
    """The weights of `form` ("linear", "cubic", "lanczos") stretched over the inputs a smaller output stands for."""
    kind = _kind(double)
    step = _scale(n_in, n_out, align_corners, scale, kind)
    stretch = max(step, kind(1))
    support = {"linear": 1, "cubic": 2, "lanczos": 3}[form] * stretch
    center = step * (np.arange(n_out, dtype=kind) + kind(0.5))
    first = np.maximum((center - support + kind(0.5)).astype(np.int64), 0)
    last = np.minimum((center + support + kind(0.5)).astype(np.int64), n_in)
    t = np.arange((last - first).max(initial=0))[:, None]
    real = first + t < last
    weights = np.where(real, _FORMS[form]((t + first - center + kind(0.5)) / stretch), 0)
    total = weights.sum(0)
    return Taps(n_in, np.minimum(first + t, last - 1), weights / np.where(total == 0, 1, total), real)


def whole_weights(taps):
    """(the weights as integers of 15 bits, how many of them are behind the binary point).

    The weights of one input are added up before they are rounded, halves away from zero.
    """
    weights, indices = taps.weights.astype(np.float64), taps.indices
    for t in range(1, len(indices)):
        for earlier in range(t):
            same = indices[t] == indices[earlier]
            weights[earlier] += np.where(same, weights[t], 0)
            weights[t] = np.where(same, 0, weights[t])
    largest, bits = weights.max(initial=0), 0
    while bits < 22 and int(0.5 + largest * (1 << bits + 1)) < 1 << 15:
        bits += 1
    scaled = weights * (1 << bits)
    return np.trunc(scaled + np.where(scaled < 0, -0.5, 0.5)).astype(np.int32), bits


def _triangle(x):
    return np.maximum(0, 1 - np.abs(x))


def _cubic(x):
    a, x = -0.5, np.abs(x)  # the antialiased cubic is Pillow's
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    return np.where(x < 1, near, np.where(x < 2, (((x - 5) * x + 8) * x - 4) * a, 0))


def _lanczos(x):
    return np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0)


_FORMS = {"linear": _triangle, "cubic": _cubic, "lanczos": _lanczos}


@functools.lru_cache(1024)
def mirrored(n_in, before, after):
    """A line continued by its mirror image (without repeating the edge); negative widths crop."""
    i = np.arange(-before, n_in + after)
    return Taps(n_in, np.where(i < 0, -i, np.where(i >= n_in, 2 * (n_in - 1) - i, i))[None])


@functools.lru_cache(1024)
def held(n_in, before, after):
    """A line continued by its end values; negative widths crop."""
    return Taps(n_in, np.clip(np.arange(-before, n_in + after), 0, n_in - 1)[None])
