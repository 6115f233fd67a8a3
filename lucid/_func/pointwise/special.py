"""Special functions (torch.special): error and gamma functions, Bessel functions, orthogonal polynomials."""

import math

from ..._backend.core import binary_func_op, unary_func_op
from ..._backend.families import Pointwise
from ..._backend.inplace import inplace
from ..._backend.registry import public
from ..._tensor.tensor import Tensor
from ..reduction.reduce import logsumexp
from .activation import sigmoid
from .bfunc import by_operand
from .ufunc import round_decimals

_BOTH = ("torch", "special")


def not_implemented(name):
    """A rule for a derivative that torch does not have either."""

    def rule(xp, g):
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return rule


# ---- error functions


class erf(Pointwise):
    """erf(input) -> Tensor: the error function, 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to input."""

    promote, namespace = "int_to_float", _BOTH

    @unary_func_op()
    def forward(xp, input):
        return xp.erf(input)

    def grad_input(xp, g, input):
        return g * (xp.exp(-(input * input)) * (2 / math.sqrt(math.pi)))


class erfc(Pointwise):
    """erfc(input) -> Tensor: 1 - erf(input), exact where erf is near 1."""

    promote, namespace = "int_to_float", _BOTH

    @unary_func_op()
    def forward(xp, input):
        return xp.erfc(input)

    def grad_input(xp, g, input):
        return g * (xp.exp(-(input * input)) * (-2 / math.sqrt(math.pi)))


class erfinv(Pointwise):
    """erfinv(input) -> Tensor: the number whose error function is input, in (-1, 1)."""

    promote, namespace = "int_to_float", _BOTH

    @unary_func_op()
    def forward(xp, input):
        return xp.erfinv(input)

    def grad_input(xp, g, out):
        return g * (xp.exp(out * out) * (math.sqrt(math.pi) / 2))


class erfcx(Pointwise):
    """erfcx(input) -> Tensor: exp(input**2) * erfc(input)."""

    promote, namespace, method, inplace, node_name = "int_to_float", "special", False, False, "SpecialErfcxBackward0"

    @unary_func_op()
    def forward(xp, input):
        return xp.erfcx(input)

    def grad_input(xp, g, input, out):
        return g * (input * out * 2 - 2 / math.sqrt(math.pi))


class ndtri(Pointwise):
    """ndtri(input) -> Tensor: the x at which the normal distribution function is input."""

    promote, namespace, method, inplace, node_name = "int_to_float", "special", False, False, "SpecialNdtriBackward0"

    @unary_func_op()
    def forward(xp, input):
        return xp.ndtri(input)

    def grad_input(xp, g, out):
        return g * (xp.exp(out * out * 0.5) * math.sqrt(2 * math.pi))


class log_ndtr(Pointwise):
    """log_ndtr(input) -> Tensor: the logarithm of the normal distribution function."""

    promote, namespace, method, inplace, node_name = "int_to_float", "special", False, False, "SpecialLogNdtrBackward0"

    @unary_func_op()
    def forward(xp, input):
        return xp.log_ndtr(input)

    def grad_input(xp, g, input, out):
        return g * (xp.exp(-(out + input * input * 0.5)) / math.sqrt(2 * math.pi))


@public(namespace="special")
def ndtr(input, *, out=None):
    """ndtr(input) -> Tensor: the normal distribution function."""
    area = (erf.fn(input * math.sqrt(0.5)) + 1) * 0.5
    return area if out is None else out.copy_(area)


# ---- logistic and entropy


class logit(Pointwise):
    """logit(input, eps=None) -> Tensor: log(x / (1 - x)); eps limits x to [eps, 1 - eps] first."""

    promote, namespace = "int_to_float", _BOTH

    @unary_func_op()
    def forward(xp, input, eps=None):
        if eps is not None:
            input = xp.minimum(xp.maximum(input, xp.scalar(eps)), xp.scalar(1 - eps))
        return xp.log(input / (1 - input))

    def grad_input(xp, g, input, eps):
        low, high = (0.0, 1.0) if eps is None else (eps, 1 - eps)
        outside = xp.logical_or(xp.lt(input, xp.scalar(low)), xp.gt(input, xp.scalar(high)))
        return xp.where(outside, xp.scalar(math.nan if eps is None else 0.0), g / (input * (1 - input)))


