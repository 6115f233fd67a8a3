"""Norms and distances: norm, linalg.vector_norm, renorm, dist, cdist, pdist, cosine_similarity, normalize."""

import math

from ..._backend.autocast import as_called
from ..._backend.core import binary_func_op, unary_func_op
from ..._backend.families import Own, not_implemented_error, restore
from ..._backend.out_argument import store_out
from ..._backend.promotion import plain_number
from ..._backend.registry import public
from ..._backend.rules import in_one_step
from ..._backend.signatures import bind, signatures
from ..._base.dtype import FLOATING, SCALAR_NAMES, bool_, int64
from ..._base.dtype import dtype as dtype_type
from ..._base.promotion import promote_types
from ..._base.shape import broadcast_pair, broadcast_shapes, wrap_dim, wrap_dims
from ..._base.state import DISPATCH, local
from ..._tensor.tensor import Tensor, wrap
from ..creation.gfunc import triu_indices
from ..linalg.decomposition import linalg_svdvals
from ..pointwise.bfunc import div

INF = math.inf


# ---- the p-norm and its gradient


def norm_gradient(xp, g, x, p, norm, dim, keepdim):
    """torch's norm_backward: the gradient of the p-norm of x over dim, 0 where the norm is."""
    shape = x.shape
    g, norm = restore(xp, g, dim, keepdim, shape), restore(xp, norm, dim, keepdim, shape)
    if p == 0:
        return xp.zeros(shape)
    if p == 1:
        return xp.sgn(x) * g
    if p == 2:
        return g * xp.where(xp.eq(norm, 0), xp.scalar(0), x / norm)
    size = xp.abs(x)
    real = xp.of(size)
    if p in (INF, -INF):
        hit = real.cast(xp.logical_or(xp.eq(size, norm), xp.isnan(size)), real.dtype)
        return xp.sgn(x) * (g / real.sum(hit, dim, True) * hit)
    if p < 1:
        slope = xp.masked_fill(xp.sgn(x) * real.pow(size, real.scalar(p - 1)), xp.eq(x, 0), 0)
        return slope * g * real.pow(norm, real.scalar(1 - p))
    scale = real.masked_fill(g / real.pow(norm, real.scalar(p - 1)), xp.eq(norm, 0), 0)
    if p < 2:
        return xp.sgn(x) * real.pow(size, real.scalar(p - 1)) * scale
    return x * real.pow(size, real.scalar(p - 2)) * scale


def _norm_dims(x, p, dim):
    """dim as a tuple; torch's errors for norms of nothing."""
    if x.ndim == 0:
        wrap_dims(dim, 0)
        return ()
    all_dims = dim is None or isinstance(dim, (tuple, list)) and not dim
    dims = tuple(range(x.ndim)) if all_dims else wrap_dims(dim, x.ndim)
    if (p < 0 or p == INF) and 0 in x.shape:
        order = "inf" if p == INF else "-inf" if p == -INF else f"{p:g}"
        if dim is None or dim == ():
            raise RuntimeError(
                f"linalg.vector_norm cannot compute the {order} norm on an empty tensor because the operation does not "
                "have an identity"
            )
        for d in dims:
            if x.shape[d] == 0:
                raise RuntimeError(
                    f"linalg.vector_norm cannot compute the {order} norm on the dimension {d} because this dimension "
                    "is empty and the operation does not have an identity"
                )
    return dims


def _norm_kernel(xp, input, dim, keepdim, p):
    return xp.vector_norm(input, dim, keepdim, p)


def _norm_options(input, dim, keepdim, p):
    return _norm_dims(input, p, dim), keepdim, p


def _norm_rule(xp, g, input, out, dim, keepdim, p):
    return norm_gradient(xp, g, input, p, out, dim, keepdim) if p else None


class vector_norm(Own):
    """The p-norm over dimensions, of real or complex numbers."""

    promote, node_name, namespace, method, result = "same", "LinalgVectorNormBackward0", None, False, "of"
    forward, prepare, grad_input = unary_func_op()(_norm_kernel), _norm_options, _norm_rule


