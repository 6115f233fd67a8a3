"""torch.onnx.symbolic_helper: decorators of rules for the exporter, which lucid does not have; rules stay functions."""

from .._base.refused import refused_function

_PLACE, _WHY = "torch.onnx.symbolic_helper", "writer of ONNX files"
ScalarType = None


def parse_args(*arg_descriptors):
    """parse_args(*descriptors) -> decorator that changes nothing"""
    return lambda fn: fn


def quantized_args(*arg_q_descriptors, scale=None, zero_point=None, quantize_output=True):
    """quantized_args(*descriptors) -> decorator that changes nothing"""
    return lambda fn: fn


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module {_PLACE!r} has no attribute {name!r}")
    return refused_function(_PLACE, name, _WHY)
