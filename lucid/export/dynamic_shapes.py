"""torch.export.dynamic_shapes: names of whole programs captured ahead of time, which lucid does not do yet."""

from .._base.refused import refuse

globals().update(
    refuse(
        "torch.export.dynamic_shapes",
        """Constraint Dim ShapesCollection AdditionalInputs dims
refine_dynamic_shapes_from_suggested_fixes""",
        "export of whole programs yet",
    )
)
