"""A joint graph cut into a forward and a backward graph: as it was traced, or by what is cheapest to keep."""

import math

from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..fx.graph import Graph
from ..fx.graph_module import GraphModule
from ..fx.node import Node
from .min_cut import FlowNetwork
from .once import banned
from .recomputing import is_fusible, size_of, writes
from .sharing import in_order_of_gradients, items_first, shared

__all__ = ["default_partition", "min_cut_rematerialization_partition"]


class Joint:
    """A joint graph's nodes by what they are: primals, tangents, values, gradients, and what needs a tangent."""

    def __init__(self, module, n_forward):
        nodes = list(module.graph.nodes)
        self.module, self.nodes = module, nodes
        holes = [n for n in nodes if n.op == "placeholder"]
        self.primals = [n for n in holes if not n.name.startswith("tangents")]
        self.tangents = [n for n in holes if n.name.startswith("tangents")]
        given = pytree.tree_leaves(nodes[-1].args[0], is_leaf=lambda x: x is None)
        self.values, self.gradients = given[:n_forward], given[n_forward:]
        self.late = _reached(self.tangents)
        self.forward = _needed([*self.values, *self.primals])

    def cut(self, saved):
        """(forward module, backward module) that hand over these values, as far as they are read."""
        read = _needed(self.gradients, stop=set(saved))
        saved = [n for n in saved if n in read]
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


def _needed(nodes, stop=()):
    """All nodes that these depend on, and themselves; not beyond those in stop."""
    found, waiting = set(), [n for n in nodes if isinstance(n, Node)]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            if node not in stop:
                waiting.extend(node.all_input_nodes)
    return found


def _extracted(module, inputs, outputs):
    """The part of a module's graph that computes outputs from inputs."""
    graph, copies = Graph(module), {}
    for node in inputs:
        copies[node] = graph.placeholder(node.name)
        copies[node].meta = dict(node.meta)
    needed = _needed(outputs, stop=set(inputs))
    for node in module.graph.nodes:
        if node in needed and node not in copies:
            if node.op == "placeholder":
                raise AssertionError(f"the backward graph needs {node.name}, which is not handed over")
            copies[node] = graph.node_copy(node, copies.__getitem__)
    graph.output(tuple([copies[n] if isinstance(n, Node) else n for n in outputs]))
    return GraphModule(module, graph)


def _is_tensor(node):
    return isinstance(node.meta.get("val"), Tensor)


def default_partition(joint_module, _joint_inputs, *, num_fwd_outputs, **_):
    """default_partition(joint module, inputs, *, num_fwd_outputs) -> (forward, backward): all that was computed before
    the gradients were is forward's, and what the rest reads of it is saved."""
    joint = Joint(joint_module, num_fwd_outputs)
    marked = {n for n in joint.nodes if n.meta.get("partitioner_tag") == "is_forward"}
    early = {n for n in marked or joint.forward if n not in joint.late and n.op != "output"} | set(joint.primals)
    late = [n for n in _needed(joint.gradients) if n not in early]
    read = {i for n in late for i in n.all_input_nodes} | {g for g in joint.gradients if isinstance(g, Node)}
    forward, backward = joint.cut([n for n in joint.nodes if n in early and n in read and _is_tensor(n)])
    return items_first(forward), items_first(backward)


def min_cut_rematerialization_partition(
    joint_module, _joint_inputs, compiler="inductor", *, num_fwd_outputs, static_lifetime_input_indices=None, **_
):
    """min_cut_rematerialization_partition(joint module, inputs, *, num_fwd_outputs) -> (forward, backward): what is
    saved takes the least memory, and backward computes the rest anew from it.

    Matrix products, convolutions, random numbers, reductions, and what backward reads from memory are computed once.
    static_lifetime_input_indices: inputs that stay in memory anyway, which are saved for nothing.
    """
    if any(writes(n) for n in joint_module.graph.nodes):  # into copies, which are not one another
        return default_partition(joint_module, _joint_inputs, num_fwd_outputs=num_fwd_outputs)
    joint_module.graph.eliminate_dead_code()
    joint = Joint(shared(joint_module), num_fwd_outputs)
    if not joint.tangents:
        return default_partition(joint_module, _joint_inputs, num_fwd_outputs=num_fwd_outputs)
    kept = {joint.primals[i] for i in static_lifetime_input_indices or ()}
    forward, backward = joint.cut(_cheapest(joint, kept))
    return items_first(forward), items_first(in_order_of_gradients(backward))


def _cheapest(joint, kept):
    """The nodes to save: the cut between what must be computed forward and what must be computed backward.

    Each node is an edge, whose capacity is what saving it costs; a node that is needed on the far side of a cut must
    be saved or computed there from what is. Of cuts that cost the same, the one nearest to the gradients.
    """
    nodes = [n for n in joint.nodes if n.op != "output"]
    places = {n: i for i, n in enumerate(nodes)}
    source, sink = 2 * len(nodes), 2 * len(nodes) + 1
    network = FlowNetwork(2 * len(nodes) + 2)
    far, ends = _distances(joint), {g for g in joint.gradients if isinstance(g, Node)}
    once = banned(joint)
    for node, i in places.items():
        if node in joint.late:
            network.add(2 * i, sink, math.inf)
            continue
        if node in ends:
            network.add(2 * i + 1, sink, math.inf)
        if node in once:
            network.add(source, 2 * i, math.inf)
        network.add(2 * i, 2 * i + 1, _cost(node, kept, far[node]))
        for user in node.users:
            if user in places:
                network.add(2 * i + 1, 2 * places[user], math.inf)
    far_side = network.sink_side(source, sink)
    return [n for n, i in places.items() if 2 * i not in far_side and 2 * i + 1 in far_side]


def _cost(node, kept, far):
    """What saving a node costs: its bytes, more the farther it is from the gradients, and twice that if it would not
    be in memory otherwise."""
    if node in kept:
        return 0
    if not _is_tensor(node):
        return math.inf  # a tuple, whose items are saved
    size = int(size_of(node) * 1.1 ** max(min(far, 100), 1))
    in_memory = node.op == "placeholder" or not all(is_fusible(node, user) for user in node.users)
    return size if in_memory else 2 * size


_NEVER = 10**9


def _distances(joint):
    """How many nodes are between each node and the nearest that forward does not need."""
    far = {}
    for node in reversed(joint.nodes):
        if node.op == "output":
            far[node] = _NEVER
        elif node not in joint.forward:
            far[node] = 0
        else:
            far[node] = min([_NEVER, *[far[u] + 1 for u in node.users]])
    return far
