"""torch.onnx.errors: errors of the exporter; lucid never raises them, programs catch them."""

from . import OnnxExporterError


class OnnxExporterWarning(UserWarning):
    """A warning of the exporter."""


class SymbolicValueError(OnnxExporterError):
    """An error about a value."""


class UnsupportedOperatorError(OnnxExporterError):
    """An operator that cannot be exported."""


class CheckerError(OnnxExporterError):
    """An exported model that is wrong."""
