"""Gamma functions: lgamma, digamma, polygamma, mvlgamma, and the incomplete igamma and igammac."""

import math

from ..._backend.core import binary_func_op, unary_func_op
from ..._backend.families import Pointwise
from ..._backend.inplace import inplace
from ..._backend.registry import public
from ..._tensor.tensor import Tensor
from .operands import TORCH_AND_SPECIAL, missing_derivative


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

    promote, namespace = "int_to_float", TORCH_AND_SPECIAL

    @unary_func_op()
    def forward(xp, input):
        return xp.digamma(input)

    def grad_input(xp, g, input):
        return g * xp.polygamma(1, input)


class polygamma_op(Pointwise):
    """polygamma with its operand first."""

    name, node_name = "polygamma", "PolygammaBackward0"
    promote, namespace, method, inplace, stepwise = "int_to_float", None, False, False, True

    @unary_func_op()
    def forward(xp, input, n):
        return xp.polygamma(n, input)

    def grad_input(xp, g, input, n):
        return g * xp.polygamma(n + 1, input)


@public(namespace=TORCH_AND_SPECIAL)
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
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return inplace(polygamma_op, self, (), (n,))


polygamma_op.public_function, Tensor.polygamma, Tensor.polygamma_ = polygamma, _polygamma_method, _polygamma_inplace


class mvlgamma(Pointwise):
    """mvlgamma(input, p) -> Tensor: the logarithm of the multivariate gamma function of dimension p."""

    promote = "int_to_float"

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

    grad_input = missing_derivative("igamma: input")

    def grad_other(xp, g, input, other):
        return g * _gamma_density(xp, input, other)


class igammac(Pointwise):
    """igammac(input, other) -> Tensor: the regularized upper incomplete gamma function Q(input, other)."""

    scalar_operands = "none"

    @binary_func_op()
    def forward(xp, input, other):
        return xp.igammac(input, other)

    grad_input = missing_derivative("igammac: input")

    def grad_other(xp, g, input, other):
        return -g * _gamma_density(xp, input, other)


def _gamma_density(xp, a, x):
    return xp.exp((a - 1) * xp.log(x) - x - xp.lgamma(a))
