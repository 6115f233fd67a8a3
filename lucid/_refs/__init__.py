"""torch._refs: ops written with simpler ones, for compilers. lucid's own ops are so already, and stand here."""

import importlib

from .._backend.registry import NAMESPACES
from .._base.shape import broadcast_shapes as broadcast_shapes
from .._tensor.tensor import Tensor
from . import _conversions

_PARTS = ("fft", "linalg", "nn", "special")
# Functions of which torch has only the method.
_METHODS = set(
    """index_copy_ index_fill_ masked_fill_ item to sum_to_size contiguous expand expand_as repeat reshape_as unfold
    view view_as new_empty new_empty_strided new_full new_ones new_zeros copysign_ float_power_ floor_divide_ fmod_
    lerp_ remainder_ cauchy_ exponential_ geometric_ log_normal_""".split()
)


def T(a):
    """T(a) -> a.T"""
    return a.T


def alias(a):
    """alias(a) -> a view of all of a"""
    return NAMESPACES["torch"]["view_copy"](a, a.shape) if a.is_meta else a.view(a.shape)


def swap_axes(a, axis0, axis1):
    """swap_axes(a, axis0, axis1) -> a.swapaxes(axis0, axis1)"""
    return a.swapaxes(axis0, axis1)


def copy_to(a, b):
    """copy_to(a, b) -> a, overwritten by b"""
    return a.copy_(b)


def zero(input, *, out=None):
    """zero(input) -> zeros of its shape and type"""
    return NAMESPACES["torch"]["zeros_like"](input) if out is None else out.resize_(input.shape).zero_()


def rpow(a, b):
    """rpow(a, b) -> b ** a"""
    return NAMESPACES["torch"]["pow"](b, a)


def rtruediv(a, b):
    """rtruediv(a, b) -> b / a"""
    return b / a


def rfloordiv(a, b):
    """rfloordiv(a, b) -> b // a"""
    return b // a


def trunc_divide(a, b):
    """trunc_divide(a, b) -> the quotient, rounded towards zero"""
    return NAMESPACES["torch"]["div"](a, b, rounding_mode="trunc")


def _drawn(name):
    def f(self, *args, generator=None, **kwargs):
        return getattr(self.clone(), f"{name}_")(*args, generator=generator, **kwargs)

    f.__name__ = f.__qualname__ = name
    f.__doc__ = f"{name}(input, ...) -> Tensor of input's shape and type, of random numbers"
    return f


cauchy, exponential, geometric, log_normal = map(_drawn, "cauchy exponential geometric log_normal".split())


def __getattr__(name):
    if name in _PARTS:
        return importlib.import_module(f"{__name__}.{name}")
    found = NAMESPACES["torch"].get(name)
    if found is None and name in _METHODS:
        found = getattr(Tensor, name)
    if found is None or name.startswith("__"):
        raise AttributeError(f"module 'torch._refs' has no attribute {name!r}")
    return found


__all__ = ["_conversions"]
