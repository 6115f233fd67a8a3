"""Passes over graphs."""

import importlib

_LATER = set(
    """
    annotate_getitem_nodes fake_tensor_prop graph_drawer graph_manipulation graph_transform_observer infra
    operator_support param_fetch pass_manager shape_prop split_module split_utils tools_common utils
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
    raise AttributeError(f"module 'torch.fx.passes' has no attribute {name!r}")
