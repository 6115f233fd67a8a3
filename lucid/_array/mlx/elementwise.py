"""Elementwise words in mlx's functions. See table.py.

Each function takes the table and mlx arrays; the words' sizes and types are meta's. mlx has no functions for the words
of `through_numpy`: those make a round trip through numpy.
"""

import math

from .table import install, mx, one, through_numpy, word

through_numpy("""lgamma digamma polygamma zeta igamma igammac i0 i0e i1 i1e ndtri log_ndtr erfcx airy_ai bessel_j0
    bessel_j1 bessel_y0 bessel_y1 modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0
    scaled_modified_bessel_k1 orthogonal_polynomial nextafter gcd lcm""")


def plain(**functions):
    """Words that are one mlx function of the same arguments."""
    for name, f in functions.items():
        install(name, lambda k, *args, f=f: f(*args))


# ---- elementwise, one operand

plain(
    neg=mx.negative,
    abs=mx.abs,
    exp=mx.exp,
    log=mx.log,
    log2=mx.log2,
    log10=mx.log10,
    log1p=mx.log1p,
    sqrt=mx.sqrt,
    rsqrt=mx.rsqrt,
    reciprocal=mx.reciprocal,
    square=mx.square,
    sin=mx.sin,
    cos=mx.cos,
    tan=mx.tan,
    asin=mx.arcsin,
    acos=mx.arccos,
    atan=mx.arctan,
    sinh=mx.sinh,
    cosh=mx.cosh,
    tanh=mx.tanh,
    asinh=mx.arcsinh,
    acosh=mx.arccosh,
    atanh=mx.arctanh,
    erf=mx.erf,
    erfinv=mx.erfinv,
    floor=mx.floor,
    ceil=mx.ceil,
    round=mx.round,
    trunc=mx.trunc,
    isnan=mx.isnan,
    isinf=mx.isinf,
    isfinite=mx.isfinite,
    isposinf=mx.isposinf,
    isneginf=mx.isneginf,
    logical_not=mx.logical_not,
    bitwise_not=mx.bitwise_invert,
    conj=mx.conjugate,
    real=mx.real,
    imag=mx.imag,
)


def floats(x):
    """x, in floating point if it is not."""
    return x if mx.issubdtype(x.dtype, mx.inexact) else mx.astype(x, mx.float32)


@word
def exp2(k, x):
    x = floats(x)
    return mx.power(one(x, 2), x)


@word
def expm1(k, x):
    return mx.exp(x) - 1 if x.dtype == mx.complex64 else mx.expm1(x)


@word
def sigmoid(k, x):
    return 1 / (1 + mx.exp(-x)) if x.dtype == mx.complex64 else mx.sigmoid(x)


@word
def erfc(k, x):
    """Chebyshev's fit of Numerical Recipes (erfccheb's single-precision ancestor, relative error below 1.2e-7)."""
    x = floats(x)
    z = mx.abs(x)
    t = 1 / (1 + 0.5 * z)
    p = one(x, 0.17087277)
    for c in (
        -0.82215223,
        1.48851587,
        -1.13520398,
        0.27886807,
        -0.18628806,
        0.09678418,
        0.37409196,
        1.00002368,
        -1.26551223,
    ):
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

plain(
    add=mx.add,
    sub=mx.subtract,
    mul=mx.multiply,
    div=mx.divide,
    maximum=mx.maximum,
    minimum=mx.minimum,
    atan2=mx.arctan2,
    logaddexp=mx.logaddexp,
    eq=mx.equal,
    ne=mx.not_equal,
    lt=mx.less,
    le=mx.less_equal,
    gt=mx.greater,
    ge=mx.greater_equal,
    logical_and=mx.logical_and,
    logical_or=mx.logical_or,
    logical_xor=mx.logical_xor,
    bitwise_and=mx.bitwise_and,
    bitwise_or=mx.bitwise_or,
    bitwise_xor=mx.bitwise_xor,
    where=mx.where,
)


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
    return mx.view(mx.contiguous(mx.stack([mx.astype(re, mx.float32), mx.astype(im, mx.float32)], -1)), mx.complex64)[
        ..., 0
    ]


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
