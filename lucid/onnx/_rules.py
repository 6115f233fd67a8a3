"""Modules of an exporter's rules, of which every name is a function that says what is missing."""

from .._base.refused import refused_function


def rules_of(place):
    """The __getattr__ of such a module."""

    def __getattr__(name):
        if name.startswith("__"):
            raise AttributeError(f"module {place!r} has no attribute {name!r}")
        return refused_function(place, name, "writer of ONNX files")

    return __getattr__
