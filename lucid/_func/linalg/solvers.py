"""Linear systems: inv, solve, solve_triangular, tensorsolve; matrix_exp, vecdot, vander."""

import math

from ..._backend.core import binary_func_op, func_op, unary_func_op
from ..._backend.dispatch import Speller, asked
from ..._backend.families import Own, not_implemented_error
from ..._backend.out_argument import store_out
from ..._backend.registry import public
from ..._backend.rules import unbroadcast
from ..._base.dtype import FLOATING, SCALAR_NAMES, bool_, int64
from ..._base.errors import LinAlgError
from ..._base.shape import broadcast_pair
from ..._base.state import DISPATCH
from ..._tensor.return_types import return_type
from ..._tensor.tensor import bare
from ..creation.gfunc import ones, ones_like
from ..shape.join import cat
from .matmul import matmul, vdot

# ---- checks

# What torch's kernels for halves are missing under, by the function that wants them; the others refuse them beforehand.
_KERNELS = {
    "lu_cpu": "linalg.solve linalg.lu_factor linalg.det",
    "triangular_solve_cpu": "linalg.solve_triangular",
    "linalg_svd_cpu": "linalg.cond linalg.svd",
    "cholesky_cpu": "linalg.cholesky linalg.cholesky_ex cholesky",
    "cholesky_inverse_out_cpu": "cholesky_inverse",
    "geqrf_cpu": "linalg.qr geqrf",
    "linalg_eigh_cpu": "linalg.eigh linalg.eigvalsh",
    "linalg_eig_out_cpu": "linalg.eig linalg.eigvals",
    "orgqr_cpu": "torch.linalg.householder_product",
    "linalg.lu_solve_cpu": "linalg.lu_solve",
    "ldl_factor_kernel_cpu": "torch.linalg.ldl_factor_ex",
    "ldl_solve_kernel_cpu": "torch.linalg.ldl_solve",
}
_REFUSE_INTEGERS = {"linalg.lu_factor", "cholesky_inverse", "geqrf", "linalg.eigh", "linalg.eigvalsh"}
_KERNEL_OF = {name: kernel for kernel, names in _KERNELS.items() for name in names.split()}


def need_matrix(name, A, floats=True, low=False):
    """torch's checks of a matrix argument."""
    if A._array.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if floats:
        if not A._table.inexact and name in _REFUSE_INTEGERS:
            raise not_implemented_error(_KERNEL_OF[name], A.dtype)
        if not A._table.inexact:
            raise RuntimeError(
                f"{name}: Expected a floating point or complex tensor as input. Got {SCALAR_NAMES[A.dtype]}"
            )
        if A.dtype.to_real().itemsize < 4 and not low:
            if name in _KERNEL_OF:
                raise not_implemented_error(_KERNEL_OF[name], A.dtype)
            raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {SCALAR_NAMES[A.dtype]}")


def need_square(name, A, floats=True):
    need_matrix(name, A, floats)
    m, n = A._array.shape[-2:]
    if m != n:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {m} by {n} matrices")


def check_info(name, info, text):
    """LinAlgError for the first matrix whose info is not 0; text(info) says what is wrong."""
    if DISPATCH and asked((info,)):
        Speller.current.check_errors(info, name)
        return
    if not info._table.has_data:
        return
    info = bare(info)
    values = info.reshape(-1).tolist()
    for i, value in enumerate(values):
        if value:
            batch = f"(Batch element {i}): " if info._array.ndim else ""
            raise LinAlgError(f"{name}: {batch}{text(value)}")


def mh(xp, A):
    """The adjoint of matrices."""
    n = len(A.shape)
    return xp.conj(xp.permute(A, (*range(n - 2), n - 1, n - 2)))


# ---- inverse


class inverse(Own):
    """(inverse, info)"""

    node_name, namespace, method, result, differentiable = "LinalgInvExBackward0", None, False, "of", (0,)
    composite_results = return_type("linalg_inv_ex", "inverse info")

    @func_op(1, 2)
    def forward(xp, input):
        return xp.inverse(input)

    def grad_input(xp, g, out0):
        inv = mh(xp, out0)
        return -xp.matmul(inv, xp.matmul(g, inv))


def _singular(value):
    return (
        f"The diagonal element {value} is zero, the inversion could not be completed because the input matrix is "
        "singular."
    )


