"""Matrices taken apart: cholesky, qr, svd, eigh, eig, geqrf (LU is in lu.py), and solutions from Cholesky factors."""

from ..._backend.core import binary_func_op, func_op, unary_func_op
from ..._backend.dispatch import asked
from ..._backend.families import Own, not_implemented_error
from ..._backend.out_argument import store_out
from ..._backend.registry import public
from ..._base.state import DISPATCH
from ..._tensor.return_types import return_type
from ..creation.gfunc import empty, zeros
from ..pointwise.operands import missing_derivative
from ..shape.expand import broadcast_tensors
from .solvers import check_info, mh, need_matrix, need_square


def first_slices(xp, A, dim, end):
    """The first `end` slices along dim (counted from the back)."""
    return xp.slice(A, len(A.shape) + dim, 0, end, 1)


def _diagonal(xp, values):
    """A vector on the diagonal of a matrix."""
    return xp.unsqueeze(values, len(values.shape)) * xp.eye(values.shape[-1])


def _column(xp, values):
    return xp.unsqueeze(values, len(values.shape))


def _row(xp, values):
    return xp.unsqueeze(values, len(values.shape) - 1)


def _of_type(xp, values):
    """Real numbers in the (perhaps complex) type of the matrix."""
    return xp.cast(values, xp.dtype)


def _no_diagonal(xp, A):
    return A * (1 - xp.eye(A.shape[-1]))


def give(name, found, out, read=()):
    """Several results, or the same stored into out=, which may not grow over what is read."""
    if out is None:
        return found
    return store_out(name, found, out, "castable" if name in _CASTABLE else "same", read=read)


# ---- Cholesky


# Functions whose out= may be of another type, as of torch's older ones.
_CASTABLE = {"cholesky", "cholesky_solve", "cholesky_inverse", "geqrf", "linalg_eig", "linalg_eigvals"}
_CASTABLE |= {"linalg_householder_product"}


class cholesky_factor(Own):
    """(L with L L^H = A, info)"""

    node_name, namespace, method, result, differentiable = "LinalgCholeskyExBackward0", None, False, "of", (0,)
    composite_results = return_type("linalg_cholesky_ex", "L info")

    @func_op(1, 2)
    def forward(xp, A, upper):
        return xp.cholesky_factor(A, upper)

    def grad_A(xp, g, out0, upper):
        # Murray, Differentiation of the Cholesky decomposition (2016): half the symmetric part of L^-H phi(L^H g) L^-1
        L, g = (mh(xp, out0), mh(xp, g)) if upper else (out0, g)
        phi = xp.matmul(mh(xp, L), g)
        phi = (xp.tril(phi, 0) + mh(xp, xp.tril(phi, -1))) * 0.5
        left = xp.triangular_solution(mh(xp, L), phi, True, True, False)
        return xp.triangular_solution(L, left, False, False, False)


def _indefinite(value):
    return (
        "The factorization could not be completed because the input is not positive-definite (the leading minor of "
        f"order {value} is not positive-definite)."
    )


@public("linalg_cholesky", namespace="linalg")
def linalg_cholesky(A, *, upper=False, out=None):
    """cholesky(A, *, upper=False) -> Tensor:
    lower triangular L with L L^H = A (upper: its adjoint), A positive definite.

    LinAlgError where A is not.
    """
    need_square("linalg.cholesky", A)
    L, info = cholesky_factor.fn(A, bool(upper))
    check_info("linalg.cholesky", info, _indefinite)
    return give("linalg_cholesky", L, out)


@public("linalg_cholesky_ex", namespace="linalg")
def linalg_cholesky_ex(A, *, upper=False, check_errors=False, out=None):
    """cholesky_ex(A, *, upper=False, check_errors=False) -> (L, info):
    info is not 0 where A is not positive definite.
    """
    need_square("linalg.cholesky_ex", A)
    found = cholesky_factor.fn(A, bool(upper))
    if check_errors:
        check_info("linalg.cholesky_ex", found[1], _indefinite)
    return give("linalg_cholesky_ex", found, out)


class cholesky_op(cholesky_factor):
    """The same under the name of torch's older function."""

    name, node_name = "cholesky_old", "CholeskyBackward0"
    namespace, method, result, differentiable, composite_results = None, False, "of", (0,), None

    @func_op(1, 2)
    def forward(xp, A, upper):
        return xp.cholesky_factor(A, upper)