class norm_along(Own):
    """vector_norm under the name that torch's older code records."""

    promote, node_name, namespace, method, result = "same", "NormBackward1", None, False, "of"
    forward, prepare, grad_input = unary_func_op()(_norm_kernel), _norm_options, _norm_rule


def in_type(name, x, dtype):
    """x, checked and cast for a norm."""
    if not x._table.inexact:
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {SCALAR_NAMES[x.dtype]}")
    if dtype is None:
        return x
    if dtype.category < FLOATING:
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {SCALAR_NAMES[dtype]}")
    if x._table.is_complex != dtype.is_complex:
        kind = "complex" if x._table.is_complex else "real"
        raise RuntimeError(f"{name}: dtype should be {kind} for {kind} inputs. Got {SCALAR_NAMES[dtype]}")
    if promote_types(x.dtype, dtype) is not dtype:
        raise RuntimeError(
            f"{name}: the dtype of the input ({SCALAR_NAMES[x.dtype]}) should be convertible without narrowing to the "
            f"specified dtype ({SCALAR_NAMES[dtype]})"
        )
    return x.to(dtype)


@public("linalg_vector_norm", namespace="linalg")
def linalg_vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None):
    """vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None) -> Tensor: (sum |x| ** ord) ** (1 / ord) over dim.

    ord: any number; inf and -inf the largest and smallest size, 0 the count of what is not zero.
    """
    x = in_type("linalg.vector_norm", x, dtype)
    if isinstance(ord, complex):
        raise RuntimeError("linalg.vector_norm: Expected a non-complex scalar as the order of norm.")
    if not isinstance(ord, (int, float)):
        raise TypeError(f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type(ord).__name__}")
    order = ord if DISPATCH and type(ord) is int else float(ord)  # modes see it as it was given
    result = vector_norm.fn(x, dim, keepdim, order)
    return result if out is None else store_out("linalg_vector_norm", result, out, expanded=True)


@public("linalg_matrix_norm", namespace="linalg")
def linalg_matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None, out=None):
    """matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None) -> Tensor: a norm of matrices.

    ord: "fro", "nuc" (the sum of singular values), 2 or -2 (their extremes), 1 or -1 (of column sums), inf or -inf
    (row sums).
    """
    if A._array.ndim < 2:
        raise RuntimeError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    dim = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    if len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    A = in_type("linalg.matrix_norm", A, dtype)
    d0, d1 = (wrap_dim(d, A._array.ndim) for d in dim)
    if d0 == d1:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})")
    if ord == "fro":
        result = vector_norm.fn(A, (d0, d1), keepdim, 2 if DISPATCH else 2.0)
    elif ord == "nuc" or not isinstance(ord, str) and abs(ord) == 2:
        if A.dtype.to_real().itemsize < 4 and local.cast_to is None:
            raise RuntimeError(f"linalg.matrix_norm: Low precision dtypes not supported. Got {SCALAR_NAMES[A.dtype]}")
        rest = [i for i in range(A._array.ndim) if i not in (d0, d1)]
        values = as_called(linalg_svdvals, A.permute([*rest, d0, d1]))
        result = values.sum(-1) if ord == "nuc" else _extreme(values, ord, -1, False)
        if keepdim:
            for d in sorted((d0, d1)):
                result = result.unsqueeze(d)
    elif isinstance(ord, str) or abs(ord) not in (1, INF):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    else:
        if abs(ord) == INF:
            d0, d1 = d1, d0
        sums = vector_norm.fn(A, (d0,), keepdim, 1.0)
        along = d1 - 1 if d1 > d0 and not keepdim else d1
        result = _extreme(sums, ord, along, keepdim)
    return result if out is None else store_out("linalg_matrix_norm", result, out, resized="typed")


def _extreme(values, ord, dim, keepdim):
    """The largest of non-negative values (0 of none), or the smallest."""
    if ord < 0:
        return values.amin(dim, keepdim)
    return values.amax(dim, keepdim) if values._array.shape[dim] else values.sum(dim, keepdim)


