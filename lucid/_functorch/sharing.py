"""Passes over joint graphs and their halves: what is computed twice, and in which order things are computed."""

import operator

from .._aten.overloads import OpOverload
from .._tensor.tensor import Tensor
from ..fx.graph import Graph
from ..fx.graph_module import GraphModule
from ..fx.node import Node
from .recomputing import is_random, writes

__all__ = ["in_order_of_gradients", "items_first", "shared"]


def _memory(node):
    """The node whose memory a node's value is."""
    while node.op == "call_function" and node.args and isinstance(node.args[0], Node):
        view = isinstance(node.target, OpOverload) and node.target.is_view
        if not view and not (node.target is operator.getitem and _gives_views(node.args[0])):
            break
        node = node.args[0]
    return node


def _gives_views(node):
    return isinstance(node.target, OpOverload) and node.target.is_view


def _token(value, env):
    """What tells a node's arguments apart: 1, 1.0 and True are three things."""
    if isinstance(value, Node):
        return env[value]
    if isinstance(value, (list, tuple)):
        return (list if not isinstance(value, tuple) else tuple, *[_token(v, env) for v in value])
    if isinstance(value, dict):
        return (dict, *[(k, _token(v, env)) for k, v in value.items()])
    return type(value), repr(value)


def shared(module):
    """The module's graph, where what is computed twice is computed once. What the graph gives stays apart."""
    graph, env, known = Graph(module), {}, {}
    last = next(reversed(module.graph.nodes))
    given = {_memory(n) for n in last.all_input_nodes if isinstance(n.meta.get("val"), Tensor)}
    for node in module.graph.nodes:
        key = None
        if node.op == "call_function" and not is_random(node) and not writes(node) and _memory(node) not in given:
            key = (node.target, _token(node.args, env), _token(node.kwargs, env))
            if key in known:
                env[node] = known[key]
                continue
        env[node] = graph.node_copy(node, env.__getitem__)
        if key is not None:
            known[key] = env[node]
    module.graph = graph
    return module


def in_order_of_gradients(module):
    """The backward graph with each forward value computed anew only when a gradient needs it."""
    old, graph, env = list(module.graph.nodes), Graph(module), {}
    order = {node: i for i, node in enumerate(old)}
    for node in old:
        if node.op == "placeholder":
            env[node] = graph.node_copy(node, env.__getitem__)
    tangents = [n for n in old if n.op == "placeholder" and n.name.startswith("tangents")]
    first = min([order[u] for t in tangents for u in t.users], default=None)
    if first is None:
        return module
    for node in old[first:]:
        missing, waiting = set(), [node]
        while waiting:
            n = waiting.pop()
            if n not in missing and n not in env:
                missing.add(n)
                waiting.extend(n.all_input_nodes)
        for n in sorted(missing, key=order.__getitem__):
            env[n] = graph.node_copy(n, env.__getitem__)
    return GraphModule(module, graph)


def items_first(module):
    """The same with the items of a call right behind it."""
    for node in reversed([n for n in module.graph.nodes if n.target is operator.getitem]):
        node.args[0].append(node)
    module.recompile()
    return module
