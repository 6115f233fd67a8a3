"""torch._dynamo.backends.registry: the list of backends."""

from . import InvalidBackend, list_backends, lookup_backend, register_backend

CompilerFn = object

__all__ = ["InvalidBackend", "list_backends", "lookup_backend", "register_backend"]


def register_debug_backend(compiler_fn=None, name=None):
    """register_debug_backend(f, name=None) -> f"""
    return register_backend(compiler_fn, name, ("debug",))


def register_experimental_backend(compiler_fn=None, name=None):
    """register_experimental_backend(f, name=None) -> f"""
    return register_backend(compiler_fn, name, ("experimental",))