@public("linalg_norm", namespace="linalg")
def linalg_norm(A, ord=None, dim=None, keepdim=False, *, out=None, dtype=None):
    """linalg.norm(A, ord=None, dim=None, keepdim=False, *, dtype=None) -> Tensor: a vector norm, or a matrix norm.

    Without ord the 2-norm of all elements in dim; with ord a vector norm over one dim, a matrix norm over two.
    """
    dims = None if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}")
    if ord is not None and dims is None and A._array.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A._array.ndim}D."
        )
    if ord is not None and (dims is not None and len(dims) == 2 or dims is None and A._array.ndim == 2):
        result = linalg_matrix_norm(A, ord, dims or (0, 1), keepdim, dtype=dtype)
    else:
        if isinstance(ord, str):
            raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
        result = linalg_vector_norm(A, 2 if ord is None else ord, dims, keepdim, dtype=dtype)
    return result if out is None else store_out("linalg_norm", result, out, expanded=True, resized="typed")


def norm_order(p):
    """The p of a norm, whatever counts as a number."""
    if isinstance(p, Tensor) and p._array.ndim:
        raise TypeError("linalg_vector_norm(): argument 'ord' (position 2) must be Number, not Tensor")
    p = p.item() if isinstance(p, Tensor) else plain_number(p)
    if isinstance(p, complex):
        raise RuntimeError("value cannot be converted to type double without overflow")
    return float(p) if isinstance(p, bool) else p


@public(method=True)
def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """norm(input, p="fro", dim=None, keepdim=False, dtype=None) -> Tensor:
    the p-norm over dim (all elements when None).

    p: a number, inf, -inf, "fro" (2) or "nuc" (of matrices).
    """
    if isinstance(dim, dtype_type):
        dim, dtype = None, dim
    if p == "nuc":
        dims = (0, 1) if dim is None and input._array.ndim == 2 else (-2, -1) if dim is None else dim
        result = linalg_matrix_norm(input, "nuc", dims, keepdim, dtype=dtype)
    elif isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    else:
        if (
            p == "fro"
            and dim is not None
            and not isinstance(dim, int)
            and not hasattr(dim, "__index__")
            and len(dim) > 2
        ):
            raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
        p = norm_order(p)
        result = linalg_vector_norm(input, 2 if p is None or p == "fro" else p, dim, keepdim, dtype=dtype)
    return (
        result
        if out is None
        else store_out("norm", result, out, expanded=p != "nuc", resized="typed" if p == "nuc" else False)
    )


@public()
def frobenius_norm(input, dim, keepdim=False, *, out=None):
    """frobenius_norm(input, dim, keepdim=False) -> Tensor: the 2-norm over one dimension or two."""
    return norm(input, "fro", dim, keepdim, out)


@public()
def nuclear_norm(input, dim=(-2, -1), keepdim=False, *, out=None):
    """nuclear_norm(input, dim=(-2, -1), keepdim=False) -> Tensor: the sums of matrices' singular values."""
    if isinstance(dim, bool):  # nuclear_norm(input, keepdim)
        dim, keepdim = (-2, -1), dim
    return linalg_matrix_norm(input, "nuc", dim, keepdim, out=out)


# ---- distances


class dist_of(Own):
    """The p-norm of a difference."""

    name, promote, node_name = "_dist", "same", "DistBackward0"
    namespace, method, result, broadcasts = None, False, "of", True

    @binary_func_op()
    def forward(xp, input, other, p):
        away = xp.sub(input, other)
        return xp.vector_norm(away, tuple(range(away.ndim)), False, p)

    def check(tensors, options):
        if any(t.dtype is bool_ for t in tensors):
            raise dist_of.refusal(tensors[0]._table.bool)

    @classmethod
    def refusal(cls, k):
        if k.dtype is bool_:
            return RuntimeError(
                "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a "
                "mask, use the `~` or `logical_not()` operator instead."
            )
        return RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {SCALAR_NAMES[k.dtype]} instead."
        )

    def prepare(input, other, p):
        broadcast_shapes(input.shape, other.shape)
        return (p,)

    def grad_input(xp, g, input, other, out, p):
        return _dist_gradient(xp, g, input, other, out, p)

    def grad_other(xp, g, input, other, out, p):
        return -_dist_gradient(xp, g, input, other, out, p)


