"""Replacing every part of a graph that looks like a pattern."""

import copy
import dataclasses
from typing import NamedTuple

from ..nn.modules.module import Module
from ._symbolic_trace import symbolic_trace
from .graph import Graph
from .graph_module import GraphModule
from .node import Node
from .passes.utils.matcher_utils import SubgraphMatcher

__all__ = ["Match", "replace_pattern", "replace_pattern_with_filters", "ReplacedPatterns"]


class Match(NamedTuple):
    """A place that was replaced: where the search began, and {node of the pattern: node of the graph}."""

    anchor: Node
    nodes_map: dict


@dataclasses.dataclass
class ReplacedPatterns:
    """The same, with the nodes that were put in."""

    anchor: Node
    nodes_map: dict
    replacements: list


def replace_pattern(gm, pattern, replacement):
    """replace_pattern(gm, pattern, replacement) -> list of Match: parts of gm that compute what the function (or
    GraphModule) pattern does compute what replacement does from now on. Both have the same parameters and results.
    """
    return [Match(m.anchor, m.nodes_map) for m in _replace_pattern(gm, pattern, replacement)]


def replace_pattern_with_filters(
    gm,
    pattern,
    replacement=None,
    match_filters=None,
    ignore_literals=False,
    replacement_callback=None,
    node_name_match="",
):
    """replace_pattern, where all match_filters(match, graph, pattern_graph) are true; replacement_callback(match,
    graph, pattern_graph) may give the replacement's graph. ignore_literals: constants may differ.
    """
    return _replace_pattern(
        gm, pattern, replacement, match_filters or [], ignore_literals, replacement_callback, node_name_match
    )


def _graph_of(what):
    if isinstance(what, GraphModule):
        return what.graph
    return what if isinstance(what, Graph) else symbolic_trace(what).graph


def _replace_pattern(gm, pattern, replacement, filters=(), ignore_literals=False, callback=None, node_name_match=""):
    graph, pattern_graph = gm.graph, _graph_of(pattern)
    if replacement is None and callback is None:
        raise AssertionError("Must provide either a replacement GraphModule or a replacement callback")
    matches = SubgraphMatcher(pattern_graph, ignore_literals=ignore_literals).match(graph, node_name_match)
    matches = [m for m in matches if all(keeps(m, graph, pattern_graph) for keeps in filters)]
    common = None if replacement is None else _graph_of(replacement)
    replaced, done = {}, []  # node that an earlier match replaced -> what stands for it
    for match in matches:
        new = common if callback is None else callback(match, graph, pattern_graph)
        made = _replace(graph, match, new, replaced)
        for node in reversed(pattern_graph.nodes):
            if node.op not in ("placeholder", "output"):
                graph.erase_node(match.nodes_map[node])
        done.append(ReplacedPatterns(match.anchors[0], match.nodes_map, made))
    gm.recompile()
    if isinstance(replacement, Module):
        _bring_members(gm, replacement)
    return done


def _replace(graph, match, new, replaced):
    """Put a copy of graph `new` at a match; the nodes that were added."""
    inputs = [n for n in new.nodes if n.op == "placeholder"]
    if len(match.placeholder_nodes) != len(inputs):
        raise AssertionError(f"Placeholder count mismatch: {len(match.placeholder_nodes)} vs {len(inputs)}")
    here = {}
    for i, (inner, outer) in enumerate(zip(inputs, match.placeholder_nodes)):
        now = replaced.get(outer, outer) if isinstance(outer, Node) else outer
        if now is not outer:
            key = next(k for k, v in match.nodes_map.items() if v is outer)
            match.placeholder_nodes[i] = match.nodes_map[key] = now
        here[inner] = now
    with graph.inserting_before(_place(graph, match)):
        results = graph.graph_copy(new, here)
    results = (results,) if isinstance(results, Node) else results
    made = [n for n in here.values() if n not in match.placeholder_nodes]
    if len(match.returning_nodes) != len(results):
        raise AssertionError(f"Returning nodes count mismatch: {len(match.returning_nodes)} vs {len(results)}")
    for old, now in zip(match.returning_nodes, results):
        old.replace_all_uses_with(now)
        replaced[old] = now
    return made


def _place(graph, match):
    """The node before which the replacement goes: the first that uses a result, or the one after the last result."""
    users = {user for n in match.returning_nodes for user in n.users}
    following = None
    for node in graph.nodes if users else reversed(graph.nodes):
        if node in users:
            return node
        if not users and node in match.returning_nodes:
            return following
        following = node
    raise AssertionError("The insert point can't be None")


def _bring_members(gm, replacement):
    """Copy to gm the members that the replacement's nodes name; take out those that no node names any more."""
    gm.delete_all_unused_submodules()
    if isinstance(replacement, GraphModule):
        replacement.graph.lint()
    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr") or _member(gm, node.target) is not None:
            continue
        found = _member(replacement, node.target)
        if found is None:
            raise RuntimeError(
                f'Attempted to create a "{node.op}" node during subgraph rewriting with target {node.target}, but the '
                "referenced attribute does not exist in the replacement GraphModule"
            )
        found = copy.deepcopy(found)
        gm.add_submodule(node.target, found) if isinstance(found, Module) else setattr(gm, node.target, found)
    gm.graph.lint()


def _member(module, path):
    for part in path.split("."):
        module = getattr(module, part, None)
    return module
