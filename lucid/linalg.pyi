"""torch.linalg: norms, products, decompositions and solvers of (batches of) matrices.

Written by scripts/stubs: change the functions, or the types in scripts/stub_types.py.
"""

from collections.abc import Sequence
from typing import Literal

from . import return_types as return_types
from ._base.dtype import dtype
from ._tensor.tensor import Tensor

class LinAlgError(RuntimeError):
    """A matrix that a solver could not work with: singular, not positive definite, or not a number."""

def cholesky(A: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """cholesky(A, *, upper=False) -> Tensor:
    lower triangular L with L L^H = A (upper: its adjoint), A positive definite.

    LinAlgError where A is not.
    """

def cholesky_ex(
    A: Tensor, *, upper: bool = False, check_errors: bool = False, out: tuple[Tensor, ...] | None = None
) -> return_types.linalg_cholesky_ex:
    """cholesky_ex(A, *, upper=False, check_errors=False) -> (L, info):
    info is not 0 where A is not positive definite.
    """

def cond(A: Tensor, p: float | Literal["fro", "nuc"] | None = None, *, out: Tensor | None = None) -> Tensor:
    """cond(A, p=None) -> Tensor:
    the condition number, |A| |A^-1| in the matrix norm p (None or 2: from singular values).
    """

def cross(
    input: Tensor, other: Tensor, *, dim: int | Sequence[int] = -1, out: Tensor | None = None, axis: int | None = None
) -> Tensor:
    """cross(input, other, *, dim=-1) -> Tensor: the cross product of 3-vectors along dim."""

def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """det(A) -> Tensor: the determinants of square matrices, (*, n, n) -> (*)."""

def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """linalg.diagonal(A, *, offset=0, dim1=-2, dim2=-1) -> Tensor: the diagonals of matrices."""

def eig(A: Tensor, *, out: tuple[Tensor, ...] | None = None) -> return_types.linalg_eig:
    """eig(A) -> (eigenvalues, eigenvectors) of square matrices, complex, eigenvectors of length 1."""

def eigh(A: Tensor, UPLO: str = "L", *, out: tuple[Tensor, ...] | None = None) -> return_types.linalg_eigh:
    """eigh(A, UPLO="L") -> (eigenvalues, eigenvectors) of Hermitian matrices, ascending; one triangle is read."""

def eigvals(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """eigvals(A) -> Tensor: the eigenvalues of square matrices, complex."""

def eigvalsh(A: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor:
    """eigvalsh(A, UPLO="L") -> Tensor: the eigenvalues of Hermitian matrices, ascending."""

def householder_product(A: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """householder_product(A, tau) -> Tensor: the first columns of the product of the reflectors below A's diagonal."""

def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """inv(A) -> Tensor: the inverse of square matrices (*, n, n). LinAlgError when one is singular."""

def inv_ex(
    A: Tensor, *, check_errors: bool = False, out: tuple[Tensor, ...] | None = None
) -> return_types.linalg_inv_ex:
    """inv_ex(A, *, check_errors=False) -> (inverse, info):
    without an error for singular matrices, where info is not 0.
    """

def ldl_factor(
    A: Tensor, *, hermitian: bool = False, out: tuple[Tensor, ...] | None = None
) -> return_types.linalg_ldl_factor:
    """ldl_factor(A, *, hermitian=False) -> (LD, pivots): L and the blocks of D in one matrix, as LAPACK's sytrf or
    hetrf give them; A's lower triangle is read. Without gradients.
    """

def ldl_factor_ex(
    A: Tensor, *, hermitian: bool = False, check_errors: bool = False, out: tuple[Tensor, ...] | None = None
) -> return_types.linalg_ldl_factor_ex:
    """ldl_factor_ex(A, *, hermitian=False, check_errors=False) -> (LD, pivots, info)"""

def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False, out: Tensor | None = None) -> Tensor:
    """ldl_solve(LD, pivots, B, *, hermitian=False) -> Tensor: X with A X = B, from ldl_factor of A, no gradients."""

def lstsq(
    A: Tensor,
    B: Tensor,
    rcond: Tensor | float | None = None,
    *,
    driver: str | None = None,
    out: tuple[Tensor, ...] | None = None,
) -> return_types.linalg_lstsq:
    """lstsq(A, B, rcond=None, *, driver=None) -> (solution, residuals, rank, singular_values): minimises |A X - B|."""

def lu(A: Tensor, *, pivot: bool = True, out: tuple[Tensor, ...] | None = None) -> return_types.linalg_lu:
    """lu(A, *, pivot=True) -> (P, L, U) with A = P L U."""

def lu_factor(A: Tensor, *, pivot: bool = True, out: tuple[Tensor, ...] | None = None) -> return_types.linalg_lu_factor:
    """lu_factor(A, *, pivot=True) -> (LU, pivots): L and U in one matrix, pivots counted from 1."""

def lu_factor_ex(
    A: Tensor, *, pivot: bool = True, check_errors: bool = False, out: tuple[Tensor, ...] | None = None
) -> return_types.linalg_lu_factor_ex:
    """lu_factor_ex(A, *, pivot=True, check_errors=False) -> (LU, pivots, info)"""

def lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False, out: Tensor | None = None
) -> Tensor:
    """lu_solve(LU, pivots, B, *, left=True, adjoint=False) -> Tensor:
    X with A X = B (or X A = B), from A's LU factors.
    """

def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """linalg.matmul(input, other) -> Tensor: matmul(input, other)."""

def matrix_exp(A: Tensor) -> Tensor:
    """matrix_exp(A) -> Tensor: the exponential of square matrices."""

def matrix_norm(
    A: Tensor,
    ord: float | Literal["fro", "nuc"] = "fro",
    dim: Sequence[int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None) -> Tensor: a norm of matrices.

    ord: "fro", "nuc" (the sum of singular values), 2 or -2 (their extremes), 1 or -1 (of column sums), inf or -inf
    (row sums).
    """

def matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """matrix_power(input, n) -> Tensor: square matrices multiplied n times; a negative n multiplies the inverse."""

def matrix_rank(
    A: Tensor,
    tol: Tensor | float | None = None,
    hermitian: bool = False,
    *,
    atol: Tensor | float | None = None,
    rtol: Tensor | float | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """matrix_rank(A, *, atol=None, rtol=None, hermitian=False) -> int64 Tensor:
    how many singular values count as not 0.
    """

def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """multi_dot(tensors) -> Tensor: the product of matrices in the order of association that costs least.

    The first and the last may be vectors.
    """

def norm(
    A: Tensor,
    ord: float | Literal["fro", "nuc"] | None = None,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
) -> Tensor:
    """linalg.norm(A, ord=None, dim=None, keepdim=False, *, dtype=None) -> Tensor: a vector norm, or a matrix norm.

    Without ord the 2-norm of all elements in dim; with ord a vector norm over one dim, a matrix norm over two.
    """

def pinv(
    A: Tensor,
    rcond: Tensor | float | None = None,
    hermitian: bool = False,
    *,
    atol: Tensor | float | None = None,
    rtol: Tensor | float | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """pinv(A, *, atol=None, rtol=None, hermitian=False) -> Tensor:
    the Moore-Penrose inverse, (*, m, n) -> (*, n, m).
    """

def qr(A: Tensor, mode: str = "reduced", *, out: tuple[Tensor, ...] | None = None) -> return_types.linalg_qr:
    """qr(A, mode="reduced") -> (Q, R): orthonormal columns times an upper triangle; mode "r" gives an empty Q."""

def slogdet(A: Tensor, *, out: tuple[Tensor, ...] | None = None) -> return_types.linalg_slogdet:
    """slogdet(A) -> (sign, logabsdet): the determinant is sign * exp(logabsdet)."""

def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    """solve(A, B, *, left=True) -> Tensor: X with A X = B (or X A = B); B: (*, n, k), or vectors (*, n).

    LinAlgError when A is singular.
    """

def solve_ex(
    A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False, out: tuple[Tensor, ...] | None = None
) -> return_types.linalg_solve_ex:
    """solve_ex(A, B, *, left=True, check_errors=False) -> (result, info): info is not 0 where A is singular."""

def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Tensor | None = None
) -> Tensor:
    """solve_triangular(A, B, *, upper, left=True, unitriangular=False) -> Tensor:
    X with A X = B (or X A = B), A triangular.
    """

def svd(
    A: Tensor, full_matrices: bool = True, *, driver: str | None = None, out: tuple[Tensor, ...] | None = None
) -> return_types.linalg_svd:
    """svd(A, full_matrices=True) -> (U, S, Vh) with A = U diag(S) Vh, S descending."""

def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """svdvals(A) -> Tensor: the singular values, descending."""

def tensorinv(A: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    """tensorinv(A, ind=2) -> Tensor: the inverse of A as a map from its last dimensions to its first `ind` ones."""

def tensorsolve(A: Tensor, B: Tensor, dims: Sequence[int] | None = None, *, out: Tensor | None = None) -> Tensor:
    """tensorsolve(A, B, dims=None) -> Tensor: X with tensordot(A, X, X.ndim) = B; dims of A go to its end first."""

def vander(x: Tensor, N: int | None = None) -> Tensor:
    """vander(x, N=None) -> Tensor: the powers 0 to N - 1 of each element, (*, n) -> (*, n, N)."""

def vecdot(x: Tensor, y: Tensor, *, dim: int | Sequence[int] = -1, out: Tensor | None = None) -> Tensor:
    """vecdot(x, y, *, dim=-1) -> Tensor: sum(conj(x) * y) over dim."""

def vector_norm(
    x: Tensor,
    ord: float | Literal["fro", "nuc"] = 2,
    dim: int | Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None) -> Tensor: (sum |x| ** ord) ** (1 / ord) over dim.

    ord: any number; inf and -inf the largest and smallest size, 0 the count of what is not zero.
    """