def _dist_gradient(xp, g, a, b, out, p):
    away = a - b
    return norm_gradient(xp, g, away, p, out, tuple(range(len(away.shape))), False)


@public(method=True)
def dist(input, other, p=2):
    """dist(input, other, p=2) -> 0-dim Tensor: the p-norm of input - other."""
    return dist_of.fn(input, other, float(p))


class renorm(Own):
    """renorm(input, p, dim, maxnorm) -> Tensor: slices along dim whose p-norm is above maxnorm scaled down to it."""

    not_overgrown = 1
    promote, inplace, has_out, stepwise = "same", True, True, True

    @unary_func_op()
    def forward(xp, input, p, dim, maxnorm):
        if not xp.inexact:
            name = SCALAR_NAMES[xp.dtype]
            raise RuntimeError(f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {name}")
        return xp.contiguous(xp.mul(input, in_one_step(xp, _shrinking, input, p, dim, maxnorm)))

    def prepare(input, p, dim, maxnorm):
        if input.ndim < 2:
            raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions")
        if p <= 0:
            raise RuntimeError("renorm: non-positive-norm not supported")
        if maxnorm < 0:
            raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
        return float(p), wrap_dim(dim, input.ndim), float(maxnorm)

    def grad_input(xp, g, input, p, dim, maxnorm):
        return in_one_step(xp, _through_renorm, g, xp.conj(input) * g, input, p, dim, maxnorm)


def _shrinking(xp, input, p, dim, maxnorm):
    """What each slice along dim is multiplied by."""
    size = xp.vector_norm(input, _but(dim, input), True, p)
    real = xp.of(size)
    return real.where(real.gt(size, real.scalar(maxnorm)), maxnorm / (size + 1e-7), real.ones(size.shape))


def _through_renorm(xp, g, along, input, p, dim, maxnorm):
    rest = _but(dim, input)
    size = xp.vector_norm(input, rest, True, p)
    inverse, along = 1 / (size + 1e-7), xp.sum(xp.real(along), rest, True)
    scaled = maxnorm * inverse * (g - inverse * norm_gradient(xp, along, input, p, size, rest, True))
    real = xp.of(size)
    return xp.where(real.gt(size, real.scalar(maxnorm)), scaled, g)


def _but(dim, x):
    return tuple([i for i in range(len(x.shape)) if i != dim])


def _differences(xp, a, b):
    """(*, p, m) and (*, r, m) -> (*, p, r, m): every row of a minus every row of b."""
    n = len(a.shape)
    return xp.unsqueeze(a, n - 1) - xp.unsqueeze(b, n - 2)


def _cdist_gradient(xp, g, a, b, p, out, axis):
    away = _differences(xp, a, b)
    n = len(away.shape)
    return xp.sum(norm_gradient(xp, g, away, p, out, (n - 1,), False), (axis + n,), False)


class cdist_of(Own):
    """The p-norms of all differences of a row of one and a row of the other."""

    name, promote, node_name, namespace, method = "_cdist", "same", "CdistBackward0", None, False

    @binary_func_op()
    def forward(xp, x1, x2, p):
        away = _differences(xp, x1, x2)
        return xp.vector_norm(away, (away.ndim - 1,), False, p)

    def grad_x1(xp, g, x1, x2, out, p):
        return _cdist_gradient(xp, g, x1, x2, p, out, -2)

    def grad_x2(xp, g, x1, x2, out, p):
        return -_cdist_gradient(xp, g, x1, x2, p, out, -3)


@public()
def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """cdist(x1, x2, p=2.0) -> Tensor: p-norm distances of all pairs of rows, (*, n, m) and (*, r, m) -> (*, n, r)."""
    for place, x in ((1, x1), (2, x2)):
        if x._table.dtype.category != FLOATING:
            raise RuntimeError(
                f"cdist only supports floating-point dtypes, X{place} got: {SCALAR_NAMES[x.dtype].lower()}"
            )
        if x._array.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, X{place} got: {x._array.ndim}D")
    if x1.dtype.itemsize < 4:
        raise not_implemented_error("cdist", x1.dtype)
    if x1.dtype is not x2.dtype:
        raise RuntimeError(f"expected scalar type {SCALAR_NAMES[x1.dtype]} but found {SCALAR_NAMES[x2.dtype]}")
    if x1._array.shape[-1] != x2._array.shape[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1._array.shape[-1]} X2: {x2._array.shape[-1]}"
        )
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    if compute_mode not in (
        "use_mm_for_euclid_dist_if_necessary",
        "use_mm_for_euclid_dist",
        "donot_use_mm_for_euclid_dist",
    ):
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    lead = broadcast_shapes(x1._array.shape[:-2], x2._array.shape[:-2])
    if x1._array.shape[:-2] != lead:
        x1 = x1.expand(*lead, *x1._array.shape[-2:])
    if x2._array.shape[:-2] != lead:
        x2 = x2.expand(*lead, *x2._array.shape[-2:])
    return cdist_of.fn(x1, x2, float(p))


