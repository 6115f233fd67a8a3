"""What decompositions say everything with: torch's functions, ATen's overloads, and the types they compute in."""

import functools
import inspect

from .._aten.overloads import OpNamespace
from .._backend.registry import NAMESPACES
from .._base import dtype as dtypes
from .._base.device import device
from .._prims_common.types import ELEMENTWISE_TYPE_PROMOTION_KIND, elementwise_dtypes, get_computation_dtype
from .._tensor import tensor
from .._tensor.tensor import Tensor


class _Functions:
    """Torch's functions by name, and its types and memory formats."""

    finfo, iinfo, get_default_dtype = dtypes.finfo, dtypes.iinfo, staticmethod(dtypes.get_default_dtype)
    contiguous_format, preserve_format = tensor.contiguous_format, tensor.preserve_format
    channels_last = tensor.channels_last
    strided = tensor.strided

    def __getattr__(self, name):
        found = dtypes.DTYPES.get(name)
        return NAMESPACES["torch"][name] if found is None else found


tt = _Functions()
ops = OpNamespace("aten")
CPU = device("cpu")
NONE, MEAN, SUM = 0, 1, 2  # reductions of losses, as ATen counts them


def cast(x, dtype):
    """x in dtype; x itself where it is so."""
    return x if x.dtype == dtype else x.to(dtype)


def wide(kind="DEFAULT", of=None):
    """A decorator: the tensors among the arguments (those named in `of`) come in the type that pointwise ops compute
    in, halves as float32; results go back to the type that they promote to."""
    kind = getattr(ELEMENTWISE_TYPE_PROMOTION_KIND, kind)

    def decorate(function):
        signature = inspect.signature(function)
        names = of.split() if of else list(signature.parameters)

        @functools.wraps(function)
        def run(*args, **kwargs):
            bound = signature.bind(*args, **kwargs)
            given = bound.arguments
            tensors = {n: given[n] for n in names if isinstance(given.get(n), Tensor)}
            compute, result = elementwise_dtypes(*tensors.values(), type_promotion_kind=kind)
            given.update({n: cast(x, compute) for n, x in tensors.items()})
            found = function(*bound.args, **bound.kwargs)
            if isinstance(found, tuple):
                return tuple([cast(x, result) if isinstance(x, Tensor) else x for x in found])
            return cast(found, result) if isinstance(found, Tensor) else found

        return run

    return decorate


def widened(*tensors):
    """The tensors (or Nones) in the types that their own are computed in."""
    return [x if x is None else cast(x, get_computation_dtype(x.dtype)) for x in tensors]


def reduced(loss, reduction):
    """The loss as it is, its mean or its sum."""
    return loss.mean() if reduction == MEAN else loss.sum() if reduction == SUM else loss


def wrapped(dim, ndim):
    """dim, counted from the front."""
    return dim + max(ndim, 1) if dim < 0 else dim


def placed(x, ndim, dim):
    """x of one dimension as dimension dim of ndim."""
    return x.view([-1 if d == dim else 1 for d in range(ndim)])


def dims_but(ndim, *kept):
    return [d for d in range(ndim) if d not in kept]


def flat(x):
    """x in one dimension, a view where x is dense."""
    return ops.view.default(x, [-1]) if x.is_contiguous() else x.reshape(-1)


def like(x, other, **options):
    """x with the type and the device of other."""
    if x.dtype == other.dtype:
        return x
    return ops._to_copy.default(x, dtype=other.dtype, **options, device=other.device)


def masked(x, mask):
    """x where mask is, else zero."""
    return tt.logical_and(mask, x) if x.dtype == tt.bool else tt.where(mask, x, 0)


def count(shape):
    """How many elements a shape has."""
    n = 1
    for size in shape:
        n *= size
    return n


def pick(condition, yes, no):
    """where() of two numbers: both as tensors, of the type that numbers have."""
    kinds = {type(yes), type(no)}
    dtype = tt.get_default_dtype() if float in kinds else tt.int64

    def scalar(x):
        return ops.scalar_tensor.default(x, dtype=dtype, layout=tt.strided, device=condition.device)

    no = scalar(no)
    return ops.where.self(condition, scalar(yes), no)


def full(shape, value, like, dtype=None):
    """A new tensor on the device of `like`, and of its type where none is given."""
    return ops.new_full.default(like, list(shape), value, dtype=dtype, pin_memory=False)