class entr(Pointwise):
    """entr(input) -> Tensor: -x log x; 0 at 0, -inf below."""

    promote, namespace, method, inplace, node_name = "int_to_float", "special", False, False, "SpecialEntrBackward0"

    @unary_func_op()
    def forward(xp, input):
        curve = xp.where(xp.eq(input, 0), xp.scalar(0), -input * xp.log(input))
        return xp.where(xp.lt(input, 0), xp.scalar(-math.inf), curve)

    def grad_input(xp, g, input):
        return g * -(xp.log(input) + 1)


# ---- gamma functions


class lgamma(Pointwise):
    """lgamma(input) -> Tensor: the logarithm of the absolute value of the gamma function."""

    promote = "int_to_float"

    @unary_func_op()
    def forward(xp, input):
        return xp.lgamma(input)

    def grad_input(xp, g, input):
        return g * xp.digamma(input)


class digamma(Pointwise):
    """digamma(input) -> Tensor: the derivative of lgamma."""

    promote, namespace = "int_to_float", _BOTH

    @unary_func_op()
    def forward(xp, input):
        return xp.digamma(input)

    def grad_input(xp, g, input):
        return g * xp.polygamma(1, input)


class polygamma_op(Pointwise):
    """polygamma with its operand first."""

    name, node_name, promote, namespace, method, inplace = (
        "polygamma",
        "PolygammaBackward0",
        "int_to_float",
        None,
        False,
        False,
    )

    @unary_func_op()
    def forward(xp, input, n):
        return xp.polygamma(n, input)

    def grad_input(xp, g, input, n):
        return g * xp.polygamma(n + 1, input)


