"""torch.export.exported_program: names of whole programs captured ahead of time, which lucid does not do yet."""

from .._base.refused import refuse

globals().update(
    refuse(
        "torch.export.exported_program",
        """ExportedProgram ModuleCallEntry ModuleCallSignature default_decompositions""",
        "export of whole programs yet",
    )
)
