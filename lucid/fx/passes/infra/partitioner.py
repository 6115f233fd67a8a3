"""Cutting a graph into the largest parts that a backend can run, each a submodule of its own."""

import itertools

from ...node import _get_qualified_name
from ..utils.fuser_utils import fuse_by_partitions


class Partition:
    """Partition(id=None, nodes=None): a part; `nodes` is {node: its place, counted from the end}."""

    def __init__(self, id=None, nodes=None, node_orders=None):
        nodes = list(nodes) if nodes is not None else []
        orders = [None] * len(nodes) if node_orders is None else list(node_orders)
        if len(orders) != len(nodes):
            raise AssertionError("nodes and node_orders must have the same length")
        self.id, self.nodes = id, dict(zip(nodes, orders))

    def __repr__(self):
        return str(self.nodes)

    def add_node(self, node, node_order=None):
        """One more node."""
        self.nodes[node] = node_order

    def remove_node(self, node):
        """One node less."""
        del self.nodes[node]

    def size(self):
        """size() -> int: how many nodes"""
        return len(self.nodes)


class CapabilityBasedPartitioner:
    """CapabilityBasedPartitioner(graph_module, operator_support, allows_single_node_partition=False, ...)

    partition_and_fuse() puts the nodes that operator_support supports into as few submodules as can run one after
    another. Parts with at most one call of a function that computes (one that is not in non_compute_ops) are left as
    they are, unless allows_single_node_partition or its function is in allowed_single_node_partition_ops.
    skip_horizontal_fusion: only nodes that read each other are put together.
    """

    def __init__(
        self,
        graph_module,
        operator_support,
        allows_single_node_partition=False,
        non_compute_ops=None,
        allowed_single_node_partition_ops=None,
        skip_horizontal_fusion=False,
    ):
        self.graph_module, self.operator_support = graph_module, operator_support
        self.allows_single_node_partition = allows_single_node_partition
        self.non_compute_ops = [] if non_compute_ops is None else non_compute_ops
        self.allowed_single_node_partition_ops = allowed_single_node_partition_ops or []
        self.skip_horizontal_fusion = skip_horizontal_fusion

    def _is_node_supported(self, node):
        return self.operator_support.is_node_supported(dict(self.graph_module.named_modules()), node)

    # ---- finding parts

    def propose_partitions(self):
        """propose_partitions() -> list of Partition"""
        parts, home, first = {}, {}, {}  # id -> Partition, node -> id, id -> place of its last node
        ids = itertools.count()
        for place, node in enumerate(reversed(self.graph_module.graph.nodes)):
            new = None
            if self._is_node_supported(node):
                new = next(ids)
                parts[new], home[node], first[new] = Partition(new, [node], [place]), new, new
            self._merge(node, new, parts, home, first)
        for part in parts.values():
            part.nodes = dict(sorted(part.nodes.items(), key=lambda item: item[1], reverse=True))
        self._take_elements_along(parts, home)
        if not self.allows_single_node_partition:
            parts = {i: part for i, part in parts.items() if self._computes(part)}
        return [part for part in parts.values() if part.size()]

    def _merge(self, node, new, parts, home, first):
        """Put parts together where that makes no circle: the new one with the others, then the others among them."""
        if self.skip_horizontal_fusion:
            others = [home[user] for user in node.users if user in home] if new is not None else []
        else:
            others = sorted(first, key=first.get)
        candidates = list(dict.fromkeys(([] if new is None else [new]) + others))
        if len(candidates) < 2:
            return
        kept = candidates[0]
        for other in candidates[1:]:
            if self._would_wait_for_itself(parts[kept].nodes, parts[other].nodes, parts, home):
                continue
            gone = other
            if len(parts[kept].nodes) < len(parts[other].nodes):
                kept, gone = other, kept
            parts[kept].nodes.update(parts[gone].nodes)
            home.update(dict.fromkeys(parts[gone].nodes, kept))
            first[kept] = min(first[kept], first.pop(gone))
            del parts[gone]

    @staticmethod
    def _would_wait_for_itself(a, b, parts, home):
        """Does a way lead from the nodes of two parts to outside and back, where other parts run as a whole?"""
        waiting = [user for node in (*a, *b) for user in node.users if user not in a and user not in b]
        seen, parts_seen = set(waiting), set()
        while waiting:
            node = waiting.pop()
            if node in a or node in b:
                return True
            part = home.get(node)
            together = [node]
            if part is not None:
                if part in parts_seen:
                    continue
                parts_seen.add(part)
                together = parts[part].nodes
            for user in [user for n in together for user in n.users]:
                if user not in seen:
                    seen.add(user)
                    waiting.append(user)
        return False

    def _take_elements_along(self, parts, home):
        """Elements of a tuple go where the tuple is made."""
        while True:
            moves = {}
            for node in self.graph_module.graph.nodes:
                if all(_is_element(user) for user in node.users):
                    where = home.get(node)
                    moves.update({user: where for user in node.users if home.get(user) != where})
            if not moves:
                return
            for node, where in moves.items():
                if node in home:
                    parts[home.pop(node)].remove_node(node)
                if where is not None:
                    home[node] = where
                    parts[where].add_node(node)

    def _computes(self, part):
        idle = {"torch.ops.aten.view", "_operator.getitem", *self.non_compute_ops}
        names = [_get_qualified_name(n.target) for n in part.nodes if n.op == "call_function"]
        return sum((n not in idle) + (n in self.allowed_single_node_partition_ops) for n in names) > 1

    # ---- making submodules

    def fuse_partitions(self, partitions, prefix="fused_"):
        """fuse_partitions(partitions, prefix="fused_") -> the module, in which each part is a submodule"""
        return fuse_by_partitions(self.graph_module, [part.nodes for part in partitions], prefix=prefix)

    def partition_and_fuse(self, prefix="fused_"):
        """partition_and_fuse(prefix="fused_") -> the module with the proposed parts as submodules"""
        return self.fuse_partitions(self.propose_partitions(), prefix=prefix)

    def remove_bookend_non_compute_ops(self, partitions):
        """Take calls that compute nothing out of the parts where nothing of the part comes before or after them."""
        idle = set(self.non_compute_ops)

        def is_idle(node):
            return node.op == "call_function" and _get_qualified_name(node.target) in idle

        known = {"inputs": {}, "outputs": {}}

        def is_outermost(node, side, inside):
            if node.op == "placeholder" or node not in inside:
                return True
            if node not in known[side]:
                neighbours = node.all_input_nodes if side == "inputs" else node.users
                known[side][node] = is_idle(node) and all(is_outermost(n, side, inside) for n in neighbours)
            return known[side][node]

        for part in partitions:
            inside, gone = set(part.nodes), []
            for node in part.nodes:
                if is_idle(node) and (is_outermost(node, "inputs", inside) or is_outermost(node, "outputs", inside)):
                    gone.append(node)
                    inside.discard(node)
            for node in gone:
                part.nodes.pop(node)


def _is_element(node):
    return node.op == "call_function" and _get_qualified_name(node.target) == "_operator.getitem"
