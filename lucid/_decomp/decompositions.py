"""torch._decomp.decompositions: the functions that take ops apart, by name."""

from .registry import BY_NAME, load

load()
globals().update(BY_NAME)
__all__ = sorted(BY_NAME)  # noqa: PLE0605
