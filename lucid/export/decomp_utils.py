"""torch.export.decomp_utils: names of whole programs captured ahead of time, which lucid does not do yet."""

from .._base.refused import refuse

globals().update(
    refuse(
        "torch.export.decomp_utils",
        """CustomDecompTable""",
        "export of whole programs yet",
    )
)
