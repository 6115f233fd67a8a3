"""torch._C: the few names of torch's C++ half that Python programs touch."""

import threading as _threading
import weakref as _weak

from .._aten.overloads import Tag
from .._backend.entries import HOLDERS
from .._backend.overrides import _disabled as _disabled_torch_function_impl
from .._base.device import RENAMED as _RENAMED
from .._base.device import device
from .._base.device import get_default_device as _get_default
from .._base.dtype import dtype
from .._base.enumeration import enumeration as _enumeration
from .._base.processor import get_cpu_capability as _get_cpu_capability
from .._base.refused import refuse as _refuse
from .._base.shape import Size
from .._base.state import local as _local
from .._func.creation.generator import Generator
from .._modes import steps as _steps
from .._modes.levels import without_transforms as _DisableFuncTorch
from .._modes.torch_function import DisableTorchFunction, DisableTorchFunctionSubclass
from .._serial.untyped import StorageBase
from .._tensor.tensor import Tensor as _Tensor
from .._tensor.tensor import layout, memory_format
from ..autograd.forward_ad import _is_fwd_grad_enabled
from ..autograd.grad_mode import _set_grad_enabled, is_grad_enabled
from ..futures import Future
from ..nn.modules.module_convert import _parse_to as _to_arguments
from . import _autograd, _distributed_c10d, _distributed_rpc, _functorch, _profiler, cpp
from .keys import (
    DispatchKey,
    DispatchKeySet,
    ExcludeDispatchKeyGuard,
    _AutoDispatchBelowAutograd,
    _ExcludeDispatchKeyGuard,
    _ForceDispatchKeyGuard,
    _IncludeDispatchKeyGuard,
)
from .streams import Event, Stream


class _OfTensor(type):
    """Lets a class answer for Tensor: isinstance, issubclass and what it finds are Tensor's."""

    def __instancecheck__(cls, thing):
        return isinstance(thing, _Tensor)

    def __subclasscheck__(cls, other):
        return issubclass(other, _Tensor)

    def __getattr__(cls, name):
        return getattr(_Tensor, name)

    def __call__(cls, *args, **kwargs):
        raise RuntimeError("Cannot directly construct TensorBase; subclass it and then construct that")

    def __new__(meta, name, bases, attrs):
        if bases:
            raise RuntimeError("Cannot subclass _TensorBase directly")
        return super().__new__(meta, name, bases, attrs)


class TensorBase(metaclass=_OfTensor):
    """The C half of torch.Tensor; in lucid it is Tensor under another name."""


_TensorBase = TensorBase


for _holder in HOLDERS.values():  # pickles of functions say where to look
    globals()[_holder.__name__] = _holder
_has_cuda = _has_mps = _has_mkldnn = has_cudnn = has_openmp = has_mkl = False
has_lapack = has_spectral = _GLIBCXX_USE_CXX11_ABI = True


_has_distributed = True
_TensorMeta = type(_Tensor)


def _get_accelerator(check=None):
    """_get_accelerator() -> the CPU: there is no other device that torch would call an accelerator."""
    return device("cpu")


def _get_default_device():
    """_get_default_device() -> str"""
    return str(_get_default())


def _are_functorch_transforms_active():
    """_are_functorch_transforms_active() -> bool: does vmap, grad or jvp run?"""
    return bool(_local.transforms)


def _set_math_sdp_allow_fp16_bf16_reduction(on):
    """Accepted: there is one kernel of attention."""


def _get_tracing_state():
    """None: lucid does not trace to TorchScript."""
    return None


def _log_api_usage_once(name):
    """torch counts which of its functions are used; lucid does not."""


def _is_torch_function_enabled():
    return not _local.subclass_off


_TorchFunctionState = _enumeration(
    "_TorchFunctionState", "lucid._C", "ENABLED SUBCLASSES_DISABLED ALL_DISABLED", arithmetic=True
)
_held_back = _weak.WeakKeyDictionary()  # thread -> the modes that ALL_DISABLED took away


def _get_torch_function_state():
    """_get_torch_function_state() -> who is asked in __torch_function__ just now."""
    if _threading.current_thread() in _held_back:
        return _TorchFunctionState.ALL_DISABLED
    return _TorchFunctionState.SUBCLASSES_DISABLED if _local.subclass_off else _TorchFunctionState.ENABLED


def _set_torch_function_state(state):
    """_set_torch_function_state(state): from now on all are asked, modes only, or none."""
    me = _threading.current_thread()
    if me in _held_back:
        _held_back.pop(me).__exit__()
    _local.subclass_off = state != _TorchFunctionState.ENABLED
    if state == _TorchFunctionState.ALL_DISABLED:
        _held_back[me] = DisableTorchFunction()
        _held_back[me].__enter__()


_set_fwd_grad_enabled = _steps._set_fwd_grad_enabled


def _get_privateuse1_backend_name():
    return _RENAMED.get("privateuseone", "privateuseone")


def _no(*args):
    """A setting of a compiler that lucid does not have: it is off."""
    return False


_jit_set_profiling_executor = _jit_set_profiling_mode = _jit_override_can_fuse_on_cpu = _no
_jit_override_can_fuse_on_gpu = _jit_set_texpr_fuser_enabled = _jit_set_nvfuser_enabled = _no
_jit_can_fuse_on_cpu = _jit_can_fuse_on_gpu = _jit_set_nvfuser_guard_mode = _jit_set_nvfuser_single_node_mode = _no
_jit_set_bailout_depth = _jit_texpr_fuser_enabled = _jit_nvfuser_enabled = _no


def _parse_to(*args, **kwargs):
    """_parse_to(device, dtype, ...) -> (device, dtype, non_blocking, memory_format): the arguments of `to`"""
    return _to_arguments(*args, **kwargs)


_nn = globals()["_nn"]  # the holder of nn's C functions
_nn._parse_to = staticmethod(_parse_to)


class ScriptModule:
    """TorchScript modules do not exist in lucid."""


class Value:
    """A value of a TorchScript graph: none exist."""


class Graph:
    """A TorchScript graph: none exist."""


globals().update(
    _refuse("torch._C", "ScriptFunction ScriptMethod ScriptDict ScriptList _jit_get_operation", "TorchScript")
)


__all__ = [
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "Generator",
    "_is_fwd_grad_enabled",
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
