"""torch.onnx.symbolic_opset7: rules of the exporter, which lucid does not have."""

from ._rules import rules_of

__getattr__ = rules_of("torch.onnx.symbolic_opset7")
