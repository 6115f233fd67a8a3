"""Finds the kernel table of a device and an element type, and takes in new devices."""

from .._base import device as places
from .._base.device import cpu, device
from .._base.state import FAKING, defaults, local

# Each adds its words to the CPU's tables.
from .numpy import (
    attention,
    complex_half,
    conv,
    count,
    fft,
    float8,
    index,
    linalg,
    norm,
    pool,
    reduce,
    rnn,
    scatter,
    special,
)
from .numpy import halves as half_words  # after the others, some of whose words it replaces
from .numpy import table as numpy_table


def _meta(dtype, place):
    from .meta import layers

    return layers.table(dtype)


def _fake(dtype, place):
    from .meta import fake

    return fake.table(dtype, place) if place.type != "meta" else _meta(dtype, place)


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


# device type -> function(dtype, device) -> table; libraries are imported when one is first asked for.
MAKERS = {"cpu": lambda dtype, place: numpy_table.table(dtype), "meta": _meta, "mlx": _mlx, "mps": _mlx}
# The names that tables call their library by (`Table.backend`): a method of that name in an op is its kernel there.
LIBRARIES = {"numpy", "mlx", "meta", "sparse"}


def register_device(type, make, backend=None):
    """Make `lucid.device(type)` a place for tensors: make(dtype, device) gives its table for an element type.

    backend: what its tables call their library (default: `type`); ops declared from now on may have a kernel of that
    name. RuntimeError for a name that is taken.
    """
    if type in MAKERS or type == "cuda":
        raise RuntimeError(f"there is a device '{type}' already")
    if type not in places.KINDS:
        places.RENAMED[type] = type
    MAKERS[type] = make
    LIBRARIES.add(backend or type)


def rename_privateuse1_backend(backend_name):
    """rename_privateuse1_backend(name) -> None: the device `privateuseone` is called `name` from now on; both names
    mean it.

    What it computes is said by `register_device`, before or after. RuntimeError if it has another name already.
    """
    had = places.RENAMED.setdefault("privateuseone", backend_name)
    if had != backend_name:
        raise RuntimeError(f"torch.register_privateuse1_backend() has already been set! Current backend: {had}")
    places.RENAMED[backend_name] = backend_name
    if "privateuseone" in MAKERS:
        MAKERS[backend_name] = MAKERS.pop("privateuseone")


def table(dtype, place=None):
    """The table for `dtype` on `place` (a device, its name, or None for the default)."""
    if place is None:
        place = defaults.device
    elif not isinstance(place, device):
        place = device(place)
    if FAKING and local.faking:
        return (_fake if local.faking is True else local.faking)(dtype, place)
    if place == cpu:
        return numpy_table.table(dtype)
    if place.type == "cuda":
        raise AssertionError("Torch not compiled with CUDA enabled")
    make = MAKERS.get(place.type)
    if make is None:
        raise RuntimeError(
            f"lucid has no device '{place}': it knows cpu, meta, with mlx also mlx and mps, and what register_device "
            "added"
        )
    return make(dtype, place)


__all__ = [
    "LIBRARIES",
    "register_device",
    "rename_privateuse1_backend",
    "table",
    "attention",
    "complex_half",
    "conv",
    "count",
    "fft",
    "float8",
    "half_words",
    "index",
    "linalg",
    "norm",
    "pool",
    "reduce",
    "rnn",
    "scatter",
    "special",
]
