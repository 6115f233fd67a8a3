"""Special functions (torch.special): erf, ndtri, logit, entr, xlogy, zeta; gamma.py and bessel.py have the others."""

import math

from ..._backend.core import binary_func_op, unary_func_op
from ..._backend.families import Pointwise, not_implemented_error
from ..._backend.out_argument import store_out
from ..._backend.registry import public
from ..._backend.rules import wide_times
from ..._base.dtype import FLOATING
from ..reduction.reduce import logsumexp
from .activation import sigmoid
from .gamma import digamma, igamma, igammac, lgamma, mvlgamma
from .operands import TORCH_AND_SPECIAL, by_operand, missing_derivative
from .ufunc import round_decimals

# ---- error functions


class erf(Pointwise):
    """erf(input) -> Tensor: the error function, 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to input."""

    promote, namespace = "int_to_float", TORCH_AND_SPECIAL

    @unary_func_op()
    def forward(xp, input):
        return xp.erf(input)

    def grad_input(xp, g, input):
        return g * wide_times(xp, xp.exp(-(input * input)), 2 / math.sqrt(math.pi))


class erfc(Pointwise):
    """erfc(input) -> Tensor: 1 - erf(input), exact where erf is near 1."""

    promote, namespace = "int_to_float", TORCH_AND_SPECIAL

    @unary_func_op()
    def forward(xp, input):
        return xp.erfc(input)

    def grad_input(xp, g, input):
        return g * wide_times(xp, xp.exp(-(input * input)), -2 / math.sqrt(math.pi))


class erfinv(Pointwise):
    """erfinv(input) -> Tensor: the number whose error function is input, in (-1, 1)."""

    promote, namespace = "int_to_float", TORCH_AND_SPECIAL

    @unary_func_op()
    def forward(xp, input):
        return xp.erfinv(input)

    def grad_input(xp, g, input):
        root = xp.erfinv(input)  # not from the result: in halves exp would enlarge its rounding
        return g * wide_times(xp, xp.exp(root * root), math.sqrt(math.pi) / 2)


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
        return wide_times(xp, g, math.sqrt(2 * math.pi)) * xp.exp(out * out / 2)


class log_ndtr(Pointwise):
    """log_ndtr(input) -> Tensor: the logarithm of the normal distribution function."""

    promote, namespace, method, inplace, node_name = "int_to_float", "special", False, False, "SpecialLogNdtrBackward0"

    @unary_func_op()
    def forward(xp, input):
        return xp.log_ndtr(input)

    def grad_input(xp, g, input, out):
        return wide_times(xp, g, 1 / math.sqrt(2 * math.pi)) * xp.exp(-(out + input * input / 2))


@public(namespace="special")
def ndtr(input, *, out=None):
    """ndtr(input) -> Tensor: the normal distribution function."""
    area = (erf.fn(input * math.sqrt(0.5)) + 1) * 0.5
    return area if out is None else store_out("special_ndtr", area, out, "castable", resized="typed")


# ---- logistic and entropy


class logit(Pointwise):
    """logit(input, eps=None) -> Tensor: log(x / (1 - x)); eps limits x to [eps, 1 - eps] first."""

    promote, namespace, stepwise = "int_to_float", TORCH_AND_SPECIAL, True
    fits_type, fits_in = ("eps",), (FLOATING,)

    @unary_func_op()
    def forward(xp, input, eps=None):
        if xp.is_complex:
            raise not_implemented_error("logit_cpu", xp.dtype)
        if eps is not None:
            input = xp.minimum(xp.maximum(input, xp.scalar(float(eps))), xp.scalar(1.0 - eps))
        return xp.log(input / (1 - input))

    def grad_input(xp, g, input, eps):
        low, high = (0.0, 1.0) if eps is None else (eps, 1 - eps)
        inside = xp.logical_and(xp.ge(input, xp.scalar(low)), xp.le(input, xp.scalar(high)))
        return xp.where(inside, g / (input * (1 - input)), xp.scalar(math.nan if eps is None else 0.0))


class entr(Pointwise):
    """entr(input) -> Tensor: -x log x; 0 at 0, -inf below."""

    promote, namespace, method, inplace, node_name = "int_to_float", "special", False, False, "SpecialEntrBackward0"
    stepwise = True

    @unary_func_op()
    def forward(xp, input):
        curve = xp.where(xp.eq(input, 0), xp.scalar(0), -input * xp.log(input))
        return xp.where(xp.lt(input, 0), xp.scalar(-math.inf), curve)

    def grad_input(xp, g, input):
        return g * -(xp.log(input) + 1)