@public(method=True)
def cholesky(input, upper=False, *, out=None):
    """cholesky(input, upper=False) -> Tensor: the older name of linalg.cholesky."""
    need_square("cholesky", input)
    L, info = cholesky_op.fn(input, bool(upper))
    if not DISPATCH or not asked((input,)):  # torch's op of that name looks itself
        check_info("cholesky", info, _indefinite)
    return give("cholesky", L, out)


class cholesky_solution(Own):
    """X with A X = B, from the Cholesky factor of A"""

    node_name, namespace, method, jvp_by_double_backward = "CholeskySolveBackward0", None, False, True

    @binary_func_op()
    def forward(xp, B, L, upper):
        return _cholesky_solution(xp, B, L, upper)

    def backward(xp, needs, g, L, out, upper):
        gB = xp.cholesky_solution(g, L, upper) if xp.records else _cholesky_solution(xp, g, L, upper)
        gL = None
        if needs[1]:
            common = xp.matmul(gB, mh(xp, out))
            common = common + mh(xp, common)
            gL = -xp.matmul(L, common) if upper else -xp.matmul(common, L)
        return gB if needs[0] else None, gL


def _cholesky_solution(xp, B, L, upper):
    """Two triangular systems."""
    lower = mh(xp, L) if upper else L
    Y = xp.triangular_solution(lower, B, False, True, False)
    return xp.triangular_solution(mh(xp, lower), Y, True, True, False)


@public(method=True)
def cholesky_solve(B, L, upper=False, *, out=None):
    """cholesky_solve(B, L, upper=False) -> Tensor: X with A X = B, where A = L L^H (upper: L^H L)."""
    if B._array.ndim < 2:
        raise RuntimeError(f"b should have at least 2 dimensions, but has {B._array.ndim} dimensions instead")
    if L._array.ndim < 2:
        raise RuntimeError(f"u should have at least 2 dimensions, but has {L._array.ndim} dimensions instead")
    if B._table.is_half and B.dtype is L.dtype:
        raise not_implemented_error("cholesky_solve_cpu", B.dtype)
    lead = (
        broadcast_tensors(B.detach()[..., 0, 0], L.detach()[..., 0, 0])[0]._array.shape
        if (B._array.shape[:-2] != L._array.shape[:-2])
        else None
    )
    if lead is not None:
        B, L = B.expand(*lead, *B._array.shape[-2:]), L.expand(*lead, *L._array.shape[-2:])
    return give("cholesky_solve", cholesky_solution.fn(B, L, bool(upper)), out)


class cholesky_inversion(Own):
    """The inverse of A, from its Cholesky factor"""

    node_name, namespace, method, jvp_by_double_backward = "CholeskyInverseBackward0", None, False, True

    @unary_func_op()
    def forward(xp, L, upper):
        return _cholesky_solution(xp, xp.expand(xp.eye(L.shape[-1]), L.shape), L, upper)

    def grad_L(xp, g, L, out, upper):
        common = xp.matmul(out, xp.matmul(g + mh(xp, g), out))
        return -xp.matmul(L, common) if upper else -xp.matmul(common, L)


@public(method=True)
def cholesky_inverse(L, upper=False, *, out=None):
    """cholesky_inverse(L, upper=False) -> Tensor: the inverse of A = L L^H (upper: L^H L)."""
    need_square("cholesky_inverse", L)
    return give("cholesky_inverse", cholesky_inversion.fn(L, bool(upper)), out)


# ---- QR


class qr_factors(Own):
    """(Q, R): reduced, or with a complete Q"""

    node_name, namespace, method = "LinalgQrBackward0", None, False

    @func_op(1, 2)
    def forward(xp, A, complete):
        return xp.qr_factors(A, complete)

    def grad_A(xp, g, A, outs, complete):
        gQ, gR = g
        Q, R = outs
        m, n = A.shape[-2:]
        if complete and m > n:
            raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")
        if m >= n:
            return _qr_gradient(xp, gQ, gR, Q, R)
        # wide: A = [A1 A2], R = [R1 Q^H A2]
        dim = len(A.shape) - 1
        A2 = xp.slice(A, dim, m, n, 1)
        g1 = g2 = None
        if gR is not None:
            g1, g2 = xp.slice(gR, dim, 0, m, 1), xp.slice(gR, dim, m, n, 1)
            extra = xp.matmul(A2, mh(xp, g2))
            gQ = extra if gQ is None else gQ + extra
        first = _qr_gradient(xp, gQ, g1, Q, xp.slice(R, dim, 0, m, 1))
        second = xp.matmul(Q, g2) if g2 is not None else A2 * 0
        return xp.cat([first, second], dim)


