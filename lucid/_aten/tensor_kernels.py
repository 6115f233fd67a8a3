"""ATen's ops on tensors that lucid has in another form, computed."""

from .._backend.registry import FUNCTIONS, NAMESPACES, OPS
from .._func.indexing.getitem import MASKS
from .._func.linalg import decomposition, lu, solvers
from .._tensor.tensor import Tensor, preserve_format
from .kernel_table import kernel

LINALG = NAMESPACES["linalg"]


def _fn(name):
    return OPS[name].fn


@kernel("_to_copy")
def to_copy(x, dtype, layout, device, pin_memory, non_blocking, memory_format):
    how = {} if memory_format is None else {"memory_format": memory_format}
    return x.to(device=device, dtype=dtype, copy=True, **how)


@kernel("clone")
def clone(x, memory_format):
    return x.clone(memory_format=preserve_format if memory_format is None else memory_format)


@kernel("detach")
def detach(x):
    return x.detach()


@kernel("alias")
def alias(x):
    return _fn("alias")(x)


@kernel("lift_fresh", "lift")
def lift_fresh(x):
    return x


@kernel("lift_fresh_copy")
def lift_fresh_copy(x):
    return x.clone()


@kernel("reshape")
def reshape(x, size):
    return x.reshape(tuple(size))


@kernel("view", "_unsafe_view")
def view(x, size):
    return x.view(size) if not isinstance(size, (list, tuple)) else x.view(tuple(size))


@kernel("_reshape_alias")
def reshape_alias(x, size, stride):
    return x.as_strided(size, stride)


@kernel("index.Tensor", "_unsafe_index.Tensor")
def index(x, indices):
    if any([i is not None and not i.dim() and i.dtype not in MASKS for i in indices]):  # not read: it has a place
        given = [i.nonzero().unbind(1) if i is not None and i.dtype in MASKS else (i,) for i in indices]
        flat = [i for part in given for i in part]
        return OPS["index_of"].fn(x, *flat, *[None] * (8 - len(flat)))
    return x[tuple([slice(None) if i is None else i for i in indices])]


@kernel("index_put", "_unsafe_index_put")
def index_put(x, indices, values, accumulate, *unsafe):
    if all(i is not None for i in indices):
        return FUNCTIONS["index_put"](x, tuple(indices), values, accumulate)
    return _fn("index_put_of")(x, values, *indices, *[None] * (8 - len(indices)), accumulate=accumulate)


@kernel("cholesky")
def cholesky(A, upper):
    return FUNCTIONS["cholesky"](A, upper)


@kernel("index_put_")
def index_put_(x, indices, values, accumulate, *unsafe):
    if all(i is not None for i in indices):
        return x.index_put_(tuple(indices), values, accumulate)
    return x.copy_(index_put(x, indices, values, accumulate))


@kernel("slice.Tensor")
def slice_(x, dim, start, end, step):
    return FUNCTIONS["slice"](x, dim, *_bounds(x.shape[dim], start, end), step)


def _bounds(n, start, end):
    start, end = 0 if start is None else start, n if end is None else end
    start, end = (max(v + n, 0) if v < 0 else min(v, n) for v in (start, end))
    return start, max(end, start)


@kernel("scalar_tensor")
def scalar_tensor(value, dtype, layout, device, pin_memory):
    return FUNCTIONS["scalar_tensor"](value, dtype=dtype, device=device)


@kernel("_local_scalar_dense", "item")
def item(x):
    return x.item()


@kernel("is_same_size")
def is_same_size(a, b):
    return a.shape == b.shape


@kernel("sym_size.int", "size.int")
def size(x, dim):
    return x.size(dim)


@kernel("linspace", "logspace")
def linspace(start, end, steps, *rest):
    base, rest = (rest[0], rest[1:]) if len(rest) == 5 else (None, rest)
    dtype, _, device, _ = rest
    more = () if base is None else (base,)
    if any(isinstance(x, Tensor) and not x._table.has_data for x in (start, end)):
        start = end = 0.0  # whose values are no matter of shapes
    return FUNCTIONS["linspace" if base is None else "logspace"](start, end, steps, *more, dtype=dtype, device=device)


@kernel("rot90")
def rot90(x, k, dims):
    return FUNCTIONS["rot90"](x, k, tuple(dims))


@kernel("where.self")
def where(condition, a, b):
    return FUNCTIONS["where"](condition, a, b)


@kernel("_cdist_forward")
def cdist_forward(a, b, p, compute_mode):
    return _fn("cdist_of")(a, b, p)


@kernel("_pdist_forward")
def pdist_forward(x, p):
    return NAMESPACES["nn.functional"]["pdist"](x, p)


@kernel("_linalg_det")
def linalg_det(A):
    LU, pivots, _ = _factors(A)
    return LINALG["linalg_det"](A) if "linalg_det" in LINALG else LINALG["det"](A), LU, pivots


@kernel("_linalg_slogdet")
def linalg_slogdet(A):
    LU, pivots, _ = _factors(A)
    return (*_fn("sign_logdet")(A), LU, pivots)


