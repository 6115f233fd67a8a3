"""Watching what a pass does to a graph: each new node is told whom it comes from, and pictures are drawn."""

import pathlib

from ..traceback import NodeSource, NodeSourceAction
from .graph_drawer import FxGraphDrawer

__all__ = ["GraphTransformObserver"]


class GraphTransformObserver:
    """with GraphTransformObserver(gm, passname, log_url=None): the pass runs.

    log_url: a folder for pictures of the graph before and after the pass (as graphviz's text). While it is given,
    new nodes get a NodeSource in meta["from_node"].
    """

    __pass_count = 0

    def __init__(self, gm, passname, subsystem=None, log_url=None):
        self.gm, self.passname, self.subsystem, self.log_url = gm, passname, subsystem, log_url
        self.active = log_url is not None
        self.erased_nodes, self.created_nodes, self.name_to_node, self.copied_gms = set(), set(), {}, []
        if self.active:
            GraphTransformObserver.__pass_count += 1
            self.input_dot_graph = self._drawn()

    @classmethod
    def get_current_pass_count(cls):
        """get_current_pass_count() -> int: how many passes were watched."""
        return cls.__pass_count

    def _drawn(self):
        drawer = FxGraphDrawer(self.gm, self.passname, ignore_getattr=True, ignore_parameters_and_buffers=True)
        return drawer.get_dot_graph()

    def apply_gm_pass(self, pass_fn):
        """apply_gm_pass(f): f(gm), watched."""
        with self:
            return pass_fn(self.gm)

    def apply_graph_pass(self, pass_fn):
        """apply_graph_pass(f): f(gm.graph), watched."""
        with self:
            return pass_fn(self.gm.graph)

    def _hooks(self):
        return {
            "create_node": self.on_node_creation,
            "erase_node": self.on_node_erase,
            "replace_node": self.on_node_replace,
            "deepcopy": self.copied_gms.append,
        }

    def __enter__(self):
        if self.active:
            self.erased_nodes.clear()
            self.created_nodes.clear()
            self.copied_gms.clear()
            self.name_to_node = {node.name: node for node in self.gm.graph.nodes}
            self._registered = self._hooks()
            for kind, hook in self._registered.items():
                getattr(self.gm, f"_register_{kind}_hook")(hook)
        return self

    def __exit__(self, *trouble):
        if not self.active:
            return
        for gm in [*self.copied_gms, self.gm]:
            for kind, hook in self._registered.items():
                getattr(gm, f"_unregister_{kind}_hook")(hook)
        if self.created_nodes or self.erased_nodes:
            start = f"pass_{GraphTransformObserver.__pass_count}_{self.passname}"
            for when, drawing in (("input", self.input_dot_graph), ("output", self._drawn())):
                pathlib.Path(self.log_url, f"{start}_{when}_graph.dot").write_text(drawing.to_string())

    def on_node_creation(self, node):
        """A node was made."""
        self.created_nodes.add(node.name)
        self.name_to_node[node.name] = node
        node.meta.setdefault("from_node", []).append(NodeSource(None, self.passname, NodeSourceAction.CREATE))

    def on_node_erase(self, node):
        """A node was taken out."""
        self.erased_nodes.add(node.name)
        self.name_to_node.pop(node.name, None)

    def on_node_replace(self, old, new, user):
        """A user of `old` uses the node called `new` from now on."""
        node = self.name_to_node.get(new)
        if node is None or old.name in {s.name for s in node.meta.get("from_node", [])}:
            return
        created = [NodeSourceAction.CREATE]
        action = [NodeSourceAction.REPLACE, *(created if node.name in self.created_nodes else [])]
        kept = [s for s in node.meta.get("from_node", []) if not (s.pass_name == self.passname and s.action == created)]
        node.meta["from_node"] = [*kept, NodeSource(old, self.passname, action)]
