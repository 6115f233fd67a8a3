"""Backends: what becomes of a graph. A backend is f(graph module, example inputs) -> callable."""

_BACKENDS: dict = {}
_DEBUG = set()


def register_backend(compiler_fn=None, name=None, tags=()):
    """register_backend(f, name=None, tags=()) -> f, found by torch.compile(backend=name); or a decorator."""
    if compiler_fn is None:
        return lambda f: register_backend(f, name, tags)
    name = name or compiler_fn.__name__
    if name in _BACKENDS:
        raise AssertionError(f"duplicate name: {name}")
    _BACKENDS[name] = compiler_fn
    compiler_fn._tags = tuple(tags)
    if set(tags) & {"debug", "experimental"}:
        _DEBUG.add(name)
    return compiler_fn


def lookup_backend(compiler_fn):
    """lookup_backend(name or callable) -> callable; InvalidBackend for an unknown name."""
    if not isinstance(compiler_fn, str):
        return compiler_fn
    if compiler_fn not in _BACKENDS:
        _from_entry_points(compiler_fn)
    if compiler_fn not in _BACKENDS:
        raise InvalidBackend(compiler_fn)
    return _BACKENDS[compiler_fn]


class InvalidBackend(RuntimeError):
    """A backend that nobody knows."""

    def __init__(self, name):
        super().__init__(f"Invalid backend: {name!r}, see `torch._dynamo.list_backends()` for available backends.")


def _entry_points():
    from importlib import metadata  # which loads much, and most programs name a backend that is here

    return metadata.entry_points(group="torch_dynamo_backends")


def _from_entry_points(name):
    for found in _entry_points():
        if found.name == name:
            register_backend(found.load(), name)


def list_backends(exclude_tags=("debug", "experimental")):
    """list_backends(exclude_tags=("debug", "experimental")) -> names of the backends without these tags."""
    names = {*_BACKENDS, *[e.name for e in _entry_points()]}
    hidden = _DEBUG if exclude_tags else set()
    return sorted(names - hidden)


def _eager(gm, inputs, **_):
    return gm.forward


_eager.__name__ = "eager"
register_backend(_eager, "eager", ("debug",))

from . import common, debugging, inductor, registry  # noqa: E402, F401 - they register backends here
