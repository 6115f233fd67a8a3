"""Draw classes, or draw until accepted: multinomial, poisson, binomial, gamma, Dirichlet, and rrelu's slopes.

These return new contiguous arrays, as torch's functions do, and visit their input in index order. How many words most
of them draw depends on the numbers drawn, so uniforms are fetched ahead and the engine rewound to just after the last
one used.

Sources: poisson and gamma follow numpy's legacy generator (Hormann's PTRS, 1993; Marsaglia and Tsang, 2000), binomial
TensorFlow's (Hormann's BTRS, 1993; geometric sums), as torch's own do; the constants are theirs.
"""

import ctypes
import functools
import math

import numpy as np

from ..._base.shape import memory_order
from .engine import draws, fill_exponential, is_half, store
from .exact import FLOAT32, FLOAT64, libm
from .normal import normal_pair

AHEAD = 1 << 16  # the most uniforms fetched at once


class _Uniforms:
    """`with _Uniforms(engine, expected) as uniform`: calls of uniform() give floats, fetched in blocks.

    Leaving the `with` puts the engine just after the last one used.
    """

    def __init__(self, engine, expected):
        self.engine = engine
        self.block = min(max(64, expected), AHEAD)

    def __enter__(self):
        self.mark, self.fetched, self.ahead = self.engine.mark(), 0, iter(())
        return self._stream().__next__

    def __exit__(self, *failure):
        self.engine.rewind(self.mark, 2 * (self.fetched - self.ahead.__length_hint__()))

    def _stream(self):
        while True:
            self.ahead = iter(self.engine.uniform(self.block).tolist())
            self.fetched += self.block
            yield from self.ahead


def _log(x):
    return math.log(x) if x > 0 else -math.inf


# --------------------------------------------------------------------------------------------------------- multinomial
def _exponential_scores(engine, p):
    """p / q with q exponential, p's dtype: the largest scores are a sample without replacement."""
    order = memory_order(p.shape, p.strides)
    ordered = p.transpose(order)
    q = fill_exponential(engine, np.empty(ordered.shape, p.dtype))
    return (ordered / q).transpose(np.argsort(order))


def _largest(scores, n):
    """Indices of the n largest along the last dimension, descending, equal ones by index."""
    classes = scores.shape[-1]
    if 4 * n >= classes:
        return np.argsort(-scores, axis=-1, kind="stable")[..., :n]
    candidates = np.sort(np.argpartition(scores, classes - n, axis=-1)[..., classes - n :], axis=-1)
    found = np.take_along_axis(scores, candidates, -1)
    return np.take_along_axis(candidates, np.argsort(-found, axis=-1, kind="stable"), -1)


def _with_replacement(engine, p, n_sample):
    rows = p.reshape(-1, p.shape[-1])
    cumulative = np.add.accumulate(rows, axis=-1)  # one after the other, as torch adds
    cumulative /= cumulative[:, -1:]
    cumulative[:, -1] = 1
    uniform = engine.uniform(len(rows) * n_sample).reshape(-1, n_sample)
    found = [np.searchsorted(row, drawn) for row, drawn in zip(cumulative.astype(FLOAT64), uniform)]
    return np.array(found, np.int64).reshape(p.shape[:-1] + (n_sample,))