@public("linalg_inv", namespace="linalg")
def linalg_inv(A, *, out=None):
    """inv(A) -> Tensor: the inverse of square matrices (*, n, n). LinAlgError when one is singular."""
    need_square("linalg.inv", A)
    result, info = inverse.fn(A)
    check_info("linalg.inv", info, _singular)
    return result if out is None else store_out("linalg_inv", result, out)


@public("inverse", method=True, word=False)  # as a word it gives info, too
def inverse_(input, *, out=None):
    """inverse(input) -> Tensor: linalg.inv(input)."""
    return linalg_inv(input, out=out)


@public("linalg_inv_ex", namespace="linalg")
def linalg_inv_ex(A, *, check_errors=False, out=None):
    """inv_ex(A, *, check_errors=False) -> (inverse, info):
    without an error for singular matrices, where info is not 0.
    """
    need_square("linalg.inv", A)
    found = inverse.fn(A)
    if check_errors:
        check_info("linalg.inv", found[1], _singular)
    return found if out is None else store_out("linalg_inv_ex", found, out)


# ---- solve


class solution(Own):
    """(X with A X = B, info)"""

    node_name, namespace, method, result, differentiable = "LinalgSolveExBackward0", None, False, "of", (0,)
    composite_results = return_type("linalg_solve_ex", "result info")

    @func_op(2, 2)
    def forward(xp, A, B):
        if len(B.shape) == 1 or len(B.shape) == len(A.shape) - 1 and B.shape == A.shape[:-1]:
            X, info = xp.solution(A, xp.unsqueeze(B, len(B.shape)))
            return xp.squeeze(X, (len(X.shape) - 1,)), info
        return xp.solution(A, B)

    def backward(xp, needs, g, A, out0, shapes):
        vector = len(shapes[1]) == 1 or len(shapes[1]) == len(shapes[0]) - 1 and shapes[1] == shapes[0][:-1]
        X, g = out0, g[0] if isinstance(g, tuple) else g
        if vector:
            g, X = xp.unsqueeze(g, len(g.shape)), xp.unsqueeze(X, len(X.shape))
        gB = xp.solution(mh(xp, A), g)[0]
        gA = -xp.matmul(gB, mh(xp, X)) if needs[0] else None
        gB = xp.squeeze(gB, (len(gB.shape) - 1,)) if vector else gB
        return (
            None if gA is None else unbroadcast(xp, gA, shapes[0]),
            unbroadcast(xp, gB, shapes[1]) if needs[1] else None,
        )


def _solve(name, A, B, left):
    if A.dtype is B.dtype:
        need_square("linalg.solve", A)
        if not B._array.ndim or B._array.ndim == 1 < A._array.ndim - 1:
            raise RuntimeError("linalg.solve: The input tensor B must have at least 2 dimensions.")
    else:
        raise RuntimeError(
            f"linalg.solve: Expected A and B to have the same dtype, but found A of type {SCALAR_NAMES[A.dtype]} "
            f"and B of type {SCALAR_NAMES[B.dtype]} instead"
        )
    vector = B._array.ndim == 1 or B._array.ndim == A._array.ndim - 1 and B._array.shape == A._array.shape[:-1]
    if vector and not left:
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
            "linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    if vector and B._array.shape[-1] != A._array.shape[-1]:
        raise RuntimeError(
            "linalg.solve: Incompatible shapes of A and B for the equation AX = B "
            f"({A._array.shape[-2]}x{A._array.shape[-1]} and {B._array.shape[-1]}x1)"
        )
    broadcast_pair(B._array.shape[:-1] if vector else B._array.shape[:-2], A._array.shape[:-2])
    if not vector:
        rows = B._array.shape[-2] if left else B._array.shape[-1]
        if rows != A._array.shape[-1]:
            shapes = "AX = B" if left else "XA = B"
            raise RuntimeError(
                f"linalg.solve: Incompatible shapes of A and B for the equation {shapes} "
                f"({A._array.shape[-2]}x{A._array.shape[-1]} and {B._array.shape[-2]}x{B._array.shape[-1]})"
            )
    if left:
        return solution.fn(A, B)
    X, info = solution.fn(A.transpose(-2, -1), B.transpose(-2, -1))
    return X.transpose(-2, -1), info


@public("linalg_solve", namespace="linalg")
def linalg_solve(A, B, *, left=True, out=None):
    """solve(A, B, *, left=True) -> Tensor: X with A X = B (or X A = B); B: (*, n, k), or vectors (*, n).

    LinAlgError when A is singular.
    """
    X, info = _solve("linalg.solve", A, B, left)
    check_info("torch.linalg.solve", info, lambda value: "The solver failed because the input matrix is singular.")
    return X if out is None else store_out("linalg_solve", X, out)


