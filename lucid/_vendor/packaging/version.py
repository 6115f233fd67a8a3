"""torch._vendor.packaging.version: versions compared, by the package `packaging`."""

import importlib


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        found = importlib.import_module("packaging.version")
    except ImportError:
        raise ImportError(
            f"torch._vendor.packaging.version.{name}: lucid carries no copy of the package packaging; install it "
            "(pip install packaging)"
        ) from None
    return getattr(found, name)
