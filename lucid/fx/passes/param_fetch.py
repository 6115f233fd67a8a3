"""The attributes of layers that backends ask for, put on the nodes that call them."""

from ...nn.modules.activation import ReLU
from ...nn.modules.batchnorm import BatchNorm2d
from ...nn.modules.conv import Conv2d
from ...nn.modules.linear import Linear
from ...nn.modules.pooling import AdaptiveAvgPool2d, MaxPool2d
from ..graph_module import GraphModule
from ..node import _torchs

__all__ = ["default_matching", "extract_attrs_for_lowering", "lift_lowering_attrs_to_nodes"]


def default_matching(name, target_version):
    """The attribute's name in a version of the layer: always the same."""
    return name


_POOL = "kernel_size stride padding dilation return_indices ceil_mode".split()
_CONV = "weight bias kernel_size stride padding dilation groups padding_mode".split()

# layer -> (version, attributes, how they are called in a version)
module_fetch_book = {
    Linear: (1, ["weight", "bias"], default_matching),
    Conv2d: (1, _CONV, default_matching),
    BatchNorm2d: (2, ["weight", "bias", "running_mean", "running_var", "eps"], default_matching),
    AdaptiveAvgPool2d: (1, [], default_matching),
    MaxPool2d: (1, _POOL, default_matching),
    ReLU: (1, ["inplace"], default_matching),
}


def extract_attrs_for_lowering(mod):
    """extract_attrs_for_lowering(mod) -> {"name": its class, attribute: value}; RuntimeError for layers that the book
    does not know.
    """
    name = f"{_torchs(type(mod).__module__)}.{type(mod).__name__}"
    advice = (
        "please add it to the module_fetch_book, open an issue and @842974287 or report a bug to AIACC team directly."
    )
    if type(mod) not in module_fetch_book:
        raise RuntimeError(f"{name} is not in the module_fetch_book yet, {advice}")
    version, names, matching = module_fetch_book[type(mod)]
    if version < mod._version:
        advice = advice.replace("add it to", "upgrade")
        raise RuntimeError(f"Fetcher version {version} try to fetch {name} version {mod._version}, {advice}")
    return {"name": name} | {n: getattr(mod, matching(n, mod._version)) for n in names}


def lift_lowering_attrs_to_nodes(fx_module):
    """Every node that calls a layer gets attrs_for_lowering, in inner graphs, too."""
    for node in fx_module.graph.nodes:
        if node.op == "call_module":
            inside = fx_module.get_submodule(node.target)
            if isinstance(inside, GraphModule):
                lift_lowering_attrs_to_nodes(inside)
            else:
                node.attrs_for_lowering = extract_attrs_for_lowering(inside)
