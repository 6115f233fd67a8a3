"""The patterns: pairs that undo each other, and pairs that one step can replace."""

from .base import FusedBackwardOp

# Where e and g stay within these bounds, g / e * e is g up to rounding: no step over- or underflows.
_LOW, _HIGH = 1e-10, 1e10


def _bounds_hold(lib):
    """Not of complex numbers, which have no order, nor of halves, of which some over- and underflow within them."""
    return not (lib.is_complex or lib.is_half)


def _extremes(lib, array):
    """(least, greatest) element as numbers; NaN if any is."""
    every = tuple(range(array.ndim))
    return tuple([float(lib.to_numpy(word(array, every, False))) for word in (lib.amin, lib.amax)])


def _moderate(lib, g):
    """No element beyond 1e25, none NaN. (One number expanded is looked at once.)"""
    if g.ndim and g.size and not any(lib.strides(g)):
        g = lib.reshape(lib.as_strided(g, (1,), (1,), 0), (1,))
    least, greatest = _extremes(lib, g)
    return -1e25 <= least and greatest <= 1e25


class DoubleNeg(FusedBackwardOp):
    """-(-x): the gradient passes, bit for bit."""

    op1 = op2 = "neg"

    @staticmethod
    def __grad__(g):
        return g


class DoubleReciprocal(FusedBackwardOp):
    """1 / (1 / x): the gradient passes, where no square over- or underflows."""

    op1 = op2 = "reciprocal"
    heuristic_thresh = 50_000  # the look at the values costs as much as it saves below this

    @staticmethod
    def __grad__(g, first, lib_):
        if not _bounds_hold(lib_):
            return None
        least, greatest = _extremes(lib_, lib_.abs(first.out))
        return g if least >= 1e-5 and greatest <= 1e5 and _moderate(lib_, g) else None


class LogExp(FusedBackwardOp):
    """log(exp(x)): the gradient passes, where exp neither over- nor underflowed (there torch gives g / inf * inf =
    NaN).
    """

    op1, op2 = "exp", "log"
    heuristic_thresh = 50_000  # the look at the values costs as much as it saves below this

    @staticmethod
    def __grad__(g, first, lib_):
        if not _bounds_hold(lib_):
            return None
        least, greatest = _extremes(lib_, first.out)
        return g if least >= _LOW and greatest <= _HIGH and _moderate(lib_, g) else None


class DoubleReshape(FusedBackwardOp):
    """x.reshape(a).reshape(b): one reshape back."""

    op1 = op2 = "_view"

    @staticmethod
    def __grad__(g, first, lib_):
        return lib_.reshape(g, first.shape_0)


_SQUEEZES = ("squeeze_all", "squeeze_dim", "squeeze_dims")


class SqueezeUnsqueeze(FusedBackwardOp):
    """x.squeeze(d).unsqueeze(d): one reshape back."""

    op1, op2 = _SQUEEZES, "unsqueeze"

    @staticmethod
    def __grad__(g, first, lib_):
        return lib_.reshape(g, first.shape_0)


class UnsqueezeSqueeze(FusedBackwardOp):
    """x.unsqueeze(d).squeeze(d): one reshape back."""

    op1, op2 = "unsqueeze", _SQUEEZES

    @staticmethod
    def __grad__(g, first, second, lib_):
        wide = second.shape_0
        return lib_.reshape(g, wide[: first.dim] + wide[first.dim + 1 :])
