"""torch.export: whole programs captured ahead of time, which lucid does not do yet; names exist."""

import importlib as _importlib

from .._base.refused import refuse as _refuse
from .dynamic_shapes import Dim as Dim

_WHY = "export of whole programs yet; torch.compile and torch.fx capture graphs"
globals().update(
    _refuse(
        "torch.export",
        """export export_for_training draft_export load save register_dataclass dims ShapesCollection
        AdditionalInputs ExportedProgram ExportBackwardSignature ExportGraphSignature ModuleCallEntry
        ModuleCallSignature Constraint
        CustomDecompTable InterpreterModule UnflattenedModule FlatArgsAdapter default_decompositions unflatten""",
        _WHY,
    )
)
DEFAULT_PICKLE_PROTOCOL = 2
_LATER = {
    "decomp_utils",
    "pt2_archive",
    "custom_ops",
    "dynamic_shapes",
    "exported_program",
    "graph_signature",
    "unflatten",
    "_trace",
    "passes",
}


def __getattr__(name):
    if name in _LATER:
        return _importlib.import_module(f"{__name__}.{name}")
    if name == "pytree":
        return _importlib.import_module(f"{__name__.partition('.')[0]}.utils._pytree")
    if name == "PassResult":
        from ..fx.passes.infra.pass_base import PassResult

        return PassResult
    raise AttributeError(f"module 'torch.export' has no attribute {name!r}")
