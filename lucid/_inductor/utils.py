"""torch._inductor.utils: the kinds of devices that torch's compiler makes kernels for."""

import contextlib

GPU_TYPES = ["cuda", "mps", "xpu", "mtia"]


def is_gpu(device):
    """is_gpu(device) -> bool: is this the name of one?"""
    return device in GPU_TYPES


@contextlib.contextmanager
def fresh_cache(cache_entries=None, dir=None, delete=True):
    """with fresh_cache(): torch keeps compiled kernels in files, here in a folder of their own; lucid keeps none."""
    yield


fresh_inductor_cache = fresh_cache
