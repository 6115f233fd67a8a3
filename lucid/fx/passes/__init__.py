"""Passes over graphs."""

from .._later import later

__getattr__ = later(
    __name__,
    """annotate_getitem_nodes fake_tensor_prop graph_drawer graph_manipulation graph_transform_observer
    infra operator_support param_fetch pass_manager shape_prop split_module split_utils tools_common
    utils""",
)
