"""Functions that keep the shape, of the elements that a mask leaves: softmax, running sums, normalize, logaddexp."""

from .._backend.registry import NAMESPACES
from . import masking
from .masking import dims_of, only
from .reductions import norm

_layers = NAMESPACES["nn.functional"]


def cumsum(input, dim, *, dtype=None, mask=None):
    """cumsum(input, dim, *, dtype=None, mask=None) -> Tensor: masked-out elements count as 0."""
    dtype = dtype or input.dtype
    dim = dims_of(dim, input.ndim)[0]
    return only(input, mask, masking.zero).cumsum(dim, dtype=dtype).to(dtype=dtype)


def cumprod(input, dim, *, dtype=None, mask=None):
    """cumprod(input, dim, *, dtype=None, mask=None) -> Tensor: masked-out elements count as 1."""
    dtype = dtype or input.dtype
    dim = dims_of(dim, input.ndim)[0]
    return only(input, mask, masking.one).cumprod(dim, dtype=dtype).to(dtype=dtype)


def softmax(input, dim, *, dtype=None, mask=None):
    """softmax(input, dim, *, dtype=None, mask=None) -> Tensor: 0 at masked-out elements, NaN where all are."""
    dim = dims_of(dim, input.ndim)[0]
    return _layers["softmax"](only(input, mask, masking.lowest("amax")), dim, dtype=dtype or input.dtype)


def log_softmax(input, dim, *, dtype=None, mask=None):
    """log_softmax(input, dim, *, dtype=None, mask=None) -> Tensor: -inf at masked-out elements, NaN where all are."""
    dim = dims_of(dim, input.ndim)[0]
    return _layers["log_softmax"](only(input, mask, masking.lowest("amax")), dim, dtype=dtype or input.dtype)


def softmin(input, dim, *, dtype=None, mask=None):
    """softmin(input, dim, *, dtype=None, mask=None) -> Tensor: 0 at masked-out elements, NaN where all are."""
    dim = dims_of(dim, input.ndim)[0]
    return _layers["softmin"](only(input, mask, masking.highest("amin")), dim, dtype=dtype or input.dtype)


def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    """normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None) -> Tensor: divided by its norm, at least eps."""
    kept = only(input, mask, masking.zero)
    size = norm(input, ord, dim, keepdim=True, dtype=dtype or input.dtype, mask=mask)
    return kept / size.maximum(size.new_full([], eps))


def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None) -> Tensor: masked-out elements count
    as -inf."""
    identity = masking.lowest("logaddexp")
    return only(input, input_mask, identity).logaddexp(only(other, other_mask, identity)).to(dtype=dtype or input.dtype)
