"""What the words are in mlx's functions: elementwise, over dimensions, along one, and moves. See mlx.py.

Each function takes the table and mlx arrays; the words' sizes and types are meta's. mlx has no functions for the words in
ON_NUMPY: those make a round trip through numpy.
"""
import math

from .meta import reduced
from .mlx import install, mx

ON_NUMPY = """lgamma digamma polygamma zeta igamma igammac i0 i0e i1 i1e ndtri log_ndtr erfcx airy_ai bessel_j0 bessel_j1 bessel_y0
    bessel_y1 modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1 orthogonal_polynomial
    nextafter gcd lcm mode_dim nonzero ramp linspace""".split()

WORDS: dict = {}


def word(f):
    WORDS[f.__name__.removesuffix("_")] = f
    return f


def plain(**functions):
    """Words that are one mlx function of the same arguments."""
    for name, f in functions.items():
        WORDS[name] = lambda k, *args, f=f: f(*args)


def one(x, value):
    """A number as an array of x's type."""
    return mx.array(value, x.dtype)


# ---- elementwise, one operand

plain(neg=mx.negative, abs=mx.abs, exp=mx.exp, expm1=mx.expm1, log=mx.log, log2=mx.log2, log10=mx.log10, log1p=mx.log1p, sqrt=mx.sqrt,
      rsqrt=mx.rsqrt, reciprocal=mx.reciprocal, square=mx.square, sin=mx.sin, cos=mx.cos, tan=mx.tan, asin=mx.arcsin,
      acos=mx.arccos, atan=mx.arctan, sinh=mx.sinh, cosh=mx.cosh, tanh=mx.tanh, asinh=mx.arcsinh, acosh=mx.arccosh,
      atanh=mx.arctanh, erf=mx.erf, erfinv=mx.erfinv, floor=mx.floor, ceil=mx.ceil, round=mx.round, trunc=mx.trunc,
      sigmoid=mx.sigmoid, isnan=mx.isnan, isinf=mx.isinf, isfinite=mx.isfinite, isposinf=mx.isposinf, isneginf=mx.isneginf,
      logical_not=mx.logical_not, bitwise_not=mx.bitwise_invert, conj=mx.conjugate, real=mx.real, imag=mx.imag)


def floats(x):
    """x, in floating point if it is not."""
    return x if mx.issubdtype(x.dtype, mx.inexact) else mx.astype(x, mx.float32)


@word
def exp2(k, x):
    x = floats(x)
    return mx.power(one(x, 2), x)


@word
def erfc(k, x):
    """Chebyshev's fit of Numerical Recipes (erfccheb's single-precision ancestor, relative error below 1.2e-7)."""
    x = floats(x)
    z = mx.abs(x)
    t = 1 / (1 + 0.5 * z)
    p = one(x, 0.17087277)
    for c in (-0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223):
        p = p * t + c
    tail = t * mx.exp(p - z * z)
    return mx.where(z < 0.5, 1 - mx.erf(x), mx.where(x < 0, 2 - tail, tail))


@word
def frac(k, x):
    return x - mx.trunc(x)


@word
def sign(k, x):
    return x if x.dtype == mx.bool_ else mx.sign(x)


@word
def sgn(k, x):
    return sign(k, x)


@word
def relu(k, x):
    return mx.maximum(x, one(x, 0))


@word
def signbit(k, x):
    if mx.issubdtype(x.dtype, mx.floating):
        return mx.view(mx.contiguous(x), {2: mx.int16, 4: mx.int32, 8: mx.int64}[x.dtype.size]) < 0
    return mx.zeros(x.shape, mx.bool_) if x.dtype == mx.bool_ else x < 0


@word
def angle(k, x):
    if x.dtype == mx.complex64:
        return mx.arctan2(mx.imag(x), mx.real(x))
    x = floats(x)
    return mx.where(mx.isnan(x), x, mx.where(x < 0, one(x, math.pi), one(x, 0)))


@word
def sinc(k, x):
    x = floats(x)
    y = x * math.pi
    return mx.where(x == 0, one(x, 1), mx.sin(y) / mx.where(x == 0, one(x, 1), y))


