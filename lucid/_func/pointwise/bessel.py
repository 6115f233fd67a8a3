"""Bessel and Airy functions, and orthogonal polynomials (torch.special)."""

from ..._backend.core import binary_func_op, unary_func_op
from ..._backend.families import Pointwise, not_implemented_error
from ..._backend.registry import public
from .operands import TORCH_AND_SPECIAL


class i0(Pointwise):
    """i0(input) -> Tensor: the modified Bessel function of the first kind of order 0."""

    promote, namespace = "int_to_float", TORCH_AND_SPECIAL

    @unary_func_op()
    def forward(xp, input):
        return xp.i0(input)

    def grad_input(xp, g, input):
        return g * xp.i1(input)


class i0e(Pointwise):
    """i0e(input) -> Tensor: exp(-|input|) * i0(input)."""

    promote, namespace, method, inplace, node_name = "int_to_float", "special", False, False, "SpecialI0EBackward0"
    gradient_kernel = True  # torch's result is rough, and a difference of it loses digits

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
        "compute_in_float32": False,  # torch's kernels have no halves
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
    return _no_halves("modified_bessel_i0", i0, input, out)


@public(namespace="special")
def modified_bessel_i1(input, *, out=None):
    """modified_bessel_i1(input) -> Tensor: i1, without a gradient."""
    return _no_halves("modified_bessel_i1", i1, input, out)


def _no_halves(name, op, input, out):
    if input._table.is_half:
        raise not_implemented_error(name + "_cpu", input.dtype)
    return op.fn(input.detach(), out=out)


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
