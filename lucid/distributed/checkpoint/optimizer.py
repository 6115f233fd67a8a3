"""torch.distributed.checkpoint.optimizer"""

from ..._base.refused import refuse

globals().update(
    refuse(
        "torch.distributed.checkpoint.optimizer",
        """load_sharded_optimizer_state_dict""",
        "checkpoints in torch.distributed form",
    )
)
