"""torch.export: programs captured whole, ahead of time."""

import dataclasses as _dataclasses
import importlib as _importlib

from .._base.refused import refuse as _refuse
from .._tensor import pytree as _pytree
from ._files import load as load
from ._files import save as save
from ._trace import export as export
from ._trace import export_for_training as export_for_training
from .decomp_utils import CustomDecompTable as CustomDecompTable
from .dynamic_shapes import AdditionalInputs as AdditionalInputs
from .dynamic_shapes import Constraint as Constraint
from .dynamic_shapes import Dim as Dim
from .dynamic_shapes import ShapesCollection as ShapesCollection
from .dynamic_shapes import dims as dims
from .exported_program import ExportedProgram as ExportedProgram
from .exported_program import ModuleCallEntry as ModuleCallEntry
from .exported_program import ModuleCallSignature as ModuleCallSignature
from .exported_program import default_decompositions as default_decompositions
from .graph_signature import ExportBackwardSignature as ExportBackwardSignature
from .graph_signature import ExportGraphSignature as ExportGraphSignature
from .unflatten import FlatArgsAdapter as FlatArgsAdapter
from .unflatten import InterpreterModule as InterpreterModule
from .unflatten import UnflattenedModule as UnflattenedModule
from .unflatten import unflatten as unflatten

globals().update(
    _refuse("torch.export", "draft_export", "export that goes on after errors; torch.export.export says the first one")
)


def register_dataclass(cls, *, serialized_type_name=None):
    """register_dataclass(cls): instances of a dataclass may be inputs and results of exported programs, as containers
    of their fields."""
    if not _dataclasses.is_dataclass(cls):
        raise AssertionError(f"Only dataclasses can be registered with this function: {cls}")
    _pytree.register_dataclass(cls, serialized_type_name=serialized_type_name)


DEFAULT_PICKLE_PROTOCOL = 2
_LATER = {
    "decomp_utils",
    "pt2_archive",
    "custom_ops",
    "dynamic_shapes",
    "exported_program",
    "graph_signature",
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
