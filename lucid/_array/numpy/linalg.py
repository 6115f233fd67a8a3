"""The CPU's linear algebra: words over LAPACK through numpy.linalg, and scipy.linalg where numpy has no such routine.

Matrices are the last two dimensions; what is before them is a batch. Results lie column by column, as LAPACK (and so
torch) leaves them. `info` is LAPACK's: 0, or the place (from 1) where a matrix turned out singular or not definite.
"""

import math

import numpy as np

from ..._base.errors import LinAlgError
from .table import TABLES, install


def _columns(x):
    """x laid out column by column."""
    return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)


def _mh(x):
    return x.conj().swapaxes(-1, -2)


def _each(f, *arrays):
    """f of each matrix of a batch (of several arrays alike), results stacked."""
    lead = arrays[0].shape[:-2]
    flat = [a.reshape(-1, *a.shape[-2:]) for a in arrays]
    results = [f(*m) for m in zip(*flat)]
    stacked = [np.stack(r) for r in zip(*results)]
    return [s.reshape(lead + s.shape[1:]) for s in stacked]


def _lapack(name, kind):
    import scipy.linalg.lapack as lapack

    return getattr(lapack, {"f": "s", "d": "d", "F": "c", "D": "z"}[kind.char] + name)


def _failed_pivot(pivots):
    """info of Cholesky factors that LAPACK made of NaN: the first pivot that is NaN, or follows an infinite one."""
    n = pivots.shape[-1]
    places = np.arange(1, n + 1) + np.isinf(pivots)
    first = np.where(np.isfinite(pivots) | (places > n), n + 1, places).min(-1)
    return np.where(first > n, 0, first).astype(np.int32)


def _bad_matrices(A, test):
    """Which matrices of a batch have an element that passes the test."""
    return test(A).any((-2, -1))


def _svd(A, f, *options):
    """f(A, *options) of numbers: NaN is refused, and infinite matrices, over which LAPACK may never end, give NaN."""
    if np.isfinite(A).all():
        return f(A, *options)
    bad = np.flatnonzero(_bad_matrices(A, np.isnan))
    if bad.size:
        batch = f"(Batch element {bad[0]}): " if A.ndim > 2 else ""
        raise LinAlgError(
            f"linalg.svd: {batch}The algorithm failed to converge because the input matrix contained non-finite values."
        )
    infinite = _bad_matrices(A, np.isinf)
    found = f(np.where(infinite[..., None, None], A.dtype.type(0), A), *options)
    for part in found if isinstance(found, tuple) else (found,):
        part[infinite] = np.nan
    return found


