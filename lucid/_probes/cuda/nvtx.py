"""torch.cuda.nvtx: marks for NVIDIA's profiler, which fail as in torch's CPU build."""

import contextlib


def _fail(*args, **kwargs):
    raise RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?")


range_push = range_pop = range_start = range_end = mark = _fail


@contextlib.contextmanager
def range(msg, *args, **kwargs):
    """range(msg): RuntimeError, there is no CUDA here."""
    range_push(msg.format(*args, **kwargs))
    yield
