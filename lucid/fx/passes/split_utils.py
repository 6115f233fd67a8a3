"""A graph cut into submodules by tags on its nodes."""

import copy
from dataclasses import dataclass, field

from ...nn.modules.container import ModuleList
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node, map_arg
from ..proxy import Proxy
from .tools_common import CALLABLE_NODE_OPS, is_node_output_tensor
from .utils.common import HolderModule, lift_subgraph_as_module

__all__ = [
    "getattr_recursive",
    "setattr_recursive",
    "Component",
    "split_by_tags",
    "move_non_tensor_nodes_on_boundary",
]


def getattr_recursive(obj, name):
    """getattr_recursive(obj, path): the attribute at a dotted path; None if there is none."""
    for part in name.split("."):
        if isinstance(obj, ModuleList):
            obj = obj._modules.get(part)
        else:
            obj = getattr(obj, part, None)
        if obj is None:
            return None
    return obj


def setattr_recursive(obj, attr, value):
    """setattr_recursive(obj, path, value): set the attribute at a dotted path."""
    *path, name = attr.split(".")
    for part in path:
        obj = getattr(obj, part)
    setattr(obj, name, value)


@dataclass
class Component:
    """One of the parts to be."""

    graph: Graph
    order: int
    name: str
    input_placeholders: list[Node] = field(default_factory=list)
    orig_inputs: list[Node] = field(default_factory=list)  # what they are in the whole graph
    orig_outputs: list[Node] = field(default_factory=list)
    getattr_maps: dict[Node, Node] = field(default_factory=dict)
    constructor_args: list[str] = field(default_factory=list)
    gm: GraphModule | None = None


def split_by_tags(gm, tags, return_fqn_mapping=False, return_tuple=False, GraphModuleCls=GraphModule):
    """split_by_tags(gm, tags) -> GraphModule with a submodule for each tag, called in that order.

    Every call in gm's graph has an attribute `tag`. return_fqn_mapping: (the module, {path of a member: its new path}).
    return_tuple: parts return a tuple even of one result.
    """
    split = _Split(gm, tags)
    for node in gm.graph.nodes:
        split.place(node)
    if split.output is None:
        raise RuntimeError("Graph had no output node!")
    made, paths = split.joined(return_tuple, GraphModuleCls)
    return (made, paths) if return_fqn_mapping else made


def _nodes_in(x):
    found = []
    map_arg(x, found.append)
    return found


