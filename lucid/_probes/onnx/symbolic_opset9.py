"""torch.onnx.symbolic_opset9: functions that write ops of ONNX, which lucid does not do; they exist to be named."""

from . import _unsupported

softmax, masked_fill = (_unsupported(f"symbolic_opset9.{n}") for n in ["softmax", "masked_fill"])