def _qr_gradient(xp, gQ, gR, Q, R):
    """Walter, Lehmann, Lamour, On evaluating higher-order derivatives of the QR decomposition (2012)."""
    M = None if gR is None else xp.matmul(gR, mh(xp, R))
    if gQ is not None:
        QhgQ = xp.matmul(mh(xp, Q), gQ)
        M = -QhgQ if M is None else M - QhgQ
    M = xp.triu(M, 0)
    M = M + mh(xp, M)
    M = M * (1 - 0.5 * xp.eye(M.shape[-1]))
    if xp.is_complex:  # the diagonal is real
        eye = xp.eye(M.shape[-1])
        M = M - eye * (M - xp.conj(M)) * 0.5
    gA = xp.matmul(Q, M)
    if gQ is not None:
        gA = gA + gQ
    return xp.triangular_solution(mh(xp, R), gA, False, False, False)


_QR, _OLD_QR = return_type("linalg_qr", "Q R"), return_type("qr", "Q R")
_MODE = "qr received unrecognized mode '{}' but expected one of 'reduced' (default), 'r', or 'complete'"


@public("linalg_qr", namespace="linalg")
def linalg_qr(A, mode="reduced", *, out=None):
    """qr(A, mode="reduced") -> (Q, R): orthonormal columns times an upper triangle; mode "r" gives an empty Q."""
    need_matrix("linalg.qr", A)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(_MODE.format(mode))
    Q, R = qr_factors.fn(A, mode == "complete") if mode != "r" else qr_factors.fn(A.detach(), False)
    if mode == "r":
        Q = empty(0, dtype=A.dtype, device=A.device)
    return give("linalg_qr", _QR(Q, R), out, (A,))


@public(method=True)
def qr(input, some=True, *, out=None):
    """qr(input, some=True) -> (Q, R): the older name of linalg.qr; some=False gives a complete Q."""
    return give("qr", _OLD_QR(*linalg_qr(input, "reduced" if some else "complete")), out, (input,))


# ---- singular values


class svd_factors(Own):
    """(U, S, Vh)"""

    node_name, namespace, method, result = "LinalgSvdBackward0", None, False, "of"

    @func_op(1, 3)
    def forward(xp, A, full):
        return xp.svd_factors(A, full)

    def grad_A(xp, g, outs, full, shape):
        return _svd_gradient(xp, g, outs, min(shape[-2:]))


def _svd_gradient(xp, g, outs, k):
    """Wan and Zhang, Automatic differentiation for complex valued SVD (2019), as torch arranges it."""
    gU, gS, gVh = g
    U, S, Vh = outs
    U, Vh = first_slices(xp, U, -1, k), first_slices(xp, Vh, -2, k)
    gU = None if gU is None else first_slices(xp, gU, -1, k)
    gVh = None if gVh is None else first_slices(xp, gVh, -2, k)
    mm, m, n = xp.matmul, U.shape[-2], Vh.shape[-1]
    S = _of_type(xp, S)
    if gU is None and gVh is None:
        scaled = _column(xp, _of_type(xp, gS)) * Vh
        return mm(U, scaled)

    def skew(M):
        return M - mh(xp, M)

    square = S * S
    E = _row(xp, square) - _column(xp, square) + xp.eye(k)
    gA = None
    if gU is not None:
        UhgU = mm(mh(xp, U), gU)
        gA = skew(UhgU) / E * _row(xp, S)
    if gVh is not None:
        part = _column(xp, S) * (skew(mm(Vh, mh(xp, gVh))) / E)
        gA = part if gA is None else gA + part
    if gS is not None:
        gA = gA + _diagonal(xp, _of_type(xp, gS))
    if xp.is_complex and gU is not None and gVh is not None:
        turn = xp.sum(UhgU * xp.eye(k), (len(UhgU.shape) - 1,), False)
        gA = gA + _diagonal(xp, (turn - xp.conj(turn)) * 0.5 / S)
    if m > k and gU is not None:
        over = gU / _row(xp, S)
        gA = mm(U, gA) + over - mm(U, mm(mh(xp, U), over))
        return mm(gA, Vh)
    if n > k and gVh is not None:
        over = gVh / _column(xp, S)
        gA = mm(gA, Vh) + over - mm(mm(over, mh(xp, Vh)), Vh)
        return mm(U, gA)
    return mm(mm(U, gA), Vh)


