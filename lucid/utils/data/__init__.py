"""torch.utils.data: datasets, samplers, and the DataLoader."""

import importlib

from .dataloader import DataLoader, _DatasetKind, default_collate, default_convert, get_worker_info
from .dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from .distributed import DistributedSampler
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "_DatasetKind",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
]

_PIPES = {
    "DFIterDataPipe": "datapipe",
    "DataChunk": "datapipe",
    "IterDataPipe": "datapipe",
    "MapDataPipe": "datapipe",
    "argument_validation": "_decorator",
    "functional_datapipe": "_decorator",
    "guaranteed_datapipes_determinism": "_decorator",
    "non_deterministic": "_decorator",
    "runtime_validation": "_decorator",
    "runtime_validation_disabled": "_decorator",
}
__all__ += ["DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe", "argument_validation", "functional_datapipe"]
__all__ += ["guaranteed_datapipes_determinism", "non_deterministic", "runtime_validation"]
__all__ += ["runtime_validation_disabled"]


def __getattr__(name):
    """DataPipes, which load when they are first asked for."""
    if name == "datapipes" or name in ("graph", "graph_settings"):
        return importlib.import_module(f"{__name__}.{name}")
    if name in _PIPES:
        importlib.import_module(f"{__name__}.datapipes")
        return getattr(importlib.import_module(f"{__name__}.datapipes.{_PIPES[name]}"), name)
    raise AttributeError(f"module 'torch.utils.data' has no attribute {name!r}")
