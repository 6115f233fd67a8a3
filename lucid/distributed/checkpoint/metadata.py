"""torch.distributed.checkpoint.metadata"""

from ..._base.refused import refuse

globals().update(
    refuse(
        "torch.distributed.checkpoint.metadata",
        """Metadata MetadataIndex TensorStorageMetadata BytesStorageMetadata ChunkStorageMetadata
TensorProperties""",
        "checkpoints in torch.distributed form",
    )
)