# ---- elementwise, several operands

plain(add=mx.add, sub=mx.subtract, mul=mx.multiply, div=mx.divide, maximum=mx.maximum, minimum=mx.minimum, atan2=mx.arctan2,
      logaddexp=mx.logaddexp, eq=mx.equal, ne=mx.not_equal, lt=mx.less, le=mx.less_equal, gt=mx.greater, ge=mx.greater_equal,
      logical_and=mx.logical_and, logical_or=mx.logical_or, logical_xor=mx.logical_xor, bitwise_and=mx.bitwise_and,
      bitwise_or=mx.bitwise_or, bitwise_xor=mx.bitwise_xor, where=mx.where)


def array(x, like):
    return x if isinstance(x, mx.array) else mx.array(x, like.dtype)


def both(a, b):
    """Two operands as arrays of one type."""
    if not isinstance(a, mx.array):
        return array(a, b), b
    b = array(b, a)
    if a.dtype != b.dtype:
        wide = mx.result_type(a, b)
        a, b = mx.astype(a, wide), mx.astype(b, wide)
    return a, b


def integral(x):
    return mx.issubdtype(x.dtype, mx.integer) or x.dtype == mx.bool_


def no_zeros(k, a, b):
    """Integer division by zero is an error."""
    if integral(a) and integral(b) and bool(mx.any(b == 0)):
        raise RuntimeError("ZeroDivisionError")


@word
def pow(k, a, b):
    a, b = both(a, b)
    if integral(a) and b.dtype != mx.bool_ and bool(mx.any(b < 0)):
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return mx.power(a, b)


@word
def fmax(k, a, b):
    a, b = both(a, b)
    return mx.where(mx.isnan(a), b, mx.where(mx.isnan(b), a, mx.maximum(a, b)))


@word
def fmin(k, a, b):
    a, b = both(a, b)
    return mx.where(mx.isnan(a), b, mx.where(mx.isnan(b), a, mx.minimum(a, b)))


@word
def fmod(k, a, b):
    a, b = both(a, b)
    no_zeros(k, a, b)
    rest = mx.remainder(mx.abs(a), mx.abs(b))
    rest = mx.where(a < 0, -rest, rest)
    return rest if integral(a) else mx.where(mx.isinf(b) & mx.isfinite(a), a, rest)


@word
def remainder(k, a, b):
    a, b = both(a, b)
    no_zeros(k, a, b)
    if integral(a):
        return mx.remainder(a, b)
    rest = fmod(k, a, b)
    return mx.where((rest != 0) & ((b < 0) != (rest < 0)), rest + b, rest)


@word
def floor_divide(k, a, b):
    a, b = both(a, b)
    no_zeros(k, a, b)
    if integral(a):
        return mx.floor_divide(a, b)
    rest = fmod(k, a, b)
    whole = (a - rest) / b
    whole = mx.where((rest != 0) & ((b < 0) != (rest < 0)), whole - 1, whole)
    low = mx.floor(whole)
    low = mx.where(whole - low > 0.5, low + 1, low)
    return mx.where(b == 0, a / b, low)


@word
def trunc_divide(k, a, b):
    a, b = both(a, b)
    no_zeros(k, a, b)
    if not integral(a):
        return mx.trunc(a / b)
    whole = mx.floor_divide(a, b)
    return whole + mx.astype((mx.remainder(a, b) != 0) & ((a < 0) != (b < 0)), whole.dtype)


@word
def hypot(k, a, b):
    a, b = both(mx.abs(a), mx.abs(b))
    big, small = mx.maximum(a, b), mx.minimum(a, b)
    ratio = mx.where(big == 0, big, small / big)
    return mx.where(mx.isinf(a) | mx.isinf(b), one(big, math.inf), big * mx.sqrt(1 + ratio * ratio))


@word
def copysign(k, a, b):
    a, b = both(a, b)
    return mx.where(signbit(k, a) == signbit(k, b), a, -a)


@word
def heaviside(k, a, b):
    a, b = both(a, b)
    return mx.where(a == 0, b, mx.where(mx.isnan(a), a, mx.where(a > 0, one(a, 1), one(a, 0))))


