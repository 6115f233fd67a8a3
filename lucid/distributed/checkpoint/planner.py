"""torch.distributed.checkpoint.planner"""

from ..._base.refused import refuse

globals().update(
    refuse(
        "torch.distributed.checkpoint.planner",
        """LoadPlan LoadPlanner SavePlan SavePlanner ReadItem WriteItem""",
        "checkpoints in torch.distributed form",
    )
)
