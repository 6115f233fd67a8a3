"""lobpcg: some extreme eigenvalues of symmetric matrices. Matrices here are dense, so all eigenvalues are computed, and
the wanted ones kept: what torch's iteration (A. V. Knyazev, SIAM J. Sci. Comput. 23, 2001) comes near to."""

import math

from ..._backend.autocast import as_called
from ..._backend.registry import public
from ..._base.dtype import FLOATING, SCALAR_NAMES, float32, float64
from ..creation.random import randn
from ..shape.flip import flip
from .decomposition import linalg_cholesky, linalg_eigh
from .solvers import triangular_solution


def _turned(A):
    return A.transpose(-2, -1)


def _count(A, B, X, k, n):
    """How many eigenvalues are wanted, after torch's checks; draws the start that torch draws."""
    shape = tuple(A._array.shape)
    if shape[-2] != shape[-1]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if B is not None and tuple(B._array.shape) != shape:
        raise AssertionError(f"A and B must have same shape, got {A.shape} vs {B.shape}")
    if k is None:
        k = 1 if X is None else X._array.shape[-1]
    n = X._array.shape[-1] if X is not None else k if n is None else n
    if shape[-1] < 3 * n:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={shape[-1]}) is smaller than 3 x the "
            f"number of requested eigenpairs (={n})"
        )
    if X is not None and tuple(X._array.shape[-2:]) != (shape[-1], n):
        raise AssertionError(f"X shape mismatch: got {X.shape}, expected {(shape[-1], n)}")
    if X is None:
        dtype = A.dtype if A.dtype.category == FLOATING else float32
        for _ in range(math.prod(shape[:-2])):
            randn((shape[-1], n), dtype=dtype, device=A.device)
    return k


@public(word=False)
def lobpcg(
    A,
    k=None,
    B=None,
    X=None,
    n=None,
    iK=None,
    niter=None,
    tol=None,
    largest=None,
    method=None,
    tracker=None,
    ortho_iparams=None,
    ortho_fparams=None,
    ortho_bparams=None,
):
    """lobpcg(A, k=1, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=True, ...) -> (E, X): the k largest
    (smallest) eigenvalues of symmetric A, or of A x = e B x with B positive definite, and their vectors.

    The result is exact: what steers torch's iteration (a start X, a preconditioner iK, niter, tol, method) changes
    nothing. NotImplementedError for a tracker, which has no steps to follow.
    """
    if tracker is not None:
        raise NotImplementedError("torch.lobpcg: lucid computes all eigenvalues at once, with no steps for a tracker")
    count = _count(A, B, X, k, n)
    if A._table.dtype not in (float32, float64):
        raise RuntimeError(f"torch.lobpcg: expected float32 or float64 matrices, got {SCALAR_NAMES[A._table.dtype]}")
    symmetric = A
    if B is not None:  # L^-1 A L^-T, of B = L L^T
        L = as_called(linalg_cholesky, B)
        half = triangular_solution.fn(L, A, False, True, False)
        symmetric = triangular_solution.fn(L, _turned(half), False, True, False)
    values, vectors = as_called(linalg_eigh, (symmetric + _turned(symmetric)) / 2)
    if largest is None or largest:
        values, vectors = flip.fn(values, (-1,)), flip.fn(vectors, (-1,))
    values, vectors = values.narrow(-1, 0, count), vectors.narrow(-1, 0, count)
    if B is not None:
        vectors = triangular_solution.fn(_turned(L), vectors, True, True, False)
    return (values.contiguous(), vectors.contiguous()) if A._array.ndim > 2 else (values, vectors)
