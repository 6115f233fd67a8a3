"""What passes for accelerators share: names of targets, groups of nodes that must stay together, orders of nodes."""

import collections
import heapq
import operator
from dataclasses import dataclass

from ..._tensor.tensor import Tensor
from ..graph import Graph
from ..node import Node, _get_qualified_name, _torchs

__all__ = [
    "get_acc_ops_name",
    "get_node_target",
    "is_node_output_tensor",
    "FxNetAccFusionsFinder",
    "legalize_graph",
    "stable_topological_sort",
]

Tensors = tuple[Tensor] | list[Tensor]
TensorOrTensors = Tensor | Tensors
NodeList = list[Node]
NodeSet = set[Node]
Names = list[str]
CALLABLE_NODE_OPS = {"call_module", "call_function", "call_method"}
_OPERATORS = "add mul sub floordiv truediv mod le lt ge gt eq ne".split()
_FIRST = {getattr(operator, name) for name in _OPERATORS}  # checks of sizes are made of these: they come early


def get_acc_ops_name(k):
    """get_acc_ops_name(class or str) -> str: under which name a module's class is known."""
    if isinstance(k, str):
        return k
    if k.__module__ and "acc_ops" in k.__module__:
        return f"acc_ops.{k.__name__}"
    return f"{_torchs(k.__module__).replace('torch._ops', 'torch.ops') if k.__module__ else ''}.{k.__name__}"


def get_node_target(submodules, node):
    """get_node_target(submodules, node) -> str: the name of what a node calls: of the function, the method, or the
    class of the module.
    """
    if node.op not in CALLABLE_NODE_OPS:
        raise AssertionError(f"Expect op types of {', '.join(CALLABLE_NODE_OPS)}, but found {node.op}")
    if node.op == "call_module":
        module = submodules[node.target]
        return get_acc_ops_name(getattr(module, "_base_class_origin", type(module)))
    if node.op == "call_method":
        return node.target
    module = getattr(node.target, "__module__", None)
    if module is not None and "acc_ops" in module:
        return f"acc_ops.{node.target.__name__}"
    return _get_qualified_name(node.target)


def is_node_output_tensor(node):
    """is_node_output_tensor(node) -> bool: did it give a tensor when ShapeProp ran?"""
    found = node.meta.get("type")
    return found is not None and issubclass(found, Tensor)


class FxNetAccFusionsFinder:
    """FxNetAccFusionsFinder(module, acc_nodes): a call gives {node: its group}, where a group is joined by values that
    are no tensors. A group with a node that is not among acc_nodes is taken out of acc_nodes.
    """

    def __init__(self, module, acc_nodes):
        self.module, self.acc_nodes = module, acc_nodes
        self.nodes = list(module.graph.nodes)
        self.node_index = {node: i for i, node in enumerate(self.nodes)}

    @dataclass
    class FusionGroup:
        """A group that grows."""

        top_node_idx: int  # the place of its first node
        nodes: NodeSet
        inputs: NodeSet
        nodes_need_process: NodeSet

        def add_node(self, node):
            """Take a node in."""
            if node in self.nodes:
                return
            self.nodes_need_process.add(node)
            self.nodes.add(node)
            self.inputs.discard(node)
            self.inputs |= {n for n in node.all_input_nodes if n.op in CALLABLE_NODE_OPS and n not in self.nodes}

    def recursive_add_node(self, fusion_group, inputs, visited=None):
        """Take in every node on a way from the group up to the group; is one of `inputs` on such a way?"""
        for node in inputs:
            if visited is not None:
                if node in visited:
                    continue
                visited.add(node)
            if node.op not in CALLABLE_NODE_OPS or self.node_index[node] < fusion_group.top_node_idx:
                continue
            if node in fusion_group.nodes:
                return True
            if self.recursive_add_node(fusion_group, node.all_input_nodes, visited):
                fusion_group.add_node(node)
                return True
        return False

    def _grow(self, group, node):
        self.recursive_add_node(group, group.inputs, set())
        below = [] if "tensor_meta" in node.meta else list(node.users)
        above = [n for n in node.all_input_nodes if "tensor_meta" not in n.meta]
        for other, is_above in [*[(n, False) for n in below], *[(n, True) for n in above]]:
            if other.op in CALLABLE_NODE_OPS and other not in group.nodes:
                group.add_node(other)
                if is_above:
                    group.top_node_idx = min(group.top_node_idx, self.node_index[other])
                self.recursive_add_node(group, group.inputs, set())

    def __call__(self):
        found = {}
        for node in list(self.acc_nodes):
            if node in found or node.op not in CALLABLE_NODE_OPS or "tensor_meta" in node.meta:
                continue
            if node not in self.acc_nodes:
                continue
            group = self.FusionGroup(self.node_index[node], {node}, set(node.all_input_nodes), {node})
            while group.nodes_need_process:
                self._grow(group, group.nodes_need_process.pop())
            if group.nodes <= self.acc_nodes:
                found.update(dict.fromkeys(group.nodes, group.nodes))
            else:
                self.acc_nodes -= group.nodes
        return found


def legalize_graph(gm):
    """legalize_graph(gm) -> gm, its graph in an order in which every value is made before it is used."""
    waiting = _waits(gm)
    ready = collections.deque(node for node, count in waiting.items() if not count)

    def put(node):
        first = node.op == "call_function" and node.target in _FIRST
        ready.appendleft(node) if first else ready.append(node)

    return _sorted(gm, waiting, ready.popleft, put, ready, RuntimeError)


def stable_topological_sort(gm):
    """stable_topological_sort(gm) -> gm, its graph in such an order, the nearest to the one that it had."""
    place = {node: i for i, node in enumerate(gm.graph.nodes)}
    waiting = _waits(gm)
    ready = [(place[node], node) for node, count in waiting.items() if not count]
    heapq.heapify(ready)
    return _sorted(
        gm,
        waiting,
        lambda: heapq.heappop(ready)[1],
        lambda node: heapq.heappush(ready, (place[node], node)),
        ready,
        AssertionError,
    )


def _waits(gm):
    """{node: how many of its inputs are not made yet}"""
    return {node: len(node.all_input_nodes) for node in gm.graph.nodes}


def _sorted(gm, waiting, take, put, ready, error):
    made, graph = {}, Graph()
    while ready:
        node = take()
        made[node] = graph.node_copy(node, made.__getitem__)
        for user in node.users:
            waiting[user] -= 1
            if not waiting[user]:
                put(user)
    if len(graph.nodes) < len(gm.graph.nodes):
        raise error(f"Input graph has cycles, unable to add {[node for node in waiting if waiting[node]]}")
    graph._codegen = gm.graph._codegen
    gm.graph = graph
    return gm