@word
def ldexp(k, a, b):
    a, b = both(a, b)
    return a * exp2(k, b)


@word
def logaddexp2(k, a, b):
    a, b = both(a, b)
    top = mx.maximum(a, b)
    return mx.where(a == b, top + 1, top + mx.log1p(mx.power(one(a, 2), -mx.abs(a - b))) / math.log(2))


@word
def bitwise_left_shift(k, a, b):
    a, b = both(a, b)
    return mx.where((b < 0) | (b >= 8 * a.dtype.size), one(a, 0), mx.left_shift(a, b))


@word
def bitwise_right_shift(k, a, b):
    a, b = both(a, b)
    bits = 8 * a.dtype.size
    return mx.right_shift(a, mx.where((b < 0) | (b >= bits), one(b, bits - 1), b))


@word
def complex_(k, re, im):
    re, im = mx.broadcast_arrays(*both(re, im))
    return mx.view(mx.contiguous(mx.stack([mx.astype(re, mx.float32), mx.astype(im, mx.float32)], -1)), mx.complex64)[..., 0]


@word
def polar(k, r, angle):
    return complex_(k, r * mx.cos(angle), r * mx.sin(angle))


@word
def xlogy(k, a, b):
    a, b = both(a, b)
    return mx.where((a == 0) & mx.logical_not(mx.isnan(b)), one(a, 0), a * mx.log(b))


@word
def xlog1py(k, a, b):
    a, b = both(a, b)
    return mx.where((a == 0) & mx.logical_not(mx.isnan(b)), one(a, 0), a * mx.log1p(b))


@word
def spherical_bessel_j0(k, x):
    return mx.where(mx.isinf(x), one(x, 0), mx.where(x == 0, one(x, 1), mx.sin(x) / x))


@word
def lerp(k, a, b, weight):
    weight = array(weight, a)
    return mx.where(mx.abs(weight) < 0.5, a + weight * (b - a), b - (b - a) * (1 - weight))


@word
def addcmul(k, x, a, b):
    return x + a * b


# ---- over dimensions: halves add up in float32

def wide(x):
    return mx.astype(x, mx.float32) if x.dtype in (mx.float16, mx.bfloat16) else x


def longs(x):
    return x if mx.issubdtype(x.dtype, mx.inexact) or x.dtype == mx.uint64 else mx.astype(x, mx.int64)


def over(f, of_nothing, x, dim, keepdim):
    """f over dim; mlx does not always return when x is empty."""
    if not x.size:
        return mx.full(reduced(x.shape, dim, keepdim), of_nothing, x.dtype)
    return f(x, axis=dim, keepdims=keepdim)


@word
def sum(k, x, dim, keepdim=False):
    return over(mx.sum, 0, wide(longs(x)), dim, keepdim)


@word
def prod(k, x, dim, keepdim=False):
    return over(mx.prod, 1, wide(longs(x)), dim, keepdim)


@word
def nansum(k, x, dim, keepdim=False):
    return sum(k, mx.where(mx.isnan(x), one(x, 0), x), dim, keepdim)


def count_of(x, dim):
    return math.prod([x.shape[d] for d in dim])


@word
def mean(k, x, dim, keepdim=False):
    return sum(k, x, dim, keepdim) / count_of(x, dim) if count_of(x, dim) else mx.full(
        sum(k, x, dim, keepdim).shape, math.nan, k.kind)


@word
def amax(k, x, dim, keepdim=False):
    return mx.max(x, axis=dim, keepdims=keepdim)


@word
def amin(k, x, dim, keepdim=False):
    return mx.min(x, axis=dim, keepdims=keepdim)


@word
def all(k, x, dim, keepdim=False):
    return over(mx.all, True, x != 0, dim, keepdim)


@word
def any(k, x, dim, keepdim=False):
    return over(mx.any, False, x != 0, dim, keepdim)


@word
def count_nonzero(k, x, dim, keepdim=False):
    return over(mx.sum, 0, mx.astype(x != 0, mx.int64), dim, keepdim)


