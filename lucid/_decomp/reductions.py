"""Reductions."""

from .registry import decomposes
from .words import get_computation_dtype, ops, tt, wide


@decomposes("sum")
def sum(self, *, dtype=None):
    return ops.sum.dim_IntList(self, [], dtype=dtype)


@decomposes("all")
def all(self):
    return _as_bytes(self, tt.logical_not(ops.any.dims(tt.logical_not(self))))


@decomposes("all.dim")
def all_dim(self, dim, keepdim=False):
    return _as_bytes(self, tt.logical_not(ops.any.dim(tt.logical_not(self), dim, keepdim)))


@decomposes("all.dims")
def all_dims(self, dim=None, keepdim=False):
    return _as_bytes(self, tt.logical_not(ops.any.dims(tt.logical_not(self), dim, keepdim)))


def _as_bytes(self, found):
    """Of bytes, the answer is a byte."""
    return found.to(tt.uint8) if self.dtype == tt.uint8 else found


@decomposes("aminmax", in_place=False)
def aminmax(self, *, dim=None, keepdim=False):
    dims = [] if dim is None else [dim]
    if dim is None:
        return ops.amin.default(self, [], keepdim), ops.amax.default(self, [], keepdim)
    return ops.amin.default(self, dims, keepdim), ops.amax.default(self, dims, keepdim)


@decomposes("nansum")
def nansum(self, dim=None, keepdim=False, *, dtype=None):
    return ops.sum.dim_IntList(tt.where(tt.isnan(self), 0, self), dim, keepdim, dtype=dtype)


@decomposes("count_nonzero")
def count_nonzero(self, dim=None):
    return ops.sum.dim_IntList(self != 0, dim)


@decomposes("count_nonzero.dim_IntList")
def count_nonzero_dims(self, dim):
    return ops.sum.dim_IntList(self != 0, dim)


@decomposes("logsumexp")
@wide("INT_TO_FLOAT", of="self")
def logsumexp(self, dim, keepdim=False):
    dims = [dim] if isinstance(dim, int) else list(dim)
    if not self.numel():
        return tt.sum(tt.exp(self), dims, keepdim).log()
    # The largest comes out first, so that no exponential overflows; an infinite one would make nan of itself.
    high = ops.amax.default(self, dims, True)
    high = tt.where(high.abs() == float("inf"), 0.0, high)
    shift = high if keepdim else ops.squeeze.dims(high, dims)
    return tt.sum(tt.exp(self - high), dims, keepdim).log() + shift


@decomposes("std.correction")
def std(self, dim=None, *, correction=None, keepdim=False):
    wide = _wide(self)
    out = tt.sqrt(tt.var(wide, dim, correction=_float(correction), keepdim=keepdim))
    return out if wide is self else out.to(self.dtype)


def _wide(x):
    dtype = get_computation_dtype(x.dtype)
    return x if dtype == x.dtype else x.to(dtype)


def _float(correction):
    return 1.0 if correction is None else float(correction)


@decomposes("std_mean.correction")
def std_mean(self, dim=None, *, correction=None, keepdim=False):
    var, mean = tt.var_mean(_wide(self), dim, correction=_float(correction), keepdim=keepdim)
    std = tt.sqrt(var)
    if _wide(self) is not self:
        std, mean = std.to(self.dtype), mean.to(self.dtype)
    return std, mean


@decomposes("norm.Scalar")
def norm_scalar(self, p=2):
    return ops.linalg_vector_norm.default(self, _p(p))


@decomposes("norm.ScalarOpt_dtype")
def norm_dtype(self, p, *, dtype):
    return ops.linalg_vector_norm.default(self, _p(p), dtype=dtype)


@decomposes("norm.ScalarOpt_dim")
def norm(self, p, dim, keepdim=False):
    return ops.linalg_vector_norm.default(self, _p(p), dim, keepdim)


@decomposes("norm.ScalarOpt_dim_dtype")
def norm_dim_dtype(self, p, dim, keepdim, *, dtype):
    return ops.linalg_vector_norm.default(self, _p(p), dim, keepdim, dtype=dtype)


def _p(p):
    return 2 if p is None else p


@decomposes("linalg_vector_norm", core=False)
def linalg_vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    kind = dtype or x.dtype
    wide = get_computation_dtype(kind)
    x = x if x.dtype == wide else x.to(wide)
    real = tt.empty((0,), dtype=kind).abs().dtype if kind.is_complex else kind
    dims = None if dim is None or not list(dim) else list(dim)
    if ord == 0:
        out = ops.sum.dim_IntList(tt.ne(x, 0.0), dims, keepdim, dtype=real)
    elif ord in (float("inf"), -float("inf")):
        out = (ops.amax if ord > 0 else ops.amin).default(tt.abs(x), dims or [], keepdim)
    else:
        even = float(ord) % 2 == 0 and not x.is_complex()
        out = tt.pow(ops.sum.dim_IntList(tt.pow(x if even else tt.abs(x), ord), dims, keepdim), 1.0 / ord)
    return out if out.dtype == real else out.to(real)


@decomposes("mean", core=False)
def mean(self, *, dtype=None):
    return _mean(self, None, False, dtype)


@decomposes("mean.dim", core=False)
def mean_dim(self, dim, keepdim=False, *, dtype=None):
    return _mean(self, dim, keepdim, dtype)


def _mean(self, dim, keepdim, dtype):
    kind = dtype or self.dtype
    if not (kind.is_floating_point or kind.is_complex):
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype"
        )
    dims = list(range(self.ndim)) if dim is None or not list(dim) else list(dim)
    n = 1
    for d in dims:
        n *= self.shape[d] if self.ndim else 1
    x = self.to(get_computation_dtype(kind)) if get_computation_dtype(kind) != self.dtype else self
    out = tt.sum(x, dims, keepdim) / n
    return out if out.dtype == kind else out.to(kind)


@decomposes("trace", in_place=False)
def trace(self):
    if self.ndim != 2:
        raise RuntimeError(f"expected a matrix, but got tensor with dim {self.ndim}")
    return tt.sum(ops.diagonal_copy.default(self))


@decomposes("isin.Tensor_Tensor")
def isin(elements, test_elements, *, assume_unique=False, invert=False):
    # Every pair is compared, which torch does for few test elements only; the answers are the same.
    x = elements.view([*elements.shape, *[1] * test_elements.ndim])
    dims = list(range(-1, -test_elements.ndim - 1, -1))
    found = x == test_elements
    found = ops.any.dims(found, dims) if dims else found
    return ~found if invert else found


@decomposes("isin.Tensor_Scalar")
def isin_number(element, test_element, *, assume_unique=False, invert=False):
    return element != test_element if invert else element == test_element


@decomposes("isin.Scalar_Tensor")
def number_isin(element, test_element, *, assume_unique=False, invert=False):
    x = tt.scalar_tensor(element, device=test_element.device)
    return isin(x, test_element, invert=invert)
