"""Borders added: constant, zero, reflection, replication and circular padding in one, two and three dimensions."""

from .. import functional as F
from .batchnorm import _checks_dims
from .module import Module
from .utils import _ntuple

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _PadNd(Module):
    """padding: a number, or (left, right, top, bottom, front, back) as far as there are dimensions: the last comes
    first."""

    _dims = _mode = None

    def __init__(self, padding):
        super().__init__()
        self.padding = _ntuple(2 * self._dims)(padding)

    def forward(self, input):
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self):
        return f"{self.padding}"


class _CircularPadNd(_PadNd):
    _mode = "circular"

    def forward(self, input):
        self._check_input_dim(input)
        return F.pad(input, self.padding, "circular")


class CircularPad1d(_CircularPadNd):
    """CircularPad1d(padding): the other end of (N, C, L) or (C, L) comes before the beginning."""

    _dims, _check_input_dim = 1, _checks_dims(2, 3)


class CircularPad2d(_CircularPadNd):
    """CircularPad2d(padding): the same for (N, C, H, W) or (C, H, W)."""

    _dims, _check_input_dim = 2, _checks_dims(3, 4)


class CircularPad3d(_CircularPadNd):
    """CircularPad3d(padding): the same for (N, C, D, H, W) or (C, D, H, W)."""

    _dims, _check_input_dim = 3, _checks_dims(4, 5)


class _ConstantPadNd(_PadNd):
    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """ConstantPad1d(padding, value): value on both sides of the last dimension."""

    _dims = 1


class ConstantPad2d(_ConstantPadNd):
    """ConstantPad2d(padding, value): value around the last two dimensions."""

    _dims = 2


class ConstantPad3d(_ConstantPadNd):
    """ConstantPad3d(padding, value): value around the last three dimensions."""

    _dims = 3


class _ReflectionPadNd(_PadNd):
    _mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """ReflectionPad1d(padding): (N, C, L) or (C, L) mirrored at its ends, which are not repeated."""

    _dims = 1


class ReflectionPad2d(_ReflectionPadNd):
    """ReflectionPad2d(padding): the same for (N, C, H, W) or (C, H, W)."""

    _dims = 2


class ReflectionPad3d(_ReflectionPadNd):
    """ReflectionPad3d(padding): the same for (N, C, D, H, W) or (C, D, H, W)."""

    _dims = 3


class _ReplicationPadNd(_PadNd):
    _mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """ReplicationPad1d(padding): the ends of (N, C, L) or (C, L) repeated."""

    _dims = 1


class ReplicationPad2d(_ReplicationPadNd):
    """ReplicationPad2d(padding): the same for (N, C, H, W) or (C, H, W)."""

    _dims = 2


class ReplicationPad3d(_ReplicationPadNd):
    """ReplicationPad3d(padding): the same for (N, C, D, H, W) or (C, D, H, W)."""

    _dims = 3


class _ZeroPad:
    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """ZeroPad1d(padding): ConstantPad1d with 0."""


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """ZeroPad2d(padding): ConstantPad2d with 0."""


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """ZeroPad3d(padding): ConstantPad3d with 0."""
