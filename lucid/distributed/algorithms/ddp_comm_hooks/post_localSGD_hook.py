"""torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook: averaging among several processes; not in lucid."""

from ...._base.refused import refuse as _refuse

globals().update(
    _refuse(
        "torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook",
        "PostLocalSGDState post_localSGD_hook",
        "training in several processes",
    )
)
