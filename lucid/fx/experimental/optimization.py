"""A module made faster for inference: batch norms folded into the layers before them, dropout taken out."""

import copy

from ...nn.modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from ...nn.modules.conv import Conv1d, Conv2d, Conv3d
from ...nn.modules.dropout import Dropout
from ...nn.modules.linear import Linear
from ...nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval
from .._symbolic_trace import Tracer, symbolic_trace
from ..graph import Graph
from ..graph_module import GraphModule
from ..interpreter import Transformer
from ..node import Node

__all__ = [
    "matches_module_pattern",
    "replace_node_module",
    "fuse",
    "remove_dropout",
    "extract_subgraph",
    "UnionFind",
    "optimize_for_inference",
]


def _parent_name(target):
    """`a.b.c` as ("a.b", "c")"""
    parent, _, name = target.rpartition(".")
    return parent, name


def matches_module_pattern(pattern, node, modules):
    """matches_module_pattern((A, B), node, modules) -> bool: is it a call of a B on the result of a call of an A?"""
    if not node.args:
        return False
    for wanted, n in zip(pattern, (node.args[0], node)):
        if not isinstance(n, Node) or n.op != "call_module" or n.target not in modules:
            return False
        if type(modules[n.target]) is not wanted:
            return False
    return True


def replace_node_module(node, modules, new_module):
    """The module that a node calls becomes another; modules, {path: module}, is kept up to date."""
    parent, name = _parent_name(node.target)
    modules[node.target] = new_module
    setattr(modules[parent], name, new_module)


_PAIRS = {
    (Conv1d, BatchNorm1d): fuse_conv_bn_eval,
    (Conv2d, BatchNorm2d): fuse_conv_bn_eval,
    (Conv3d, BatchNorm3d): fuse_conv_bn_eval,
    (Linear, BatchNorm1d): fuse_linear_bn_eval,
}


def fuse(model, inplace=False, no_trace=False):
    """fuse(model, inplace=False, no_trace=False) -> GraphModule in which batch norms are part of the convolution or
    linear layer before them. The model must be in eval mode; it is copied unless inplace.
    """
    model = model if inplace else copy.deepcopy(model)
    traced = model if no_trace and isinstance(model, GraphModule) else symbolic_trace(model)
    modules = dict(traced.named_modules())
    graph = copy.deepcopy(traced.graph)
    for pattern, fused in _PAIRS.items():
        for node in graph.nodes:
            if not matches_module_pattern(pattern, node, modules) or len(node.args[0].users) > 1:
                continue
            norm = modules[node.target]
            if norm.track_running_stats:
                replace_node_module(node.args[0], modules, fused(modules[node.args[0].target], norm))
                node.replace_all_uses_with(node.args[0])
                graph.erase_node(node)
    return GraphModule(traced, graph)


def remove_dropout(model):
    """remove_dropout(model) -> GraphModule without Dropout layers."""

    class DropoutRemover(Transformer):
        """Hands what a Dropout would get on."""

        def call_module(self, target, args, kwargs):
            """The argument of a Dropout, the result of any other."""
            if not isinstance(self.submodules[target], Dropout):
                return super().call_module(target, args, kwargs)
            if len(args) != 1:
                raise AssertionError(f"Expected 1 arg for Dropout, got {len(args)}")
            return args[0]

    return DropoutRemover(symbolic_trace(model)).transform()


def extract_subgraph(orig_module, nodes, inputs, outputs):
    """extract_subgraph(module, nodes, inputs, outputs) -> GraphModule of these nodes, with these of the module's nodes
    as inputs and a list of those as result.
    """
    graph, made = Graph(), {}
    for node in inputs:
        made[node] = graph.placeholder(node.name)
    for node in nodes:
        made[node] = graph.node_copy(node, made.__getitem__)
    graph.output([made[n] for n in outputs])
    graph.lint()
    return GraphModule(orig_module, graph)


def optimize_for_inference(model, pass_config=None, tracer=Tracer):
    """optimize_for_inference(model, pass_config=None) -> GraphModule that computes the same in eval mode, with fused
    batch norms and without dropout. (torch also moves layers to MKL-DNN, which lucid does without.)
    """
    config = {"conv_bn_fuse": True, "remove_dropout": True, "mkldnn_layout_optimize": False, **(pass_config or {})}
    if config["conv_bn_fuse"]:
        model = fuse(model)
    if config["remove_dropout"]:
        model = remove_dropout(model)
    how = config["mkldnn_layout_optimize"]
    if how is False:
        return model
    if not isinstance(how, dict):
        raise RuntimeError("mkldnn_layout_optimize config is not a dict")
    if "heuristic" not in how:
        raise RuntimeError("Heuristic not found in mkldnn_layout_optimize config")
    made = tracer()
    graph = made.trace(copy.deepcopy(model))
    return GraphModule(made.root, graph)


class UnionFind:
    """UnionFind(n): sets of the numbers 0 ... n - 1 that can be joined."""

    def __init__(self, n):
        self.parent, self.size = [None] * n, [0] * n

    def make_set(self, v):
        """v becomes a set of its own."""
        self.parent[v], self.size[v] = v, 1

    def find(self, v):
        """find(v) -> int: the number that stands for v's set."""
        if self.parent[v] is None:
            raise AssertionError("Parent is None")
        if self.parent[v] != v:
            self.parent[v] = self.find(self.parent[v])
        return self.parent[v]

    def join(self, a, b):
        """The sets of a and b become one."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return a
        if self.size[a] < self.size[b]:
            a, b = b, a
        self.parent[b] = a
        self.size[a] += self.size[b]
        return None
