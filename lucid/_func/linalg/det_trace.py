"""Single numbers of square matrices: det, slogdet, logdet, trace."""

from ..._backend.core import func_op, unary_func_op
from ..._backend.families import Own, not_implemented_error
from ..._backend.out_argument import store_out
from ..._backend.registry import public
from ..._base.dtype import bool_
from ..._tensor.return_types import return_type
from ..pointwise.where import where
from .solvers import inverse, mh, need_square


class determinant(Own):
    """The determinants of square matrices"""

    node_name, namespace, method = "LinalgDetBackward0", None, False

    @unary_func_op()
    def forward(xp, A):
        return xp.determinant(A)

    def grad_A(xp, g, A):
        g = xp.unsqueeze(xp.unsqueeze(g, len(g.shape)), len(g.shape) + 1)
        return g * xp.cofactor(A)


@public("cofactor", namespace=None, word="cofactor")
def _cofactor(A):
    """The derivative of the determinant where it is to be differentiated again: det(A) inv(A), adjoint."""
    return (determinant.fn(A).unsqueeze(-1).unsqueeze(-1) * inverse.fn(A)[0]).transpose(-2, -1).conj()


@public("linalg_det", namespace="linalg")
def linalg_det(A, *, out=None):
    """det(A) -> Tensor: the determinants of square matrices, (*, n, n) -> (*)."""
    need_square("linalg.det", A)
    result = determinant.fn(A)
    return result if out is None else store_out("linalg_det", result, out)


@public(method=True)
def det(input):
    """det(input) -> Tensor: linalg.det(input)."""
    return linalg_det(input)


class sign_logdet(Own):
    """(sign, log of the size) of determinants"""

    node_name, namespace, method, result = "LinalgSlogdetBackward0", None, False, "of"

    @func_op(1, 2)
    def forward(xp, A):
        return xp.sign_logdet(A)

    def grad_A(xp, g, A, out0):
        k, total = xp, None
        if g[1] is not None:
            total = xp.cast(g[1], xp.dtype)
        if k.is_complex and g[0] is not None:
            turn = g[0] * xp.conj(out0)
            turn = (turn - xp.conj(turn)) * 0.5
            total = turn if total is None else total + turn
        if total is None:
            return xp.zeros(A.shape)
        total = xp.unsqueeze(xp.unsqueeze(total, len(total.shape)), len(total.shape) + 1)
        return total * mh(xp, xp.inverse(A)[0])


_SLOGDETS = {
    "slogdet": return_type("slogdet", "sign logabsdet"),
    "linalg_slogdet": return_type("linalg_slogdet", "sign logabsdet"),
}


def _slogdet(name, A, out):
    need_square("linalg.slogdet", A)
    found = _SLOGDETS[name](*sign_logdet.fn(A))
    return found if out is None else store_out(name, found, out)


@public("linalg_slogdet", namespace="linalg")
def linalg_slogdet(A, *, out=None):
    """slogdet(A) -> (sign, logabsdet): the determinant is sign * exp(logabsdet)."""
    return _slogdet("linalg_slogdet", A, out)


@public(method=True)
def slogdet(input, *, out=None):
    """slogdet(input) -> (sign, logabsdet): linalg.slogdet(input)."""
    return _slogdet("slogdet", input, out)


@public(method=True)
def logdet(input):
    """logdet(input) -> Tensor: the logarithm of the determinant; NaN where that is negative."""
    need_square("linalg.slogdet", input)
    sign, size = sign_logdet.fn(input)
    if input._table.is_complex:
        return sign.log() + size
    return where(sign.eq(-1), float("nan"), size)


class trace(Own):
    """trace(input) -> 0-dim Tensor: the sum of a matrix's diagonal."""

    promote, result, linear = "int_to_long", "of", True

    @unary_func_op()
    def forward(xp, input):
        return xp.sum(xp.diagonal(input, 0, 0, 1), (0,), False)

    def check(tensors, options):
        if tensors[0].dtype is bool_:
            raise not_implemented_error("trace", bool_)

    def prepare(input):
        if input.ndim != 2:
            raise RuntimeError("trace: expected a matrix")
        return ()

    def grad_input(xp, g, shape):
        return g * xp.eye(*shape)