_SVD, _OLD_SVD = return_type("linalg_svd", "U S Vh"), return_type("svd", "U S V")


@public("linalg_svd", namespace="linalg")
def linalg_svd(A, full_matrices=True, *, driver=None, out=None):
    """svd(A, full_matrices=True) -> (U, S, Vh) with A = U diag(S) Vh, S descending."""
    need_matrix("linalg.svd", A)
    if driver is not None:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )
    found = _SVD(*svd_factors.fn(A, bool(full_matrices)))
    return give("linalg_svd", found, out)


@public("linalg_svdvals", namespace="linalg")
def linalg_svdvals(A, *, driver=None, out=None):
    """svdvals(A) -> Tensor: the singular values, descending."""
    need_matrix("linalg.svd", A)
    return give("linalg_svdvals", svd_factors.fn(A, False)[1], out)


@public(method=True)
def svd(input, some=True, compute_uv=True, *, out=None):
    """svd(input, some=True, compute_uv=True) -> (U, S, V): the older form, with V instead of its adjoint."""
    need_matrix("linalg.svd", input)
    if not compute_uv:
        S = linalg_svdvals(input)
        m, n = input._array.shape[-2:]
        k = input._array.shape[:-2]
        U = zeros((*k, m, m), dtype=input.dtype, device=input.device)
        V = zeros((*k, n, n), dtype=input.dtype, device=input.device)
    else:
        U, S, Vh = svd_factors.fn(input, not some)
        V = Vh.transpose(-2, -1)
        V = V.conj() if V._table.is_complex else V
    return give("svd", _OLD_SVD(U, S, V), out)


# ---- eigenvalues


class eigh_pairs(Own):
    """(eigenvalues, eigenvectors) of Hermitian matrices"""

    node_name, namespace, method, result = "LinalgEighBackward0", None, False, "of"
    composite_results = return_type("linalg_eigh", "eigenvalues eigenvectors")

    @func_op(1, 2)
    def forward(xp, A, lower):
        return xp.eigh_pairs(A, lower)

    def grad_A(xp, g, outs):
        gL, gV = g
        L, V = outs
        L, mm = _of_type(xp, L), xp.matmul
        if gV is None:
            return mm(V * _row(xp, _of_type(xp, gL)), mh(xp, V))
        n = L.shape[-1]
        inner = _no_diagonal(xp, mm(mh(xp, V), gV)) / (_row(xp, L) - _column(xp, L) + xp.eye(n))
        if gL is not None:
            inner = inner + _diagonal(xp, _of_type(xp, gL))
        gA = mm(mm(V, inner), mh(xp, V))
        return (gA + mh(xp, gA)) * 0.5


def _uplo(UPLO):
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return UPLO.upper() == "L"


@public("linalg_eigh", namespace="linalg")
def linalg_eigh(A, UPLO="L", *, out=None):
    """eigh(A, UPLO="L") -> (eigenvalues, eigenvectors) of Hermitian matrices, ascending; one triangle is read."""
    need_square("linalg.eigh", A)
    found = eigh_pairs.fn(A, _uplo(UPLO))
    return found if out is None else store_out("linalg_eigh", found, out, resized="last")


@public("linalg_eigvalsh", namespace="linalg")
def linalg_eigvalsh(A, UPLO="L", *, out=None):
    """eigvalsh(A, UPLO="L") -> Tensor: the eigenvalues of Hermitian matrices, ascending."""
    need_square("linalg.eigvalsh", A)
    return give("linalg_eigvalsh", eigh_pairs.fn(A, _uplo(UPLO))[0], out)


class eig_pairs(Own):
    """(eigenvalues, eigenvectors), complex"""

    node_name, namespace, method, result = "LinalgEigBackward0", None, False, "of"
    composite_results = return_type("linalg_eig", "eigenvalues eigenvectors")

    @func_op(1, 2)
    def forward(xp, A):
        return xp.eig_pairs(A)

    def grad_A(xp, g, outs):
        # Boeddeker et al., On the Computation of Complex-valued Gradients with Application to Statistically Optimum
        # Beamforming (2019), for eigenvectors of length 1
        gL, gV = g
        L, V = outs
        k = xp.of(V)
        Vh, mm, n = mh(k, V), k.matmul, L.shape[-1]
        if gV is None:
            inner = _diagonal(k, gL)
        else:
            VhgV = mm(Vh, gV)
            along = k.sum(VhgV * k.eye(n), (len(VhgV.shape) - 1,), False)
            along = (along + k.conj(along)) * 0.5
            E = k.conj(_row(k, L)) - k.conj(_column(k, L)) + k.eye(n)
            inner = _no_diagonal(k, VhgV - mm(Vh, V) * _row(k, along)) / E
            if gL is not None:
                inner = inner + _diagonal(k, gL)
        got = k.solution(Vh, mm(inner, Vh))[0]
        return got if xp.is_complex else xp.cast(k.real(got), xp.dtype)


