"""Pseudo-inverses and what goes by singular values: pinv, matrix_rank, lstsq, cond."""

from ..._backend.autocast import as_called
from ..._backend.core import func_op, unary_func_op
from ..._backend.families import Own
from ..._backend.out_argument import store_out
from ..._backend.registry import public
from ..._base.dtype import SCALAR_NAMES, float32, int64
from ..._base.shape import broadcast_shapes
from ..._base.state import local
from ..._tensor.return_types import return_type
from ..._tensor.tensor import Tensor
from ..creation.from_data import as_tensor
from ..creation.gfunc import empty, zeros
from ..pointwise.compare import maximum
from ..pointwise.where import where
from ..reduction.norms import linalg_matrix_norm
from .decomposition import linalg_eigh, linalg_eigvalsh, linalg_svd, linalg_svdvals
from .matmul import matmul
from .solvers import inverse, mh, need_matrix, need_square


def _pseudo_inverse(xp, A, atol, rtol, hermitian):
    """From singular values, of which those up to max(atol, rtol * the largest) count as 0."""
    if hermitian:
        values, V = xp.eigh_pairs(A, True)
        U, size, Vh = V, xp.of(values).abs(values), mh(xp, V)
    else:
        U, values, Vh = xp.svd_factors(A, False)
        size = values
    real = xp.of(values)
    if 0 in A.shape:
        return xp.zeros((*A.shape[:-2], A.shape[-1], A.shape[-2]))
    last = len(values.shape) - 1
    limit = real.maximum(real.amax(size, (last,), True) * rtol, atol)
    inverted = real.where(real.gt(size, limit), 1 / values, real.zeros(values.shape))
    return xp.matmul(mh(xp, Vh) * xp.cast(xp.unsqueeze(inverted, last), xp.dtype), mh(xp, U))


class pseudo_inverse(Own):
    """The Moore-Penrose inverse, with numbers for tolerances."""

    node_name, namespace, method, jvp_by_double_backward = "LinalgPinvBackward0", None, False, True

    @unary_func_op()
    def forward(xp, A, atol, rtol, hermitian):
        return _pseudo_inverse(xp, A, xp.sibling(xp.dtype.to_real()).scalar(atol), rtol, hermitian)

    def grad_A(xp, g, A, out):
        return pseudo_inverse_gradient(xp, g, A, out)


class pseudo_inverse_by(Own):
    """The Moore-Penrose inverse, with tolerances of the matrices' own, (*, 1)."""

    node_name, namespace, method = "LinalgPinvBackward0", None, False
    jvp_by_double_backward, index_inputs = True, ("atol", "rtol")

    @func_op(3)
    def forward(xp, A, atol, rtol, hermitian):
        return _pseudo_inverse(xp, A, atol, rtol, hermitian)

    def grad_A(xp, g, A, out):
        return pseudo_inverse_gradient(xp, g, A, out)


def pseudo_inverse_gradient(xp, g, A, P):
    """Golub and Pereyra, The Differentiation of Pseudo-Inverses and Nonlinear Least Squares Problems (1973)."""
    Ph, gh, mm = mh(xp, P), mh(xp, g), xp.matmul
    if A.shape[-2] <= A.shape[-1]:
        K = mm(gh, P)
        KPh = mm(K, Ph)
        return KPh - mh(xp, mm(P, K)) - mm(mm(A, P), KPh) + mm(mm(Ph, P), gh - mm(K, A))
    K = mm(P, gh)
    PhK = mm(Ph, K)
    return mm(mm(gh - mm(A, K), P), Ph) - mh(xp, mm(K, P)) + PhK - mm(mm(PhK, P), A)


def _tolerances(name, A, atol, rtol):
    """(atol, rtol), torch's defaults filled in: numbers or, if one of them is a tensor, tensors for matrices."""
    eps = 2.0**-23 if A.dtype.to_real().itemsize == 4 else 2.0**-52
    if not isinstance(atol, Tensor) and not isinstance(rtol, Tensor):
        if rtol is None:
            rtol = eps * max(A._array.shape[-2:]) if atol is None or atol == 0 else 0.0
        return 0.0 if atol is None else atol, rtol
    kind = {"dtype": A.dtype.to_real(), "device": A.device}
    for tolerance, what in ((atol, "atol"), (rtol, "rtol")):
        if isinstance(tolerance, Tensor) and tolerance._table.is_complex:
            raise RuntimeError(f"{name}: {what} tensor of complex type is not supported.")
    atol = as_tensor(0.0 if atol is None else atol, **kind)
    if rtol is None:
        rtol = where(atol.gt(0), 0.0, eps * max(A._array.shape[-2:])).to(atol.dtype)
    return atol, as_tensor(rtol, **kind)


