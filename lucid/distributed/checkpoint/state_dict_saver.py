"""torch.distributed.checkpoint.state_dict_saver"""

from ..._base.refused import refuse

globals().update(
    refuse(
        "torch.distributed.checkpoint.state_dict_saver",
        """save async_save save_state_dict _save_state_dict""",
        "checkpoints in torch.distributed form",
    )
)
