"""torch.export._trace: names of whole programs captured ahead of time, which lucid does not do yet."""

from .._base.refused import refuse

globals().update(
    refuse(
        "torch.export._trace",
        """_export _export_to_aten_ir""",
        "export of whole programs yet",
    )
)
