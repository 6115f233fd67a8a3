"""The CPU's special functions: error functions, gamma functions, Bessel functions, orthogonal polynomials."""

import math

import numpy as np

from .elementwise import SMALL
from .table import install


def _scipy(name):
    """A function of scipy.special, imported when it is first called."""
    found = []

    def word(*args):
        if not found:
            found.append(getattr(_module(), name))
        return found[0](*args)

    word.__name__ = name
    return staticmethod(word)


def _module():
    import scipy.special

    return scipy.special


# erf(x) = tanh(x R(x**2)): R fitted on [0, 4] by weighted least squares (Lawson's iteration) so that the largest
# relative error of erf is least, 7e-8; with float32 arithmetic 3 units in the last place. Beyond 4 erf is 1.
_ERF = (
    1.128379247218995,
    0.10276986373161948,
    -0.00019528698854088394,
    -0.0006148395935647631,
    8.459729371874616e-05,
    -4.7947850236391e-06,
    2.7597160494614967e-08,
    5.42069912586846e-09,
)


class SpecialFunctions:
    """scipy's name stands where it differs from torch's."""

    erfc, erfcx, ndtri, log_ndtr = (_scipy(n) for n in "erfc erfcx ndtri log_ndtr".split())
    igamma, igammac = (_scipy(n) for n in ("gammainc", "gammaincc"))
    i0, i0e, i1, i1e = (_scipy(n) for n in "i0 i0e i1 i1e".split())
    bessel_j0, bessel_j1, bessel_y0, bessel_y1 = (_scipy(n) for n in "j0 j1 y0 y1".split())
    modified_bessel_k0, modified_bessel_k1 = (_scipy(n) for n in ("k0", "k1"))
    scaled_modified_bessel_k0, scaled_modified_bessel_k1 = (_scipy(n) for n in ("k0e", "k1e"))
    xlogy, xlog1py = (_scipy(n) for n in ("xlogy", "xlog1py"))

    def erfinv(self, x):
        return np.copysign(_module().erfinv(x), x)  # scipy's of -0 is 0

    def erf(self, x):
        if self.array_dtype != np.float32 or x.size <= SMALL:
            return _module().erf(x)
        x = np.clip(x, self.scalar(-4.0), self.scalar(4.0))
        z = np.multiply(x, x)
        y = np.multiply(z, self.scalar(_ERF[-1]))
        for c in _ERF[-2:0:-1]:
            np.add(y, self.scalar(c), y)
            np.multiply(y, z, y)
        np.add(y, self.scalar(_ERF[0]), y)
        np.multiply(y, x, y)
        return np.tanh(y, y)

    def lgamma(self, x):
        return np.where(np.isinf(x), self.scalar(math.inf), _module().gammaln(x))

    def digamma(self, x):
        got = _module().psi(x)
        return np.where(x == 0, np.copysign(self.scalar(math.inf), -x), got)

    def zeta(self, s, q):
        return np.where(np.equal(s, 1), self.scalar(math.inf), _module().zeta(s, q))

    def polygamma(self, n, x):
        if n == 0:
            return self.digamma(x)
        if n == 1:
            return _trigamma(x)
        wide = x.astype(np.float64)
        got = _module().zeta(n + 1.0, wide) * math.factorial(n)
        return (got if n % 2 else -got).astype(x.dtype)

    def airy_ai(self, x):
        return _module().airy(x)[0]

    def spherical_bessel_j0(self, x):
        return np.where(np.isinf(x), self.scalar(0), np.where(x == 0, self.scalar(1), np.sin(x) / x))

    def orthogonal_polynomial(self, x, n, kind):
        """The polynomial of each element's degree n (0 below degree 0), by its three-term recurrence."""
        first, step = _RECURRENCES[kind]
        if kind.startswith("shifted"):
            x = x + x - 1
        degree = np.trunc(n)
        before, now = np.ones_like(x), first(x)
        result = np.where(degree < 0, self.scalar(0), np.where(degree == 0, self.scalar(1), now))
        top = int(min(np.nanmax(degree, initial=0), 1 << 16)) if degree.size else 0
        for k in range(1, top):
            before, now = now, step(k, x, now, before)
            result = np.where(degree == k + 1, now, result)
        return np.asarray(result, self.array_dtype)


def _trigamma(x):
    """The derivative of digamma, in x's own precision: reflection below 1/2, six steps up, the asymptotic series."""
    low = x < 0.5
    mirror = np.sin(x * x.dtype.type(math.pi))
    y = np.where(low, 1 - x, x)
    total = np.where(low, -(x.dtype.type(math.pi**2)) / (mirror * mirror), x.dtype.type(0))
    for _ in range(6):
        total = total + 1 / (y * y)
        y = y + 1
    inverse = 1 / (y * y)
    series = (
        1
        + 1 / (2 * y)
        + inverse * (x.dtype.type(1 / 6) - inverse * (x.dtype.type(1 / 30) - inverse * x.dtype.type(1 / 42)))
    ) / y
    return np.where(low, -(total + series), total + series)


def _twice(k, x, now, before):
    return (x + x) * now - before


# kind -> (degree 1, degree k + 1 from x, degree k and degree k - 1)
_RECURRENCES = {
    "chebyshev_t": (lambda x: x, _twice),
    "chebyshev_u": (lambda x: x + x, _twice),
    "chebyshev_v": (lambda x: x + x - 1, _twice),
    "chebyshev_w": (lambda x: x + x + 1, _twice),
    "hermite_h": (lambda x: x + x, lambda k, x, now, before: (x + x) * now - 2 * k * before),
    "hermite_he": (lambda x: x, lambda k, x, now, before: x * now - k * before),
    "laguerre_l": (lambda x: 1 - x, lambda k, x, now, before: ((2 * k + 1 - x) * now - k * before) / (k + 1)),
    "legendre_p": (lambda x: x, lambda k, x, now, before: ((2 * k + 1) * x * now - k * before) / (k + 1)),
}
_RECURRENCES.update(
    {"shifted_" + k: _RECURRENCES[k] for k in ("chebyshev_t", "chebyshev_u", "chebyshev_v", "chebyshev_w")}
)

install(SpecialFunctions)

__all__ = ["SpecialFunctions"]
