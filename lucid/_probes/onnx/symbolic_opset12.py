"""torch.onnx.symbolic_opset12: functions that write ops of ONNX, which lucid does not do; they exist to be named."""

from . import _unsupported

dropout = _unsupported("symbolic_opset12.dropout")