def _factors(A):
    return _fn("lu_factors")(A, True)


@kernel("_linalg_solve_ex")
def linalg_solve_ex(A, B, left, check_errors):
    X, info = FUNCTIONS["linalg_solve_ex"](A, B, left=left, check_errors=check_errors)
    LU, pivots, _ = _factors(A)
    return X, LU, pivots, info


@kernel("_linalg_svd")
def linalg_svd(A, full_matrices, compute_uv, driver):
    U, S, Vh = _fn("svd_factors")(A, full_matrices)
    return (U, S, Vh) if compute_uv else (A.new_empty((0,)), S, A.new_empty((0,)))


@kernel("_linalg_eigh")
def linalg_eigh(A, uplo, compute_v):
    values, vectors = _fn("eigh_pairs")(A, uplo.upper() == "L")
    return values, vectors if compute_v else A.new_empty((0,))


@kernel("linalg_qr")
def linalg_qr(A, mode):
    return tuple(LINALG["linalg_qr"](A, mode))


@kernel("linalg_inv_ex")
def linalg_inv_ex(A, check_errors):
    return tuple(LINALG["linalg_inv_ex"](A, check_errors=check_errors))


@kernel("linalg_cholesky_ex")
def linalg_cholesky_ex(A, upper, check_errors):
    return tuple(LINALG["linalg_cholesky_ex"](A, upper=upper, check_errors=check_errors))


@kernel("linalg_lu_factor_ex")
def linalg_lu_factor_ex(A, pivot, check_errors):
    return tuple(LINALG["linalg_lu_factor_ex"](A, pivot=pivot, check_errors=check_errors))


@kernel("linalg_vector_norm")
def linalg_vector_norm(x, order, dim, keepdim, dtype):
    return LINALG["linalg_vector_norm"](x, order, None if dim is None else tuple(dim), keepdim, dtype=dtype)


@kernel("linalg_pinv.atol_rtol_tensor", "linalg_pinv.atol_rtol_float")
def linalg_pinv(A, atol, rtol, hermitian):
    return LINALG["linalg_pinv"](A, atol=atol, rtol=rtol, hermitian=hermitian)


@kernel("linalg_lstsq")
def linalg_lstsq(A, B, rcond, driver):
    return tuple(LINALG["linalg_lstsq"](A, B, rcond, driver=driver))


@kernel("_linalg_check_errors")
def linalg_check_errors(info, api_name, is_matrix):
    name = api_name.rpartition(".")[2].removesuffix("_ex")
    text = {"inv": solvers._singular, "cholesky": decomposition._indefinite, "lu_factor": lu._zero_pivot}.get(name)
    solvers.check_info(api_name, info, text or (lambda value: _NOT_SOLVED))


_NOT_SOLVED = "The solver failed because the input matrix is singular."


@kernel("norm.ScalarOpt_dim")
def norm_dim(x, p, dim, keepdim):
    return FUNCTIONS["norm"](x, 2 if p is None else p, tuple(dim), keepdim)


@kernel("norm.Scalar")
def norm(x, p):
    return FUNCTIONS["norm"](x, p)


@kernel("unique_dim")
def unique_dim(x, dim, sort, return_inverse, return_counts):
    return _three(FUNCTIONS["unique"](x, sort, True, True, dim), x)


@kernel("_unique2")
def unique2(x, sort, return_inverse, return_counts):
    return _three(FUNCTIONS["unique"](x, sort, True, True), x)


@kernel("unique_consecutive")
def unique_consecutive(x, return_inverse, return_counts, dim):
    return _three(FUNCTIONS["unique_consecutive"](x, True, True, dim), x)


def _three(found, x):
    return tuple(found)


@kernel("special_modified_bessel_i0")
def modified_bessel_i0(x):
    return FUNCTIONS["i0"](x)


@kernel("copy")
def copy(x, src, non_blocking):
    return src.to(x.dtype).expand(x.shape).clone()


@kernel("equal")
def equal(a, b):
    return FUNCTIONS["equal"](a, b)


@kernel("_conj")
def conj(x):
    return x.conj()


@kernel("_neg_view")
def neg_view(x):
    return FUNCTIONS["_neg_view"](x)


@kernel("new_empty_strided")
def new_empty_strided(x, shape, stride, dtype, layout, device, pin_memory):
    return FUNCTIONS["empty_strided"](shape, stride, dtype=dtype or x.dtype, device=device or x.device)


@kernel("_log_softmax")
def log_softmax(x, dim, half_to_float):
    return _fn("log_softmax_op")(x, dim)


@kernel("_softmax")
def softmax(x, dim, half_to_float):
    return _fn("softmax_op")(x, dim)


@kernel("split.Tensor")
def split(x, size, dim):
    return FUNCTIONS["split"](x, size, dim)


@kernel("unsafe_split.Tensor")
def unsafe_split(x, size, dim):
    return FUNCTIONS["unsafe_split"](x, size, dim)
