"""torch.onnx.symbolic_opset11: functions that write ops of ONNX, which lucid does not do; they exist to be named."""

from . import _unsupported

unsqueeze, squeeze, select = (_unsupported(f"symbolic_opset11.{n}") for n in ["unsqueeze", "squeeze", "select"])
