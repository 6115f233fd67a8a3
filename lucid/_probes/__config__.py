"""torch.__config__: what lucid runs on, as text."""

import platform

from ._array.numpy.threads import cpus
from .version import lucid


def show():
    """show() -> str"""
    return f"lucid {lucid}: torch in Python {platform.python_version()} over numpy, on {platform.platform()}\n"


def parallel_info():
    """parallel_info() -> str"""
    return f"numpy's BLAS uses up to {cpus()} threads; everything else runs in one\n"
