"""lucid: PyTorch that one person can read. `import lucid as torch`, or `python -m lucid script.py`."""

import pathlib as _pathlib

from ._base import garbage as _garbage

_loading = _garbage.Loading()

__path__.append(str(_pathlib.Path(__file__).parent / "_probes"))  # torch's modules that only answer questions

from . import _aten, _func, _fusion, autograd, func, linalg, nn, random, special, utils
from ._backend.registry import NAMESPACES
from ._base.device import device, get_default_device, set_default_device
from ._base.dtype import ALIASES, DTYPES, NAMED_ONLY, dtype, finfo, get_default_dtype, iinfo, set_default_dtype
from ._base.promotion import can_cast, promote_types
from ._base.shape import Size, broadcast_shapes
from ._base.state import defaults as _defaults
from ._func.creation.generator import Generator
from ._func.methods.closure_helpers import _check_is_tensor, _match_grad_shape, _set_tensor_grad
from ._modes import torch_dispatch as _torch_dispatch
from ._tensor.printing import get_printoptions, set_printoptions
from ._tensor.tensor import (
    QSCHEMES,
    Tensor,
    channels_last,
    channels_last_3d,
    contiguous_format,
    jagged,
    layout,
    memory_format,
    preserve_format,
    qscheme,
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
    strided,
)
from .autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled
from .autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .random import default_generator, fork_rng, get_rng_state, initial_seed, manual_seed, seed, set_rng_state

globals().update(DTYPES)
globals().update(ALIASES)
globals().update(NAMED_ONLY)
globals().update(QSCHEMES)
globals().update(NAMESPACES["torch"])
globals().update(_func.methods.legacy_types.LEGACY_TYPES)
globals().update(_func.nn.dropout.TORCH_FORMS)
globals().update(_func.methods.absent.REMOVED)

from . import _namespace

globals().update(_namespace.NAMES)


def __getattr__(name):
    return _namespace.attribute(__name__, name)


class _Face(type(random)):
    """The module itself, so that assigning `lucid.ENABLE_FUSION` reaches the engine."""

    @property
    def ENABLE_FUSION(self):
        """Does backward fuse pairs of nodes (see lucid._fusion)?"""
        return _defaults.fusion

    @ENABLE_FUSION.setter
    def ENABLE_FUSION(self, on):
        _defaults.fusion = on is True or on == 1


__import__("sys").modules[__name__].__class__ = _Face
_loading.done()
