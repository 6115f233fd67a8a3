"""Computes the polynomials of lucid/_codegen/mathematics.py: prints the dictionary COEFFICIENTS, ready to paste.

Each is the best polynomial in the sense of Remez (the largest weighted error is as small as can be), found by exchange
of the extremal points in 60 digits with mpmath, then rounded to the type that computes with it.
"""

import mpmath as mp
import numpy as np

mp.mp.dps = 60


def remez(f, weight, low, high, degree, rounds=12):
    """The coefficients, constant first, of the polynomial p with the least maximum of |weight * (p - f)|."""
    low, high = mp.mpf(low), mp.mpf(high)
    points = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * k / (degree + 1)) for k in range(degree + 2)]
    grid = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * k / 800) for k in range(801)]
    values = [(x, f(x), weight(x)) for x in grid]
    for _ in range(rounds):
        rows, right = mp.matrix(degree + 2), mp.matrix(degree + 2, 1)
        for i, x in enumerate(points):
            for j in range(degree + 1):
                rows[i, j] = x**j
            rows[i, degree + 1] = (-1) ** i / weight(x)
            right[i] = f(x)
        solved = mp.lu_solve(rows, right)
        coefficients = [solved[j] for j in range(degree + 1)]
        errors = [w * (mp.polyval(coefficients[::-1], x) - y) for x, y, w in values]
        points = _extrema(grid, errors, degree + 2)
        if max(map(abs, errors)) < abs(solved[degree + 1]) * mp.mpf("1.01"):
            break
    return coefficients, max(map(abs, errors))


def _extrema(grid, errors, count):
    """The largest error of each stretch of one sign; `count` of them, the smaller end dropped first."""
    best = []
    for x, e in zip(grid, errors):
        if best and (best[-1][1] > 0) == (e > 0):
            if abs(e) > abs(best[-1][1]):
                best[-1] = (x, e)
        else:
            best.append((x, e))
    while len(best) > count:
        best.pop(0 if abs(best[0][1]) < abs(best[-1][1]) else -1)
    if len(best) < count:
        raise ValueError("too few alternations: the grid is too coarse or the degree too high")
    return [x for x, _ in best]


def series(x, terms):
    """The sum of terms(k) * x**k for k from 0."""
    return mp.nsum(lambda k: terms(int(k)) * x**k, [0, 60]) if x else mp.mpf(terms(0))


LN2, ONE = mp.log(2), lambda x: 1
TINY = mp.mpf(10) ** -20


def away(x):
    """x, or almost nothing instead of nothing."""
    return x if abs(x) > TINY else TINY


def log_odd(z):
    """(log((1 + s) / (1 - s)) - 2 s) / s**3 for z = s * s: the odd part of the logarithm."""
    s = mp.sqrt(away(z))
    return (mp.log((1 + s) / (1 - s)) - 2 * s) / s**3


