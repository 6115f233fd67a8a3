"""Arithmetic to the last bit: fused multiply-add in numpy, and the C library's functions as torch calls them."""

import functools
import math

import numpy as np

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)


def _two_sum(a, b):
    total = a + b
    b_seen = total - a
    return total, (a - (total - b_seen)) + (b - b_seen)


def _split(a):
    scaled = 134217729.0 * a  # 2**27 + 1: halves of 26 bits (Dekker)
    high = scaled - (scaled - a)
    return high, a - high


def _two_product(a, b):
    product = a * b
    (a_high, a_low), (b_high, b_low) = _split(a), _split(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _is_tame(value):
    return value == 0 or 1e-100 < abs(value) < 1e100  # no overflow or underflow inside fma64


def _fma_scalar(a, b, c):
    """a * b + c of floats rounded once (math.fma before Python 3.13)."""
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    from fractions import Fraction

    exact = Fraction(a) * Fraction(b) + Fraction(c)
    return float(exact) if exact else a * b + c  # an exact zero keeps the sign IEEE gives it


def fma64(a, b, c):
    """a * b + c rounded once: a float64 array of numbers below 1e100, b and c floats (Boldo and Melquiond, 2008)."""
    if c == 0:
        return a * b + c
    if not (_is_tame(b) and _is_tame(c)):
        return np.array([_fma_scalar(value, b, c) for value in a.ravel().tolist()], FLOAT64).reshape(a.shape)
    high, low = _two_product(a, b)
    sum_high, sum_low = _two_sum(c, low)
    top, middle = _two_sum(high, sum_high)
    odd, rest = _two_sum(sum_low, middle)
    bits = odd.view(np.int64)  # round the low part to odd, then one addition rounds right
    step = (bits ^ rest.view(np.int64)) >> 63 | 1  # towards the rest: away from zero if the signs agree
    step *= ~bits & (rest != 0)  # even and inexact
    bits += step
    return top + odd


def fma32(a, b, c, out):
    """out = a * b + c rounded once: float32 arrays a and out, float32 scalars b and c."""
    if c == 0:
        np.multiply(a, b, out=out)
        out += np.float32(0)  # -0 becomes +0, as a fused addition of +0 makes it
        return out
    c = np.float64(c)
    product = np.multiply(a, np.float64(b), dtype=FLOAT64)  # exact
    total = product + c
    np.copyto(out, total, casting="same_kind")
    # Rounding to float64 first can only hurt where that gave exactly the middle between two float32.
    suspects = np.flatnonzero((total.view(np.int64) & 0x1FFFFFFF) == 0x10000000)
    if suspects.size:
        total, error = _two_sum(product[suspects], c)
        nudged = np.nextafter(total, np.copysign(np.inf, error))
        out[suspects] = np.where(error != 0, nudged, total).astype(FLOAT32)
    return out


def _numpy_direct(name, x):
    return getattr(np, name)(x)


def _numpy_shifted(name, x):
    """numpy's vector code refuses an output that overlaps its input, and its plain loop then calls libm."""
    if x.size == 1:  # nothing to overlap
        return _python_loop(name, x)
    buffer = np.empty(x.size + 1, FLOAT64)
    buffer[1:] = x
    return getattr(np, name)(buffer[1:], out=buffer[:-1])


def _python_loop(name, x):
    return np.fromiter(map(getattr(math, name), x.tolist()), FLOAT64, x.size)


@functools.cache
def _libm_route(name):
    """The quickest of three ways to libm's function: on some processors numpy's own differs in the last bit."""
    points = np.concatenate([np.linspace(1e-9, 0.9999, 8191), np.geomspace(1e-12, 0.5, 4096)])
    points *= {"log1p": -1.0, "log": 1.0}.get(name, 6.28)
    expected = _python_loop(name, points)
    routes = (_numpy_direct, _numpy_shifted)
    return next((route for route in routes if np.array_equal(route(name, points), expected)), _python_loop)


def libm(name, x):
    """The C library's function of a float64 array, to the bit, as torch calls it."""
    return _libm_route(name)(name, x.reshape(-1)).reshape(x.shape)
