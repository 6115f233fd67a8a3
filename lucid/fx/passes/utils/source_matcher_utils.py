"""The nodes that one layer or function of the program was taken apart into."""

from dataclasses import dataclass, field
from typing import Any

from ...node import Node, _torchs

__all__ = ["get_source_partitions", "check_subgraphs_connected", "SourcePartition"]


@dataclass
class SourcePartition:
    """The nodes of one call of a source, what they read, who of them is read outside, and their parameters."""

    nodes: list[Node]
    source: Any
    input_nodes: list[Node] = field(default_factory=list)
    output_nodes: list[Node] = field(default_factory=list)
    params: list[Node] = field(default_factory=list)


def get_source_partitions(graph, wanted_sources, filter_fn=None):
    """get_source_partitions(graph, sources, filter_fn=None) -> {source: [SourcePartition, ...]}

    A source is a layer's class or a function; nodes tell theirs by meta["source_fn_stack"], "torch_fn" or
    "nn_module_stack". filter_fn(node) must hold for all nodes of a partition.
    """
    found = {}
    for node in graph.nodes:
        source, name = _source_of(node, wanted_sources)
        if source is not None:
            found.setdefault(source, {}).setdefault(name, []).append(node)
    kept = {
        source: [nodes for nodes in groups.values() if not filter_fn or all(map(filter_fn, nodes))]
        for source, groups in found.items()
    }
    return {source: [_partition(nodes, source) for nodes in groups] for source, groups in kept.items()}


def _source_of(node, wanted):
    """(source, name of the call); (None, None) if it is none of those that are wanted."""
    if (stack := node.meta.get("source_fn_stack")) is not None:
        name, source = stack[-1]
        return (source, name) if source in wanted else (None, None)
    if (found := node.meta.get("torch_fn")) is not None:
        name, source = found[0], found[1].split(".")[1]
        if source in wanted:
            return source, name
    modules = node.meta.get("nn_module_stack")
    if node.op == "call_function" and modules:
        path, cls = list(modules.values())[-1]
        for source in wanted:
            if isinstance(source, type) and isinstance(cls, type):
                same = issubclass(cls, source)
            elif isinstance(source, type):
                same = cls == f"{_torchs(source.__module__)}.{source.__qualname__}"
            else:
                same = cls == source
            if same:
                return source, path
    return None, None


def _partition(nodes, source):
    inputs, outputs, params = {}, {}, {}
    for node in nodes:
        inputs.update(
            dict.fromkeys(a for a in node.args if isinstance(a, Node) and a not in nodes and a.op != "get_attr")
        )
        if node.op == "get_attr":
            params[node] = None
        elif any(user not in nodes for user in node.users):
            outputs[node] = None
    return SourcePartition(nodes, source, list(inputs), list(outputs), list(params))


def check_subgraphs_connected(subgraph1, subgraph2):
    """check_subgraphs_connected(a, b) -> bool: does b read something that a gives?"""
    return any(user in subgraph2.nodes for node in subgraph1.nodes for user in node.users)