@public(namespace=_BOTH)
def polygamma(n, input, *, out=None):
    """polygamma(n, input) -> Tensor: the n-th derivative of digamma. RuntimeError for n < 0."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return polygamma_op.fn(input, n, out=out)


def _polygamma_method(self, n):
    """polygamma(n) -> Tensor: the n-th derivative of digamma."""
    return polygamma(n, self)


def _polygamma_inplace(self, n):
    """In-place form of polygamma."""
    return inplace(polygamma_op, self, (), (n,))


polygamma_op.public_function, Tensor.polygamma, Tensor.polygamma_ = polygamma, _polygamma_method, _polygamma_inplace


class mvlgamma(Pointwise):
    """mvlgamma(input, p) -> Tensor: the logarithm of the multivariate gamma function of dimension p."""

    promote, compute_in_float32 = "int_to_float", True

    @unary_func_op()
    def forward(xp, input, p):
        if p < 1:
            raise RuntimeError("p has to be greater than or equal to 1")
        total = xp.lgamma(input)
        for j in range(1, p):
            total = total + xp.lgamma(input - j / 2)
        return total + p * (p - 1) / 4 * math.log(math.pi)

    def grad_input(xp, g, input, p):
        slope = xp.digamma(input)
        for j in range(1, p):
            slope = slope + xp.digamma(input - j / 2)
        return g * slope


class igamma(Pointwise):
    """igamma(input, other) -> Tensor: the regularized lower incomplete gamma function P(input, other)."""

    scalar_operands = "none"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.igamma(input, other)

    grad_input = not_implemented("igamma: input")

    def grad_other(xp, g, input, other):
        return g * _gamma_density(xp, input, other)


class igammac(Pointwise):
    """igammac(input, other) -> Tensor: the regularized upper incomplete gamma function Q(input, other)."""

    scalar_operands = "none"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.igammac(input, other)

    grad_input = not_implemented("igammac: input")

    def grad_other(xp, g, input, other):
        return -g * _gamma_density(xp, input, other)


def _gamma_density(xp, a, x):
    return xp.exp((a - 1) * xp.log(x) - x - xp.lgamma(a))


# ---- products with a logarithm


class xlogy_tensor(Pointwise):
    """xlogy of two tensors."""

    name, node_name, namespace, inplace, promote = "xlogy", "XlogyBackward0", None, False, "int_to_float"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.xlogy(input, other)

    def grad_input(xp, g, input, other):
        nothing = xp.logical_and(xp.eq(input, 0), xp.le(other, 0))
        return xp.where(nothing, xp.scalar(0), xp.xlogy(g, other))

    def grad_other(xp, g, input, other):
        return g * input / other


class xlogy_by(Pointwise):
    """xlogy with a number in the logarithm."""

    name, node_name, namespace, inplace, promote, scalar_options = (
        "xlogy",
        "XlogyBackward2",
        None,
        False,
        "int_to_float",
        ("other",),
    )

    @unary_func_op()
    def forward(xp, input, other):
        return xp.xlogy(input, xp.scalar(other))

    def grad_input(xp, g, input, other):
        slope = xp.xlogy(g, xp.scalar(other))
        return slope if other > 0 else xp.where(xp.eq(input, 0), xp.scalar(0), slope)


class xlogy_from(Pointwise):
    """xlogy with a number before the logarithm."""

    name, node_name, namespace, inplace, promote, scalar_options = (
        "xlogy",
        "XlogyBackward1",
        None,
        False,
        "int_to_float",
        ("input",),
    )

    @unary_func_op()
    def forward(xp, other, input):
        return xp.xlogy(xp.scalar(input), other)

    def grad_other(xp, g, other, input):
        return g * input / other


class xlog1py_tensor(Pointwise):
    """xlog1py of two tensors."""

    name, node_name, promote = "xlog1py", "SpecialXlog1PyBackward0", "int_to_float"
    namespace, inplace, method = None, False, False

    @binary_func_op()
    def forward(xp, input, other):
        return xp.xlog1py(input, other)

    def grad_input(xp, g, input, other):
        nothing = xp.logical_and(xp.eq(input, 0), xp.le(other, -1))
        return xp.where(nothing, xp.scalar(0), xp.xlog1py(g, other))

    def grad_other(xp, g, input, other):
        return g * input / (other + 1)


class xlog1py_by(Pointwise):
    """xlog1py with a number in the logarithm."""

    name, node_name, namespace, inplace, promote, scalar_options, method = (
        "xlog1py",
        "SpecialXlog1PyBackward2",
        None,
        False,
        "int_to_float",
        ("other",),
        False,
    )

    @unary_func_op()
    def forward(xp, input, other):
        return xp.xlog1py(input, xp.scalar(other))

    def grad_input(xp, g, input, other):
        slope = xp.xlog1py(g, xp.scalar(other))
        return slope if other > -1 else xp.where(xp.eq(input, 0), xp.scalar(0), slope)


class xlog1py_from(Pointwise):
    """xlog1py with a number before the logarithm."""

    name, node_name, namespace, inplace, promote, scalar_options, method = (
        "xlog1py",
        "SpecialXlog1PyBackward1",
        None,
        False,
        "int_to_float",
        ("input",),
        False,
    )

    @unary_func_op()
    def forward(xp, other, input):
        return xp.xlog1py(xp.scalar(input), other)

    def grad_other(xp, g, other, input):
        return g * input / (other + 1)


class zeta_tensor(Pointwise):
    """zeta of two tensors."""

    name, node_name, namespace, inplace, promote, method = (
        "zeta",
        "SpecialZetaBackward0",
        None,
        False,
        "int_to_float",
        False,
    )

    @binary_func_op()
    def forward(xp, input, other):
        return xp.zeta(input, other)

    grad_input = not_implemented("zeta")

    def grad_other(xp, g, input, other):
        return g * -input * xp.zeta(input + 1, other)


class zeta_by(Pointwise):
    """zeta with a number for its offset."""

    name, node_name, namespace, inplace, promote, scalar_options, method = (
        "zeta",
        "SpecialZetaBackward2",
        None,
        False,
        "int_to_float",
        ("other",),
        False,
    )

    @unary_func_op()
    def forward(xp, input, other):
        return xp.zeta(input, xp.scalar(other))

    grad_input = not_implemented("zeta")


class zeta_from(Pointwise):
    """zeta with a number for its exponent."""

    name, node_name, namespace, inplace, promote, scalar_options, method = (
        "zeta",
        "SpecialZetaBackward1",
        None,
        False,
        "int_to_float",
        ("input",),
        False,
    )

    @unary_func_op()
    def forward(xp, other, input):
        return xp.zeta(xp.scalar(input), other)

    def grad_other(xp, g, other, input):
        return g * -input * xp.zeta(xp.scalar(input + 1.0), other)


xlogy = by_operand(
    "xlogy",
    "xlogy(input, other) -> Tensor: input * log(other); 0 where input is 0.",
    xlogy_tensor,
    xlogy_by,
    first=xlogy_from,
    namespace=_BOTH,
)
xlog1py = by_operand(
    "xlog1py",
    "xlog1py(input, other) -> Tensor: input * log1p(other); 0 where input is 0.",
    xlog1py_tensor,
    xlog1py_by,
    first=xlog1py_from,
    namespace="special",
)
zeta = by_operand(
    "zeta",
    "zeta(input, other) -> Tensor: Hurwitz's zeta, the sum of (k + other)**-input over k >= 0.",
    zeta_tensor,
    zeta_by,
    first=zeta_from,
    namespace="special",
)


# ---- Bessel functions


class i0(Pointwise):
    """i0(input) -> Tensor: the modified Bessel function of the first kind of order 0."""

    promote, namespace = "int_to_float", _BOTH

    @unary_func_op()
    def forward(xp, input):
        return xp.i0(input)

    def grad_input(xp, g, input):
        return g * xp.i1(input)


class i0e(Pointwise):
    """i0e(input) -> Tensor: exp(-|input|) * i0(input)."""

    promote, namespace, method, inplace, node_name = "int_to_float", "special", False, False, "SpecialI0EBackward0"

    @unary_func_op()
    def forward(xp, input):
        return xp.i0e(input)

    def grad_input(xp, g, input, out):
        return g * (xp.i1e(input) - xp.sgn(input) * out)


class i1(Pointwise):
    """i1(input) -> Tensor: the modified Bessel function of the first kind of order 1."""

    promote, namespace, method, inplace, node_name = "int_to_float", "special", False, False, "SpecialI1Backward0"

    @unary_func_op()
    def forward(xp, input):
        return xp.i1(input)

    def grad_input(xp, g, input, out):
        away, x = _away_from_zero(xp, input)
        return g * xp.where(away, xp.i0(x) - out / x, xp.scalar(0.5))


class i1e(Pointwise):
    """i1e(input) -> Tensor: exp(-|input|) * i1(input)."""

    promote, namespace, method, inplace, node_name = "int_to_float", "special", False, False, "SpecialI1EBackward0"

    @unary_func_op()
    def forward(xp, input):
        return xp.i1e(input)

    def grad_input(xp, g, input, out):
        away, x = _away_from_zero(xp, input)
        return g * xp.where(away, xp.i0e(x) - out * (xp.sgn(x) + xp.reciprocal(x)), xp.scalar(0.5))


def _away_from_zero(xp, x):
    """(where x is not nearly 0, x with what is nearly 0 replaced)"""
    tiny = 2.0**-52 if xp.dtype.itemsize == 8 else 2.0**-23
    away = xp.gt(xp.abs(x), xp.scalar(tiny))
    return away, xp.where(away, x, xp.scalar(tiny))


def _without_gradient(name, doc):
    """An op of torch.special that torch cannot differentiate: one word of one operand."""

    def forward(xp, input):
        return getattr(xp, name)(input)

    body = {
        "promote": "int_to_float",
        "namespace": "special",
        "method": False,
        "inplace": False,
        "__doc__": f"{name}(input) -> Tensor: {doc}.",
        "forward": unary_func_op(has_gradient=False)(forward),
    }
    return type(name, (Pointwise,), body)


for _name, _doc in {
    "bessel_j0": "the Bessel function of the first kind of order 0",
    "bessel_j1": "the Bessel function of the first kind of order 1",
    "bessel_y0": "the Bessel function of the second kind of order 0",
    "bessel_y1": "the Bessel function of the second kind of order 1",
    "modified_bessel_k0": "the modified Bessel function of the second kind of order 0",
    "modified_bessel_k1": "the modified Bessel function of the second kind of order 1",
    "scaled_modified_bessel_k0": "exp(input) * modified_bessel_k0(input)",
    "scaled_modified_bessel_k1": "exp(input) * modified_bessel_k1(input)",
    "spherical_bessel_j0": "sin(input) / input, 1 at 0",
    "airy_ai": "the Airy function Ai",
}.items():
    globals()[_name] = _without_gradient(_name, _doc)


@public(namespace="special")
def modified_bessel_i0(input, *, out=None):
    """modified_bessel_i0(input) -> Tensor: i0, without a gradient."""
    return i0.fn(input.detach(), out=out)


@public(namespace="special")
def modified_bessel_i1(input, *, out=None):
    """modified_bessel_i1(input) -> Tensor: i1, without a gradient."""
    return i1.fn(input.detach(), out=out)


# ---- orthogonal polynomials


class orthogonal_polynomial(Pointwise):
    """The value at input of the polynomial of degree n of a kind."""

    promote, namespace, method, inplace, scalar_operands = "int_to_float", None, False, False, "all"

    @binary_func_op(has_gradient=False)
    def forward(xp, input, n, kind):
        return xp.orthogonal_polynomial(input, n, kind)


def _polynomial(name, kind, doc):
    def f(input, n, *, out=None):
        return orthogonal_polynomial.fn(input, n, kind, out=out)

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"{name}(input, n) -> Tensor: the {doc} of degree n at input (0 for n < 0). It has no gradient."
    public(namespace="special")(f)


for _kind, _doc in {"t": "first", "u": "second", "v": "third", "w": "fourth"}.items():
    _polynomial(f"chebyshev_polynomial_{_kind}", f"chebyshev_{_kind}", f"Chebyshev polynomial of the {_doc} kind")
    _polynomial(
        f"shifted_chebyshev_polynomial_{_kind}",
        f"shifted_chebyshev_{_kind}",
        f"shifted Chebyshev polynomial of the {_doc} kind",
    )
_polynomial("hermite_polynomial_h", "hermite_h", "physicist's Hermite polynomial")
_polynomial("hermite_polynomial_he", "hermite_he", "probabilist's Hermite polynomial")
_polynomial("laguerre_polynomial_l", "laguerre_l", "Laguerre polynomial")
_polynomial("legendre_polynomial_p", "legendre_p", "Legendre polynomial")


# ---- torch.special's other names

for _name, _known in {
    "psi": digamma.fn,
    "gammaln": lgamma.fn,
    "multigammaln": mvlgamma.fn,
    "gammainc": igamma.fn,
    "gammaincc": igammac.fn,
    "expit": sigmoid.fn,
    "logsumexp": logsumexp.fn,
}.items():
    public(_name, namespace="special")(_known)


@public("round", namespace="special")
def _round(input, *, decimals=0, out=None):
    """round(input, *, decimals=0) -> Tensor: to the nearest multiple of 10**-decimals, halves to the even one."""
    return round_decimals.fn(input, decimals=decimals, out=out)
