"""torch.export.passes: names of whole programs captured ahead of time, which lucid does not do yet."""

from .._base.refused import refuse

globals().update(
    refuse(
        "torch.export.passes",
        """move_to_device_pass""",
        "export of whole programs yet",
    )
)