@draws
def multinomial(engine, p, n_sample, replacement=False):
    """torch.multinomial: indices int64 (n_sample,) or (rows, n_sample) for weights (classes,) or (rows, classes).

    Draws two words a weight; with replacement and n_sample > 1, two words a sample. RuntimeError for weights that are
    negative, not finite or all zero. The order of exactly equal scores is not torch's.
    """
    values = p.astype(FLOAT32) if is_half(p.dtype) else p
    if not replacement or n_sample == 1:
        if not ((values.max() < np.inf) & (values.min() >= 0)):
            raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
        if (values.sum(-1) == 0).any():
            raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
        scores = _exponential_scores(engine, p)
        scores = scores.astype(FLOAT32) if is_half(p.dtype) else scores
        return scores.argmax(-1, keepdims=True) if n_sample == 1 else _largest(scores, n_sample)
    bad = values[~((values >= 0) & (values < np.inf))]
    if bad.size:
        kind = "= infinity or NaN" if bad[0] > 0 else "< 0"  # the first one is named; torch calls NaN "< 0"
        raise RuntimeError(f"invalid multinomial distribution (encountering probability entry {kind})")
    if (values.sum(-1) == 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    return _with_replacement(engine, values, n_sample)


# ------------------------------------------------------------------------------------------------------------- poisson
@functools.lru_cache(64)
def _poisson_constants(rate):
    """b, a, log(1/alpha), v_r, log(rate) of Hormann's transformed rejection with squeeze."""
    b = 0.931 + 2.53 * math.sqrt(rate)
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    return b, -0.059 + 0.02483 * b, math.log(inverse_alpha), 0.9277 - 3.6224 / (b - 2), math.log(rate)


def _poisson_large(rate, uniform):
    b, a, log_inverse_alpha, v_r, log_rate = _poisson_constants(rate)
    while True:
        u, v = uniform() - 0.5, uniform()
        distance = 0.5 - abs(u)
        if not distance:
            continue
        k = math.floor((2 * a / distance + b) * u + rate + 0.43)
        if distance >= 0.07 and v <= v_r:
            return k
        if k < 0 or (distance < 0.013 and v > distance):
            continue
        bound = -rate + k * log_rate - math.lgamma(k + 1.0)
        if _log(v) + log_inverse_alpha - math.log(a / (distance * distance) + b) <= bound:
            return k


def _poisson_small(rate, uniform):
    if rate == 0:
        return 0
    limit, product, factors = math.exp(-rate), uniform(), 0
    while product > limit:
        product *= uniform()
        factors += 1
    return factors


def _poisson_attempts(rate, u, v):
    """(k, accepted) of many attempts at a rate of 10 or more."""
    b, a, log_inverse_alpha, v_r, log_rate = _poisson_constants(rate)
    distance = 0.5 - np.abs(u)
    k = np.floor((2 * a / distance + b) * u + rate + 0.43)
    accepted = (distance >= 0.07) & (v <= v_r)
    open_ = np.flatnonzero(~accepted & (k >= 0) & ((distance >= 0.013) | (v <= distance)))
    k_open, distance = k[open_], distance[open_]
    counts, where = np.unique(k_open, return_inverse=True)
    log_factorial = np.array([math.lgamma(count + 1.0) for count in counts.tolist()], FLOAT64)[where]
    left = libm("log", v[open_]) + log_inverse_alpha - libm("log", a / (distance * distance) + b)
    accepted[open_] = left <= -rate + k_open * log_rate - log_factorial
    return k, accepted


def _poisson_one_rate(engine, rate, n):
    """n numbers of one rate of 10 or more: an attempt then does not depend on its element, so they are made in bulk."""
    mark, used, result, got = engine.mark(), 0, np.empty(n, FLOAT64), 0
    while got < n:
        attempts = min(int((n - got) * 1.35) + 64, AHEAD)
        pairs = engine.uniform(2 * attempts).reshape(-1, 2)
        k, accepted = _poisson_attempts(rate, pairs[:, 0] - 0.5, pairs[:, 1])
        hits = np.flatnonzero(accepted)[: n - got]
        result[got : got + hits.size] = k[hits]
        got += hits.size
        used += attempts if got < n else int(hits[-1]) + 1
    engine.rewind(mark, 4 * used)
    return result


@draws
def poisson(engine, rate):
    """torch.poisson(rate): counts of the shape and floating dtype of rate."""
    rates = np.ravel(rate).astype(FLOAT64)
    if (rates < 0).any():
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    if rates.size >= 256 and rates[0] >= 10 and (rates == rates[0]).all():
        counts = _poisson_one_rate(engine, float(rates[0]), rates.size)
    else:
        with _Uniforms(engine, 2 * rates.size) as uniform:
            counts = np.array(
                [_poisson_large(r, uniform) if r >= 10 else _poisson_small(r, uniform) for r in rates.tolist()], FLOAT64
            )
    result = np.empty(rates.shape, rate.dtype)
    store(result, counts)
    return result.reshape(rate.shape)


# ------------------------------------------------------------------------------------------------------------ binomial
_STIRLING_TAIL = (
    0.0810614667953272,
    0.0413406959554092,
    0.0276779256849983,
    0.02079067210376509,
    0.0166446911898211,
    0.0138761288230707,
    0.0118967099458917,
    0.0104112652619720,
    0.00925546218271273,
    0.00833056343336287,
)


def _round32(value):
    return float(np.float32(value))


@functools.cache
def _log1p32():
    """log1p of float32 as the C library computes it."""
    try:
        function = ctypes.CDLL(None).log1pf
    except (OSError, AttributeError, TypeError):
        return lambda x: _round32(math.log1p(x))
    function.restype, function.argtypes = ctypes.c_float, [ctypes.c_float]
    return function


def _stirling_tail(k):
    if k < 10:
        return _STIRLING_TAIL[int(k)]
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)


def _binomial_large(count, p, uniform, rounded):
    """BTRS, count * p >= 10. `rounded` rounds what torch computes in the tensor's dtype."""
    mean = rounded(count * p)
    deviation = rounded(math.sqrt(rounded(mean * rounded(1 - p))))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * p
    v_r = 0.92 - 4.2 / b
    odds = rounded(p / rounded(1 - p))
    alpha = (2.83 + 5.1 / b) * deviation
    mode = float(math.floor(rounded(rounded(count + 1) * p)))
    while True:
        u, v = uniform() - 0.5, uniform()
        distance = 0.5 - abs(u)
        if not distance:
            continue
        k = rounded(math.floor((2 * a / distance + b) * u + (mean + 0.5)))
        if k < 0 or k > count:
            continue
        if distance >= 0.07 and v <= v_r:
            return k
        failures = rounded(rounded(count - k) + 1)
        bound = (
            (mode + 0.5) * math.log((mode + 1) / (odds * (count - mode + 1)))
            + rounded(count + 1) * math.log((count - mode + 1) / failures)
            + (k + 0.5) * math.log(odds * failures / rounded(k + 1))
            + _stirling_tail(mode)
            + _stirling_tail(count - mode)
            - _stirling_tail(k)
            - _stirling_tail(rounded(count - k))
        )
        if _log(v * alpha / (a / (distance * distance) + b)) <= bound:
            return k