@public("linalg_solve_ex", namespace="linalg")
def linalg_solve_ex(A, B, *, left=True, check_errors=False, out=None):
    """solve_ex(A, B, *, left=True, check_errors=False) -> (result, info): info is not 0 where A is singular."""
    X, info = _solve("linalg.solve_ex", A, B, left)
    if check_errors:
        check_info(
            "torch.linalg.solve_ex", info, lambda value: "The solver failed because the input matrix is singular."
        )
    found = return_type("linalg_solve_ex", "result info")(X, info)
    return found if out is None else store_out("linalg_solve_ex", found, out)


@public("linalg_tensorsolve", namespace="linalg")
def linalg_tensorsolve(A, B, dims=None, *, out=None):
    """tensorsolve(A, B, dims=None) -> Tensor: X with tensordot(A, X, X.ndim) = B; dims of A go to its end first."""
    if dims is not None:
        A = A.movedim(tuple(dims), tuple(range(A._array.ndim - len(dims), A._array.ndim)))
    shape = A._array.shape[B._array.ndim :]
    n = math.prod(shape)
    if n * math.prod(A._array.shape[: B._array.ndim]) != n * n:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {n} != {math.prod(A._array.shape[: B._array.ndim])}"
        )
    X = linalg_solve(A.reshape(n, n), B.reshape(n)).reshape(shape)
    return X if out is None else store_out("linalg_tensorsolve", X, out, "castable", resized="typed")


@public("linalg_tensorinv", namespace="linalg")
def linalg_tensorinv(A, ind=2, *, out=None):
    """tensorinv(A, ind=2) -> Tensor: the inverse of A as a map from its last dimensions to its first `ind` ones."""
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    head, tail = A._array.shape[:ind], A._array.shape[ind:]
    if math.prod(head) != math.prod(tail):
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{math.prod(tail)} != {math.prod(head)}"
        )
    X = linalg_inv(A.reshape(math.prod(head), math.prod(tail))).reshape(*tail, *head)
    return X if out is None else store_out("linalg_tensorinv", X, out, "castable", resized="typed")


class triangular_solution(Own):
    """X with A X = B or X A = B for triangular A"""

    node_name, namespace, method = "LinalgSolveTriangularBackward0", None, False

    @binary_func_op()
    def forward(xp, A, B, upper, left, unit):
        return xp.triangular_solution(A, B, upper, left, unit)

    def backward(xp, needs, g, A, out, upper, left, unit, shapes):
        gB = xp.triangular_solution(mh(xp, A), g, not upper, left, unit)
        gA = None
        if needs[0]:
            gA = -xp.matmul(gB, mh(xp, out)) if left else -xp.matmul(mh(xp, out), gB)
            gA = xp.triu(gA, int(unit)) if upper else xp.tril(gA, -int(unit))
            gA = unbroadcast(xp, gA, shapes[0])
        return gA, unbroadcast(xp, gB, shapes[1]) if needs[1] else None


@public("linalg_solve_triangular", namespace="linalg")
def linalg_solve_triangular(A, B, *, upper, left=True, unitriangular=False, out=None):
    """solve_triangular(A, B, *, upper, left=True, unitriangular=False) -> Tensor:
    X with A X = B (or X A = B), A triangular.
    """
    need_square("linalg.solve_triangular", A)
    need_matrix("linalg.solve_triangular", B)
    if B._array.shape[-2 if left else -1] != A._array.shape[-1]:
        raise RuntimeError(
            "linalg.solve_triangular: Incompatible shapes of A and B for the equation "
            f"{'AX = B' if left else 'XA = B'} ({A._array.shape[-2]}x{A._array.shape[-1]} and "
            f"{B._array.shape[-2]}x{B._array.shape[-1]})"
        )
    X = triangular_solution.fn(A, B, bool(upper), bool(left), bool(unitriangular))
    return X if out is None else store_out("linalg_solve_triangular", X, out, resized=True, read=(B,))


_TRIANGULAR = return_type("triangular_solve", "solution cloned_coefficient")


