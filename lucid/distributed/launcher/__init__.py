"""torch.distributed.launcher: lucid has no launcher of several processes."""

from ..._base.refused import refuse

globals().update(
    refuse(
        "torch.distributed.launcher",
        """LaunchConfig elastic_launch launch_agent""",
        "launcher of several processes",
    )
)
