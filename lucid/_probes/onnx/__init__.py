"""torch.onnx: export to ONNX, which lucid does not have; names that programs mention exist."""

import enum

__all__ = ["export", "is_in_onnx_export", "OperatorExportTypes", "TrainingMode"]


class OperatorExportTypes(enum.IntEnum):
    """How operators would be exported."""

    ONNX, ONNX_ATEN, ONNX_ATEN_FALLBACK, ONNX_FALLTHROUGH = range(4)


class TrainingMode(enum.IntEnum):
    """In which mode a model would be exported."""

    EVAL, PRESERVE, TRAINING = range(3)


class TensorProtoDataType(enum.IntEnum):
    """ONNX's numbers of element types."""

    UNDEFINED, FLOAT, UINT8, INT8, UINT16, INT16, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE = range(12)
    UINT32, UINT64, COMPLEX64, COMPLEX128, BFLOAT16 = range(12, 17)
    FLOAT8E4M3FN, FLOAT8E4M3FNUZ, FLOAT8E5M2, FLOAT8E5M2FNUZ, UINT4, INT4, FLOAT4E2M1 = range(17, 24)


class OnnxExporterError(RuntimeError):
    """An error of the exporter; lucid never raises it."""


def is_in_onnx_export():
    """is_in_onnx_export() -> False"""
    return False


def _unsupported(name):
    def f(*args, **kwargs):
        raise NotImplementedError(
            f"torch.onnx.{name}: lucid does not write ONNX files; save the state_dict with "
            "torch.save and export from torch"
        )

    f.__name__, f.__doc__ = name, f"{name}(...): NotImplementedError."
    return f


export, dynamo_export, _export = (_unsupported(n) for n in ("export", "dynamo_export", "_export"))

_symbolics: dict = {}  # (op, opset) -> how a library says it is exported


def register_custom_op_symbolic(symbolic_name, symbolic_fn, opset_version):
    """register_custom_op_symbolic("namespace::op", fn, opset): kept; only an export would ask for it."""
    _symbolics[symbolic_name, opset_version] = symbolic_fn


def unregister_custom_op_symbolic(symbolic_name, opset_version):
    """unregister_custom_op_symbolic("namespace::op", opset): forget it."""
    _symbolics.pop((symbolic_name, opset_version), None)