class Linalg:
    """Decompositions, inverses and solutions."""

    def inverse(self, A):
        """(inverse, info)"""
        try:
            return _columns(np.linalg.inv(A)), np.zeros(A.shape[:-2], np.int32)
        except np.linalg.LinAlgError:
            info = self.lu_factors(A)[2]
            safe = np.where((info > 0)[..., None, None], np.eye(A.shape[-1], dtype=A.dtype), A)
            X = np.where((info > 0)[..., None, None], A.dtype.type(np.nan), np.linalg.inv(safe))
            return _columns(X), info

    def solution(self, A, B):
        """(X with A X = B, info)"""
        lead = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
        try:
            return _columns(np.linalg.solve(A, B)), np.zeros(A.shape[:-2], np.int32)
        except np.linalg.LinAlgError:
            return np.full(lead + B.shape[-2:], np.nan, A.dtype), self.lu_factors(A)[2]

    def cholesky_factor(self, A, upper):
        """(L with L L^H = A, or its adjoint, info); only one triangle of A is read."""
        A = _mh(A) if upper else A
        try:
            L, info = np.linalg.cholesky(A), np.zeros(A.shape[:-2], np.int32)
        except np.linalg.LinAlgError:
            potrf = _lapack("potrf", A.dtype)
            if A.size == 0:
                return A.copy(), np.zeros(A.shape[:-2], np.int32)
            L, info = _each(lambda m: potrf(m, lower=1, clean=1), A)
            info = info.astype(np.int32)
        pivots = L.diagonal(0, -2, -1).real
        if not np.isfinite(pivots).all():
            info = np.where(info == 0, _failed_pivot(pivots), info)
        return (_mh(np.ascontiguousarray(L)) if upper else _columns(L)), info

    def qr_factors(self, A, complete):
        """(Q, R)"""
        Q, R = np.linalg.qr(A, "complete" if complete else "reduced")
        return _columns(Q), _columns(R)

    def svd_factors(self, A, full):
        """(U, S, Vh)"""
        U, S, Vh = _svd(A, np.linalg.svd, full)
        return _columns(U), S, _columns(Vh)

    def singular_values(self, A):
        """S alone, descending"""
        return _svd(A, np.linalg.svd, False, False)

    def eigh_pairs(self, A, lower):
        """(eigenvalues ascending, eigenvectors) of Hermitian matrices of which one triangle is read"""
        read = (np.tril if lower else np.triu)(A)
        bad = () if np.isfinite(read).all() else np.flatnonzero(_bad_matrices(read, np.isnan))
        if len(bad):
            batch = f"(Batch element {bad[0]}): " if A.ndim > 2 else ""
            raise LinAlgError(
                f"linalg.eigh: {batch}The algorithm failed to converge because the input matrix is ill-conditioned or "
                f"has too many repeated eigenvalues (error code: {A.shape[-1] - 1})."
            )
        try:
            values, vectors = np.linalg.eigh(A, "L" if lower else "U")
        except np.linalg.LinAlgError:
            real = A.real.dtype
            return np.full(A.shape[:-1], np.nan, real), np.full(A.shape, np.nan, A.dtype)
        return values, _columns(vectors)

    def eig_pairs(self, A):
        """(eigenvalues, eigenvectors), complex"""
        if not np.isfinite(A).all():
            raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
        values, vectors = np.linalg.eig(A)
        kind = np.result_type(A.dtype, np.complex64)
        return values.astype(kind, copy=False), _columns(vectors.astype(kind, copy=False))

    def triangular_solution(self, A, B, upper, left, unit):
        """X with A X = B (left) or X A = B; only one triangle of A is read, its diagonal not at all when unit."""
        A, B = _same_batch(A, B)
        if not left:
            X = self.triangular_solution(A.swapaxes(-1, -2), B.swapaxes(-1, -2), not upper, True, unit)
            return X.swapaxes(-1, -2)
        if B.size == 0 or A.size == 0:
            return _columns(np.zeros(B.shape, B.dtype))
        trtrs = _lapack("trtrs", A.dtype)

        def one(a, b):
            if a.flags.f_contiguous:
                x, info = trtrs(a, b, lower=not upper, unitdiag=unit)
            else:
                x, info = trtrs(a.T, b, lower=upper, trans=1, unitdiag=unit)
            return (x if info == 0 else _singular_solution(a, b, upper, unit),)

        return _columns(_each(one, A, B)[0])

    def determinant(self, A):
        unknown = np.isnan(A).any((-2, -1)) if A.size else False
        return np.asarray(np.where(unknown, np.nan, np.linalg.det(A)), A.dtype)

    def sign_logdet(self, A):
        """(sign, log of the size) of the determinant"""
        sign, size = np.linalg.slogdet(A)
        return np.asarray(sign, A.dtype), np.asarray(size)

    def cofactor(self, A):
        """The matrix of cofactors, conjugated: the derivative of the determinant, singular matrices included."""
        known = np.isfinite(A).all((-2, -1), keepdims=True)
        U, S, Vh = np.linalg.svd(np.where(known, A, 0))
        n = S.shape[-1]
        others = np.ones_like(S)
        for i in range(n):
            others[..., i] = np.delete(S, i, -1).prod(-1)
        det = np.linalg.det(U) * np.linalg.det(Vh)
        found = (U * others[..., None, :]) @ Vh * np.conj(np.asarray(det))[..., None, None]
        return np.where(known, found, np.nan).astype(A.dtype)

    def lu_factors(self, A, pivot=True):
        """(L below the unit diagonal and U above it in one matrix, pivots counted from 1, info)"""
        m, n = A.shape[-2:]
        lead = A.shape[:-2]
        if A.size == 0:
            return A.copy(), np.zeros(lead + (min(m, n),), np.int32), np.zeros(lead, np.int32)
        getrf = _lapack("getrf", A.dtype)

        def one(a):
            lu, pivots, info = getrf(a)
            return lu, (pivots + 1).astype(np.int32), np.int32(info)

        LU, pivots, info = _each(one, A)
        return _columns(LU), pivots, info

    def ldl_factors(self, A, hermitian):
        """(L below the unit diagonal and D on it, in blocks of two where LAPACK's pivots are negative, pivots, info)"""
        lead, n = A.shape[:-2], A.shape[-1]
        if A.size == 0:
            return _columns(A), np.zeros(lead + (n,), np.int32), np.zeros(lead, np.int32)
        sytrf = _lapack("hetrf" if hermitian and self.is_complex else "sytrf", A.dtype)

        def one(a):
            found, pivots, info = sytrf(a, lower=1)
            return np.tril(found), pivots.astype(np.int32), np.int32(info)

        LD, pivots, info = _each(one, A)
        return _columns(LD), pivots, info

    def ldl_solution(self, A, pivots, B, hermitian):
        """X with M X = B, where A is what ldl_factors gives of M"""
        A, B = _same_batch(A, B)
        if B.size == 0:
            return _columns(np.zeros(B.shape, B.dtype))
        sytrs = _lapack("hetrs" if hermitian and self.is_complex else "sytrs", B.dtype)
        rows = np.broadcast_to(pivots, A.shape[:-1])[..., None]
        return _columns(_each(lambda a, p, b: (sytrs(a, p[:, 0].astype(np.int32), b, lower=1)[0],), A, rows, B)[0])

    def permutation(self, pivots, n):
        """The matrices P with A = P L U that pivots stand for, as floats of this type."""
        lead = pivots.shape[:-1]
        flat = pivots.reshape(math.prod(lead), pivots.shape[-1])
        P = np.zeros((flat.shape[0], n, n), self.array_dtype)
        for b, row in enumerate(flat):
            order = list(range(n))
            for i, p in enumerate(row):
                order[i], order[p - 1] = order[p - 1], order[i]
            P[b, order, range(n)] = 1
        return P.reshape(lead + (n, n))

    def exponential(self, A):
        """e to the power of a matrix"""
        if A.size == 0:
            return A.copy()
        import scipy.linalg

        wide = A.astype(np.complex128 if self.is_complex else np.float64)
        return np.asarray(scipy.linalg.expm(wide)).astype(A.dtype)

    def reflectors(self, A, tau):
        """The product of Householder reflectors kept below A's diagonal: the first columns of Q."""
        if A.size == 0:
            return A.copy()
        orgqr = _lapack("ungqr" if self.is_complex else "orgqr", A.dtype)
        m, n, count = A.shape[-2], A.shape[-1], tau.shape[-1]
        return (
            _columns(_each(lambda a, t: (orgqr(a, t[:, 0])[0],), A, tau[..., None])[0])
            if count
            else _columns(np.broadcast_to(np.eye(m, n, dtype=A.dtype), A.shape))
        )

    def qr_raw(self, A):
        """(R above and reflectors below the diagonal, their factors)"""
        count = min(A.shape[-2:])
        if A.size == 0:
            return A.copy(), np.zeros(A.shape[:-2] + (count,), A.dtype)
        geqrf = _lapack("geqrf", A.dtype)
        QR, tau = _each(lambda a: geqrf(a)[:2], A)
        return _columns(QR), tau


def _same_batch(A, B):
    lead = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
    return np.broadcast_to(A, lead + A.shape[-2:]), np.broadcast_to(B, lead + B.shape[-2:])


def _singular_solution(a, b, upper, unit):
    """Substitution that divides by zero as torch's does."""
    n = len(a)
    x = b.copy()
    for i in range(n - 1, -1, -1) if upper else range(n):
        if not unit:
            x[i] = x[i] / a[i, i]
        rest = slice(0, i) if upper else slice(i + 1, n)
        x[rest] -= a[rest, i][:, None] * x[i]
    return x


install(Linalg)

__all__ = ["Linalg", "TABLES"]