def erfc_scaled(t):
    """(1 + 2 x) * exp(x * x) * erfc(x) for t = (x - 3.75) / (x + 3.75): smooth from 0 to infinity (Shepherd 1981)."""
    if t >= 1:
        return 2 / mp.sqrt(mp.pi)
    x = 3.75 * (1 + t) / (1 - t)
    if x > 60:  # the asymptotic series
        z, term, total = 1 / (2 * x * x), mp.mpf(1), mp.mpf(1)
        for k in range(1, 20):
            term *= -(2 * k - 1) * z
            total += term
        return (1 + 2 * x) / (x * mp.sqrt(mp.pi)) * total
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def wanted():
    """(name, dtype, function, weight, low, high, degree)"""
    half, f32, f64 = LN2 / 2 * mp.mpf("1.01"), np.float32, np.float64

    def exp_rest(r):
        r = away(r)
        return (mp.exp(r) - 1 - r) / r**2

    def log_rest(f):
        f = f if abs(f) > mp.mpf("1e-12") else mp.mpf("1e-12")
        return (mp.log1p(f) - f + f * f / 2) / f**3

    for name, dtype, degree in (("exp", f32, 4), ("exp", f64, 10)):
        yield name, dtype, exp_rest, lambda r: r * r + TINY, -half, half, degree
    yield "exp_wide", f32, exp_rest, lambda r: r * r * mp.exp(-r) + TINY, -2 * half, 2 * half, 5
    exp2_rest = lambda r: (mp.power(2, away(r)) - 1) / away(r)  # noqa: E731
    yield "exp2", f32, exp2_rest, lambda r: abs(r) + TINY, mp.mpf(-0.5), mp.mpf(0.5), 5
    yield "log", f32, log_rest, lambda f: f * f + TINY, -mp.mpf(1) / 3, mp.mpf(1) / 3, 7
    top = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.01")
    yield "log", f64, log_odd, lambda z: z + TINY, mp.mpf(0), top, 6
    erf_rest = lambda z: mp.erf(mp.sqrt(away(z))) / mp.sqrt(away(z)) - 1  # noqa: E731
    # of a float: erf(x) / x for t = x * x * 2 / 3.8**2 - 1, from 0 to 3.8, beyond which erf rounds to nearly 1
    root = lambda t: mp.mpf("3.8") * mp.sqrt(away(t + 1) / 2)  # noqa: E731
    yield (
        "erf",
        f32,
        lambda t: mp.erf(root(t)) / root(t),
        lambda t: root(t) / mp.erf(root(t)),
        mp.mpf(-1),
        mp.mpf(1),
        14,
    )
    yield "erf_small", f64, erf_rest, ONE, mp.mpf(0), mp.mpf("1.01"), 11
    tanh_rest = lambda z: mp.tanh(mp.sqrt(away(z))) / mp.sqrt(away(z)) - 1  # noqa: E731
    yield "tanh", f32, lambda z: tanh_rest(z) / away(z), lambda z: z + TINY, mp.mpf(0), mp.mpf("0.305"), 4
    yield "erfc", f64, erfc_scaled, ONE, mp.mpf(-1), mp.mpf(1), 22
    quarter = (mp.pi / 4) ** 2 * mp.mpf("1.02")
    sin_rest = lambda z: (mp.sin(mp.sqrt(away(z))) / mp.sqrt(away(z)) - 1) / away(z)  # noqa: E731
    cos_rest = lambda z: (mp.cos(mp.sqrt(away(z))) - 1) / away(z)  # noqa: E731
    yield "sin", f64, sin_rest, lambda z: z + TINY, mp.mpf(0), quarter, 3
    yield "cos", f64, cos_rest, lambda z: z + TINY, mp.mpf(0), quarter, 4
    atan_rest = lambda z: (mp.atan(mp.sqrt(away(z))) / mp.sqrt(away(z)) - 1) / away(z)  # noqa: E731
    yield "atan", f64, atan_rest, lambda z: z + TINY, mp.mpf(0), mp.mpf(1), 11
    asin_rest = lambda z: (mp.asin(mp.sqrt(away(z))) / mp.sqrt(away(z)) - 1) / away(z)  # noqa: E731
    yield "asin", f64, asin_rest, lambda z: z + TINY, mp.mpf(0), mp.mpf(0.25), 8


def main():
    print("COEFFICIENTS = {")
    for name, dtype, f, weight, low, high, degree in wanted():
        coefficients, error = remez(f, weight, low, high, degree)
        numbers = ", ".join(
            repr(float(dtype(mp.nstr(c, 40)))) if dtype is np.float64 else str(dtype(mp.nstr(c, 40)))
            for c in coefficients
        )
        print(f'    ("{name}", "{np.dtype(dtype).name}"): ({numbers}),  # {mp.nstr(mp.log(error, 2), 4)} bits')
    print("}")


if __name__ == "__main__":
    main()
