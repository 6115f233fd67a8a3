"""Finding a small graph, the pattern, in a large one."""

import collections
import copy
import dataclasses

from ...node import Node
from .fuser_utils import validate_partition

__all__ = ["SubgraphMatcher", "InternalMatch"]


@dataclasses.dataclass
class InternalMatch:
    """A place where the pattern was found."""

    anchors: list  # the pattern's nodes whose results leave it: where a search begins
    nodes_map: dict = dataclasses.field(default_factory=dict)  # node of the pattern -> node of the graph, or a constant
    placeholder_nodes: list = dataclasses.field(default_factory=list)  # what the pattern's inputs are here
    returning_nodes: list = dataclasses.field(default_factory=list)  # what its results are here
    name_node_map: dict = dataclasses.field(default_factory=dict)

    def __copy__(self):
        return InternalMatch(
            self.anchors, dict(self.nodes_map), list(self.placeholder_nodes), list(self.returning_nodes)
        )


class SubgraphMatcher:
    """SubgraphMatcher(pattern, ...): match(graph) gives an InternalMatch for each place.

    match_output, match_placeholder: must these be alike, too? remove_overlapping_matches: of matches that share nodes
    the first is kept. ignore_literals: constants may differ.
    """

    def __init__(
        self,
        pattern,
        match_output=False,
        match_placeholder=False,
        remove_overlapping_matches=True,
        ignore_literals=False,
    ):
        self.pattern, self.match_output, self.match_placeholder = pattern, match_output, match_placeholder
        self.remove_overlapping_matches, self.ignore_literals = remove_overlapping_matches, ignore_literals
        if len(pattern.nodes) == 0:
            raise ValueError("SubgraphMatcher cannot be initialized with an empty pattern")
        for node in pattern.nodes:
            if node.op != "output" and not node.is_impure() and not node.users:
                raise AssertionError("SubgraphMatcher cannot be initialized with an pattern with dead code")
        output = pattern.output_node()
        self.pattern_placeholder_nodes = [n for n in pattern.nodes if n.op == "placeholder"]
        self.pattern_returning_nodes = output.all_input_nodes
        single = [n for n in output.all_input_nodes if len(n.users) == 1]
        self.pattern_anchors = [output] if match_output else single

    def match(self, graph, node_name_match=""):
        """match(graph) -> list of InternalMatch"""
        candidates = collections.defaultdict(list)
        for anchor in self.pattern_anchors:
            for node in graph.nodes:
                if self._nodes_are_equal(anchor, node, node_name_match):
                    candidates[anchor].append(node)
        found = []
        if candidates:
            self._search(list(candidates.items()), 0, InternalMatch(self.pattern_anchors), node_name_match, found)
        found = [m for m in found if self._is_contained(m.nodes_map) and validate_partition(_computing(m))]
        return _without_overlaps(found) if self.remove_overlapping_matches else found

    def _search(self, candidates, i, match, node_name_match, found):
        """Add the matches in which anchor i is at each of its candidates, given what the anchors before it matched."""
        if i == len(candidates):
            match.placeholder_nodes = [match.nodes_map[n] for n in self.pattern_placeholder_nodes]
            match.returning_nodes = [match.nodes_map[n] for n in self.pattern_returning_nodes]
            found.append(match)
            return
        anchor, nodes = candidates[i]
        for node in nodes:
            attempt = copy.copy(match)
            if self._match_nodes(anchor, node, attempt, node_name_match):
                self._search(candidates, i + 1, attempt, node_name_match, found)

    def _match_nodes(self, pn, gn, match, node_name_match=""):
        """Is the pattern's node pn the graph's node gn, with all that they read?"""
        if pn in match.nodes_map:
            return match.nodes_map[pn] == gn
        if gn in match.nodes_map.values() or not self._nodes_are_equal(pn, gn, node_name_match):
            return False
        match.nodes_map[pn] = gn
        if pn.op == "placeholder":
            return True
        ours, theirs = _arguments(pn, gn)
        return ours is not None and self._match_args(ours, theirs, match)

    def _match_args(self, ours, theirs, match):
        if len(ours) != len(theirs):
            return False
        for a, b in zip(ours, theirs):
            if isinstance(a, Node) and isinstance(b, Node):
                same = self._match_nodes(a, b, match)
            elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
                same = self._match_args(a, b, match)
            else:
                same = self._match_literals(a, b, match) or self.ignore_literals
            if not same:
                return False
        return True

    def _match_literals(self, pn, gn, match):
        if isinstance(pn, Node):  # an input of the pattern may be a constant here
            if pn.op != "placeholder":
                return False
            return match.nodes_map.setdefault(pn, gn) == gn
        return not isinstance(gn, Node) and type(gn) is type(pn) and gn == pn

    def _nodes_are_equal(self, pn, gn, node_name_match=""):
        if pn.op == "placeholder" and not self.match_placeholder:
            return True
        if node_name_match and node_name_match in gn.name:
            return True
        if pn.op != gn.op:
            return False
        if pn.op == "get_attr":
            return _attributes_alike(pn, gn)
        return pn.op in ("placeholder", "output") or pn.target == gn.target

    def _is_contained(self, nodes_map):
        """Does nobody outside use what is inside, but for results?"""
        inside = {gn: pn for pn, gn in nodes_map.items() if pn.op != "placeholder"}
        return all(
            pn in self.pattern_returning_nodes or all(user in inside for user in gn.users) for gn, pn in inside.items()
        )


def _attributes_alike(pn, gn):
    ours, theirs = (_member(n) for n in (pn, gn))
    if type(ours) is not type(theirs):
        return False
    if not hasattr(ours, "dtype"):
        raise RuntimeError(f"Unsupported type {ours} when matching attributes")
    return True


def _member(node):
    found = node.graph.owning_module
    for part in node.target.split("."):
        found = getattr(found, part)
    return found


def _arguments(pn, gn):
    """The arguments of two calls in one order; (None, None) if they are not given alike."""
    if len(pn.args) == len(gn.args) and list(pn.kwargs) == list(gn.kwargs):
        return [*pn.args, *pn.kwargs.values()], [*gn.args, *gn.kwargs.values()]
    schema = getattr(pn.target, "_schema", None) if pn.op == "call_function" else None
    if schema is None:
        return None, None
    return [_completed(schema.arguments, n) for n in (pn, gn)]


def _completed(parameters, node):
    """The arguments of a call of an operator, all of its schema."""
    values = []
    for i, p in enumerate(parameters):
        if p.name in node.kwargs:
            values.append(node.kwargs[p.name])
        else:
            values.append(node.args[i] if not p.kwarg_only and i < len(node.args) else p.default_value)
    return values


def _computing(match):
    return [gn for pn, gn in match.nodes_map.items() if pn.op not in ("placeholder", "output")]


def _without_overlaps(matches):
    kept, taken = [], set()
    for match in matches:
        nodes = _computing(match)
        if taken.isdisjoint(nodes):
            kept.append(match)
            taken.update(nodes)
    return kept
