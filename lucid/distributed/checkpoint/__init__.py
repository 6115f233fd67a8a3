"""torch.distributed.checkpoint: checkpoints of several processes in one directory, which lucid does not write; the
helpers of `state_dict` work."""

import importlib as _importlib

from ..._base.refused import refuse as _refuse

_WHY = "checkpoints in torch.distributed's form; torch.save(model.state_dict(), file) keeps all of one process"


class CheckpointException(BaseException):
    """Errors of several processes."""

    def __init__(self, msg, failures):
        super().__init__(msg, failures)
        self.failures = failures


globals().update(
    _refuse(
        "torch.distributed.checkpoint",
        """save load async_save save_state_dict load_state_dict load_sharded_optimizer_state_dict BytesStorageMetadata
        ChunkStorageMetadata DefaultLoadPlanner DefaultSavePlanner FileSystemReader FileSystemWriter
        HuggingFaceStorageReader HuggingFaceStorageWriter LoadPlan LoadPlanner Metadata
        QuantizedHuggingFaceStorageReader ReadItem SavePlan SavePlanner StorageReader StorageWriter
        TensorStorageMetadata WriteItem""",
        _WHY,
    )
)


def __getattr__(name):
    if name in ("state_dict", "stateful", "default_planner", "filesystem", "metadata", "format_utils"):
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.distributed.checkpoint' has no attribute {name!r}")