def _binomial_small(count, log_failure, uniform):
    """Successes before the geometric waiting times add up to more than count."""
    waited, successes = 0.0, 0.0
    while True:
        u = uniform()
        waited += math.ceil(math.log(u) / log_failure) if u else math.inf
        if waited > count:
            return successes
        successes += 1


def _binomial(count, p, uniform, rounded, log1p):
    if count <= 0 or p <= 0:
        return 0.0
    if p >= 1:
        return count
    if p > 0.5:
        return rounded(count - _binomial(count, rounded(1.0 - p), uniform, rounded, log1p))
    if p != p:
        return math.nan
    if rounded(count * p) >= 10.0:
        return _binomial_large(count, p, uniform, rounded)
    return _binomial_small(count, log1p(-p), uniform)


@draws
def binomial(engine, count, p):
    """torch.binomial(count, p): successes, of the shape and dtype of count; both float32 or both float64."""
    rounded, log1p = (_round32, _log1p32()) if count.dtype == FLOAT32 else (float, math.log1p)
    with _Uniforms(engine, 4 * count.size) as uniform:
        successes = [
            _binomial(n, q, uniform, rounded, log1p) for n, q in zip(count.ravel().tolist(), p.ravel().tolist())
        ]
    return np.array(successes, count.dtype).reshape(count.shape)


# ------------------------------------------------------------------------------------------------- gamma and Dirichlet
_THIRD = float(np.float32(1) / np.float32(3))
_SQUEEZE = float(np.float32(0.0331))


def _normal(engine, uniform):
    """The next of the serial normals, the engine's kept one first."""
    kept, engine.cached_normal = engine.cached_normal, None
    if kept is None:
        kept, engine.cached_normal = normal_pair(uniform(), uniform())
    return kept


def _gamma(alpha, engine, uniform, rounded):
    """Marsaglia and Tsang's method; alpha below 1 is drawn at alpha + 1 and scaled down."""
    scale = 1.0
    if alpha < 1.0:
        if alpha == 0.0:
            return 0.0
        scale = math.pow(1 - uniform(), rounded(1.0 / alpha))
        alpha = rounded(alpha + 1.0)
    d = rounded(alpha - _THIRD)
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = _normal(engine, uniform)
        y = 1.0 + c * x
        if y <= 0:
            continue
        v, square, u = y * y * y, x * x, 1 - uniform()
        if u < 1.0 - _SQUEEZE * square * square or math.log(u) < 0.5 * square + d * (1.0 - v + math.log(v)):
            return scale * d * v


def _gammas(engine, alpha, dtype):
    """float64 gammas of the shape of alpha, computed as for a tensor of this dtype."""
    rounded = _round32 if dtype == FLOAT32 else float
    with _Uniforms(engine, 4 * alpha.size) as uniform:
        values = [_gamma(a, engine, uniform, rounded) for a in alpha.ravel().tolist()]
    return np.array(values, FLOAT64).reshape(alpha.shape)


@draws
def standard_gamma(engine, alpha):
    """torch._standard_gamma(alpha), float32 or float64: gammas of scale 1, at least the smallest normal number."""
    return np.maximum(_gammas(engine, alpha, alpha.dtype).astype(alpha.dtype), np.finfo(alpha.dtype).tiny)


@draws
def sample_dirichlet(engine, alpha):
    """torch._sample_dirichlet(alpha), float32 or float64: gammas over their sum along the last dimension.

    float64 results can differ from torch's in the last bit, where the sum is added in another order.
    """
    gammas = np.maximum(_gammas(engine, alpha, FLOAT64), np.finfo(FLOAT64).tiny)
    shares = (gammas / gammas.sum(-1, keepdims=True)).astype(alpha.dtype)
    one = alpha.dtype.type(1)
    return np.clip(shares, np.finfo(alpha.dtype).tiny, np.nextafter(one, 0 * one))


# --------------------------------------------------------------------------------------------------------------- rrelu
@draws
def rrelu_slopes(engine, x, lower=1 / 8, upper=1 / 3):
    """Slopes of rrelu in training: uniform in [lower, upper) where x <= 0 (two words each), 1 elsewhere.

    Contiguous, of x's shape and dtype; float32 for halves, which torch multiplies before rounding.
    """
    dtype = FLOAT32 if is_half(x.dtype) else x.dtype
    lower, upper = (float(np.array(bound, dtype)) for bound in (lower, upper))
    slopes = np.ones(x.shape, dtype)
    negative = np.asarray(x, order="C") <= 0
    slopes[negative] = engine.uniform(np.count_nonzero(negative)) * (upper - lower) + lower
    return slopes
