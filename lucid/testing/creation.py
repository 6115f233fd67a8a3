"""make_tensor: random tensors of any type for tests, the same as torch's for the same seed."""

import math
import warnings

from .._backend.registry import FUNCTIONS
from .._base import dtype as dtypes

_EIGHT_BITS = (dtypes.float8_e4m3fn, dtypes.float8_e5m2, dtypes.float8_e4m3fnuz, dtypes.float8_e5m2fnuz)


def _bounds(low, high, dtype, least, most, default_low, default_high):
    low, high = default_low if low is None else low, default_high if high is None else high
    if any(isinstance(v, float) and math.isnan(v) for v in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low!r} and high={high!r}")
    if low == high and dtype.category >= dtypes.FLOATING:
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since "
            "2.1 and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=4,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < least or low >= most:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only "
            f"supports [{least}, {most})"
        )
    low, high = min(max(low, least), most), min(max(high, least), most)
    return (low, high) if dtype.category >= dtypes.FLOATING else (math.ceil(low), math.ceil(high))


def _uniform(t, low, high):
    """Fill t; a span too wide for the type is drawn at half size."""
    if high - low >= dtypes.finfo(t.dtype).max:
        t.uniform_(low / 2, high / 2).mul_(2)
    else:
        t.uniform_(low, high)


def make_tensor(
    *shape,
    dtype,
    device,
    low=None,
    high=None,
    requires_grad=False,
    noncontiguous=False,
    exclude_zero=False,
    memory_format=None,
):
    """make_tensor(*shape, dtype=, device=, low=None, high=None) -> Tensor of values drawn from [low, high).

    Without bounds: -9 to 9 (integers up to 9), within the type's limits. noncontiguous: every other element of a larger
    tensor. exclude_zero: zeros become 1, or the smallest normal number. Raises ValueError for bounds that make no
    sense.
    """
    if len(shape) == 1 and not isinstance(shape[0], int):
        shape = shape[0]
    shape = tuple(shape)
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
            f"noncontiguous={noncontiguous!r} and memory_format={memory_format!r}"
        )
    inexact = dtype.category >= dtypes.FLOATING
    if requires_grad and not inexact:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype}"
        )
    noncontiguous = noncontiguous and math.prod(shape) > 1
    if noncontiguous:
        shape = (*shape[:-1], 2 * shape[-1])
    if dtype is dtypes.bool_:
        result = FUNCTIONS["randint"](*_bounds(low, high, dtype, 0, 2, 0, 2), shape, device=device, dtype=dtype)
    elif not inexact:
        limits = dtypes.iinfo(dtype)
        most = limits.max + (dtype is not dtypes.int64)
        result = FUNCTIONS["randint"](
            *_bounds(low, high, dtype, limits.min, most, -9, 10), shape, device=device, dtype=dtype
        )
    else:
        limits = dtypes.finfo(dtype)
        low, high = _bounds(low, high, dtype, limits.min, limits.max, -9, 9)
        result = FUNCTIONS["empty"](shape, device=device, dtype=dtypes.float32 if dtype in _EIGHT_BITS else dtype)
        _uniform(FUNCTIONS["view_as_real"](result) if dtype.is_complex else result, low, high)
        if dtype in _EIGHT_BITS:
            result = result.to(dtype)
    if noncontiguous:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        result[result == 0] = dtypes.finfo(dtype).tiny if inexact else 1
    if inexact and dtype not in _EIGHT_BITS:
        result.requires_grad = requires_grad
    return result
