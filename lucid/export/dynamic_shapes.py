"""torch.export.dynamic_shapes: names of whole programs captured ahead of time, which lucid does not do yet."""

import dataclasses

from .._base.refused import refuse, refused_class


@dataclasses.dataclass
class _DimHint:
    """What Dim.AUTO, Dim.DYNAMIC and Dim.STATIC are: how a size is to be treated."""

    type: str
    min: int | None = None
    max: int | None = None


globals().update(
    refuse(
        "torch.export.dynamic_shapes",
        """Constraint ShapesCollection AdditionalInputs dims
refine_dynamic_shapes_from_suggested_fixes""",
        "export of whole programs yet",
    )
)
_HINTS = {name: _DimHint(name) for name in ("AUTO", "DYNAMIC", "STATIC")}
Dim = refused_class("torch.export", "Dim", "export of whole programs yet", **_HINTS)
