"""torch's older functions about autocast, one for each type of devices; they warn."""

import warnings

from .autocast import get_autocast_dtype, is_autocast_enabled, set_autocast_dtype, set_autocast_enabled

_OLD = {"cpu": "cpu", "gpu": "cuda", "ipu": "ipu", "xla": "xla"}  # in a name -> device type


def old_names():
    """{name: function}"""
    found = []
    for old, device_type in _OLD.items():
        found += [_asks(f"get_autocast_{old}_dtype", get_autocast_dtype, device_type)]
        found += [_sets_type(f"set_autocast_{old}_dtype", device_type)]
        if old != "gpu":
            found += [_asks(f"is_autocast_{old}_enabled", is_autocast_enabled, device_type)]
            found += [_enables(f"set_autocast_{old}_enabled", device_type)]
    return {f.__name__: f for f in found}


def _warn(name, instead, device_type, *given):
    old, new = ", ".join(given), ", ".join([f"'{device_type}'", *given])
    warnings.warn(
        f"torch.{name}({old}) is deprecated. Please use torch.{instead}({new}) instead.", DeprecationWarning, 3
    )


def _named(f, name, result):
    f.__name__ = f.__qualname__ = name
    f.__doc__ = (
        f"{name}({', '.join(f.__code__.co_varnames[: f.__code__.co_argcount])}) -> {result}: deprecated in torch."
    )
    return f


def _asks(name, function, device_type):
    def old():
        _warn(name, function.__name__, device_type)
        return function(device_type)

    return _named(old, name, "bool" if function is is_autocast_enabled else "dtype")


def _sets_type(name, device_type):
    def old(dtype):
        _warn(name, "set_autocast_dtype", device_type, "dtype")
        set_autocast_dtype(device_type, dtype)

    return _named(old, name, "None")


def _enables(name, device_type):
    def old(enabled):
        _warn(name, "set_autocast_enabled", device_type, "enabled")
        set_autocast_enabled(device_type, enabled)

    return _named(old, name, "None")


__all__ = ["old_names"]
