"""torch.nn.parallel: DataParallel, which runs the module itself, and DistributedDataParallel over one process."""

import importlib as _importlib

from .data_parallel import DataParallel, data_parallel
from .parallel_apply import parallel_apply
from .replicate import replicate
from .scatter_gather import gather, scatter

__all__ = [
    "replicate",
    "scatter",
    "parallel_apply",
    "gather",
    "data_parallel",
    "DataParallel",
    "DistributedDataParallel",
]


def __getattr__(name):
    if name in ("DistributedDataParallel", "distributed"):  # loaded when asked for: few programs want it
        module = _importlib.import_module(".distributed", __name__)
        return module if name == "distributed" else module.DistributedDataParallel
    if name == "comm":
        return _importlib.import_module(".comm", __name__)
    raise AttributeError(f"module 'torch.nn.parallel' has no attribute {name!r}")
