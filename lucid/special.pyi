"""torch.special: functions of mathematical physics and statistics.

Written by scripts/stubs: change the functions, or the types in scripts/stub_types.py.
"""

from collections.abc import Sequence

from ._base.dtype import dtype
from ._tensor.tensor import Tensor
from .types import Number

def airy_ai(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """airy_ai(input) -> Tensor: the Airy function Ai."""

def bessel_j0(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """bessel_j0(input) -> Tensor: the Bessel function of the first kind of order 0."""

def bessel_j1(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """bessel_j1(input) -> Tensor: the Bessel function of the first kind of order 1."""

def bessel_y0(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """bessel_y0(input) -> Tensor: the Bessel function of the second kind of order 0."""

def bessel_y1(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """bessel_y1(input) -> Tensor: the Bessel function of the second kind of order 1."""

def chebyshev_polynomial_t(
    input: Tensor | Number | complex, n: Tensor | Number | complex, *, out: Tensor | None = None
) -> Tensor:
    """chebyshev_polynomial_t(input, n) -> Tensor: the Chebyshev polynomial of the first kind of degree n at input (0 for n < 0). It has no gradient."""

def chebyshev_polynomial_u(
    input: Tensor | Number | complex, n: Tensor | Number | complex, *, out: Tensor | None = None
) -> Tensor:
    """chebyshev_polynomial_u(input, n) -> Tensor: the Chebyshev polynomial of the second kind of degree n at input (0 for n < 0). It has no gradient."""

def chebyshev_polynomial_v(
    input: Tensor | Number | complex, n: Tensor | Number | complex, *, out: Tensor | None = None
) -> Tensor:
    """chebyshev_polynomial_v(input, n) -> Tensor: the Chebyshev polynomial of the third kind of degree n at input (0 for n < 0). It has no gradient."""

def chebyshev_polynomial_w(
    input: Tensor | Number | complex, n: Tensor | Number | complex, *, out: Tensor | None = None
) -> Tensor:
    """chebyshev_polynomial_w(input, n) -> Tensor: the Chebyshev polynomial of the fourth kind of degree n at input (0 for n < 0). It has no gradient."""

def digamma(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """digamma(input) -> Tensor: the derivative of lgamma."""

def entr(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """entr(input) -> Tensor: -x log x; 0 at 0, -inf below."""

def erf(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """erf(input) -> Tensor: the error function, 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to input."""

def erfc(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """erfc(input) -> Tensor: 1 - erf(input), exact where erf is near 1."""

def erfcx(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """erfcx(input) -> Tensor: exp(input**2) * erfc(input)."""

def erfinv(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """erfinv(input) -> Tensor: the number whose error function is input, in (-1, 1)."""

def exp2(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """exp2(input) -> Tensor: 2 to the power of each element."""

def expit(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """sigmoid(input) -> Tensor: 1 / (1 + exp(-input))."""

def expm1(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """expm1(input) -> Tensor: exp(input) - 1, exact near 0."""

def gammainc(input: Tensor | Number | complex, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """igamma(input, other) -> Tensor: the regularized lower incomplete gamma function P(input, other)."""

def gammaincc(input: Tensor | Number | complex, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """igammac(input, other) -> Tensor: the regularized upper incomplete gamma function Q(input, other)."""

def gammaln(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """lgamma(input) -> Tensor: the logarithm of the absolute value of the gamma function."""

def hermite_polynomial_h(
    input: Tensor | Number | complex, n: Tensor | Number | complex, *, out: Tensor | None = None
) -> Tensor:
    """hermite_polynomial_h(input, n) -> Tensor: the physicist's Hermite polynomial of degree n at input (0 for n < 0). It has no gradient."""

def hermite_polynomial_he(
    input: Tensor | Number | complex, n: Tensor | Number | complex, *, out: Tensor | None = None
) -> Tensor:
    """hermite_polynomial_he(input, n) -> Tensor: the probabilist's Hermite polynomial of degree n at input (0 for n < 0). It has no gradient."""

def i0(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """i0(input) -> Tensor: the modified Bessel function of the first kind of order 0."""

def i0e(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """i0e(input) -> Tensor: exp(-|input|) * i0(input)."""

def i1(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """i1(input) -> Tensor: the modified Bessel function of the first kind of order 1."""

def i1e(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """i1e(input) -> Tensor: exp(-|input|) * i1(input)."""

def laguerre_polynomial_l(
    input: Tensor | Number | complex, n: Tensor | Number | complex, *, out: Tensor | None = None
) -> Tensor:
    """laguerre_polynomial_l(input, n) -> Tensor: the Laguerre polynomial of degree n at input (0 for n < 0). It has no gradient."""

def legendre_polynomial_p(
    input: Tensor | Number | complex, n: Tensor | Number | complex, *, out: Tensor | None = None
) -> Tensor:
    """legendre_polynomial_p(input, n) -> Tensor: the Legendre polynomial of degree n at input (0 for n < 0). It has no gradient."""

def log1p(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """log1p(input) -> Tensor: log(1 + input), exact near 0."""

def log_ndtr(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """log_ndtr(input) -> Tensor: the logarithm of the normal distribution function."""

def log_softmax(input: Tensor | Number | complex, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """log_softmax(input, dim, dtype=None) -> Tensor: log(softmax) without overflow."""

def logit(input: Tensor | Number | complex, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """logit(input, eps=None) -> Tensor: log(x / (1 - x)); eps limits x to [eps, 1 - eps] first."""

def logsumexp(
    input: Tensor | Number | complex, dim: int | Sequence[int], keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """logsumexp(input, dim, keepdim=False) -> Tensor:
    log(sum(exp(input))) over dim, scaled so that it does not overflow.
    """

def modified_bessel_i0(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """modified_bessel_i0(input) -> Tensor: i0, without a gradient."""

def modified_bessel_i1(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """modified_bessel_i1(input) -> Tensor: i1, without a gradient."""

def modified_bessel_k0(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """modified_bessel_k0(input) -> Tensor: the modified Bessel function of the second kind of order 0."""

def modified_bessel_k1(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """modified_bessel_k1(input) -> Tensor: the modified Bessel function of the second kind of order 1."""

def multigammaln(input: Tensor | Number | complex, p: int, *, out: Tensor | None = None) -> Tensor:
    """mvlgamma(input, p) -> Tensor: the logarithm of the multivariate gamma function of dimension p."""

def ndtr(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """ndtr(input) -> Tensor: the normal distribution function."""

def ndtri(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """ndtri(input) -> Tensor: the x at which the normal distribution function is input."""

def polygamma(n: int, input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """polygamma(n, input) -> Tensor: the n-th derivative of digamma. RuntimeError for n < 0."""

def psi(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """digamma(input) -> Tensor: the derivative of lgamma."""

def round(input: Tensor | Number | complex, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """round(input, *, decimals=0) -> Tensor: to the nearest multiple of 10**-decimals, halves to the even one."""

def scaled_modified_bessel_k0(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """scaled_modified_bessel_k0(input) -> Tensor: exp(input) * modified_bessel_k0(input)."""

def scaled_modified_bessel_k1(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """scaled_modified_bessel_k1(input) -> Tensor: exp(input) * modified_bessel_k1(input)."""

def shifted_chebyshev_polynomial_t(
    input: Tensor | Number | complex, n: Tensor | Number | complex, *, out: Tensor | None = None
) -> Tensor:
    """shifted_chebyshev_polynomial_t(input, n) -> Tensor: the shifted Chebyshev polynomial of the first kind of degree n at input (0 for n < 0). It has no gradient."""

def shifted_chebyshev_polynomial_u(
    input: Tensor | Number | complex, n: Tensor | Number | complex, *, out: Tensor | None = None
) -> Tensor:
    """shifted_chebyshev_polynomial_u(input, n) -> Tensor: the shifted Chebyshev polynomial of the second kind of degree n at input (0 for n < 0). It has no gradient."""

def shifted_chebyshev_polynomial_v(
    input: Tensor | Number | complex, n: Tensor | Number | complex, *, out: Tensor | None = None
) -> Tensor:
    """shifted_chebyshev_polynomial_v(input, n) -> Tensor: the shifted Chebyshev polynomial of the third kind of degree n at input (0 for n < 0). It has no gradient."""

def shifted_chebyshev_polynomial_w(
    input: Tensor | Number | complex, n: Tensor | Number | complex, *, out: Tensor | None = None
) -> Tensor:
    """shifted_chebyshev_polynomial_w(input, n) -> Tensor: the shifted Chebyshev polynomial of the fourth kind of degree n at input (0 for n < 0). It has no gradient."""

def sinc(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """sinc(input) -> Tensor: sin(pi x) / (pi x), 1 at 0."""

def softmax(
    input: Tensor | Number | complex, dim: int, dtype: dtype | None = None, *, out: Tensor | None = None
) -> Tensor:
    """softmax(input, dim, dtype=None) -> Tensor: exp(input) divided by its sum over dim."""

def spherical_bessel_j0(input: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """spherical_bessel_j0(input) -> Tensor: sin(input) / input, 1 at 0."""

def xlog1py(input: Tensor | Number | complex, other: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """xlog1py(input, other) -> Tensor: input * log1p(other); 0 where input is 0."""

def xlogy(input: Tensor | Number | complex, other: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """xlogy(input, other) -> Tensor: input * log(other); 0 where input is 0."""

def zeta(input: Tensor | Number | complex, other: Tensor | Number | complex, *, out: Tensor | None = None) -> Tensor:
    """zeta(input, other) -> Tensor: Hurwitz's zeta, the sum of (k + other)**-input over k >= 0."""
