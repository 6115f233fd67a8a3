"""Submodules that load when they are first asked for, as attributes of their package."""

import importlib


def later(package, names):
    """The `__getattr__` of a package (lucid.fx.passes ...) with these submodules, named in one text."""
    known, shown = set(names.split()), "torch" + package[package.index(".") :]

    def __getattr__(name):
        if name in known:
            try:
                return importlib.import_module(f"{package}.{name}")
            except ModuleNotFoundError as absent:
                if absent.name != f"{package}.{name}":
                    raise
        raise AttributeError(f"module {shown!r} has no attribute {name!r}")

    return __getattr__
