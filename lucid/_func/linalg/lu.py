"""LU factors: linalg.lu, lu_factor, lu_unpack, lu_solve and torch's older names for them."""

from ..._backend.autocast import uncast
from ..._backend.core import func_op
from ..._backend.families import Own
from ..._backend.registry import public
from ..._base.dtype import SCALAR_NAMES, float64, int32
from ..._tensor.return_types import return_type
from ..creation.gfunc import empty, eye
from .decomposition import first_slices, give
from .matmul import matmul
from .solvers import check_info, mh, need_matrix, need_square, triangular_solution


class lu_factors(Own):
    """(LU, pivots, info)"""

    node_name, namespace, method, result, differentiable = "LinalgLuFactorExBackward0", None, False, "of", (0,)
    composite_results = return_type("linalg_lu_factor_ex", "LU pivots info")

    @func_op(1, 3)
    def forward(xp, A, pivot):
        return xp.lu_factors(A, pivot)

    def grad_A(xp, g, outs):
        LU, pivots, _ = outs
        m, n = LU.shape[-2:]
        k = min(m, n)
        L, U = _split(xp, LU, m, n, k)
        gL, gU = xp.tril(first_slices(xp, g, -1, k), -1), xp.triu(first_slices(xp, g, -2, k), 0)
        return _lu_gradient(xp, gL, gU, L, U, _swaps(xp, pivots, m))


def _swaps(xp, pivots, m):
    return xp.cast(xp.permutation(pivots, m), xp.dtype)


def _split(xp, LU, m, n, k):
    """L with its unit diagonal, and U."""
    return xp.tril(first_slices(xp, LU, -1, k), -1) + xp.eye(m, k), xp.triu(first_slices(xp, LU, -2, k), 0)


def _lu_gradient(xp, gL, gU, L, U, P):
    """The gradient of A = P L U for square, tall and wide matrices."""
    mm, m, n = xp.matmul, L.shape[-2], U.shape[-1]
    k = min(m, n)
    rows, columns = len(L.shape) - 2, len(U.shape) - 1
    L1, U1 = xp.slice(L, rows, 0, k, 1), xp.slice(U, columns, 0, k, 1)
    gL1, gU1 = xp.slice(gL, rows, 0, k, 1), xp.slice(gU, columns, 0, k, 1)
    phi_L, phi_U = mm(mh(xp, L1), gL1), mm(gU1, mh(xp, U1))
    if m > k:  # tall: L2 = A2 U1^-1 depends on U1
        L2, gL2 = xp.slice(L, rows, k, m, 1), xp.slice(gL, rows, k, m, 1)
        phi_U = phi_U - mm(mh(xp, L2), gL2)
    if n > k:  # wide: U2 = L1^-1 A2 depends on L1
        U2, gU2 = xp.slice(U, columns, k, n, 1), xp.slice(gU, columns, k, n, 1)
        phi_L = phi_L - mm(gU2, mh(xp, U2))
    inner = xp.tril(phi_L, -1) + xp.triu(phi_U, 0)
    left = xp.triangular_solution(mh(xp, L1), inner, True, True, True)
    gA = xp.triangular_solution(mh(xp, U1), left, False, False, False)
    if m > k:
        gA = xp.cat([gA, xp.triangular_solution(mh(xp, U1), gL2, False, False, False)], rows)
    if n > k:
        gA = xp.cat([gA, xp.triangular_solution(mh(xp, L1), gU2, True, True, True)], columns)
    return mm(P, gA)


def _zero_pivot(value):
    return f"U[{value},{value}] is zero and using it on lu_solve would result in a division by zero."


_LU_FACTOR, _LU_WITH_INFO = return_type("linalg_lu_factor", "LU pivots"), return_type("_lu_with_info", "LU pivots info")
_LU, _LU_UNPACK = return_type("linalg_lu", "P L U"), return_type("lu_unpack", "P L U")


def _need_lu(name, A, pivot):
    if A._array.ndim < 2:
        raise RuntimeError(
            f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(A._array.shape)} instead"
        )
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")
    need_matrix("linalg.lu_factor", A)


@public("linalg_lu_factor", namespace="linalg")
def linalg_lu_factor(A, *, pivot=True, out=None):
    """lu_factor(A, *, pivot=True) -> (LU, pivots): L and U in one matrix, pivots counted from 1."""
    _need_lu("torch.lu_factor", A, pivot)
    LU, pivots, info = lu_factors.fn(A, True)
    check_info("torch.linalg.lu_factor", info, _zero_pivot) if A._array.shape[-1] == A._array.shape[-2] else None
    return give("linalg_lu_factor", _LU_FACTOR(LU, pivots), out, (A,))


@public("linalg_lu_factor_ex", namespace="linalg")
def linalg_lu_factor_ex(A, *, pivot=True, check_errors=False, out=None):
    """lu_factor_ex(A, *, pivot=True, check_errors=False) -> (LU, pivots, info)"""
    _need_lu("torch.lu_factor", A, pivot)
    found = lu_factors.fn(A, True)
    if check_errors:
        check_info("torch.linalg.lu_factor_ex", found[2], _zero_pivot)
    return give("linalg_lu_factor_ex", found, out, (A,))


