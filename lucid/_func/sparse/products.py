"""Products of sparse matrices: sparse.mm, sparse.addmm, sampled_addmm, spmm, smm, sspaddmm, hspmm."""

from ..._array.sparse.arrays import listed
from ..._array.sparse.table import table as sparse_table
from ..._backend.core import func_op
from ..._backend.out_argument import store_out
from ..._backend.registry import public
from ..._base.dtype import SCALAR_NAMES, int64
from ..._tensor.tensor import wrap
from ..creation.gfunc import zeros
from ..linalg.matmul import _adjoint, _flip
from ..linalg.matmul import mm as dense_mm
from ..pointwise.operands import conj_number
from .checks import need_tensor
from .construct import Unlisted
from .layouts import layout_name, unsupported


class sparse_addmm(Unlisted):
    """sparse_addmm(input, mat1, mat2, beta, alpha): beta * input + alpha * mat1 @ mat2 of a sparse mat1, whose gradient
    has mat1's places only."""

    node_name, result, namespace = "SparseAddmmBackward0", "of", None

    @func_op(3)
    def forward(xp, input, mat1, mat2, beta=1, alpha=1):
        product = xp.matmul(mat1, mat2)
        product = product if alpha == 1 else product * xp.scalar(alpha)
        return product if beta == 0 else xp.add(input if beta == 1 else input * xp.scalar(beta), product)

    def mismatch(*dtypes):
        one, two = SCALAR_NAMES[dtypes[0]], next((SCALAR_NAMES[d] for d in dtypes if d is not dtypes[0]), None)
        return f"expected scalar type {one} but found {two}"

    def grad_input(xp, g, beta):
        return g if beta == 1 else g * conj_number(beta)

    def grad_mat1(xp, g, mat1, mat2, alpha):
        got = xp.sampled_product(g, _adjoint(xp, mat2), mat1)
        return got if alpha == 1 else got * conj_number(alpha)

    def grad_mat2(xp, g, mat1, alpha):
        got = xp.matmul(_adjoint(xp, mat1), g)
        return got if alpha == 1 else got * conj_number(alpha)


class sampled_product(Unlisted):
    """sampled_product(mat1, mat2, like): mat1 @ mat2 of dense matrices at the places of a sparse one."""

    name, index_inputs, result = "sampled_product", ("like",), "of"

    @func_op(3)
    def forward(xp, mat1, mat2, like):
        return xp.product_at(mat1, mat2, like)

    def grad_mat1(xp, g, mat2):
        return xp.matmul(g, _adjoint(xp, mat2))

    def grad_mat2(xp, g, mat1):
        return _flip(xp, xp.matmul(_flip(xp, g), xp.conj(mat1)))


class sparse_sparse_matmul(Unlisted):
    """sparse_sparse_matmul(input, other): the product of two sparse matrices; gradients at their own places count."""

    node_name, result, namespace = "SparseSparseMatmulBackward0", "of", None

    @func_op(2)
    def forward(xp, input, other):
        return xp.matmul(input, other)

    def grad_input(xp, g, input, other):
        return xp.kept_at(xp.matmul(g, _adjoint(xp, other)), input)

    def grad_other(xp, g, input, other):
        return xp.kept_at(xp.matmul(_adjoint(xp, input), g), other)


class kept_at(Unlisted):
    """kept_at(input, mask): a sparse input with zeros at places that mask does not name."""

    name, index_inputs = "kept_at", ("mask",)

    @func_op(2)
    def forward(xp, input, mask):
        return xp.kept_at(input, mask)

    def grad_input(xp, g, mask):
        return xp.kept_at(g, mask)


class sampled_addmm_op(Unlisted):
    """sampled_addmm(input, mat1, mat2, beta, alpha): alpha * mat1 @ mat2 at input's places, plus beta * input."""

    name, node_name, result = "sampled_addmm", "SparseSampledAddmmBackward0", "of"

    @func_op(3)
    def forward(xp, input, mat1, mat2, beta=1, alpha=1):
        product = xp.product_at(mat1, mat2, input)
        values = product.values if alpha == 1 else product.values * xp.scalar(alpha)
        old = input.values if beta == 1 else input.values * xp.scalar(beta)
        return product.with_values(values if beta == 0 else values + old)

    def grad_input(xp, g, beta):
        return g if beta == 1 else g * conj_number(beta)

    def grad_mat1(xp, g, input, mat2, alpha):
        got = xp.matmul(xp.sparse_like(g, input), _adjoint(xp, mat2))
        return got if alpha == 1 else got * conj_number(alpha)

    def grad_mat2(xp, g, input, mat1, alpha):
        got = xp.matmul(_flip(xp, xp.sparse_like(g, input)), xp.conj(mat1))
        got = _flip(xp, got)
        return got if alpha == 1 else got * conj_number(alpha)


