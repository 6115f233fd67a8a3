"""torch._C: the few names of torch's C++ half that Python programs touch."""

from ._backend.entries import HOLDERS
from ._backend.overrides import _disabled as _disabled_torch_function_impl
from ._base.device import RENAMED as _RENAMED
from ._base.device import device
from ._base.dtype import dtype
from ._base.shape import Size
from ._base.state import local as _local
from ._func.creation.generator import Generator
from ._modes.torch_function import DisableTorchFunction, DisableTorchFunctionSubclass
from ._tensor.tensor import Tensor as TensorBase
from ._tensor.tensor import layout, memory_format
from .autograd.grad_mode import is_grad_enabled
from .autograd.grad_mode import set_grad_enabled as _set_grad_enabled

_TensorBase = TensorBase
globals().update({cls.__name__: cls for cls in HOLDERS.values()})  # pickles of functions say where to look
_has_cuda = _has_mps = _has_mkldnn = _has_distributed = has_cudnn = has_openmp = has_mkl = has_lapack = False


def _get_tracing_state():
    """None: lucid does not trace to TorchScript."""
    return None


def _log_api_usage_once(name):
    """torch counts which of its functions are used; lucid does not."""


def _is_torch_function_enabled():
    return not _local.subclass_off


def _get_privateuse1_backend_name():
    return _RENAMED.get("privateuseone", "privateuseone")


def _jit_set_profiling_executor(on):
    return False


def _jit_set_profiling_mode(on):
    return False


class ScriptModule:
    """TorchScript modules do not exist in lucid."""


class Value:
    """A value of a TorchScript graph: none exist."""


class Graph:
    """A TorchScript graph: none exist."""


__all__ = [
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "Generator",
    "Size",
    "TensorBase",
    "device",
    "dtype",
    "_disabled_torch_function_impl",
    "is_grad_enabled",
    "_set_grad_enabled",
    "layout",
    "memory_format",
]
