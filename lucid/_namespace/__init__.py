"""The names of `torch.*` that are neither ops nor types, gathered for the face; and modules that load when first
touched."""

import importlib
import math
import sys
import types

from .. import _tensor, _utils, func, nn, overrides  # overrides: what subclasses do by default is set up there
from .._backend.registry import NAMESPACES
from .._backend.watched import name_attributes
from .._base.device import device
from .._base.dtype import dtype, finfo, iinfo
from .._base.errors import AcceleratorError, OutOfMemoryError
from .._base.shape import Size
from .._base.symbolic import SYM_MATH, SymBool, SymFloat, SymInt
from .._func.creation.generator import Generator
from .._modes import autocast as _autocast
from .._modes.autocast_old_names import old_names
from .._modes.grad_scaler import GradScaler
from .._serial import pickled as pickled  # storages learn to be pickled
from .._serial.names import ALLOWED
from .._serial.typed import LEGACY, TypedStorage, is_storage
from .._serial.untyped import UntypedStorage
from .._tensor.printing import printoptions
from .._tensor.tensor import Tensor, contiguous_format, layout, memory_format
from ..compiler import compile
from ..random import thread_safe_generator
from ..torch_version import TorchVersion, __version__
from ..version import lucid as lucid_version
from . import aten_functions
from .checks import CHECKS
from .cpp_names import NAMES as CPP_NAMES
from .odds_and_ends import NAMES as ODDS_AND_ENDS
from .switches import SWITCHES

_AUTOCAST = {
    name: getattr(_autocast, name)
    for name in """autocast is_autocast_enabled set_autocast_enabled get_autocast_dtype set_autocast_dtype
    is_autocast_cache_enabled set_autocast_cache_enabled clear_autocast_cache autocast_increment_nesting
    autocast_decrement_nesting""".split()
}
_AUTOCAST.update(old_names())

NAMES: dict = {
    "__version__": __version__,
    "__lucid_version__": lucid_version,
    "TorchVersion": TorchVersion,
    "inf": math.inf,
    "nan": math.nan,
    "pi": math.pi,
    "e": math.e,
    "newaxis": None,
    "legacy_contiguous_format": contiguous_format,
    "UntypedStorage": UntypedStorage,
    "TypedStorage": TypedStorage,
    "is_storage": is_storage,
    **LEGACY,
    "compile": compile,
    "GradScaler": GradScaler,
    "OutOfMemoryError": OutOfMemoryError,
    "AcceleratorError": AcceleratorError,
    "has_cuda": False,
    "has_cudnn": False,
    "vmap": func.vmap,
    "has_mps": False,
    "has_mkl": False,
    "has_mkldnn": False,
    "has_openmp": False,
    "SymInt": SymInt,
    "SymFloat": SymFloat,
    "SymBool": SymBool,
    **{f.__name__: f for f in SYM_MATH.values()},
    "_printoptions": printoptions,
    "overrides": overrides,
    **_AUTOCAST,
    **SWITCHES,
    **CHECKS,
    **CPP_NAMES,
    **ODDS_AND_ENDS,
    "thread_safe_generator": thread_safe_generator,
    "sym_sqrt": SYM_MATH[math.sqrt],
    "Storage": LEGACY["FloatStorage"],
}

# Submodules that `torch.x` reaches without an import statement; they load when first asked for.
LAZY = set(
    """
    accelerator amp ao backends _C classes compiler __config__ cpu cuda _custom_op _custom_ops _decomp distributed
    distributions _dynamo _export export fft func functional _functorch __future__ futures fx _higher_order_ops
    hub _inductor jit _jit_internal library linalg _logging masked monitor mps mtia multiprocessing nested numa
    onnx ops optim package _prims_common profiler quantization quasirandom random _refs return_types serialization
    signal sparse special storage _tensor_str testing types utils _vendor version viz xpu
    """.split()
)
# Names of such modules that are names of torch too.
FROM = {"save": "serialization", "load": "serialization", "windows": "signal", "FileCheck": "testing"}
_OF_C = "DispatchKey DispatchKeySet DisableTorchFunction DisableTorchFunctionSubclass Event Future Stream"
FROM |= {name: "_C" for name in _OF_C.split()}
FROM |= {"to_dlpack": "utils.dlpack", "Tag": "_C", "ExcludeDispatchKeyGuard": "_C", "cpp": "_C", "StorageBase": "_C"}
FROM |= {"cond": "_higher_order_ops", "while_loop": "_higher_order_ops"}
FROM |= {"PyTorchFileReader": "_serial.file_reader"}

# torch says of these that they live in `torch` itself; pickles and reprs show it.
for _cls in (Tensor, Size, dtype, device, layout, memory_format, finfo, iinfo):
    _cls.__module__ = "lucid"
_tensor.Tensor = Tensor
name_attributes()
GradScaler.__module__ = "lucid.amp.grad_scaler"

for _f in (nn.parameter._rebuild_parameter, nn.parameter._rebuild_parameter_with_state):
    setattr(_utils, _f.__name__, _f)
    _f.__module__ = "lucid._utils"
    ALLOWED[f"torch._utils.{_f.__name__}"] = _f
ALLOWED["torch.nn.parameter.Parameter"] = nn.parameter.Parameter
Generator.__module__ = "lucid._C"


_NOT_EXPORTED = {"ALIASES", "DTYPES", "NAMED_ONLY", "NAMESPACES", "QSCHEMES", "PRIVATE_OPS"}
_NOT_EXPORTED |= {"StorageBase", "while_loop", "windows", "to_dlpack"}


def _exported(names):
    """What `from torch import *` gives: public names that are no modules, also those that are loaded when asked for."""
    plain = {n for n, value in names.items() if n[0] != "_" and not isinstance(value, types.ModuleType)}
    return sorted((plain | FROM.keys()) - _NOT_EXPORTED)


def attribute(package, name):
    """What `package.name` is when the package has no such name yet: a lazy submodule, a new op, or an error."""
    if name in LAZY:
        try:
            return importlib.import_module(f"{package}.{name}")
        except ModuleNotFoundError as absent:  # hasattr(torch, "fft") must be able to say no
            if absent.name != f"{package}.{name}":
                raise
    if name == "__all__":
        return _exported(vars(sys.modules[package]))
    if name == "torch":  # torch.torch is torch
        return sys.modules[package]
    if name in FROM:
        found = getattr(importlib.import_module(f"{package}.{FROM[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found
    if name in NAMESPACES["torch"]:
        return NAMESPACES["torch"][name]
    if name in aten_functions.NAMES:
        found = aten_functions.function(name)
        setattr(sys.modules[package], name, found)
        return found
    missing = AttributeError(f"module 'torch' has no attribute '{name}'", name=name, obj=sys.modules[package])
    missing.add_note("docs/supported.md lists what lucid has of torch's names")
    raise missing