class reduced_mm(Unlisted):
    """reduced_mm(mat1, mat2, reduce): sparse.mm of a CSR matrix with another reduction than the sum over its rows."""

    node_name, differentiable = "SparseMmReduceImplBackward0", (0,)

    @func_op(2, 2)
    def forward(xp, mat1, mat2, reduce):
        out, first = xp.reduced_product(mat1, mat2, reduce)
        return out, xp.sibling(int64).dense.zeros((0,)) if first is None else first

    def backward(xp, needs, g, mat1, mat2, reduce, out1):
        if not xp.records:
            return xp.reduced_product_backward(g, mat1, mat2, reduce, out1)
        return xp.reduced_mm_gradient(mat1, g, mat2, out1, reduce)


class reduced_mm_gradient(Unlisted):
    """reduced_mm_gradient(mat1, g, mat2, places, reduce): reduced_mm's; torch has no second one."""

    node_name, index_inputs = "NotImplemented", ("places",)

    @func_op(4, 2)
    def forward(xp, mat1, g, mat2, places, reduce):
        return xp.reduced_product_backward(g, mat1, mat2, reduce, places)

    def backward(xp, needs, g):
        raise RuntimeError("derivative for aten::_sparse_mm_reduce_impl_backward is not implemented")


# ---- torch.sparse


def _is_sparse(t):
    return t._table.is_sparse and layout_name(t) != "strided"


def _pair(name, mat1, mat2):
    need_tensor(name, mat1, "mat1", 1)
    need_tensor(name, mat2, "mat2", 2)


_REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


@public("mm", namespace="sparse")
def sparse_mm(mat1, mat2, reduce=None):
    """mm(mat1, mat2, reduce="sum") -> Tensor: the product of a sparse matrix and a dense or sparse one.

    The gradient of a sparse operand is sparse, with its places only. reduce: how the terms of a row of a CSR mat1 come
    together, "sum", "mean", "amax" or "amin".
    """
    _pair("_sparse_mm", mat1, mat2)
    if reduce is not None:
        return _reduced(mat1, mat2, reduce)
    if _is_sparse(mat1) and _is_sparse(mat2):
        if mat1.is_sparse != mat2.is_sparse:
            one, two = (_in_messages(t) for t in (mat1, mat2))
            raise RuntimeError(f"addmm: computation on CPU is not implemented for {two} + {one} @ {two}")
        _check_shapes(mat1, mat2)
        return sparse_sparse_matmul.fn(mat1, mat2)
    if not _is_sparse(mat1):
        if _is_sparse(mat2):
            return sparse_mm(mat2.transpose(-2, -1), mat1.transpose(-2, -1)).transpose(-2, -1)
        return dense_mm.fn(mat1, mat2)
    _check_shapes(mat1, mat2)
    start = zeros((), dtype=mat2.dtype)
    return sparse_addmm.fn(start, mat1, mat2, 0, 1)


def _in_messages(t):
    return {"sparse_coo": "Sparse", "sparse_csr": "SparseCsr", "sparse_csc": "SparseCsc"}[layout_name(t)]


def _check_shapes(mat1, mat2):
    if mat1.ndim != 2 or mat2.ndim != 2:
        raise RuntimeError(f"addmm: matrices expected, got {mat1.ndim}D and {mat2.ndim}D tensors")
    if mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(
            f"addmm: Argument #3 (dense): Expected dim 0 size {mat1.shape[1]}, got {mat2.shape[0]}"
            if mat1.is_sparse and not _is_sparse(mat2)
            else f"mat1 and mat2 shapes cannot be multiplied ({mat1.shape[0]}x{mat1.shape[1]} and "
            f"{mat2.shape[0]}x{mat2.shape[1]})"
        )


def _reduced(mat1, mat2, reduce):
    if reduce not in _REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if not mat1.is_sparse_csr:
        raise unsupported("_sparse_mm_reduce_impl", mat1)
    if reduce == "prod":
        raise RuntimeError("sparse.mm: reduce='prod' is not supported")
    if _is_sparse(mat2):
        raise RuntimeError("sparse.mm: expect mat2 to be a strided tensor")
    _check_shapes(mat1, mat2)
    return reduced_mm.fn(mat1, mat2, reduce)[0]


@public("addmm", namespace="sparse")
def sparse_addmm_function(mat, mat1, mat2, *, beta=1.0, alpha=1.0):
    """addmm(mat, mat1, mat2, *, beta=1, alpha=1) -> Tensor: beta * mat + alpha * mat1 @ mat2 of a sparse mat1, whose
    gradient is sparse, with its places only."""
    _pair("_sparse_addmm", mat1, mat2)
    _check_shapes(mat1, mat2)
    if not _is_sparse(mat1):
        return mat.addmm(mat1, mat2, beta=beta, alpha=alpha)
    shape = (mat1.shape[0], mat2.shape[1])
    return sparse_addmm.fn(mat if tuple(mat.shape) == shape else mat.expand(shape), mat1, mat2, beta, alpha)