def _in_autocast(A, atol, rtol, hermitian):
    """The same in torch's steps: factors in float32, their product in autocast's half. (torch's node for it has no
    gradient then, since its formula does not bear two types; these steps have.)
    """
    if not A.numel():
        return pseudo_inverse.fn(A, 0.0, 0.0, bool(hermitian)).to(local.cast_to)
    if hermitian:
        S, U = as_called(linalg_eigh, A)
        Vh, size = U.mH, S.abs()
    else:
        U, S, Vh = as_called(linalg_svd, A, full_matrices=False)
        size = S
    largest = size.amax(-1, keepdim=True)
    if isinstance(atol, Tensor):
        limit = maximum.fn(atol.unsqueeze(-1), rtol.unsqueeze(-1) * largest)
    else:
        limit = (largest * rtol).clamp(min=atol)
    return as_called(matmul, Vh.mH * where(size.gt(limit), S.reciprocal(), 0.0).unsqueeze(-2), U.mH)


def _in_full_precision(A):
    """Is A of a type that LAPACK computes, or will be by autocast?"""
    return A._table.inexact and (A.dtype.to_real().itemsize >= 4 or local.cast_to is not None)


@public("linalg_pinv", namespace="linalg")
def linalg_pinv(A, rcond=None, hermitian=False, *, atol=None, rtol=None, out=None):
    """pinv(A, *, atol=None, rtol=None, hermitian=False) -> Tensor:
    the Moore-Penrose inverse, (*, m, n) -> (*, n, m).
    """
    if A._array.ndim < 2 or not _in_full_precision(A):
        raise RuntimeError(
            f"linalg.pinv({SCALAR_NAMES[A.dtype]}{{{list(A._array.shape)}}}): expected a tensor with 2 or more "
            "dimensions of float, double, cfloat or cdouble types"
        )
    atol, rtol = _tolerances("linalg.pinv", A, atol, rtol if rcond is None else rcond)
    if local.cast_to is not None and A._table.dtype is float32 and out is None:
        return _in_autocast(A, atol, rtol, hermitian)
    if isinstance(atol, Tensor):
        result = pseudo_inverse_by.fn(A, atol.detach().unsqueeze(-1), rtol.detach().unsqueeze(-1), bool(hermitian))
    else:
        result = pseudo_inverse.fn(A, atol, rtol, bool(hermitian))
    return result if out is None else store_out("linalg_pinv", result, out, "castable")


@public(method=True)
def pinverse(input, rcond=1e-15):
    """pinverse(input, rcond=1e-15) -> Tensor: linalg.pinv(input, rcond)."""
    return linalg_pinv(input, rcond)


@public("linalg_matrix_rank", namespace="linalg")
def linalg_matrix_rank(A, tol=None, hermitian=False, *, atol=None, rtol=None, out=None):
    """matrix_rank(A, *, atol=None, rtol=None, hermitian=False) -> int64 Tensor:
    how many singular values count as not 0.
    """
    if A._array.ndim < 2:
        raise RuntimeError("torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.")
    if not _in_full_precision(A):
        raise RuntimeError("This function doesn't handle types other than float and double")
    if tol is not None:
        atol, rtol = tol, 0.0
    shape = A._array.shape
    if 0 in shape[-2:]:
        result = zeros(shape[:-2], dtype=int64, device=A.device)
    else:
        A = A.detach()
        values = linalg_eigvalsh(A).abs() if hermitian else linalg_svdvals(A)
        atol, rtol = _tolerances("linalg.matrix_rank", A, atol, rtol)
        limit = values.amax(-1) * rtol
        limit = maximum.fn(limit, atol) if isinstance(atol, Tensor) else limit.clamp(min=atol)
        result = values.gt(limit.unsqueeze(-1)).sum(-1)
    return (
        result if out is None else store_out("linalg_matrix_rank", result, out, "castable", expanded=True, resized=True)
    )


