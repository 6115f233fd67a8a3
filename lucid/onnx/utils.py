"""torch.onnx.utils: parts of the exporter, which lucid does not have."""

from ._rules import rules_of

__getattr__ = rules_of("torch.onnx.utils")
