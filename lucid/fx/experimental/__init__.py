"""Parts of torch.fx that torch calls experimental."""

import importlib

_LATER = set(
    """
    const_fold debug merge_matmul normalize optimization proxy_tensor rewriter schema_type_annotation symbolic_shapes
    """.split()
)


def __getattr__(name):
    """Modules that load when they are first asked for."""
    if name in _LATER:
        try:
            return importlib.import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as absent:
            if absent.name != f"{__name__}.{name}":
                raise
    raise AttributeError(f"module 'torch.fx.experimental' has no attribute {name!r}")
