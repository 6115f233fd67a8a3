"""What masked functions share: the mask in the input's shape, what stands for what it leaves out, dimensions."""

from .._base.dtype import BOOL, COMPLEX, FLOATING, bool_, float32, iinfo, int64
from .._func.creation.from_data import tensor

INF = float("inf")


def canonical_mask(input, mask):
    """The mask as bools, expanded to input's shape; IndexError for a mask of more dimensions, ValueError for none."""
    if mask is None:
        raise ValueError("_input_mask requires explicit mask")
    if mask.shape != input.shape:
        if mask.ndim > input.ndim:
            raise IndexError(
                "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)"
            )
        mask = mask.clone().broadcast_to(input.shape)
    return mask.to(dtype=bool_)


def _input_mask(input, *args, **kwargs):
    """_input_mask(input, mask=mask) -> the mask as bools, in input's shape and layout."""
    return canonical_mask(input, kwargs.get("mask"))


def _combine_input_and_mask(op, input, mask, *args):
    """_combine_input_and_mask(op, input, mask) -> input with the identity of a masked reduction where the mask is
    False."""
    if mask is None:
        return input
    chosen = canonical_mask(input, mask)
    if not callable(op):
        raise ValueError(f"_combine_input_and_mask expected masked operation (got {type(op).__name__} object)")
    identity = _identity_of(op.__name__.rpartition(".")[2], input.dtype, *args)
    dtype = float32 if identity != identity and input.dtype.category < FLOATING else input.dtype
    return input.where(chosen, tensor(identity, dtype=dtype, device=input.device))


def _identity_of(name, dtype, *args):
    if name in ("sum", "cumsum", "prod", "cumprod"):
        return int(name.endswith("prod"))
    if name in ("amax", "argmax", "logaddexp", "logsumexp"):
        return lowest(name)(dtype)
    if name in ("amin", "argmin"):
        return highest(name)(dtype)
    if name == "norm":
        return INF if args and args[0] == -INF else 0
    if name == "median":
        return not_a_number(dtype)
    if name in ("mean", "var", "std"):
        return None
    raise NotImplementedError(f"identity of {name} on {dtype} input")


def only(input, mask, identity):
    """input with a reduction's identity (a function of the type) where the mask is False."""
    if mask is None:
        return input
    chosen = canonical_mask(input, mask)
    return input.where(chosen, tensor(identity(input.dtype), dtype=input.dtype, device=input.device))


# ---- identities: what changes nothing in a reduction


def zero(dtype):
    return 0


def one(dtype):
    return 1


def not_a_number(dtype):
    return float("nan")


def lowest(name):
    """What is below all numbers of a type, for the reduction of that name."""

    def identity(dtype):
        if dtype.category == FLOATING or dtype.category == COMPLEX and name == "logsumexp":
            return -INF
        if dtype.category == BOOL:
            raise NotImplementedError(f"identity of {name} on {dtype} input")
        return iinfo(dtype).min

    return identity


def highest(name):
    """What is above all numbers of a type, for the reduction of that name."""

    def identity(dtype):
        if dtype.category == FLOATING:
            return INF
        if dtype.category == BOOL:
            raise NotImplementedError(f"identity of {name} on {dtype} input")
        return iinfo(dtype).max

    return identity


def above_floats(dtype):
    if dtype.category != FLOATING:
        raise AssertionError(f"input must be floating point, got {dtype}")
    return INF


# ---- dimensions and types


def dims_of(dim, ndim):
    """dim as an ordered tuple counted from the front: all dimensions for None or ()."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    count, dims = max(ndim, 1), []
    for d in (dim,) if isinstance(dim, int) else dim:
        if d in dims:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
        if not -count <= d < count:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {d})"
            )
        dims.append(d % count)
    return tuple(sorted(dims))


def sum_type(input, dtype):
    """The type of a sum or product: int64 for smaller integers and bools unless one is given."""
    if dtype is not None:
        return dtype
    return input.dtype if input.dtype.category >= FLOATING else int64
