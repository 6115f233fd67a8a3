"""torch.distributed.checkpoint.state_dict_loader"""

from ..._base.refused import refuse

globals().update(
    refuse(
        "torch.distributed.checkpoint.state_dict_loader",
        """load load_state_dict _load_state_dict""",
        "checkpoints in torch.distributed form",
    )
)