@word
def logsumexp(k, x, dim, keepdim=False):
    x = wide(x)
    top = mx.max(mx.real(x) if x.dtype == mx.complex64 else x, axis=dim, keepdims=True)
    top = mx.where(mx.isinf(top), one(top, 0), top)
    total = mx.log(mx.sum(mx.exp(x - top), axis=dim, keepdims=True)) + top
    return total if keepdim else mx.squeeze(total, axis=dim)


@word
def var_dim(k, x, dim, keepdim, correction):
    x, count = wide(x), count_of(x, dim)
    away = x - mean(k, x, dim, True)
    square = mx.square(mx.real(away)) + mx.square(mx.imag(away)) if x.dtype == mx.complex64 else away * away
    return over(mx.sum, 0, square, dim, keepdim) / one(square, max(count - correction, 0))


@word
def std_dim(k, x, dim, keepdim, correction):
    return mx.sqrt(var_dim(k, x, dim, keepdim, correction))


@word
def vector_norm(k, x, dim, keepdim, p):
    x = mx.abs(wide(x))
    if p == 0:
        return over(mx.sum, 0, mx.astype(x != 0, x.dtype), dim, keepdim)
    if p in (math.inf, -math.inf):
        return (mx.max if p > 0 else mx.min)(x, axis=dim, keepdims=keepdim)
    if p == 1:
        return over(mx.sum, 0, x, dim, keepdim)
    if p == 2:
        return mx.sqrt(over(mx.sum, 0, x * x, dim, keepdim))
    return mx.power(over(mx.sum, 0, mx.power(x, one(x, p)), dim, keepdim), one(x, 1 / p))


# ---- along one dimension

@word
def cumsum(k, x, dim):
    return mx.cumsum(wide(mx.astype(x, k.kind)), axis=dim)


@word
def cumprod(k, x, dim):
    return mx.cumprod(wide(mx.astype(x, k.kind)), axis=dim)


@word
def logcumsumexp(k, x, dim):
    if x.dtype != mx.complex64:
        return mx.logcumsumexp(wide(x), axis=dim)
    real = mx.real(x)
    top = mx.max(mx.where(mx.isfinite(real), real, one(real, 0)), axis=dim, keepdims=True)
    return mx.log(mx.cumsum(mx.exp(x - top), axis=dim)) + top


def ordered(x):
    return mx.astype(x, mx.uint8) if x.dtype == mx.bool_ else x


@word
def argmax(k, x, dim, keepdim=False):
    return mx.argmax(ordered(x), axis=dim, keepdims=keepdim)


@word
def argmin(k, x, dim, keepdim=False):
    return mx.argmin(ordered(x), axis=dim, keepdims=keepdim)


def picked(x, index, dim, keepdim):
    values = mx.take_along_axis(x, index, axis=dim)
    return (values, index) if keepdim else (mx.squeeze(values, axis=dim), mx.squeeze(index, axis=dim))


@word
def max_dim(k, x, dim, keepdim=False):
    return picked(x, argmax(k, x, dim, True), dim, keepdim)


@word
def min_dim(k, x, dim, keepdim=False):
    return picked(x, argmin(k, x, dim, True), dim, keepdim)


def part(x, dim, start, stop):
    return x[(slice(None),) * dim + (slice(start, stop),)]


def turned(x, dim):
    """x back to front along dim."""
    return x[(slice(None),) * dim + (slice(None, None, -1),)]


def order(x, dim, descending=False):
    """The stable order of x along dim, NaN last (first when descending)."""
    x = ordered(x)
    if not descending:
        return mx.argsort(x, axis=dim)
    index = mx.astype(mx.argsort(turned(x, dim), axis=dim), mx.int64)
    return turned(x.shape[dim] - 1 - index, dim)


@word
def sort(k, x, dim, descending=False, stable=True):
    index = order(x, dim, descending)
    return mx.take_along_axis(x, index, axis=dim), index


@word
def topk(k, x, count, dim, largest=True):
    index = part(order(x, dim, largest), dim, 0, count)
    return mx.take_along_axis(x, index, axis=dim), index


@word
def kthvalue(k, x, nth, dim, keepdim=False):
    return picked(x, part(order(x, dim), dim, nth - 1, nth), dim, keepdim)


