"""torch.nn.functional: what layers do, as functions; and names that programs take from torch's file of them."""

from .._backend.registry import NAMESPACES
from .._base.refused import refused_function as _refused_function
from .._func.linalg.scaled import ScalingType as ScalingType
from .._func.linalg.scaled import SwizzleType as SwizzleType
from .._jit_internal import BroadcastingList1 as BroadcastingList1
from .._jit_internal import BroadcastingList2 as BroadcastingList2
from .._jit_internal import BroadcastingList3 as BroadcastingList3
from .._jit_internal import boolean_dispatch as boolean_dispatch
from .._tensor.tensor import Tensor as Tensor
from ..overrides import handle_torch_function as handle_torch_function
from ..overrides import has_torch_function as has_torch_function
from ..overrides import has_torch_function_unary as has_torch_function_unary
from ..overrides import has_torch_function_variadic as has_torch_function_variadic

globals().update(NAMESPACES["nn.functional"])

DType = int
scaled_grouped_mm = _refused_function("torch.nn.functional", "scaled_grouped_mm", "grouped product of scaled matrices")


def assert_int_or_pair(arg, arg_name, message):
    """assert_int_or_pair(arg, arg_name, message): AssertionError unless arg is an int or has two elements."""
    if not (isinstance(arg, int) or len(arg) == 2):
        raise AssertionError(message.format(arg_name))


GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
GRID_SAMPLE_PADDING_MODES = {"zeros": 0, "border": 1, "reflection": 2}


def __getattr__(name):
    if name == "grad":  # loaded when asked for, and ATen's table with it
        import importlib

        return importlib.import_module("..grad", __name__)
    raise AttributeError(f"module 'torch.nn.functional' has no attribute {name!r}")
