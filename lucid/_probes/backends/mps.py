"""torch.backends.mps: is there an Apple GPU that mlx can use?"""

import platform

from .._array.mlx.device import has_metal


def is_available():
    """is_available() -> bool: can tensors be put on device "mps"?"""
    return has_metal()


def is_built():
    """is_built() -> bool: as is_available, lucid has nothing to build."""
    return has_metal()


def is_macos13_or_newer(minor=0):
    """is_macos13_or_newer(minor=0) -> bool"""
    return is_macos_or_newer(13, minor)


def is_macos_or_newer(major, minor):
    """is_macos_or_newer(major, minor) -> bool: RuntimeError without an Apple GPU."""
    if not has_metal():
        raise RuntimeError("Cannot execute isOnMacOSorNewer() without MPS backend.")
    return tuple(map(int, platform.mac_ver()[0].split(".")[:2])) >= (major, minor)
