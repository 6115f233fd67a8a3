"""torch's older functions about autocast, one for each type of devices; they warn."""

import warnings

from .autocast import get_autocast_dtype, is_autocast_enabled, set_autocast_dtype, set_autocast_enabled

_OLD = {"cpu": "cpu", "gpu": "cuda", "ipu": "ipu", "xla": "xla"}  # in a name -> device type
# shape of the old name -> (the function that took its place, what the old one takes)
_FUNCTIONS = {
    "is_autocast_{}_enabled": (is_autocast_enabled, ()),
    "set_autocast_{}_enabled": (set_autocast_enabled, ("enabled",)),
    "get_autocast_{}_dtype": (get_autocast_dtype, ()),
    "set_autocast_{}_dtype": (set_autocast_dtype, ("dtype",)),
}


def old_names():
    """{name: function}"""
    found = {}
    for shape, (function, parameters) in _FUNCTIONS.items():
        for old, device_type in _OLD.items():
            name = shape.format(old)
            if name != "is_autocast_gpu_enabled" and name != "set_autocast_gpu_enabled":
                found[name] = _old(name, function, device_type, parameters)
    return found


def _old(name, function, device_type, parameters):
    takes = ", ".join(parameters)
    instead = ", ".join([f"'{device_type}'", *parameters])

    def old(*args):
        if len(args) != len(parameters):
            raise TypeError(f"{name}() takes {len(parameters)} arguments ({len(args)} given)")
        warnings.warn(
            f"torch.{name}({takes}) is deprecated. Please use torch.{function.__name__}({instead}) instead.",
            DeprecationWarning,
            stacklevel=2,
        )
        return function(device_type, *args)

    old.__name__ = old.__qualname__ = name
    old.__doc__ = f"{name}({takes}): {function.__name__}({instead}); deprecated in torch."
    return old


__all__ = ["old_names"]
