"""Small changes of graphs, and how many bytes nodes hold."""

from typing import NamedTuple

from ..graph import Graph
from ..node import map_arg
from .shape_prop import ShapeProp

__all__ = [
    "replace_target_nodes_with",
    "size_bytes",
    "get_size_of_all_nodes",
    "get_tensor_meta",
    "get_size_of_node",
]


def replace_target_nodes_with(fx_module, old_op, old_target, new_op, new_target):
    """Every node of the kind old_op that calls old_target is one of kind new_op that calls new_target."""
    graph, made = Graph(), {}
    for node in fx_module.graph.nodes:
        if (node.op, node.target) == (old_op, old_target):
            args, kwargs = map_arg((node.args, node.kwargs), made.__getitem__)
            made[node] = graph.create_node(new_op, new_target, args, kwargs, node.name)
        else:
            made[node] = graph.node_copy(node, made.__getitem__)
    fx_module.graph = graph


class size_bytes(NamedTuple):
    """Bytes of a node's result, and of that and its parameters."""

    output_size: int
    total_size: int


def get_size_of_all_nodes(fx_module, args=None):
    """Each node gets an attribute size_bytes; with args, ShapeProp runs first."""
    if args is not None:
        ShapeProp(fx_module).propagate(*args)
    for node in fx_module.graph.nodes:
        if node.op == "output":
            break
        node.size_bytes = get_size_of_node(fx_module, node)


def get_tensor_meta(node):
    """What ShapeProp has found out about the node's result; RuntimeError where it did not run."""
    found = node.meta.get("tensor_meta")
    if not found:
        raise RuntimeError(
            f"Node {node} has no tensor metadata associated with it! Check that shape propagation has run."
        )
    return found


def get_size_of_node(fx_module, node):
    """get_size_of_node(fx_module, node) -> size_bytes"""
    count = 0
    if node.op == "call_module":
        count = sum(p.numel() for p in fx_module.get_submodule(node.target).parameters())
    found = get_tensor_meta(node)
    each, own = found.dtype.itemsize, found.shape.numel()
    return size_bytes(each * own, each * (own + count))
