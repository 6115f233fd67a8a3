"""Where a resampled line reads its input: the taps of interpolation, averaging and their weights, as plain numbers.

The formulas are those of torch's kernels (`area_pixel_compute_source_index`, cubic with A = -0.75).
"""
import functools
import math


class Taps:
    """How each of n_out outputs is made of n_in inputs: sum over t of weights[t][i] * input[indices[t][i]].

    weights is None when each output is one input, unchanged. `cache` is for a vocabulary's arrays of these numbers.
    """

    __slots__ = ("n_in", "n_out", "indices", "weights", "cache")

    def __init__(self, n_in, indices, weights=None):
        self.n_in, self.n_out, self.indices, self.weights, self.cache = n_in, len(indices[0]), indices, weights, {}

    def repeats(self, times):
        """Is every input read `times` times in order?"""
        return self.n_out == self.n_in * times and all(j == i // times for i, j in enumerate(self.indices[0]))

    def __repr__(self):
        return f"Taps({self.n_in} -> {self.n_out}, {len(self.indices)} each)"


def _step(n_in, n_out, scale):
    """How far the input moves per output; a given scale factor wins over the ratio of sizes."""
    return 1.0 / scale if scale is not None and scale > 0 else n_in / n_out


@functools.lru_cache(1024)
def nearest(n_in, n_out, scale=None, exact=False):
    """The nearest input: of the pixel's corner, or of its middle when exact."""
    step = _step(n_in, n_out, scale)
    if n_in == n_out and scale is None:
        step = 1.0
    return Taps(n_in, (tuple([min(int(_f32(_f32(step) * (i + 0.5 * exact))), n_in - 1) for i in range(n_out)]),))


def _f32(x):
    """x rounded to float32: torch finds nearest pixels with float32 arithmetic."""
    import struct
    return struct.unpack("f", struct.pack("f", x))[0]


def _source(i, n_in, n_out, align_corners, scale):
    """The point of the input that output i lies on."""
    if align_corners:
        return i * ((n_in - 1) / (n_out - 1)) if n_out > 1 else 0.0
    return (i + 0.5) * _step(n_in, n_out, scale) - 0.5


@functools.lru_cache(1024)
def linear(n_in, n_out, align_corners=False, scale=None):
    """The two neighbours of the source point."""
    if n_in == n_out and (scale is None or scale == 1):
        return Taps(n_in, (tuple(range(n_in)),))
    low, high, weight = [], [], []
    for i in range(n_out):
        at = max(0.0, _source(i, n_in, n_out, align_corners, scale))
        j = min(int(at), n_in - 1)
        low.append(j)
        high.append(min(j + 1, n_in - 1))
        weight.append(min(max(at - j, 0.0), 1.0))
    return Taps(n_in, (tuple(low), tuple(high)), (tuple([1.0 - w for w in weight]), tuple(weight)))


def _cubic_weights(t, a=-0.75):
    """Keys' cubic convolution (IEEE Trans. ASSP 29, 1981) at offsets t + 1, t, 1 - t, 2 - t."""
    def near(x):
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x):
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return far(t + 1), near(t), near(1 - t), far(2 - t)


@functools.lru_cache(1024)
def cubic(n_in, n_out, align_corners=False, scale=None):
    """The four neighbours of the source point, edges repeated."""
    indices, weights = ([], [], [], []), ([], [], [], [])
    for i in range(n_out):
        at = _source(i, n_in, n_out, align_corners, scale)
        j = math.floor(at)
        for t, w in enumerate(_cubic_weights(at - j)):
            indices[t].append(min(max(j - 1 + t, 0), n_in - 1))
            weights[t].append(w)
    return Taps(n_in, tuple(map(tuple, indices)), tuple(map(tuple, weights)))


@functools.lru_cache(1024)
def area(n_in, n_out):
    """The mean from floor(i n_in / n_out) to ceil((i + 1) n_in / n_out): adaptive average pooling."""
    spans = [(i * n_in // n_out, -(-(i + 1) * n_in // n_out)) for i in range(n_out)]
    most = max(b - a for a, b in spans)
    indices = tuple([tuple([min(a + t, b - 1) for a, b in spans]) for t in range(most)])
    weights = tuple([tuple([1.0 / (b - a) if a + t < b else 0.0 for a, b in spans]) for t in range(most)])
    return Taps(n_in, indices, weights)


@functools.lru_cache(1024)
def antialiased(n_in, n_out, kind, align_corners=False, scale=None):
    """Linear or cubic weights stretched over the inputs that a smaller output stands for."""
    if align_corners:
        step = (n_in - 1) / (n_out - 1) if n_out > 1 else 0.0
    else:
        step = _step(n_in, n_out, scale)
    half = 1.0 if kind == "linear" else 2.0
    stretch = max(step, 1.0)
    support = half * stretch
    rows = []
    for i in range(n_out):
        center = step * (i + 0.5)
        first, last = max(int(center - support + 0.5), 0), min(int(center + support + 0.5), n_in)
        w = [_hat(kind, (j + first - center + 0.5) / stretch) for j in range(last - first)]
        total = sum(w) or 1.0
        rows.append((first, [v / total for v in w]))
    most = max(len(w) for _, w in rows)
    indices = tuple([tuple([first + min(t, len(w) - 1) for first, w in rows]) for t in range(most)])
    weights = tuple([tuple([w[t] if t < len(w) else 0.0 for _, w in rows]) for t in range(most)])
    return Taps(n_in, indices, weights)


def _hat(kind, x):
    x = abs(x)
    if kind == "linear":
        return max(0.0, 1.0 - x)
    a = -0.5                # the antialiased cubic is Pillow's
    if x < 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return (((x - 5) * x + 8) * x - 4) * a if x < 2 else 0.0
