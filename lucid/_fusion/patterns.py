"""The patterns: pairs that undo each other, and pairs that one step can replace."""
from .base import FusedBackwardOp


def _moderate(lib, array, low, high):
    """Do all magnitudes of array lie in [low, high]? (False when any is NaN.)"""
    if not array.size:
        return True
    size = lib.abs(array)
    every = tuple(range(array.ndim))
    return bool(lib.to_numpy(lib.amin(size, every, False)) >= low and lib.to_numpy(lib.amax(size, every, False)) <= high)


# Within these bounds neither g / e nor g * e leaves the range of normal float32 numbers, so that undoing is exact up to rounding.
_LOW, _HIGH = 1e-18, 1e18


def _safe_factor(lib, g, e):
    return _moderate(lib, e, _LOW, _HIGH) and _finite_or_zero(lib, g)


def _finite_or_zero(lib, g):
    """Is each element of g zero or of moderate size? Then g / e * e is g up to rounding."""
    if all(s == 0 for s in lib.strides(g)):       # one number, expanded
        g = lib.reshape(lib.slice(lib.reshape(g, (-1,)), 0, 0, 1, 1), (1,)) if g.size and g.ndim else g
    if not g.size:
        return True
    size = lib.abs(g)
    tiny = lib.logical_and(lib.gt(size, lib.scalar(0)), lib.lt(size, lib.scalar(_LOW)))
    every = tuple(range(g.ndim))
    return bool(lib.to_numpy(lib.amax(size, every, False)) <= _HIGH) and not bool(lib.to_numpy(lib.any(tiny, every, False)))


class DoubleNeg(FusedBackwardOp):
    """-(-x): the gradient passes, bit for bit."""

    op1 = op2 = "neg"

    @staticmethod
    def __grad__(g):
        return g


class DoubleReciprocal(FusedBackwardOp):
    """1 / (1 / x): the gradient passes, where no square over- or underflows."""

    op1 = op2 = "reciprocal"
    heuristic_thresh = 10_000

    @staticmethod
    def __grad__(g, ins, lib_):
        if lib_.is_complex or not _moderate(lib_, ins.out, 1e-9, 1e9) or not _finite_or_zero(lib_, g):
            return None
        return g


class LogExp(FusedBackwardOp):
    """log(exp(x)): the gradient passes, where exp neither over- nor underflowed (there torch gives g / inf * inf = NaN)."""

    op1, op2 = "exp", "log"
    heuristic_thresh = 10_000

    @staticmethod
    def __grad__(g, ins, lib_):
        if lib_.is_complex or not _safe_factor(lib_, g, ins.out):
            return None
        return g


class DoubleReshape(FusedBackwardOp):
    """x.reshape(a).reshape(b): one reshape back."""

    op1 = op2 = "_view"

    @staticmethod
    def __grad__(g, ins, lib_):
        return lib_.reshape(g, ins.shape_0)


_SQUEEZES = ("squeeze_all", "squeeze_dim", "squeeze_dims")


class SqueezeUnsqueeze(FusedBackwardOp):
    """x.squeeze(d).unsqueeze(d): one reshape back."""

    op1, op2 = _SQUEEZES, "unsqueeze"

    @staticmethod
    def __grad__(g, ins, lib_):
        return lib_.reshape(g, ins.shape_0)


class UnsqueezeSqueeze(FusedBackwardOp):
    """x.unsqueeze(d).squeeze(d): one reshape back."""

    op1, op2 = "unsqueeze", _SQUEEZES

    @staticmethod
    def __grad__(g, ins, rets, lib_):
        wide = rets.shape_0
        return lib_.reshape(g, wide[:ins.dim] + wide[ins.dim + 1:])
