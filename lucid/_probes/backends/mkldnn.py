"""torch.backends.mkldnn: Intel's neural network library, not here; set the switches as you like."""

import contextlib

enabled, deterministic, allow_tf32 = True, False, False


def is_available():
    """is_available() -> False"""
    return False


@contextlib.contextmanager
def flags(enabled=False, deterministic=False, allow_tf32=True, fp32_precision="none"):
    """with flags(enabled=False): a block in which nothing changes."""
    yield
