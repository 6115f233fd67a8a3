"""The CPU's elementwise words: arithmetic, comparison, calculus, selection."""

import math

import numpy as np

from ..._base import dtype as dtypes
from ..words import refusals


def special_words(k):
    """{word: function} of what is special about the words of one table."""
    words = {name: refuse for name, (_, refuse) in refusals(k.dtype).items()}
    if k.dtype.category == dtypes.INTEGRAL:
        words.update(dict.fromkeys(("floor", "ceil", "trunc", "round"), np.positive))
    if k.is_complex:
        words["logaddexp"] = k._complex_logaddexp
    return words


# Elements up to which a plain call is quicker than a clever one. Measured with numpy 2.x on x86-64 with AVX2: what a
# numpy call costs beside its loop, and which loops numpy has in vector instructions, decide it.
SMALL = 2048


class Elementwise:
    """Words that compute each element from the elements at its place; a base of the tables."""

    neg = staticmethod(np.negative)
    abs = staticmethod(np.absolute)
    exp = staticmethod(np.exp)
    exp2 = staticmethod(np.exp2)
    log = staticmethod(np.log)
    log2 = staticmethod(np.log2)
    log10 = staticmethod(np.log10)
    sqrt = staticmethod(np.sqrt)
    square = staticmethod(np.square)
    sin = staticmethod(np.sin)
    cos = staticmethod(np.cos)
    tan = staticmethod(np.tan)
    asin = staticmethod(np.arcsin)
    acos = staticmethod(np.arccos)
    atan = staticmethod(np.arctan)
    sinh = staticmethod(np.sinh)
    cosh = staticmethod(np.cosh)
    tanh = staticmethod(np.tanh)
    asinh = staticmethod(np.arcsinh)
    acosh = staticmethod(np.arccosh)
    atanh = staticmethod(np.arctanh)
    ceil = staticmethod(np.ceil)
    floor = staticmethod(np.floor)
    trunc = staticmethod(np.trunc)
    round = staticmethod(np.rint)
    signbit = staticmethod(np.signbit)
    isnan = staticmethod(np.isnan)
    isinf = staticmethod(np.isinf)
    isfinite = staticmethod(np.isfinite)
    isposinf = staticmethod(np.isposinf)
    isneginf = staticmethod(np.isneginf)
    logical_not = staticmethod(np.logical_not)
    bitwise_not = staticmethod(np.invert)
    conj = staticmethod(np.conjugate)
    imag = staticmethod(lambda x: x.imag)
    real = staticmethod(lambda x: x.real)
    frexp = staticmethod(np.frexp)
    sinc = staticmethod(np.sinc)

    def angle(self, x):
        if self.is_complex:
            return np.angle(x)
        return np.where(np.isnan(x), x, np.where(x < 0, self.scalar(math.pi), self.scalar(0)))

    def reciprocal(self, x):
        return np.divide(self.scalar(1), x)

    def rsqrt(self, x):
        return np.divide(self.scalar(1), np.sqrt(x))

    def frac(self, x):
        return np.subtract(x, np.trunc(x))

    def sign(self, x):
        if self.array_dtype.kind == "f":  # torch: 0 for NaN
            return np.subtract(x > 0, x < 0, dtype=np.int8).astype(self.array_dtype)
        return x.copy(order="K") if self.array_dtype.kind == "b" else np.sign(x)

    def sgn(self, x):
        return np.sign(x) if self.is_complex else self.sign(x)

    def sigmoid(self, x):
        one = self.scalar(1)
        y = np.negative(x)
        if not y.ndim:
            return one / (np.exp(y) + one)
        np.exp(y, y)
        np.add(y, one, y)
        return np.divide(one, y, y)

    def relu(self, x):
        return self.maximum(x, self.scalar(0))

    # np.clip is by far numpy's quickest comparison with one number. Of 0 and -0 numpy takes the second, torch x.
    def maximum(self, a, b):
        if b.__class__ is np.ndarray and not b.ndim:
            if a.size > SMALL and a.dtype.kind == "f":
                return np.clip(a, b, np.inf)
            return np.maximum(b, a)
        return np.maximum(a, b)

    def minimum(self, a, b):
        if b.__class__ is np.ndarray and not b.ndim:
            if a.size > SMALL and a.dtype.kind == "f":
                return np.clip(a, -np.inf, b)
            return np.minimum(b, a)
        return np.minimum(a, b)

    # numpy computes these two one by one; through tanh, exp and log they are computed in vectors, to a few last places
    def expm1(self, x):
        if x.dtype != np.float32 or x.size <= SMALL:
            return np.expm1(x)
        y = np.tanh(np.multiply(x, self.scalar(0.5)))
        e = np.exp(x)
        np.add(e, self.scalar(1), e)
        return np.multiply(y, e, y)

    def log1p(self, x):
        if x.dtype.kind == "c":
            return _complex_log1p(x)
        if x.dtype != np.float32 or x.size <= SMALL:
            return np.log1p(x)
        one = self.scalar(1)
        u = np.add(x, one)
        off = np.subtract(u, one)  # how far from 1 the rounded 1 + x is
        y = np.divide(x, off)
        np.multiply(y, np.log(u), y)
        y = self.where(off == 0, x, y)
        return self.where(u == np.inf, u, y)

    add = staticmethod(np.add)
    sub = staticmethod(np.subtract)
    mul = staticmethod(np.multiply)
    div = staticmethod(np.divide)
    fmax = staticmethod(lambda a, b: np.fmax(b, a))  # of 0 and -0 numpy takes the second, torch the first
    fmin = staticmethod(lambda a, b: np.fmin(b, a))
    atan2 = staticmethod(np.arctan2)
    hypot = staticmethod(np.hypot)
    copysign = staticmethod(np.copysign)
    nextafter = staticmethod(np.nextafter)
    logaddexp = staticmethod(np.logaddexp)
    logaddexp2 = staticmethod(np.logaddexp2)
    eq = staticmethod(np.equal)
    ne = staticmethod(np.not_equal)
    lt = staticmethod(np.less)
    le = staticmethod(np.less_equal)
    gt = staticmethod(np.greater)
    ge = staticmethod(np.greater_equal)
    logical_and = staticmethod(np.logical_and)
    logical_or = staticmethod(np.logical_or)
    logical_xor = staticmethod(np.logical_xor)
    bitwise_and = staticmethod(np.bitwise_and)
    bitwise_or = staticmethod(np.bitwise_or)
    bitwise_xor = staticmethod(np.bitwise_xor)
    bitwise_left_shift = staticmethod(np.left_shift)
    bitwise_right_shift = staticmethod(np.right_shift)
    gcd = staticmethod(np.gcd)
    lcm = staticmethod(lambda a, b: np.absolute(np.lcm(a, b)))

    def pow(self, a, b):
        if self.array_dtype.kind == "i" and np.any(below := np.less(b, 0)):
            # a whole part only where the base is 1 or -1
            powers = np.power(a, np.where(below, np.bitwise_and(b, 1), b), dtype=self.array_dtype)
            return np.where(below & (np.absolute(a) != 1), self.scalar(0), powers)
        return np.power(a, b)

    def floor_divide(self, a, b):
        if self.array_dtype.kind in "iu" and not np.all(b):
            raise RuntimeError("ZeroDivisionError")
        return np.floor_divide(a, b)

    def trunc_divide(self, a, b):
        if self.array_dtype.kind in "iu":
            if not np.all(b):
                raise RuntimeError("ZeroDivisionError")
            quotient = np.floor_divide(a, b)
            return np.add(quotient, (np.remainder(a, b) != 0) & ((a < 0) != (b < 0)), dtype=self.array_dtype)
        return np.trunc(np.divide(a, b))

    def remainder(self, a, b):
        if self.array_dtype.kind in "iu" and not np.all(b):
            raise RuntimeError("ZeroDivisionError")
        rest = np.remainder(a, b)
        if self.inexact and not np.all(rest):  # a rest of 0 has the sign of a, as C's fmod gives it
            rest = np.where(rest == 0, np.copysign(rest, a), rest)
        return rest

    def fmod(self, a, b):
        if self.array_dtype.kind in "iu" and not np.all(b):
            raise RuntimeError("ZeroDivisionError")
        return np.fmod(a, b)

    def ldexp(self, a, b):
        return np.multiply(a, np.exp2(b))

    def complex(self, re, im):
        of = self.sibling(dtypes.complex_of(self.dtype)).array_dtype
        out = np.nditer((re, im, None), ["zerosize_ok"], op_dtypes=[None, None, of], casting="unsafe").operands[2]
        if of.names:
            out["real"], out["imag"] = re, im
        else:
            out.real, out.imag = re, im
        return out

    def polar(self, r, angle):
        return self.complex(r * np.cos(angle), r * np.sin(angle))

    def _complex_logaddexp(self, a, b):
        top = np.where(a.real >= b.real, a, b)
        return np.log(np.exp(a - top) + np.exp(b - top)) + top

    def heaviside(self, x, values):  # torch: 0 for NaN
        return np.where(x == 0, values, np.greater(x, 0).astype(self.array_dtype))

    def where(self, condition, a, b):
        n = condition.size
        if n > SMALL and condition.dtype.kind == "b":
            return _select(condition, self._operand(a, b), self._operand(b, a))
        return np.where(condition, a, b)

    def _operand(self, x, other):
        """x as an array: a number takes the other operand's type, as np.where gives it."""
        if isinstance(x, np.ndarray):
            return x
        return np.asarray(x, other.dtype if isinstance(other, np.ndarray) else self.array_dtype)

    def lerp(self, a, b, weight):  # torch's two-sided formula keeps the end points exact
        small = np.absolute(weight) < 0.5
        return np.where(small, a + weight * (b - a), b + (b - a) * (weight - 1))

    def addcmul(self, x, a, b):
        return np.add(x, np.multiply(a, b))

    # reductions, scans and sorts are in reduce.py


