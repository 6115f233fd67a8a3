"""Finds the kernel table of a device and an element type."""
from .._base.device import cpu, device
from .._base.state import defaults
from . import numpy as _numpy
# Each adds its words.
from . import (numpy_attention, numpy_conv, numpy_count, numpy_index, numpy_linalg, numpy_norm, numpy_pool,
               numpy_reduce, numpy_rnn, numpy_scatter, numpy_special)

# device type -> function(dtype, device) -> table; other vocabularies add theirs when they are first asked for.
_MAKERS = {"cpu": lambda dtype, place: _numpy.table(dtype)}


def _meta(dtype, place):
    from . import meta_layers
    return meta_layers.table(dtype)


def _mlx(dtype, place):
    try:
        from . import mlx_index
    except ModuleNotFoundError as missing:
        if missing.name not in ("mlx", "mlx.core"):
            raise
        raise RuntimeError(f"device '{place}' needs mlx, which is not installed: pip install 'lucid-torch[mlx]'") from None
    return mlx_index.table(dtype, place)


_MAKERS.update(meta=_meta, mlx=_mlx, mps=_mlx)


def table(dtype, place=None):
    """The table for `dtype` on `place` (a device, its name, or None for the default)."""
    if place is None:
        place = defaults.device
    elif not isinstance(place, device):
        place = device(place)
    if place == cpu:
        return _numpy.table(dtype)
    if place.type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    make = _MAKERS.get(place.type)
    if make is None:
        raise RuntimeError(f"lucid has no device '{place}': it knows cpu, meta and, with mlx, mlx and mps")
    return make(dtype, place)


__all__ = ["table", "numpy_attention", "numpy_conv", "numpy_count", "numpy_index", "numpy_linalg",
           "numpy_norm", "numpy_pool", "numpy_reduce", "numpy_rnn", "numpy_scatter", "numpy_special"]
