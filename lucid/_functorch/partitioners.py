"""A joint graph cut into a forward and a backward graph: as it was traced, or by what is cheapest to keep."""

import collections
import math

from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..fx.graph import Graph
from ..fx.graph_module import GraphModule
from ..fx.node import Node

__all__ = ["default_partition", "min_cut_rematerialization_partition"]


class Joint:
    """A joint graph's nodes by what they are: primals, tangents, values, gradients, and what needs a tangent."""

    def __init__(self, module, n_forward, boundary=None):
        nodes = list(module.graph.nodes)
        self.module, self.nodes = module, nodes
        holes = [n for n in nodes if n.op == "placeholder"]
        self.primals = [n for n in holes if not n.name.startswith("tangents")]
        self.tangents = [n for n in holes if n.name.startswith("tangents")]
        given = pytree.tree_leaves(nodes[-1].args[0], is_leaf=lambda x: x is None)
        self.values, self.gradients = given[:n_forward], given[n_forward:]
        self.late = _reached(self.tangents)
        ends = [i for i, n in enumerate(nodes) if n.name == boundary]
        traced_early = set(nodes[: ends[0] + 1]) if ends else set(_needed(self.values))
        self.early = {n for n in traced_early if n not in self.late and n.op != "output"}

    def cut(self, saved):
        """(forward module, backward module) that hand over these values."""
        forward = _extracted(self.module, self.primals, [*self.values, *saved])
        return forward, _extracted(self.module, [*saved, *self.tangents], self.gradients)


def _reached(nodes):
    """All nodes that depend on these."""
    found, waiting = set(nodes), list(nodes)
    while waiting:
        for user in waiting.pop().users:
            if user not in found:
                found.add(user)
                waiting.append(user)
    return found


def _needed(nodes):
    """All nodes that these depend on, and themselves."""
    found, waiting = set(), [n for n in nodes if isinstance(n, Node)]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(node.all_input_nodes)
    return found


def _extracted(module, inputs, outputs):
    """The part of a module's graph that computes outputs from inputs."""
    graph, copies, wanted = Graph(module), {}, set(inputs)
    for node in inputs:
        copies[node] = graph.placeholder(node.name)
        copies[node].meta = dict(node.meta)
    needed, waiting = set(), [n for n in outputs if isinstance(n, Node)]
    while waiting:
        node = waiting.pop()
        if node not in needed and node not in wanted:
            needed.add(node)
            waiting.extend(node.all_input_nodes)
    for node in module.graph.nodes:
        if node in needed:
            if node.op == "placeholder":
                raise AssertionError(f"the backward graph needs {node.name}, which is not handed over")
            copies[node] = graph.node_copy(node, copies.__getitem__)
    graph.output(tuple([copies[n] if isinstance(n, Node) else n for n in outputs]))
    return GraphModule(module, graph)


def _is_tensor(node):
    return isinstance(node.meta.get("val"), Tensor)


def default_partition(joint_module, _joint_inputs, *, num_fwd_outputs, boundary=None, **_):
    """default_partition(joint module, inputs, *, num_fwd_outputs) -> (forward, backward): all that was computed before
    the gradients were is forward's, and what the rest reads of it is saved."""
    joint = Joint(joint_module, num_fwd_outputs, boundary)
    rest = [n for n in joint.nodes if n not in joint.early and n.op != "output"]
    needed = _needed(joint.gradients)
    late = [n for n in rest if n in needed]
    read = {i for n in late for i in n.all_input_nodes} | {g for g in joint.gradients if isinstance(g, Node)}
    saved = [n for n in joint.nodes if n in joint.early and n in read and _is_tensor(n)]
    return joint.cut(saved)