class pdist_of(Own):
    """Distances of all pairs of rows, given by two lists of row numbers."""

    name, promote, node_name, namespace, method = "_pdist", "same", "PdistBackward0", None, False

    @unary_func_op()
    def forward(xp, input, p, rows, columns):
        away = xp.index_select(input, 0, rows) - xp.index_select(input, 0, columns)
        return xp.vector_norm(away, (1,), False, p)

    def grad_input(xp, g, input, out, p, rows, columns):
        if xp.records:
            rows, columns = (wrap(i, xp.k.sibling(int64)) for i in (rows, columns))
        away = xp.index_select(input, 0, rows) - xp.index_select(input, 0, columns)
        part = norm_gradient(xp, g, away, p, out, (1,), False)
        return xp.index_add(xp.index_add(xp.zeros(input.shape), 0, rows, part), 0, columns, -part)


@public(namespace=("torch", "nn.functional"))
def pdist(input, p=2.0):
    """pdist(input, p=2.0) -> Tensor: p-norm distances of all pairs of different rows, (n, m) -> (n (n - 1) / 2,)."""
    if input._array.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input._array.ndim}D")
    if input._table.dtype.category != FLOATING:
        raise RuntimeError("pdist only supports floating-point dtypes")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    if input.dtype.itemsize < 4:
        raise not_implemented_error("pdist", input.dtype)
    n = input._array.shape[0]
    pairs = triu_indices(n, n, 1, device=input.device)
    return pdist_of.fn(input, float(p), pairs[0]._array, pairs[1]._array)


@public(namespace=("torch", "nn.functional"))
def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False) -> Tensor:
    the p-norm of x1 - x2 + eps over the last dim.
    """
    away = x1 - x2 + eps
    return norm_along.fn(away, away._array.ndim - 1 if away._array.ndim else None, keepdim, float(p))


@public(namespace=("torch", "nn.functional"))
def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    """cosine_similarity(x1, x2, dim=1, eps=1e-8) -> Tensor: x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) over dim."""
    shape = broadcast_pair(x1._array.shape, x2._array.shape)
    kind = promote_types(x1.dtype, x2.dtype)
    if kind.category != FLOATING:
        raise RuntimeError(f"expected common dtype to be floating point, yet common dtype is {SCALAR_NAMES[kind]}")
    units = []
    for x in (x1, x2):
        x = x if x.dtype is kind else x.to(kind)
        x = x if x._array.shape == shape else x.expand(shape)
        size = vector_norm.fn(x, dim, True, 2 if DISPATCH else 2.0).clone()
        size.data.clamp_(min=eps)  # the gradient goes on as if it had not been
        units.append(x / size)
    return (units[0] * units[1]).sum(dim)


@public(namespace="nn.functional")
def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    """normalize(input, p=2.0, dim=1, eps=1e-12) -> Tensor: input / max(its p-norm over dim, eps)."""
    if type(p) not in (float, int) or type(dim) is bool:
        bind(signatures("linalg", "linalg_vector_norm"), (input, p, dim, True), {})
    size = norm(input, p, dim, True).clamp_min(eps).expand_as(input)
    return input / size if out is None else div(input, size, out=out)
