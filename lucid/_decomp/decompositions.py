"""torch._decomp.decompositions: the functions that take ops apart, by name."""

from .registry import BY_NAME, load


def __getattr__(name):
    load()
    if name == "__all__":
        return sorted(BY_NAME)
    if name in BY_NAME:
        return BY_NAME[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    load()
    return sorted([*globals(), *BY_NAME])
