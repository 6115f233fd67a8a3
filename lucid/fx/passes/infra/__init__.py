"""What passes are built of: PassBase, PassManager, the partitioner."""

import importlib

_LATER = set(
    """
    partitioner pass_base pass_manager
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
    raise AttributeError(f"module 'torch.fx.passes.infra' has no attribute {name!r}")