@public("linalg_eig", namespace="linalg")
def linalg_eig(A, *, out=None):
    """eig(A) -> (eigenvalues, eigenvectors) of square matrices, complex, eigenvectors of length 1."""
    need_square("linalg.eig", A)
    return give("linalg_eig", eig_pairs.fn(A), out)


@public("linalg_eigvals", namespace="linalg")
def linalg_eigvals(A, *, out=None):
    """eigvals(A) -> Tensor: the eigenvalues of square matrices, complex."""
    need_square("linalg.eigvals", A)
    return give("linalg_eigvals", eig_pairs.fn(A)[0], out)


# ---- reflectors


class reflectors(Own):
    """The product of Householder reflectors"""

    promote, node_name, namespace, method = None, "LinalgHouseholderProductBackward0", None, False

    @func_op(2)
    def forward(xp, A, tau):
        return xp.reflectors(A, tau)

    def backward(xp, needs, g, A, tau):
        # Q = H1 H2 ... I with H = I - tau v v^H, built from the right: each step X = H Y hands g to H, and H^H g to Y
        n, rows, columns = len(A.shape), A.shape[-2], A.shape[-1]
        eye = xp.expand(xp.eye(rows, columns), tuple(A.shape))
        V, each = xp.tril(A, -1) + xp.eye(rows, columns), range(tau.shape[-1])
        v = [xp.slice(V, n - 1, i, i + 1, 1) for i in each]
        t = [xp.unsqueeze(xp.slice(tau, n - 2, i, i + 1, 1), n - 1) for i in each]
        Y = [eye]
        for i in reversed(each):
            Y.insert(0, Y[0] - xp.matmul(v[i] * t[i], xp.matmul(mh(xp, v[i]), Y[0])))
        to_v, to_t = [], []
        for i in each:
            right = xp.matmul(g, xp.matmul(mh(xp, Y[i + 1]), v[i]))
            left = xp.matmul(Y[i + 1], xp.matmul(mh(xp, g), v[i]))
            to_t.append(xp.squeeze(-xp.matmul(mh(xp, v[i]), right), (n - 1,)))
            to_v.append(-(xp.conj(t[i]) * right + t[i] * left))
            g = g - xp.matmul(v[i] * xp.conj(t[i]), xp.matmul(mh(xp, v[i]), g))
        rest = [xp.zeros((*A.shape[:-1], columns - len(to_v)))] if columns > len(to_v) else []
        return (
            xp.tril(xp.cat(to_v + rest, n - 1), -1) if to_v else xp.zeros(A.shape),
            xp.cat(to_t, n - 2) if to_t else xp.zeros(tau.shape),
        )


@public("orgqr", method=True)
@public("linalg_householder_product", namespace="linalg")
def linalg_householder_product(A, tau, *, out=None):
    """householder_product(A, tau) -> Tensor: the first columns of the product of the reflectors below A's diagonal."""
    need_matrix("torch.linalg.householder_product", A)
    if A._array.shape[-2] < A._array.shape[-1]:
        raise RuntimeError(
            "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1]"
        )
    return give("linalg_householder_product", reflectors.fn(A, tau), out)


class qr_raw(Own):
    """(reflectors and R, factors)"""

    name, node_name, namespace, method, complex_gradient = "_geqrf", "GeqrfBackward0", None, False, False

    @func_op(1, 2)
    def forward(xp, A):
        return xp.qr_raw(A)

    grad_A = missing_derivative("geqrf")


_GEQRF = return_type("geqrf", "a tau")


@public(method=True)
def geqrf(input, *, out=None):
    """geqrf(input) -> (a, tau): QR as LAPACK keeps it, reflectors below the diagonal."""
    need_matrix("geqrf", input)
    return give("geqrf", _GEQRF(*qr_raw.fn(input)), out)
