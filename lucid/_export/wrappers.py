"""torch._export.wrappers: marks for torch.export on classes of tensors. Nothing is exported, so nothing changes."""

from .._base.refused import refuse


def mark_subclass_constructor_exportable_experimental(constructor_subclass):
    """mark_subclass_constructor_exportable_experimental(__init__) -> __init__; RuntimeError for another method."""
    if constructor_subclass.__name__ != "__init__":
        raise RuntimeError(
            "torch._export.wrappers.mark_constructor_exportable_experimental can only be applied on subclass "
            "tensor.__init__But, you are adding it on "
            f"{constructor_subclass.__name__} which is not supported. "
            "If __init__ doesn't exist on your subclass, please add it. Look at DTensor.__init__ implementation for "
            "example"
        )
    return constructor_subclass


globals().update(
    refuse("torch._export.wrappers", "ExportTracepoint allow_in_pre_dispatch_graph", "export of whole programs yet")
)