@word
def median_dim(k, x, dim, keepdim=False, ignore_nan=False):
    n = x.shape[dim]
    index = mx.astype(order(x, dim), mx.int64)
    middle = part(index, dim, (n - 1) // 2, (n - 1) // 2 + 1)
    if k.inexact:
        nans = mx.isnan(x)
        if ignore_nan:
            left = n - mx.sum(mx.astype(nans, mx.int64), axis=dim, keepdims=True) - 1
            return picked(x, mx.take_along_axis(index, mx.maximum(left, 0) // 2, axis=dim), dim, keepdim)
        first = mx.argmax(mx.astype(nans, mx.uint8), axis=dim, keepdims=True)
        middle = mx.where(mx.any(nans, axis=dim, keepdims=True), mx.astype(first, mx.int64), middle)
    return picked(x, middle, dim, keepdim)


def running(pick, x, dim):
    """Running extremum and the index where it was last reached (NaN once seen stays)."""
    x = ordered(x)
    values = pick(x, axis=dim)
    hit = x == values
    if mx.issubdtype(x.dtype, mx.floating):
        seen = mx.cumsum(mx.astype(mx.isnan(x), mx.int32), axis=dim) > 0
        values, hit = mx.where(seen, one(x, math.nan), values), mx.where(seen, mx.isnan(x), hit)
    shape = [1] * x.ndim
    shape[dim] = -1
    place = mx.where(hit, mx.reshape(mx.arange(x.shape[dim], dtype=mx.int32), shape), mx.array(0, mx.int32))
    return values, mx.cummax(place, axis=dim)


@word
def cummax(k, x, dim):
    return running(mx.cummax, x, dim)


@word
def cummin(k, x, dim):
    return running(mx.cummin, x, dim)


# ---- moves and contraction

@word
def cat(k, arrays, dim):
    return mx.concatenate(arrays, axis=dim)


@word
def stack(k, arrays, dim):
    return mx.stack(arrays, axis=dim)


@word
def flip(k, x, dims):
    for d in dims:
        x = turned(x, d)
    return x


@word
def roll(k, x, shifts, dims):
    shifts, dims = ((shifts,), (dims,)) if isinstance(shifts, int) and dims is not None else (shifts, dims)
    if dims is None or not len(dims):
        return mx.reshape(mx.roll(mx.reshape(x, (-1,)), shifts), x.shape)
    for s, d in zip(shifts, dims):
        x = mx.roll(x, s, axis=d)
    return x


@word
def tril(k, x, diagonal=0):
    return mx.tril(x, diagonal)


@word
def triu(k, x, diagonal=0):
    return mx.triu(x, diagonal)


@word
def pad(k, x, widths, value=0):
    return mx.pad(x, [tuple(w) for w in widths], constant_values=one(x, value)) if x.ndim else x


@word
def repeat(k, x, repeats):
    return mx.tile(x, repeats)


@word
def matmul(k, a, b):
    a, b = both(a, b)
    if mx.issubdtype(a.dtype, mx.inexact):
        return mx.matmul(wide(a), wide(b))
    a, b = (longs(x) for x in (a, b))       # mlx multiplies matrices of floating types only
    row, column = a.ndim == 1, b.ndim == 1
    a, b = mx.expand_dims(a, 0) if row else a, mx.expand_dims(b, 1) if column else b
    out = mx.sum(mx.expand_dims(a, -1) * mx.expand_dims(b, -3), axis=-2)
    gone = [d for d, there in ((-2, row), (-1, column)) if there]
    return mx.squeeze(out, axis=gone) if gone else out


# ---- making

@word
def zeros(k, shape):
    return mx.zeros(shape, k.kind)


WORDS["empty"] = zeros


@word
def ones(k, shape):
    return mx.ones(shape, k.kind)


@word
def full(k, shape, value):
    return mx.broadcast_to(k.scalar(value).value, shape)


@word
def arange(k, n):
    return mx.astype(mx.arange(0, n, dtype=mx.int64), k.kind)


@word
def eye(k, n, m=None):
    return mx.eye(n, n if m is None else m, dtype=k.kind)


install(WORDS, ON_NUMPY)