_INTS = {1: np.dtype(np.int8), 2: np.dtype(np.int16), 4: np.dtype(np.int32), 8: np.dtype(np.int64)}


def _select(condition, a, b):
    """np.where by integer arithmetic on the elements' bits: it does not branch, so random conditions cost no more."""
    shape, kind = condition.shape, a.dtype
    if kind != b.dtype or kind.itemsize not in _INTS or any(x.ndim and x.shape != shape for x in (a, b)):
        return np.where(condition, a, b)
    bits = _INTS[kind.itemsize]
    if not a.ndim and not a.view(bits):
        condition, a, b = np.logical_not(condition), b, a
    take = condition.view(np.int8).astype(bits)
    if b.ndim or b.view(bits):
        b = b.view(bits)
        take *= np.subtract(a.view(bits), b)
        take += b
    else:
        take *= a.view(bits)
    return take.view(kind)


def _complex_log1p(z):
    """log(1 + z) of complex numbers, whose real part does not cancel where z is small."""
    x, y = z.real, z.imag
    out = np.empty_like(z)
    small = np.maximum(np.absolute(x), np.absolute(y)) < 0.5
    near = 0.5 * np.log1p(np.where(small, x * (2 + x) + y * y, 0))
    out.real, out.imag = np.where(small, near, np.log(np.hypot(x + 1, y))), np.arctan2(y, x + 1)
    return out
