"""Parts of a graph as modules that hold what they need, and whether two graphs are the same."""

from ....nn.modules.module import Module
from ...graph_module import GraphModule
from .matcher_utils import SubgraphMatcher

__all__ = ["HolderModule", "lift_subgraph_as_module", "compare_graphs"]


class HolderModule(Module):
    """HolderModule({name: module}): a module that only holds others."""

    def __init__(self, d):
        super().__init__()
        for name, module in d.items():
            self.add_module(name, module)


def lift_subgraph_as_module(gm, subgraph, comp_name="", class_name="GraphModule"):
    """lift_subgraph_as_module(gm, subgraph, comp_name="") -> (GraphModule of a graph whose nodes name members of gm,
    {path in gm: path in the whole, where the part is called comp_name}).
    """
    root, paths = HolderModule({}), {}
    for node in subgraph.nodes:
        if node.op not in ("call_module", "get_attr"):
            continue
        *path, name = node.target.split(".")
        here, there = root, gm
        for part in path:
            if not hasattr(here, part):
                here.add_module(part, HolderModule({}))
            here, there = getattr(here, part), getattr(there, part)
        paths[node.target] = f"{comp_name}.{node.target}"
        setattr(here, name, getattr(there, name))
    return GraphModule(root, subgraph, class_name), paths


def compare_graphs(left, right):
    """compare_graphs(left, right) -> bool: the same inputs, nodes and results, in the same order?"""
    return bool(SubgraphMatcher(left, match_output=True, match_placeholder=True).match(right))
