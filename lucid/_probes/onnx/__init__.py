"""torch.onnx: export to ONNX, which lucid does not have; names that programs mention exist."""

import enum

__all__ = ["export", "is_in_onnx_export", "OperatorExportTypes", "TrainingMode"]


class OperatorExportTypes(enum.IntEnum):
    """How operators would be exported."""

    ONNX, ONNX_ATEN, ONNX_ATEN_FALLBACK, ONNX_FALLTHROUGH = range(4)


class TrainingMode(enum.IntEnum):
    """In which mode a model would be exported."""

    EVAL, PRESERVE, TRAINING = range(3)


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


export, dynamo_export, register_custom_op_symbolic, unregister_custom_op_symbolic, _export = (
    _unsupported(n)
    for n in ("export", "dynamo_export", "register_custom_op_symbolic", "unregister_custom_op_symbolic", "_export")
)