class _Split:
    def __init__(self, gm, tags):
        self.gm, self.main, self.output = gm, Graph(), None
        self.parts = {tag: Component(Graph(), i, str(tag)) for i, tag in enumerate(tags)}
        self.home, self.copy, self.in_main = {}, {}, {}  # node -> its part, its copy there, its copy in the main graph
        self.used = {}  # nodes that the main graph hands on

    def place(self, node):
        """Copy a node to where it belongs."""
        if node.op == "output":
            if self.output is not None:
                raise RuntimeError("Multiple output nodes in graph!")
            self.output = node
        elif node.op == "placeholder":
            made = self.in_main[node] = self.main.placeholder(node.name, type_expr=node.type)
            made.meta = copy.copy(node.meta)
        elif node.op != "get_attr":
            self._place_call(node)

    def _place_call(self, node):
        if not hasattr(node, "tag"):
            raise AssertionError(f"Node does not have tag: {node.format_node()}")
        part = self.home[node] = self.parts[node.tag]
        before = [self.home[n].order for n in _nodes_in((node.args, node.kwargs)) if n in self.home and n is not node]
        latest = max(before, default=0)
        if part.order < latest:
            raise AssertionError(
                f"Component {part.name} order must be >= max of its upstream components, order={part.order} and "
                f"max={latest}"
            )
        made = self.copy[node] = part.graph.node_copy(node, lambda n: self._argument(n, part))
        made.tag = node.tag

    def _argument(self, n, part):
        """What node n of the whole is inside a part."""
        if n.op == "get_attr":
            if n not in part.getattr_maps:
                made = part.getattr_maps[n] = part.graph.get_attr(n.target, type_expr=n.type)
                made.meta = copy.copy(n.meta)
            return part.getattr_maps[n]
        if n.op != "placeholder" and self.home[n] is part:
            return self.copy[n]
        if n not in part.orig_inputs:
            part.orig_inputs.append(n)
            made = part.graph.placeholder(n.name, type_expr=n.type)
            made.meta = copy.copy(n.meta)
            part.input_placeholders.append(made)
            self.used[n] = None
        return part.input_placeholders[part.orig_inputs.index(n)]

    def joined(self, return_tuple, cls):
        """(the module that calls the parts, {old path: new path})"""
        results, paths = _nodes_in(self.output.args[0]), {}
        for n in results:
            if n.op == "get_attr":
                self.in_main[n] = self.main.get_attr(n.name, type_expr=n.type)
            else:
                self.used[n] = None
        for n in self.used:
            if n.op != "placeholder":
                self.home[n].orig_outputs.append(n)
        for part in self.parts.values():
            outs = tuple([self.copy[n] for n in part.orig_outputs])
            single = len(outs) == 1 and not return_tuple
            part.graph.output(outs[0] if single else outs)
            part.gm, new = lift_subgraph_as_module(self.gm, part.graph, part.name)
            paths.update(new)
            call = self.main.call_module(part.name, tuple([self.in_main[n] for n in part.orig_inputs]))
            for i, n in enumerate(part.orig_outputs):
                self.in_main[n] = call if single else Proxy(call)[i].node
        self.main.output(map_arg(self.output.args[0], self.in_main.__getitem__))
        self.main._codegen = self.gm.graph._codegen
        root = HolderModule({part.name: part.gm for part in self.parts.values()})
        for n in results:
            if n.op == "get_attr":
                setattr(root, n.name, getattr_recursive(self.gm, n.target))
        return cls(root, self.main), paths


def move_non_tensor_nodes_on_boundary(subgraphs):
    """move_non_tensor_nodes_on_boundary(subgraphs): what is no tensor is computed in the part that reads it, where all
    that depends on it can be moved there, too. Only nodes of parts with is_acc are moved.
    """
    home = {node: i for i, part in enumerate(subgraphs) for node in part.nodes}

    def below(node):
        return [user for user in node.users if user.op in CALLABLE_NODE_OPS and user in home]

    for i, part in enumerate(subgraphs):
        if not part.is_acc:
            continue
        waiting = [n for n in part.nodes if not is_node_output_tensor(n) and any(home[u] != i for u in below(n))]
        done = set()
        while waiting:
            node = waiting.pop(0)
            if node in done or home.get(node) != i:
                continue
            done.add(node)
            targets = {home[user] for user in below(node)} - {i}
            if len(targets) != 1:
                print(
                    f"Cannot move non-tensor node {node.name} on boundary because it has children in multiple subgraphs"
                )
                continue
            (target,) = targets
            for moved in _that_go_along(node, i, target, home, below):
                part.nodes.remove(moved)
                subgraphs[target].nodes.append(moved)
                home[moved] = target
                names = [f"{'acc' if subgraphs[j].is_acc else 'gpu'}_{j}" for j in (i, target)]
                print(
                    f"In order move the non-tensor node {node.name} on boundary, moved node {moved.name} from "
                    f"{names[0]} to {names[1]}"
                )
            if home[node] == target:
                waiting += [n for n in node.all_input_nodes if home.get(n) == i and not is_node_output_tensor(n)]


def _that_go_along(node, here, there, home, below):
    """The nodes of part `here` that must move with a node to part `there`; none if one of another part reads it."""
    found, waiting = {}, [node]
    while waiting:
        n = waiting.pop()
        if n in found or home[n] == there:
            continue
        if home[n] != here:
            return []
        found[n] = None
        waiting += below(n)
    return list(found)
