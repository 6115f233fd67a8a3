"""torch.backends.cudnn: switches of NVIDIA's library, which is not here; set them as you like."""

import contextlib

enabled, benchmark, deterministic, allow_tf32 = True, False, False, True
benchmark_limit = None
fp32_precision = "none"


def is_available():
    """is_available() -> False"""
    return False


def version():
    """version() -> None"""
    return None


def is_acceptable(tensor):
    """is_acceptable(tensor) -> False"""
    return False


def set_flags(
    _enabled=None, _benchmark=None, _benchmark_limit=None, _deterministic=None, _allow_tf32=None, _fp32_precision="none"
):
    """set_flags(...) -> tuple of the switches before."""
    names = ("enabled", "benchmark", "benchmark_limit", "deterministic", "allow_tf32")
    before = tuple(globals()[n] for n in names)
    for name, value in zip(names, (_enabled, _benchmark, _benchmark_limit, _deterministic, _allow_tf32)):
        if value is not None:
            globals()[name] = value
    return (*before, fp32_precision)


@contextlib.contextmanager
def flags(
    enabled=False, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True, fp32_precision="none"
):
    """with flags(enabled=False): the switches hold inside the block."""
    before = set_flags(enabled, benchmark, benchmark_limit, deterministic, allow_tf32)
    try:
        yield
    finally:
        set_flags(*before[:5])
