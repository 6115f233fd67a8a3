"""Products with the same right operand as one product."""

import itertools
import operator

from .._symbolic_trace import symbolic_trace
from ..names import library
from ..passes.tools_common import legalize_graph
from ..proxy import Proxy


def split_result_tensors(result, inputs):
    """split_result_tensors(result, inputs) -> tuple: as many rows of the result as each input has."""
    rows = [0] * len(inputs) if isinstance(result, Proxy) else [x.shape[0] for x in inputs]
    return library().split(result, rows)


def may_depend_on(a, b, search_depth=6):
    """may_depend_on(a, b, search_depth=6) -> bool: does node a read b? Ways longer than search_depth count as yes."""
    if a == b:
        return True
    if not a.all_input_nodes:
        return False
    return search_depth == 0 or any(may_depend_on(n, b, search_depth - 1) for n in a.all_input_nodes)


def are_nodes_independent(nodes):
    """are_nodes_independent(nodes) -> bool: does none of them read another?"""
    return not any(may_depend_on(a, b) or may_depend_on(b, a) for a, b in itertools.combinations(nodes, 2))


def merge_matmul(in_mod):
    """merge_matmul(module) -> GraphModule in which products a @ c and b @ c are one, of the rows of a and b."""
    gm = symbolic_trace(in_mod)
    graph, torch = gm.graph, library()
    by_right = {}
    for node in graph.nodes:
        if node.op == "call_function" and node.target == torch.matmul:
            right = node.args[1]
            by_right.setdefault(right.target if right.op == "get_attr" else right, []).append(node)
    for right, products in by_right.items():
        if len(products) < 2 or not are_nodes_independent(products):
            continue
        lefts = [node.args[0] for node in products]
        right = graph.get_attr(right) if isinstance(right, str) else right
        merged = graph.call_function(torch.matmul, (graph.call_function(torch.cat, (lefts,)), right))
        parts = graph.call_function(split_result_tensors, (merged, lefts))
        results = [graph.call_function(operator.getitem, (parts, i)) for i in range(len(lefts))]
        for old, new in zip(products, results):
            old.replace_all_uses_with(new)
            graph.erase_node(old)
        legalize_graph(gm)
        graph = gm.graph
    gm.recompile()
    gm.graph.lint()
    return gm
