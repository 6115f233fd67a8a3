"""torch.distributed.checkpoint.format_utils"""

from ..._base.refused import refuse

globals().update(
    refuse(
        "torch.distributed.checkpoint.format_utils",
        """dcp_to_torch_save torch_save_to_dcp BroadcastingTorchSaveReader DynamicMetaLoadPlanner""",
        "checkpoints in torch.distributed form",
    )
)
