"""torch._functorch: torch.func's transforms and their steps, under the names that graphs and old programs have."""

import importlib as _importlib

from . import eager_transforms, predispatch

_LATER = {
    "aot_autograd",
    "apis",
    "batch_norm_replacement",
    "config",
    "deprecated",
    "functional_call",
    "make_functional",
}
_LATER |= {"vmap"}


def __getattr__(name):
    if name in _LATER:
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch._functorch' has no attribute {name!r}")