# ---- products with a logarithm


class xlogy_tensor(Pointwise):
    """xlogy of two tensors."""

    name, node_name, namespace, inplace, promote = "xlogy", "XlogyBackward0", None, False, "int_to_float"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.xlogy(input, other)

    def grad_input(xp, g, input, other):
        nothing = xp.logical_and(xp.eq(input, 0), xp.le(other, 0))
        return xp.masked_fill(xp.xlogy(g, other), nothing, xp.scalar(0))

    def grad_other(xp, g, input, other):
        return g * input / other


class xlogy_by(Pointwise):
    """xlogy with a number in the logarithm."""

    name, node_name, namespace = "xlogy", "XlogyBackward2", None
    inplace, promote, scalar_options, stepwise, wide_numbers = False, "int_to_float", ("other",), True, True

    @unary_func_op()
    def forward(xp, input, other):
        return xp.xlogy(input, xp.scalar(other))

    def grad_input(xp, g, input, other):
        slope = xp.xlogy(g, xp.scalar(other))
        return slope if other > 0 else xp.where(xp.eq(input, 0), xp.scalar(0), slope)


class xlogy_from(Pointwise):
    """xlogy with a number before the logarithm."""

    name, node_name, namespace = "xlogy", "XlogyBackward1", None
    inplace, promote, scalar_options, stepwise, wide_numbers = False, "int_to_float", ("input",), True, True

    @unary_func_op()
    def forward(xp, other, input):
        return xp.xlogy(xp.scalar(input), other)

    def grad_other(xp, g, other, input):
        return wide_times(xp, g, input) / other


class xlog1py_tensor(Pointwise):
    """xlog1py of two tensors."""

    name, node_name, promote = "xlog1py", "SpecialXlog1PyBackward0", "int_to_float"
    namespace, inplace, method = None, False, False

    @binary_func_op()
    def forward(xp, input, other):
        return xp.xlog1py(input, other)

    def grad_input(xp, g, input, other):
        nothing = xp.logical_and(xp.eq(input, 0), xp.le(other, -1))
        return xp.masked_fill(xp.xlog1py(g, other), nothing, xp.scalar(0))

    def grad_other(xp, g, input, other):
        return g * input / (other + 1)


class xlog1py_by(Pointwise):
    """xlog1py with a number in the logarithm."""

    name, node_name, namespace = "xlog1py", "SpecialXlog1PyBackward2", None
    inplace, promote, scalar_options, method = False, "int_to_float", ("other",), False
    stepwise, wide_numbers = True, True

    @unary_func_op()
    def forward(xp, input, other):
        return xp.xlog1py(input, xp.scalar(other))

    def grad_input(xp, g, input, other):
        slope = xp.xlog1py(g, xp.scalar(other))
        return slope if other > -1 else xp.where(xp.eq(input, 0), xp.scalar(0), slope)


class xlog1py_from(Pointwise):
    """xlog1py with a number before the logarithm."""

    name, node_name, namespace = "xlog1py", "SpecialXlog1PyBackward1", None
    inplace, promote, scalar_options, method = False, "int_to_float", ("input",), False
    stepwise, wide_numbers = True, True

    @unary_func_op()
    def forward(xp, other, input):
        return xp.xlog1py(xp.scalar(input), other)

    def grad_other(xp, g, other, input):
        return wide_times(xp, g, input) / (other + 1)


class zeta_tensor(Pointwise):
    """zeta of two tensors."""

    name, node_name, namespace = "zeta", "SpecialZetaBackward0", None
    inplace, promote, method = False, "int_to_float", False

    @binary_func_op()
    def forward(xp, input, other):
        return xp.zeta(input, other)

    grad_input = missing_derivative("zeta")

    def grad_other(xp, g, input, other):
        return g * -input * xp.zeta(input + 1, other)


class zeta_by(Pointwise):
    """zeta with a number for its offset."""

    name, node_name, namespace, inplace = "zeta", "SpecialZetaBackward2", None, False
    promote, scalar_options, method, compute_in_float32 = "int_to_float", ("other",), False, False

    @unary_func_op()
    def forward(xp, input, other):
        return xp.zeta(input, xp.scalar(other))

    grad_input = missing_derivative("zeta")


class zeta_from(Pointwise):
    """zeta with a number for its exponent."""

    name, node_name, namespace, inplace = "zeta", "SpecialZetaBackward1", None, False
    promote, scalar_options, method, compute_in_float32 = "int_to_float", ("input",), False, False

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
    namespace=TORCH_AND_SPECIAL,
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
