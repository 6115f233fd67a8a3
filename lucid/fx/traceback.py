"""Where nodes come from: what is known of a node goes on to the nodes that are made of it.

Within `with preserve_node_meta():` an Interpreter that runs a node on proxies (Transformer, or a tracer that runs a
GraphModule) hands its stack trace, modules and annotations to the new nodes.
"""

import contextlib
import copy
import enum
import functools
import traceback

__all__ = [
    "annotate",
    "annotate_fn",
    "preserve_node_meta",
    "has_preserved_node_meta",
    "set_stack_trace",
    "set_grad_fn_seq_nr",
    "reset_grad_fn_seq_nr",
    "format_stack",
    "set_current_meta",
    "get_current_meta",
    "NodeSource",
    "NodeSourceAction",
    "get_graph_provenance_json",
    "set_current_replay_node",
    "get_current_replay_node",
]

GRADIENT_ACC_SPECIAL_STACK = "Gradient addition node due to multiple use of tensor around:"
current_meta: dict = {}
current_replay_node = None
should_preserve_node_meta = False


class NodeSourceAction(enum.Enum):
    """What a pass did with the node that it made: a new one, or one in the place of another."""

    CREATE = "create"
    REPLACE = "replace"


class NodeSource:
    """NodeSource(node, pass_name="", action=None): the node (of another graph) that a node was made of, by whom."""

    class NodeInfo:
        """Which node of which graph."""

        def __init__(self, name, target, graph_id):
            self.name, self.target, self.graph_id = name, target, graph_id

    def __init__(self, node, pass_name="", action=None):
        self.pass_name = pass_name
        self.action = [] if action is None else action if isinstance(action, list) else [action]
        for a in self.action:
            if not isinstance(a, NodeSourceAction):
                raise AssertionError(f"Expected NodeSourceAction, got {type(a)}")
        self.node_info, self.from_node = None, []
        if node:
            self.node_info = self.NodeInfo(node.name, str(node.target), id(node.graph))
            self.from_node = copy.deepcopy(node.meta.get("from_node", []))

    name = property(lambda self: self.node_info.name if self.node_info else "", doc="The node's name.")
    target = property(lambda self: self.node_info.target if self.node_info else "", doc="The node's target, as text.")
    graph_id = property(lambda self: self.node_info.graph_id if self.node_info else -1, doc="The id() of its graph.")

    def _get_action_string(self):
        return "+".join([a.value for a in self.action])

    def print_readable(self, indent=0):
        """print_readable(indent=0) -> str: a line for this node and those that it comes from, ten steps at most."""
        if indent > 9:
            return ""
        line = (
            f"{' ' * indent * 4}(name={self.name}, pass_name={self.pass_name}, action={self._get_action_string()}, "
            f"graph_id={self.graph_id})\n"
        )
        return line + "".join([source.print_readable(indent + 1) for source in self.from_node])

    def __repr__(self):
        return self.print_readable()

    def to_dict(self):
        """to_dict() -> all of it as a dictionary of plain values."""
        return {
            "name": self.name,
            "target": self.target,
            "graph_id": self.graph_id,
            "pass_name": self.pass_name,
            "action": self._get_action_string(),
            "from_node": [source.to_dict() for source in self.from_node],
        }

    @classmethod
    def _from_dict(cls, d):
        if d is None:
            return None
        if not isinstance(d, dict):
            raise AssertionError(f"Expected a dict, got {type(d)}")
        made = cls(None, d.get("pass_name", ""))
        known = [a.name for a in NodeSourceAction]
        made.action = [NodeSourceAction[a] for a in d.get("action", "").upper().split("+") if a in known]
        if {"name", "target", "graph_id"} <= d.keys():
            made.node_info = cls.NodeInfo(d["name"], d["target"], d["graph_id"])
        made.from_node = [source for x in d.get("from_node") or [] if (source := cls._from_dict(x)) is not None]
        return made

    def __eq__(self, other):
        return isinstance(other, NodeSource) and self.to_dict() == other.to_dict()

    def __hash__(self):
        return hash((self.name, self.target, self.graph_id, self.pass_name, *self.from_node))