@public("sampled_addmm", namespace="sparse")
def sampled_addmm(input, mat1, mat2, *, beta=1.0, alpha=1.0, out=None):
    """sampled_addmm(input, mat1, mat2, *, beta=1, alpha=1) -> Tensor, sparse: alpha * (mat1 @ mat2) at the places of
    the CSR matrix input, plus beta * input."""
    if not input.is_sparse_csr:
        raise RuntimeError(
            f"sampled_addmm: Expected self to have sparse_csr layout, but got {input.layout}"
            if layout_name(input) != "strided"
            else "sampled_addmm: Expected self to have sparse csr layout, but got Strided"
        )
    for t, name in ((mat1, "mat1"), (mat2, "mat2")):
        if _is_sparse(t):
            raise RuntimeError(f"Expected {name} to have strided layout, but got {_in_messages(t)}")
    if mat1.ndim < 2 or mat2.ndim < 2 or mat1.shape[-1] != mat2.shape[-2]:
        one, two = "x".join(map(str, mat1.shape)), "x".join(map(str, mat2.shape))
        raise RuntimeError(f"sampled_addmm: mat1 and mat2 shapes cannot be multiplied ({one} and {two})")
    if input.shape[-2] != mat1.shape[-2]:
        raise RuntimeError("sampled_addmm: self.shape[-2] must match mat1.shape[-2]")
    if input.shape[-1] != mat2.shape[-1]:
        raise RuntimeError("sampled_addmm: self.shape[-1] must match mat2.shape[-1]")
    result = sampled_addmm_op.fn(input, mat1, mat2, beta, alpha)
    if out is None:
        return result
    out._array = result._array
    return out


# ---- torch's older names


@public("spmm")
def spmm(input, mat2, *, out=None):
    """spmm(input, mat2) -> Tensor: torch.mm under an older name."""
    return dense_mm.fn(input, mat2, out=out)


public("dsmm")(spmm)


def _sparse_first(name, input):
    if not input.is_sparse:
        raise unsupported(name, input)


@public(method=True)
def smm(input, mat):
    """smm(mat) -> Tensor, sparse: the product of a COO matrix and a dense one, as a COO tensor."""
    _sparse_first("sspaddmm", input)
    rows, columns = input.shape[0], mat.shape[1]
    k = input._table
    return sspaddmm(wrap(k.empty_of((rows, columns)), k), input, mat, beta=0)


@public(method=True)
def sspaddmm(input, mat1, mat2, *, beta=1, alpha=1, out=None):
    """sspaddmm(input, mat1, mat2, *, beta=1, alpha=1) -> Tensor, sparse: beta * input + alpha * mat1 @ mat2, of COO
    tensors input and mat1 and a dense mat2."""
    if not (input.is_sparse and mat1.is_sparse):
        raise unsupported("sspaddmm", input if not input.is_sparse else mat1)
    if mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(f"sspaddmm: Argument #3: Expected dim 0 size {mat1.shape[1]}, got {mat2.shape[0]}")
    k, product = input._table, dense_mm.fn(mat1.detach(), mat2.detach()) * alpha
    rows = sparse_table(int64).dense
    present = mat1.coalesce()._array.indices[0]
    numbers = sorted(set(present.tolist()))
    columns = product.shape[1]
    i = wrap(rows.from_python([[r] * columns for r in numbers]).reshape(-1), rows)
    j = wrap(rows.from_python([list(range(columns)) for _ in numbers]).reshape(-1), rows)
    old = input.detach()
    indices = rows.cat([old._array.indices, rows.stack([i._array, j._array], 0)], 1)
    values = k.dense.cat([(old * beta)._array.values, product[i, j]._array], 0)
    made = wrap(listed(indices, values, input._array.shape), k)
    return made if out is None else store_out("sspaddmm", made, out)


@public(method=True)
def hspmm(mat1, mat2, *, out=None):
    """hspmm(mat1, mat2) -> Tensor, sparse: the product of a COO and a dense matrix, whose rows that are not empty are
    dense."""
    _sparse_first("hspmm", mat1)
    _check_shapes(mat1, mat2)
    product, k = dense_mm.fn(mat1.detach(), mat2.detach()), mat1._table
    rows = wrap(mat1.coalesce()._array.indices[0], sparse_table(int64).dense).unique()
    made = listed(rows._array.reshape(1, -1), product[rows]._array, product._array.shape)
    return wrap(made, k)


public("hsmm")(hspmm)

__all__ = ["hspmm", "sampled_addmm", "smm", "sparse_mm", "spmm", "sspaddmm"]
