"""torch._prims_common.wrappers: decorators of functions that are written with others: types promoted, out= given."""

import functools
import inspect

from .._tensor.pytree import tree_map
from .._tensor.tensor import Tensor
from .types import Number, dtype_to_type, elementwise_dtypes


def _maybe_convert_to_dtype(a, dtype):
    """_maybe_convert_to_dtype(tensor, number, sequence or None, dtype) -> the same in that type"""
    if isinstance(a, Tensor):
        return a if a.dtype is dtype else a.to(dtype)
    if isinstance(a, Number):
        return dtype_to_type(dtype)(a)
    if isinstance(a, (list, tuple)):
        return tuple(_maybe_convert_to_dtype(x, dtype) for x in a)
    if a is None:
        return None
    raise ValueError(f"Received unsupported type {type(a)}. Expected TensorLike, Number, or Sequence.")


def _maybe_convert_to_type(a, typ):
    """_maybe_convert_to_type(number, type) -> the number in that type"""
    if not isinstance(a, Number):
        raise ValueError(f"Found unknown type {type(a)} when trying to convert scalars!")
    return typ(a)


class elementwise_type_promotion_wrapper:
    """@elementwise_type_promotion_wrapper(type_promoting_args=("a", "b"), type_promotion_kind=...): these arguments
    come in the type to compute in, and the result goes in its own."""

    def __init__(self, *, type_promotion_kind, type_promoting_args=None):
        self.names, self.kind = type_promoting_args, type_promotion_kind

    def __call__(self, fn):
        signature = inspect.signature(fn)

        @functools.wraps(fn)
        def promoted(*args, **kwargs):
            bound = signature.bind(*args, **kwargs)
            names = [n for n in self.names if n in bound.arguments]
            operands = [x for n in names for x in _flat(bound.arguments[n])]
            computed, result = elementwise_dtypes(*operands, type_promotion_kind=self.kind)
            for n in names:
                bound.arguments[n] = _maybe_convert_to_dtype(bound.arguments[n], computed)
            given = fn(**bound.arguments)
            return tree_map(lambda x: _maybe_convert_to_dtype(x, result) if isinstance(x, Tensor) else x, given)

        promoted.__signature__ = signature
        return promoted


def _flat(x):
    return x if isinstance(x, (list, tuple)) else (x,)


def out_wrapper(*out_names, exact_dtype=False, pass_is_out=False, preserve_memory_format=False):
    """@out_wrapper(*names): the function also takes out=, one tensor or one for each name, and writes its result
    there."""

    def decorate(fn):
        @functools.wraps(fn)
        def wrapped(*args, out=None, **kwargs):
            result = fn(*args, **(kwargs | {"is_out": out is not None} if pass_is_out else kwargs))
            if out is None:
                return result
            single = isinstance(out, Tensor)
            for into, found in zip((out,) if single else out, (result,) if single else result):
                if exact_dtype and into.dtype is not found.dtype:
                    raise RuntimeError(f"Expected out tensor to have dtype {found.dtype} but got {into.dtype} instead")
                into.resize_(found.shape).copy_(found)
            return out

        wrapped.__wrapped_by_out__ = fn
        return wrapped

    return decorate


def _maybe_remove_out_wrapper(fn):
    """_maybe_remove_out_wrapper(fn) -> the function that out_wrapper was given"""
    return getattr(fn, "__wrapped_by_out__", fn)


def backwards_not_supported(prim):
    """@backwards_not_supported: RuntimeError where an argument requires a gradient."""

    @functools.wraps(prim)
    def refused(*args, **kwargs):
        if any(isinstance(x, Tensor) and x.requires_grad for x in (*args, *kwargs.values())):
            raise RuntimeError("backwards not supported on prim")
        return prim(*args, **kwargs)

    return refused
