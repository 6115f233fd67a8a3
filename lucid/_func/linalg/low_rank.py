"""Singular values of matrices of low rank, at random: svd_lowrank and pca_lowrank.

N. Halko, P. G. Martinsson, J. A. Tropp, "Finding structure with randomness", SIAM Review 53 (2011): algorithms 4.4
(a basis of the range, by iterated products) and 5.1 (the decomposition in it).
"""

from ..._backend.autocast import as_called
from ..._backend.registry import public
from ..._base.dtype import FLOATING, bfloat16, float32
from ..creation.random import randn
from .decomposition import linalg_qr, linalg_svd
from .matmul import matmul


def _adjoint(A):
    A = A.transpose(-2, -1)
    return A.conj() if A._table.is_complex else A


def _basis(A, q, niter, M):
    """q orthonormal columns that span about the range of A - M."""

    def times(matrix, minus, x):
        found = matmul(matrix, x)
        return found if minus is None else found - matmul(minus, x)

    dtype = A.dtype if A.dtype.category >= FLOATING and A.dtype is not bfloat16 else float32  # torch's choice
    start = randn(A._array.shape[-1], q, dtype=dtype, device=A.device)
    Ah, Mh = _adjoint(A), None if M is None else _adjoint(M)
    Q = as_called(linalg_qr, times(A, M, start))[0]
    for _ in range(niter):
        Q = as_called(linalg_qr, times(Ah, Mh, Q))[0]
        Q = as_called(linalg_qr, times(A, M, Q))[0]
    return Q


def _low_rank(A, q, niter, M):
    m, n = A._array.shape[-2:]
    wide = m < n
    if M is not None:
        M = M.broadcast_to(A.shape)
    if wide:
        A, M = _adjoint(A), None if M is None else _adjoint(M)
    Q = _basis(A, q, niter, M)
    Qh = _adjoint(Q)
    B = matmul(Qh, A)
    if M is not None:
        B = B - matmul(Qh, M)
    U, S, Vh = as_called(linalg_svd, B, full_matrices=False)
    U, V = matmul(Q, U), _adjoint(Vh)
    return (V, S, U) if wide else (U, S, V)


@public(word=False)
def svd_lowrank(A, q=6, niter=2, M=None):
    """svd_lowrank(A, q=6, niter=2, M=None) -> (U, S, V): the q largest singular values of A - M, about, and vectors.

    A random start: manual_seed makes it the same again. niter: products with A and its adjoint that sharpen it.
    """
    return _low_rank(A, 6 if q is None else q, 2 if niter is None else niter, M)


@public(word=False)
def pca_lowrank(A, q=None, center=True, niter=2):
    """pca_lowrank(A, q=None, center=True, niter=2) -> (U, S, V): principal components of the rows of A, V's columns.

    q: how many, min(6, m, n) when None. center: the columns' means are taken away first. ValueError for a q or niter
    that makes no sense.
    """
    m, n = A._array.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return _low_rank(A - A.mean((-2,), True) if center else A, q, niter, None)
