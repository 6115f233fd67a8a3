"""torch.export.graph_signature: names of whole programs captured ahead of time, which lucid does not do yet."""

from .._base.refused import refuse

globals().update(
    refuse(
        "torch.export.graph_signature",
        """ConstantArgument ExportBackwardSignature ExportGraphSignature InputKind InputSpec OutputKind
OutputSpec SymIntArgument TensorArgument CustomObjArgument
        SymFloatArgument SymBoolArgument TokenArgument""",
        "export of whole programs yet",
    )
)
