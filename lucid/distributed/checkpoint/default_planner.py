"""torch.distributed.checkpoint.default_planner"""

from ..._base.refused import refuse

globals().update(
    refuse(
        "torch.distributed.checkpoint.default_planner",
        """DefaultLoadPlanner DefaultSavePlanner create_default_local_save_plan
create_default_local_load_plan _EmptyStateDictLoadPlanner""",
        "checkpoints in torch.distributed form",
    )
)
