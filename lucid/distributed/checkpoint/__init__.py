"""torch.distributed.checkpoint: checkpoints as directories, written and read by one process; torch reads them, too."""

from ..._base.refused import refuse as _refuse
from . import state_dict as state_dict
from . import stateful as stateful
from .api import CheckpointException
from .default_planner import DefaultLoadPlanner, DefaultSavePlanner
from .filesystem import FileSystemReader, FileSystemWriter
from .metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    TensorStorageMetadata,
)
from .state_dict_loader import load, load_state_dict
from .state_dict_saver import async_save, save, save_state_dict

globals().update(
    _refuse(
        "torch.distributed.checkpoint",
        """load_sharded_optimizer_state_dict HuggingFaceStorageReader HuggingFaceStorageWriter LoadPlan LoadPlanner
        QuantizedHuggingFaceStorageReader ReadItem SavePlan SavePlanner StorageReader StorageWriter WriteItem""",
        "checkpoints of several processes, and none in other forms than torch.distributed.checkpoint.save's",
    )
)
__all__ = [
    "BytesStorageMetadata",
    "CheckpointException",
    "ChunkStorageMetadata",
    "DefaultLoadPlanner",
    "DefaultSavePlanner",
    "FileSystemReader",
    "FileSystemWriter",
    "Metadata",
    "TensorStorageMetadata",
    "async_save",
    "load",
    "load_state_dict",
    "save",
    "save_state_dict",
]
