"""A joint graph cut into a forward and a backward graph: as it was traced, or by what is cheapest to keep."""

import math

from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..fx.graph import Graph
from ..fx.graph_module import GraphModule
from ..fx.node import Node
from .min_cut import FlowNetwork
from .recomputing import is_fusible, is_recomputable, size_of, writes

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


def min_cut_rematerialization_partition(
    joint_module, _joint_inputs, compiler="inductor", *, num_fwd_outputs, static_lifetime_input_indices=None, **more
):
    """min_cut_rematerialization_partition(joint module, inputs, *, num_fwd_outputs) -> (forward, backward): what is
    saved takes the least memory, and backward computes the rest anew from it.

    Matrix products, convolutions, random numbers and large reductions are computed once; so is all that writes.
    static_lifetime_input_indices: inputs that stay in memory anyway, which are saved for nothing.
    """
    joint = Joint(joint_module, num_fwd_outputs, more.get("boundary"))
    if any(writes(n) for n in joint.nodes if n not in joint.late):
        return default_partition(joint_module, _joint_inputs, num_fwd_outputs=num_fwd_outputs, **more)
    kept = {joint.primals[i] for i in static_lifetime_input_indices or ()}
    return joint.cut(_cheapest(joint, kept))


def _cheapest(joint, kept):
    """The nodes to save: the cut between what must be computed forward and what must be computed backward.

    Each node is an edge, whose capacity is what saving it costs; a node that is needed on the far side of a cut must
    be saved or computed there from what is.
    """
    needed = _needed(joint.gradients)
    forward = _needed(joint.values)
    nodes = [n for n in joint.nodes if n in needed and n not in joint.late]
    places = {n: i for i, n in enumerate(nodes)}
    source, sink = 2 * len(nodes), 2 * len(nodes) + 1
    network = FlowNetwork(2 * len(nodes) + 2)
    far = _distances(joint, needed)
    ends = {g for g in joint.gradients if isinstance(g, Node)}
    for node, i in places.items():
        network.add(2 * i, 2 * i + 1, _cost(node, kept, far[node]))
        # Nobody can compute an input anew; what forward does not need, backward computes for the first time.
        if node.op == "placeholder" or node in forward and not is_recomputable(node):
            network.add(source, 2 * i, math.inf)
        if node in ends:
            network.add(2 * i + 1, sink, math.inf)
        for user in node.users:
            if user in places:
                network.add(2 * i + 1, 2 * places[user], math.inf)
            elif user in joint.late and user in needed:
                network.add(2 * i + 1, sink, math.inf)
    near = network.source_side(source, sink)
    return [n for n, i in places.items() if 2 * i in near and 2 * i + 1 not in near]


def _cost(node, kept, far):
    """What saving a node costs: bytes, and where they are equal, what is left to compute, and whether the value would
    be in memory at all otherwise."""
    if not _is_tensor(node):
        return math.inf  # a tuple, whose items are saved
    if node in kept:
        return 0
    in_memory = node.op == "placeholder" or not (is_fusible(node) and all(is_fusible(u) for u in node.users))
    return size_of(node) * _TIES + min(far, _TIES // 4) * (1 if in_memory else 2)


_TIES = 1 << 12  # costs that are less than a byte


def _distances(joint, needed):
    """How many nodes are between each node and the nearest that needs a gradient."""
    far = {}
    for node in reversed(joint.nodes):
        users = [u for u in node.users if u in needed]
        far[node] = 0 if node in joint.late else 1 + min((far[u] for u in users if u in far), default=0)
    return far