@public(method=True)
def lu(A, pivot=True, get_infos=False, out=None):
    """lu(A, pivot=True, get_infos=False) -> (LU, pivots) or (LU, pivots, infos): the older name of linalg.lu_factor."""
    found = linalg_lu_factor_ex(A, pivot=pivot, check_errors=not get_infos)
    found = _LU_WITH_INFO(*found) if get_infos else tuple(found[:2])
    if out is None:
        return found
    if len(out) - get_infos != 2:
        raise TypeError(f"expected tuple of {2 + get_infos} elements but got {len(out)}")
    for part, result in zip(out, found):  # of any type, as in torch, where this is Python
        part.resize_as_(result).copy_(result)
    return out


class lu_parts(Own):
    """(P, L, U) with A = P L U"""

    node_name, namespace, method, result, index_inputs = "LinalgLuBackward0", None, False, "of", ("pivots",)

    @func_op(2, 2)
    def forward(xp, A, pivots):
        m, n = A.shape[-2:]
        return _split(xp, xp.lu_factors(A, True)[0], m, n, min(m, n))

    def grad_A(xp, g, outs, pivots):
        L, U = outs
        m = L.shape[-2]
        gL = xp.zeros(L.shape) if g[0] is None else g[0]
        gU = xp.zeros(U.shape) if g[1] is None else g[1]
        return _lu_gradient(xp, xp.tril(gL, -1), xp.triu(gU, 0), L, U, _swaps(xp, pivots, m))


class permutation_of(Own):
    """The matrix that pivots stand for, which has no gradient."""

    name, namespace, method, result = "permutation_of", None, False, "of"

    @func_op(1)
    def forward(xp, pivots, n):
        return xp.sibling(float64).permutation(pivots, n)


@public("permutation", namespace=None, word="permutation")
def _permutation(pivots, n):
    """The word for Tensors."""
    return permutation_of.fn(pivots, n)


@public("linalg_lu", namespace="linalg")
def linalg_lu(A, *, pivot=True, out=None):
    """lu(A, *, pivot=True) -> (P, L, U) with A = P L U."""
    _need_lu("torch.linalg.lu", A, pivot)
    pivots = lu_factors.fn(A.detach(), True)[1]
    P = _permutation(pivots, A._array.shape[-2]).to(A.dtype)
    return give("linalg_lu", _LU(P, *lu_parts.fn(A, pivots)), out)


@public()
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True, *, out=None):
    """lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True) -> (P, L, U)"""
    if LU_pivots._table.dtype is not int32 and unpack_pivots:
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype. Note: this "
            "function is intended to be used with the output produced by torch.linalg.lu_factor"
        )
    m, n = LU_data._array.shape[-2:]
    k = min(m, n)
    nothing = empty(0, dtype=LU_data.dtype, device=LU_data.device)
    P, L, U = nothing, nothing, nothing
    if unpack_pivots:
        P = _permutation(LU_pivots, m).to(LU_data.dtype)
    if unpack_data:
        ones = eye(m, k, dtype=LU_data.dtype, device=LU_data.device)
        L, U = LU_data.narrow(-1, 0, k).tril(-1) + ones, LU_data.narrow(-2, 0, k).triu()
    return give("lu_unpack", _LU_UNPACK(P, L, U), out)


@public("linalg_lu_solve", namespace="linalg")
def linalg_lu_solve(LU, pivots, B, *, left=True, adjoint=False, out=None):
    """lu_solve(LU, pivots, B, *, left=True, adjoint=False) -> Tensor:
    X with A X = B (or X A = B), from A's LU factors.
    """
    need_square("linalg.lu_solve", LU)
    if LU._table.dtype is not B._table.dtype:
        names = [SCALAR_NAMES[t._table.dtype] for t in (LU, B)]
        raise RuntimeError(
            f"linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type {names[0]} and B of type "
            f"{names[1]} instead"
        )
    if pivots._table.dtype is not int32:
        raise RuntimeError("linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32")
    n = LU._array.shape[-1]
    if LU._table.host and pivots._table.host and pivots._array.size:
        if pivots._array.min() < 1:
            raise RuntimeError(
                "Pivots given to lu_solve must all be greater or equal to 1. Did you properly pass the result of "
                "lu_factor?"
            )
        if pivots._array.max() > n:
            raise RuntimeError(
                "Pivots given to lu_solve must all be smaller or equal to LU.size(-2). Did you properly pass the "
                "result of lu_factor?"
            )
    P = _permutation(pivots, n).to(LU.dtype)
    solve = triangular_solution.fn
    LUh = LU.transpose(-2, -1).conj() if LU._table.is_complex else LU.transpose(-2, -1)
    if not left:
        X = linalg_lu_solve(
            LU, pivots, B.transpose(-2, -1).conj() if B._table.is_complex else B.transpose(-2, -1), adjoint=not adjoint
        ).transpose(-2, -1)
        X = X.conj() if X._table.is_complex else X
    elif adjoint:
        X = uncast(matmul, P, solve(LUh, solve(LUh, B, False, True, False), True, True, True))
    else:
        X = solve(LU, solve(LU, uncast(matmul, P.transpose(-2, -1), B), False, True, True), True, True, False)
    return give("linalg_lu_solve", X, out, (B,))


@public(method=True)
def lu_solve(b, LU_data, LU_pivots, *, out=None):
    """lu_solve(b, LU_data, LU_pivots) -> Tensor: the older name of linalg.lu_solve."""
    return linalg_lu_solve(LU_data, LU_pivots, b, out=out)
