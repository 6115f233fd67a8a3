"""Reductions of the elements that a mask leaves: what it leaves out counts as the reduction's identity."""

from .._backend.registry import NAMESPACES
from .._base.dtype import FLOATING, float32, int64
from .._func.creation.gfunc import ones
from . import masking
from .masking import canonical_mask, dims_of, only, sum_type

_vector_norm = NAMESPACES["linalg"]["linalg_vector_norm"]


def sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """sum(input, dim=None, *, keepdim=False, dtype=None, mask=None) -> Tensor: masked-out elements count as 0."""
    dtype, dims = sum_type(input, dtype), dims_of(dim, input.ndim)
    return only(input, mask, masking.zero).sum(dims, bool(keepdim), dtype=dtype)


def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """prod(input, dim=None, *, keepdim=False, dtype=None, mask=None) -> Tensor: masked-out elements count as 1."""
    dtype, dims = sum_type(input, dtype), dims_of(dim, input.ndim)
    result = only(input, mask, masking.one).to(dtype=dtype)
    for d in reversed(dims):  # one after the other, as torch's prod takes one
        result = result.prod(dim=d, keepdim=bool(keepdim))
    return result


def amax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """amax(input, dim=None, *, keepdim=False, dtype=None, mask=None) -> Tensor: -inf, or the type's least, of none."""
    kept = only(input, mask, masking.lowest("amax"))
    return kept.amax(dims_of(dim, kept.ndim), bool(keepdim)).to(dtype=dtype or input.dtype)


def amin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """amin(input, dim=None, *, keepdim=False, dtype=None, mask=None) -> Tensor: inf, or the type's most, of none."""
    kept = only(input, mask, masking.highest("amin"))
    return kept.amin(dims_of(dim, kept.ndim), bool(keepdim)).to(dtype=dtype or input.dtype)


def argmax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """argmax(input, dim=None, *, keepdim=False, dtype=None, mask=None) -> Tensor, of input's type unless dtype is
    given."""
    return only(input, mask, masking.lowest("argmax")).argmax(dim, bool(keepdim)).to(dtype=dtype or input.dtype)


def argmin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """argmin(input, dim=None, *, keepdim=False, dtype=None, mask=None) -> Tensor, of input's type unless dtype is
    given."""
    return only(input, mask, masking.highest("argmin")).argmin(dim, bool(keepdim)).to(dtype=dtype or input.dtype)


def logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None) -> Tensor, of input's type unless dtype is
    given; -inf of none."""
    dims = dims_of(dim, input.ndim)
    kept = only(input, mask, masking.lowest("logsumexp"))
    return kept.logsumexp(dims, keepdim=keepdim).to(dtype=dtype or input.dtype)


def _count_and_total(input, dim, keepdim, dtype, mask):
    """How many elements the mask leaves over dim, and their sum."""
    if mask is None:
        count = sum(ones(input.shape, dtype=int64, device=input.device), dim, keepdim=keepdim)
        return count, sum(input, dim, keepdim=keepdim, dtype=dtype)
    return mask.sum(dim=dim, keepdim=bool(keepdim)), sum(input, dim, keepdim=keepdim, dtype=dtype, mask=mask)


def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """mean(input, dim=None, *, keepdim=False, dtype=None, mask=None) -> Tensor: NaN of none. ValueError for integers
    without dtype."""
    wanted = dtype or input.dtype
    if wanted.category < FLOATING:
        raise ValueError(
            f"mean(): Could not infer output dtype. {'Input' if dtype is None else 'Optional'} dtype must be either a "
            f"floating point or complex dtype. Got: {wanted}"
        )
    mask = None if mask is None else canonical_mask(input, mask)
    count, total = _count_and_total(input, dim, keepdim, wanted, mask)
    return total / count


def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    """median(input, dim=-1, *, keepdim=False, dtype=None, mask=None) -> Tensor: NaN of none. ValueError where integers
    have none."""
    dtype, dim = dtype or input.dtype, dims_of(dim, input.ndim)[0]
    floats = input.dtype.category == FLOATING
    kept = only(input if floats else input.to(dtype=float32), mask, masking.not_a_number)
    result = kept.nanmedian(dim, keepdim).values
    if floats:
        return result
    if result.isnan().any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return result.to(dtype=dtype)


def norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    """norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None) -> Tensor: linalg.vector_norm."""
    identity = masking.above_floats if ord == -masking.INF else masking.zero
    kept = only(input, mask, identity)
    return _vector_norm(kept, ord, dims_of(dim, input.ndim), bool(keepdim), dtype=dtype or input.dtype)


def _spread(input, dim, unbiased, correction, keepdim, dtype, mask):
    """The mean square of what differs from the mean, the count less the correction."""
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    if correction is None:
        correction = 1.0 if unbiased is None or unbiased else 0.0
    dtype = dtype or (input.dtype if input.dtype.category >= FLOATING else float32)
    compute = dtype if dtype.category >= FLOATING else float32
    mask = None if mask is None else canonical_mask(input, mask)
    count, total = _count_and_total(input, dim, True, dtype, mask)
    away = input - total / count
    total = sum(away * away.conj(), dim, keepdim=keepdim, dtype=compute, mask=mask)
    count = count if keepdim else count.reshape(total.shape)
    if correction != 0:
        count = count.to(compute.to_real()) - float(correction)
        count = count.maximum(count.new_zeros([]))
    return (total / count).to(dtype=dtype)


def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None) -> Tensor: NaN of
    none."""
    return _spread(input, dim, unbiased, correction, keepdim, dtype, mask)


def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None) -> Tensor: NaN of
    none."""
    return _spread(input, dim, unbiased, correction, keepdim, dtype, mask).sqrt()
