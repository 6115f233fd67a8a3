"""torch._vendor.packaging._structures: the ends of the order of versions."""

from .version import __getattr__ as _of_version


def __getattr__(name):
    if name in ("Infinity", "InfinityType", "NegativeInfinity", "NegativeInfinityType"):
        import importlib

        _of_version("Version")  # says what is missing
        return getattr(importlib.import_module("packaging._structures"), name)
    raise AttributeError(name)
