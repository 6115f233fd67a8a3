"""Finds the kernel table of a device and an element type."""

from .._base.device import cpu, device
from .._base.state import defaults

# Each adds its words to the CPU's tables.
from .numpy import attention, conv, count, index, linalg, norm, pool, reduce, rnn, scatter, special
from .numpy import table as numpy_table

# device type -> function(dtype, device) -> table; other vocabularies add theirs when they are first asked for.
_MAKERS = {"cpu": lambda dtype, place: numpy_table.table(dtype)}


def _meta(dtype, place):
    from .meta import layers

    return layers.table(dtype)


def _mlx(dtype, place):
    try:
        from .mlx import index
    except ModuleNotFoundError as missing:
        if missing.name not in ("mlx", "mlx.core"):
            raise
        raise RuntimeError(
            f"device '{place}' needs mlx, which is not installed: pip install 'lucid-torch[mlx]'"
        ) from None
    return index.table(dtype, place)


_MAKERS.update(meta=_meta, mlx=_mlx, mps=_mlx)


def table(dtype, place=None):
    """The table for `dtype` on `place` (a device, its name, or None for the default)."""
    if place is None:
        place = defaults.device
    elif not isinstance(place, device):
        place = device(place)
    if place == cpu:
        return numpy_table.table(dtype)
    if place.type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    make = _MAKERS.get(place.type)
    if make is None:
        raise RuntimeError(f"lucid has no device '{place}': it knows cpu, meta and, with mlx, mlx and mps")
    return make(dtype, place)


__all__ = [
    "table",
    "attention",
    "conv",
    "count",
    "index",
    "linalg",
    "norm",
    "pool",
    "reduce",
    "rnn",
    "scatter",
    "special",
]