class least_squares(Own):
    """(X that makes A X nearest to B, the squared distances: empty unless asked for)"""

    node_name, namespace, method, result, jvp_by_double_backward = "LinalgLstsqBackward0", None, False, "of", True

    @func_op(2, 2)
    def forward(xp, A, B, rcond, distances):
        P, n = pseudo_inverse.forward(xp, A, 0.0, rcond, False), len(A.shape)
        turn = (*range(n - 2), n - 1, n - 2)
        X = xp.permute(xp.matmul(xp.permute(B, turn), xp.permute(P, turn)), turn)  # column by column, as LAPACK's
        if not distances:
            return X, xp.sibling(xp.dtype.to_real()).zeros((0,))
        away = xp.matmul(A, X) - B
        return X, xp.sum(xp.real(away * xp.conj(away)), (len(away.shape) - 2,), False)

    def backward(xp, needs, g, A, B, out0, rcond, distances):
        P = xp.pseudo_inverse(A, 0.0, rcond, False) if xp.records else pseudo_inverse.forward(xp, A, 0.0, rcond, False)
        gA = gB = None
        if g[0] is not None:
            gA = pseudo_inverse_gradient(xp, xp.matmul(g[0], mh(xp, B)), A, P)
            gB = xp.matmul(mh(xp, P), g[0])
        if g[1] is not None and distances:  # X is where the distance does not change with it
            away = (xp.matmul(A, out0) - B) * xp.unsqueeze(g[1] * 2, len(g[1].shape) - 1)
            gA = xp.matmul(away, mh(xp, out0)) + (0 if gA is None else gA)
            gB = -away if gB is None else gB - away
        return gA if needs[0] else None, gB if needs[1] else None


_LSTSQ = return_type("linalg_lstsq", "solution residuals rank singular_values")


@public("linalg_lstsq", namespace="linalg")
def linalg_lstsq(A, B, rcond=None, *, driver=None, out=None):
    """lstsq(A, B, rcond=None, *, driver=None) -> (solution, residuals, rank, singular_values): minimises |A X - B|."""
    need_matrix("torch.linalg.lstsq", A)
    if not B._array.ndim:
        raise RuntimeError("torch.linalg.lstsq: other must have at least 1 dimension.")
    vector = B._array.ndim == 1 or B._array.ndim == A._array.ndim - 1 and B._array.shape == A._array.shape[:-1]
    if vector:
        B = B.unsqueeze(-1)
    if A._array.shape[-2] != B._array.shape[-2]:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-2)")
    driver = driver or "gelsy"
    if driver not in ("gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")
    m, n = A._array.shape[-2:]
    if rcond is None:
        rcond = (2.0**-23 if A.dtype.to_real().itemsize == 4 else 2.0**-52) * max(m, n)
    if A._array.shape[:-2] != B._array.shape[:-2]:
        lead = broadcast_shapes(A._array.shape[:-2], B._array.shape[:-2])
        A, B = A.expand(*lead, m, n), B.expand(*lead, *B._array.shape[-2:])
    nothing = empty(0, dtype=A.dtype.to_real(), device=A.device)
    lead = A._array.shape[:-2]
    if driver == "gels":
        rank = empty(0, dtype=int64, device=A.device)
    else:
        rank = linalg_matrix_rank(A, rtol=float(rcond))
    values = linalg_svdvals(A.detach()) if driver in ("gelsd", "gelss") else nothing
    distances = m > n and driver != "gelsy" and (driver == "gels" or bool(rank.eq(n).all()))
    X, residuals = least_squares.fn(A, B, float(rcond), distances)
    if vector:
        X = X.squeeze(-1)
    found = _LSTSQ(X, residuals, rank, values)
    return found if out is None else store_out("linalg_lstsq", found, out, "castable")


def _without_noise(values):
    """Singular values (..., k); those that are only the rounding of the largest are 0, and the matrix is singular."""
    found = values.detach()
    noise = found < found.narrow(-1, 0, 1) * 2.0**-55
    if noise._table.host and not noise.any():
        return values  # whose graph is then torch's
    return where(noise, values.new_zeros(()), values)


@public("linalg_cond", namespace="linalg")
def linalg_cond(A, p=None, *, out=None):
    """cond(A, p=None) -> Tensor:
    the condition number, |A| |A^-1| in the matrix norm p (None or 2: from singular values).
    """
    if A._array.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    need_matrix("linalg.svd" if p in (None, "nuc", 2, -2) else "linalg.cond", A)
    if not A._array.size and A._array.shape[-1] == A._array.shape[-2] == 0:
        result = linalg_svdvals(A).sum(-1)
    elif p == "nuc":
        values = _without_noise(linalg_svdvals(A))
        result = values.sum(-1) * values.reciprocal().sum(-1)
    elif p is None or not isinstance(p, str) and abs(p) == 2:
        values = _without_noise(linalg_svdvals(A))
        first, last = values.narrow(-1, 0, 1), values.narrow(-1, values._array.shape[-1] - 1, 1)
        result = (last / first if p == -2 else first / last).squeeze(-1)
    else:
        need_square("linalg.cond", A)
        inv, info = inverse.fn(A)
        result = linalg_matrix_norm(A, p) * linalg_matrix_norm(inv, p)
        result = result.masked_fill(info.ne(0), float("inf"))
    return result if out is None else store_out("linalg_cond", result, out, "castable", resized="typed")
