"""The names of `torch.*` that are neither ops nor types, gathered for the face; and modules that load when first touched."""
import importlib

from .. import _serial, _tensor, _utils, nn, serialization, storage
from .._base.device import device
from .._base.dtype import dtype, finfo, iinfo
from .._base.shape import Size
from .._func.generator import Generator
from .._serial.names import rename
from .._serial.restricted import allow
from .._serial.typed import LEGACY, TypedStorage, is_storage
from .._serial.untyped import UntypedStorage
from .._tensor.tensor import Tensor, layout, memory_format

NAMES: dict = {"UntypedStorage": UntypedStorage, "TypedStorage": TypedStorage, "is_storage": is_storage, **LEGACY}

# Submodules that `torch.x` reaches without an import statement; they load when first asked for.
LAZY: set = set()

# torch says of these that they live in `torch` itself; pickles and reprs show it.
for _cls in (Tensor, Size, dtype, device, layout, memory_format, finfo, iinfo):
    _cls.__module__ = "lucid"
_tensor.Tensor = Tensor

for _f in (nn.parameter._rebuild_parameter, nn.parameter._rebuild_parameter_with_state):
    setattr(_utils, _f.__name__, _f)
    _f.__module__ = "lucid._utils"
    allow(f"torch._utils.{_f.__name__}", _f)
allow("torch.nn.parameter.Parameter", nn.parameter.Parameter)
rename((Generator.__module__, "Generator"), ("torch._C", "Generator"))


def attribute(package, name):
    """What `package.name` is when the package has no such name yet: a lazy submodule, or torch's AttributeError."""
    if name in LAZY:
        return importlib.import_module(f"{package}.{name}")
    raise AttributeError(f"module 'torch' has no attribute '{name}'")


__all__ = ["LAZY", "NAMES", "attribute", "serialization", "storage", "_serial"]
