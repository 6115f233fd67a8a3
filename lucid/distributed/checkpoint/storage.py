"""torch.distributed.checkpoint.storage"""

from ..._base.refused import refuse

globals().update(
    refuse(
        "torch.distributed.checkpoint.storage",
        """StorageReader StorageWriter WriteResult""",
        "checkpoints in torch.distributed form",
    )
)
