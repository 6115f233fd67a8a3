"""torch.backends.nnpack: a kernel library, not here."""

import contextlib


def is_available():
    """is_available() -> False"""
    return False


def set_flags(_enabled):
    """set_flags(enabled) -> (bool,)"""
    return (True,)


@contextlib.contextmanager
def flags(enabled=False):
    """with flags(): a block in which nothing changes."""
    yield
