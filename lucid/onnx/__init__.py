"""torch.onnx: export to ONNX, which lucid does not have; names that programs mention exist."""

import enum
import importlib as _importlib

from .._base.refused import refuse as _refuse
from ..version import __version__ as _version

__all__ = ["export", "is_in_onnx_export", "OperatorExportTypes", "TrainingMode", "TensorProtoDataType"]
_WHY = "writer of ONNX files; save the state_dict and export from torch"


class OperatorExportTypes(enum.IntEnum):
    """How operators would be exported."""

    ONNX, ONNX_ATEN, ONNX_ATEN_FALLBACK, ONNX_FALLTHROUGH = range(4)


class TrainingMode(enum.IntEnum):
    """In which mode a model would be exported."""

    EVAL, PRESERVE, TRAINING = range(3)


TensorProtoDataType = enum.IntEnum(
    "TensorProtoDataType",
    """UNDEFINED FLOAT UINT8 INT8 UINT16 INT16 INT32 INT64 STRING BOOL FLOAT16 DOUBLE UINT32 UINT64 COMPLEX64 COMPLEX128
    BFLOAT16 FLOAT8E4M3FN FLOAT8E4M3FNUZ FLOAT8E5M2 FLOAT8E5M2FNUZ""".split(),
    start=0,
)


class OnnxExporterError(RuntimeError):
    """An error of the exporter; lucid never raises it."""


def is_in_onnx_export():
    """is_in_onnx_export() -> False"""
    return False


def register_custom_op_symbolic(symbolic_name, symbolic_fn, opset_version):
    """register_custom_op_symbolic(name, f, opset): accepted; there is no exporter that would ask f."""


def unregister_custom_op_symbolic(symbolic_name, opset_version):
    """unregister_custom_op_symbolic(name, opset): accepted."""


def select_model_mode_for_export(model, mode):
    """select_model_mode_for_export(model, mode): NotImplementedError, lucid has no ONNX."""
    raise NotImplementedError(f"torch.onnx.select_model_mode_for_export: lucid has no {_WHY}")


globals().update(
    _refuse(
        "torch.onnx",
        """export dynamo_export _export ONNXProgram ExportableModule InputObserver JitScalarType ExportOptions
        ONNXRuntimeOptions OnnxRegistry enable_fake_mode is_onnxrt_backend_supported""",
        _WHY,
    )
)
producer_name, producer_version = "pytorch", _version.split("+")[0]
_LATER = {"errors", "operators", "ops", "symbolic_helper", "utils", "verification", "testing"}
_LATER |= {f"symbolic_opset{n}" for n in range(7, 21)}


def __getattr__(name):
    if name in _LATER:
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.onnx' has no attribute {name!r}")
