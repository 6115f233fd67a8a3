"""torch.distributed.checkpoint.filesystem"""

from ..._base.refused import refuse

globals().update(
    refuse(
        "torch.distributed.checkpoint.filesystem",
        """FileSystemReader FileSystemWriter FileSystem""",
        "checkpoints in torch.distributed form",
    )
)
