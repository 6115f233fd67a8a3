"""LDL factors of symmetric and Hermitian matrices: linalg.ldl_factor, ldl_factor_ex, ldl_solve."""

from ..._backend.core import func_op
from ..._backend.families import Own
from ..._backend.registry import public
from ..._base.dtype import INTEGRAL, SCALAR_NAMES
from ..._base.shape import wrap_dim
from ..._tensor.return_types import return_type
from ..pointwise.operands import not_differentiable
from .decomposition import give
from .solvers import check_info, need_square

_LDL_FACTOR = return_type("linalg_ldl_factor", "LD pivots")
_ANSWERED = "torch.linalg.ldl_factor_ex"


class ldl_factors(Own):
    """(LD, pivots, info)"""

    node_name, namespace, method, result, differentiable = "NotImplemented", None, False, "of", (0,)
    composite_results = return_type("linalg_ldl_factor_ex", "LD pivots info")

    @func_op(1, 3)
    def forward(xp, A, hermitian):
        return xp.ldl_factors(A, hermitian)

    grad_A = not_differentiable("linalg_ldl_factor_ex")


class ldl_solution(Own):
    """X with A X = B, of A's factors."""

    node_name, namespace, method, index_inputs = "NotImplemented", None, False, ("pivots",)

    @func_op(3)
    def forward(xp, LD, pivots, B, hermitian):
        return xp.ldl_solution(LD, pivots, B, hermitian)

    grad_LD = grad_B = not_differentiable("linalg_ldl_solve")


def _factors(name, A, hermitian, check):
    need_square(_ANSWERED, A)
    found = ldl_factors.fn(A, bool(hermitian))
    if check:
        check_info(name, found[2], lambda value: f"Unknown error code: {value}.")
    return found


@public("linalg_ldl_factor", namespace="linalg")
def linalg_ldl_factor(A, *, hermitian=False, out=None):
    """ldl_factor(A, *, hermitian=False) -> (LD, pivots): L and the blocks of D in one matrix, as LAPACK's sytrf or
    hetrf give them; A's lower triangle is read. Without gradients.
    """
    LD, pivots, _ = _factors("torch.linalg.ldl_factor", A, hermitian, True)
    return give("linalg_ldl_factor", _LDL_FACTOR(LD, pivots), out)


@public("linalg_ldl_factor_ex", namespace="linalg")
def linalg_ldl_factor_ex(A, *, hermitian=False, check_errors=False, out=None):
    """ldl_factor_ex(A, *, hermitian=False, check_errors=False) -> (LD, pivots, info)"""
    return give("linalg_ldl_factor_ex", _factors(_ANSWERED, A, hermitian, check_errors), out)


@public("linalg_ldl_solve", namespace="linalg")
def linalg_ldl_solve(LD, pivots, B, *, hermitian=False, out=None):
    """ldl_solve(LD, pivots, B, *, hermitian=False) -> Tensor: X with A X = B, from ldl_factor of A, no gradients."""
    name = "torch.linalg.ldl_solve"
    need_square(name, LD)
    wrap_dim(-2, B._array.ndim)
    dtypes = LD._table.dtype, B._table.dtype
    m, n = LD._array.shape[-1], B._array.shape[-2]
    if dtypes[0] is not dtypes[1]:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {SCALAR_NAMES[dtypes[1]]} and A of type "
            f"{SCALAR_NAMES[dtypes[0]]} instead."
        )
    if m != n:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name}: each A matrix is {m} by {m} but each b matrix is {n} by "
            f"{B._array.shape[-1]}"
        )
    if pivots._table.dtype.category != INTEGRAL:
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {SCALAR_NAMES[pivots._table.dtype]}")
    if LD._array.shape[:-1] != pivots._array.shape:
        raise RuntimeError(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots._array.shape)} instead"
        )
    return give("linalg_ldl_solve", ldl_solution.fn(LD, pivots, B, bool(hermitian)), out, (B,))
