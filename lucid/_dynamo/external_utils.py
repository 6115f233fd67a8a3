"""torch._dynamo.external_utils: functions of the compiler's that are read like a program's."""

import functools

from .._base.state import is_compiling as is_compiling


def wrap_inline(fn):
    """wrap_inline(fn) -> a function that calls it, and is read with it."""

    @functools.wraps(fn)
    def inner(*args, **kwargs):
        return fn(*args, **kwargs)

    return inner


def wrap_numpy(f):
    """wrap_numpy(f) -> f of tensors, which computes with numpy arrays and gives tensors."""
    from .._func.creation.from_data import from_numpy
    from .._tensor.pytree import tree_map
    from .._tensor.tensor import Tensor

    @functools.wraps(f)
    def wrap(*args, **kwargs):
        args, kwargs = tree_map(lambda x: x.numpy() if isinstance(x, Tensor) else x, (args, kwargs))
        return tree_map(lambda x: from_numpy(x) if hasattr(x, "__array_interface__") else x, f(*args, **kwargs))

    return wrap