# ---- what the nodes that are made now get


@contextlib.contextmanager
def preserve_node_meta(enable=True):
    """Within it, new nodes get what is known of the node that is run."""
    global should_preserve_node_meta, current_meta
    before = should_preserve_node_meta, current_meta.copy()
    try:
        should_preserve_node_meta = enable
        yield
    finally:
        should_preserve_node_meta, current_meta = before


def has_preserved_node_meta():
    """has_preserved_node_meta() -> bool: is one within preserve_node_meta()?"""
    return should_preserve_node_meta


def get_current_meta():
    """get_current_meta() -> what is known of the node that is run."""
    return current_meta


@contextlib.contextmanager
def set_current_meta(node, pass_name=""):
    """Within it, this node is the one that is run."""
    global current_meta
    if not (should_preserve_node_meta and node.meta):
        yield
        return
    before = current_meta
    try:
        current_meta = {**node.meta, "from_node": [NodeSource(node, pass_name, NodeSourceAction.CREATE)]}
        yield
    finally:
        current_meta = before


def set_stack_trace(stack):
    """set_stack_trace(lines): the stack trace that new nodes get; none for an empty list."""
    if should_preserve_node_meta:
        if stack:
            current_meta["stack_trace"] = "".join(stack)
        else:
            current_meta.pop("stack_trace", None)


def format_stack():
    """format_stack() -> list of str: the stack trace that new nodes get, or, outside, that of the caller."""
    if should_preserve_node_meta:
        return [current_meta.get("stack_trace", "")]
    return traceback.format_list(traceback.extract_stack()[:-1])


@contextlib.contextmanager
def annotate(annotation_dict):
    """Within it, new nodes have these entries in node.meta["custom"]."""
    had = "custom" in current_meta
    before = copy.copy(current_meta.get("custom", {}))
    try:
        current_meta.setdefault("custom", {}).update(annotation_dict)
        yield
    finally:
        if had:
            current_meta["custom"] = before
        else:
            del current_meta["custom"]


def annotate_fn(annotation_dict):
    """annotate_fn(annotations) -> a decorator: the function runs within annotate(annotations)."""

    def decorator(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            with annotate(annotation_dict):
                return func(*args, **kwargs)

        return wrapper

    return decorator


def set_grad_fn_seq_nr(seq_nr):
    """set_grad_fn_seq_nr(seq_nr): a step of backward begins, of the node with this number."""
    if should_preserve_node_meta:
        current_meta["grad_fn_seq_nr"] = [*current_meta.get("grad_fn_seq_nr", []), seq_nr]
        current_meta["in_grad_fn"] = current_meta.get("in_grad_fn", 0) + 1


def reset_grad_fn_seq_nr():
    """reset_grad_fn_seq_nr(): the step of backward ends."""
    if not should_preserve_node_meta:
        return
    level = current_meta.get("in_grad_fn", 0)
    if level <= 0:
        raise AssertionError(f"Expected current_level > 0, got {level}")
    if level == 1:
        del current_meta["in_grad_fn"], current_meta["grad_fn_seq_nr"]
    else:
        current_meta["in_grad_fn"] = level - 1
        current_meta["grad_fn_seq_nr"] = current_meta["grad_fn_seq_nr"][:-1]


@contextlib.contextmanager
def set_current_replay_node(node):
    """Within it, new nodes do again what this node did."""
    global current_replay_node
    before = current_replay_node
    try:
        current_replay_node = node
        yield
    finally:
        current_replay_node = before


def get_current_replay_node():
    """get_current_replay_node() -> Node or None"""
    return current_replay_node


def get_graph_provenance_json(graph):
    """get_graph_provenance_json(graph) -> {name of a call: the nodes that it was made of, as dictionaries}"""
    calls = [n for n in graph.nodes if n.op == "call_function"]
    return {n.name: [source.to_dict() for source in n.meta.get("from_node", [])] for n in calls}
