"""ormqr: products with the whole Q whose reflectors geqrf leaves."""

from ..._backend.core import func_op
from ..._backend.families import Own, not_implemented_error
from ..._backend.registry import public
from ..._base.dtype import SCALAR_NAMES
from .decomposition import give, reflectors
from .solvers import mh


def _square(xp, A):
    """A filled up with columns of zeros, whose reflectors give the whole of Q."""
    *batch, m, n = A.shape
    if n > m:
        return xp.slice(A, len(A.shape) - 1, 0, m, 1)
    return A if n == m else xp.cat([A, xp.zeros((*batch, m, m - n))], len(A.shape) - 1)


def _turned(xp, A):
    n = len(A.shape)
    return xp.permute(A, (*range(n - 2), n - 1, n - 2))


class ormqr_op(Own):
    """Q C, C Q, Q^H C or C Q^H"""

    name, node_name, namespace, method = "_ormqr", "OrmqrBackward0", None, False

    @func_op(3)
    def forward(xp, A, tau, other, left, transpose):
        Q = xp.reflectors(_square(xp, A), tau)
        Q = mh(xp, Q) if transpose else Q
        a, b = (Q, other) if left else (other, Q)
        return _turned(xp, xp.matmul(_turned(xp, b), _turned(xp, a)))  # column by column, as LAPACK's

    def backward(xp, needs, g, A, tau, other, left, transpose):
        whole = _square(xp, A)
        Q = xp.reflectors(whole, tau)
        turned = Q if transpose else mh(xp, Q)
        to_other = xp.matmul(turned, g) if left else xp.matmul(g, turned)
        if not (needs[0] or needs[1]):
            return None, None, to_other
        to_Q = xp.matmul(g, mh(xp, other)) if left else xp.matmul(mh(xp, other), g)
        to_Q = mh(xp, to_Q) if transpose else to_Q
        to_whole, to_tau = reflectors.backward(xp, needs, to_Q, whole, tau)
        *batch, m, n = A.shape
        if n > m:
            to_A = xp.cat([to_whole, xp.zeros((*batch, m, n - m))], len(A.shape) - 1)
        else:
            to_A = xp.slice(to_whole, len(A.shape) - 1, 0, n, 1)
        return to_A, to_tau, to_other


def _check(A, tau, other, left):
    shapes = [x._array.shape for x in (A, tau, other)]
    (*batch, m, n), rows = shapes[0], shapes[2][-2 if left else -1] if len(shapes[2]) > 1 else 0
    name, along = "torch.ormqr", -2 if left else -1
    if len(shapes[2]) < 2:
        raise RuntimeError(f"{name}: other must have at least 2 dimensions.")
    if rows != m:
        raise RuntimeError(f"{name}: other.shape[{along}] must be equal to input.shape[-2]")
    if not shapes[1] or shapes[1][-1] != min(rows, n):
        raise RuntimeError(f"{name}: tau.shape[-1] must be equal to min(other.shape[{along}], input.shape[-1])")
    if len(shapes[1]) != len(shapes[0]) - 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {len(shapes[1])} "
            f"and input.ndim is equal to {len(shapes[0])}"
        )
    if len(shapes[2]) != len(shapes[0]):
        raise RuntimeError(
            f"{name}: Expected other to have the same number of dimensions as input, but got other.ndim equal to "
            f"{len(shapes[2])} and input.ndim is equal to {len(shapes[0])}"
        )
    for what, x in (("tau", shapes[1][:-1]), ("other", shapes[2][:-2])):
        if list(x) != batch:
            raise RuntimeError(
                f"{name}: Expected batch dimensions of {what} to be equal to input.shape[:-2], but got {list(x)}"
            )


@public(method=True)
def ormqr(input, tau, other, left=True, transpose=False, *, out=None):
    """ormqr(input, tau, other, left=True, transpose=False) -> Tensor: Q @ other (or other @ Q), with Q square, whose
    reflectors are in input and tau as geqrf gives them; transpose: with Q's adjoint.
    """
    if input._array.ndim < 2:
        raise RuntimeError("torch.ormqr: input must have at least 2 dimensions.")
    _check(input, tau, other, left)
    k = input._table
    for what, x in (("tau", tau), ("other", other)):
        if x._table.dtype is not k.dtype:
            raise RuntimeError(
                f"torch.ormqr: Expected input and {what} to have the same dtype, but input has dtype"
                f"{SCALAR_NAMES[k.dtype]} and {what} has dtype {SCALAR_NAMES[x._table.dtype]}"
            )
    if not k.inexact or k.is_half:
        raise not_implemented_error("ormqr_cpu", k.dtype)
    if out is not None and out._table.dtype is not k.dtype:
        raise RuntimeError(
            f"torch.ormqr: Expected input and result to have the same dtype, but input has dtype"
            f"{SCALAR_NAMES[k.dtype]} and result has dtype {SCALAR_NAMES[out._table.dtype]}"
        )
    return give("ormqr", ormqr_op.fn(input, tau, other, bool(left), bool(transpose)), out)