@public(method=True)
def triangular_solve(b, A, upper=True, transpose=False, unitriangular=False, *, out=None):
    """triangular_solve(b, A, upper=True, transpose=False, unitriangular=False) -> (solution, cloned_coefficient)."""
    for name, x in (("b", b), ("A", A)):
        if x._array.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {x._array.ndim} "
                "dimensions instead"
            )
    M = A.transpose(-2, -1) if transpose else A
    X = triangular_solution.fn(M, b, upper != transpose, True, unitriangular)
    found = _TRIANGULAR(X, A.clone())
    return found if out is None else store_out("triangular_solve", found, out, read=(b,))


# ---- functions of matrices


class exponential(Own):
    """e to the power of a matrix"""

    node_name, namespace, method = "LinalgMatrixExpBackward0", None, False

    @unary_func_op()
    def forward(xp, A):
        return xp.exponential(A)

    def grad_A(xp, g, A):
        # The exponential of [[A, G], [0, A]] has the derivative in direction G as its upper right block (Mathias 1996).
        n, last = A.shape[-1], len(A.shape) - 1
        Ah = mh(xp, A)
        top = xp.cat([Ah, g], last)
        bottom = xp.cat([Ah * 0, Ah], last)
        whole = xp.exponential(xp.cat([top, bottom], last - 1))
        return xp.slice(xp.slice(whole, last - 1, 0, n, 1), last, n, 2 * n, 1)


@public("linalg_matrix_exp", namespace="linalg")
def linalg_matrix_exp(A):
    """matrix_exp(A) -> Tensor: the exponential of square matrices."""
    need_square("linalg.matrix_exp", A)
    return exponential.fn(A)


@public(method=True)
def matrix_exp(input):
    """matrix_exp(input) -> Tensor: linalg.matrix_exp(input)."""
    return linalg_matrix_exp(input)


@public("linalg_vecdot", namespace="linalg")
def linalg_vecdot(x, y, *, dim=-1, out=None):
    """vecdot(x, y, *, dim=-1) -> Tensor: sum(conj(x) * y) over dim."""
    if x.dtype is not y.dtype:
        one, other = SCALAR_NAMES[x.dtype], SCALAR_NAMES[y.dtype]
        raise RuntimeError(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {one} and y of type {other}"
        )
    if not x._table.inexact:
        raise RuntimeError(
            f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {SCALAR_NAMES[x.dtype]}"
        )
    if x._array.ndim == 1 == y._array.ndim:
        result = vdot.fn(x, y)
    else:
        result = ((x.conj() if x._table.is_complex else x) * y).sum(dim)
    return result if out is None else store_out("linalg_vecdot", result, out, expanded=True, resized="typed")


@public("linalg_vander", namespace="linalg")
def linalg_vander(x, N=None):
    """vander(x, N=None) -> Tensor: the powers 0 to N - 1 of each element, (*, n) -> (*, n, N)."""
    if x.dtype is bool_ or x._table.is_half:
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {SCALAR_NAMES[x.dtype]}"
        )
    x = x if x._array.ndim else x.reshape(1)
    if N is None:
        N = x._array.shape[-1]
    if N <= 1:
        raise RuntimeError("N must be greater than 1.")
    first = ones((*x._array.shape, 1), dtype=x.dtype if x.dtype.category >= FLOATING else int64, device=x.device)
    powers = x.unsqueeze(-1).expand(*x._array.shape, N - 1).cumprod(-1)
    return cat.fn([first, powers], -1)


@public(method=False)
def vander(x, N=None, increasing=False):
    """vander(x, N=None, increasing=False) -> (len(x), N) Tensor: the powers N - 1 ... 0 of x, or 0 ... N - 1."""
    if x._array.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    n = x._array.shape[0] if N is None else N
    if n < 0:
        raise RuntimeError("N must be non-negative.")
    x = x.long() if x.dtype is bool_ else x
    rows = x._array.shape[0]
    factors = [ones_like(x).view(rows, 1), x.view(rows, 1).expand(rows, max(n - 1, 0))][:n]
    powers = cat.fn(factors, 1).cumprod(1) if factors else x.new_empty((rows, 0))
    return powers if increasing else powers.flip(1)


@public("linalg_matmul", namespace="linalg")
def linalg_matmul(input, other, *, out=None):
    """linalg.matmul(input, other) -> Tensor: matmul(input, other)."""
    return matmul(input, other, out=out)


@public("linalg_diagonal", namespace="linalg")
def linalg_diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """linalg.diagonal(A, *, offset=0, dim1=-2, dim2=-1) -> Tensor: the diagonals of matrices."""
    return A.diagonal(offset, dim1, dim2)
