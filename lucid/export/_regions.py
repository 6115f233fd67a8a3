"""Parts of a graph in which the program had gradients switched: each becomes a submodule that an operator runs."""

import operator

from .._higher_order_ops.wrap_with_modes import wrap_with_set_grad_enabled
from ..autograd.grad_mode import _set_grad_enabled
from ..fx.graph import Graph
from ..fx.graph_module import GraphModule


def _is_switch(node):
    return node.op == "call_function" and node.target is _set_grad_enabled


def wrap_regions(graph, root):
    """Take the switches out of a graph, and what is between them into submodules of root."""
    switches = [n for n in graph.nodes if _is_switch(n)]
    if not switches:
        return
    regions, mode, region = [], None, []
    for node in list(graph.nodes):
        if _is_switch(node):
            regions.append((mode, region))
            mode, region = node.args[0], []
        elif node.op not in ("placeholder", "get_attr", "output"):
            region.append(node)
    regions.append((mode, region))
    outer = not switches[0].args[0]
    made = 0
    for i, (mode, nodes) in enumerate(regions):
        if mode in (None, outer) or not nodes:
            continue
        _wrap(graph, root, nodes, mode, f"submod_{i}", f"submod_{len(regions) + made}")
        made += 1
    for node in switches:
        graph.erase_node(node)


def _wrap(graph, root, nodes, mode, attribute, name):
    inside = set(nodes)
    inner, env = Graph(), {}
    used = [n for node in nodes for n in node.all_input_nodes if n not in inside]
    for node in dict.fromkeys(used):
        if node.op == "get_attr":
            raise NotImplementedError("torch.export: an operator with functions inside of no_grad()")
        env[node] = inner.placeholder(node.name)
        env[node].meta.update(node.meta)
    given = list(env)
    for node in nodes:
        env[node] = inner.node_copy(node, env.__getitem__)
    results = [n for n in nodes if any([u not in inside for u in n.users])]
    inner.output(tuple([env[n] for n in results]))
    setattr(root, attribute, GraphModule(root, inner))
    with graph.inserting_after(nodes[-1]):
        module = graph.create_node("get_attr", attribute, (), {}, name=name)
    with graph.inserting_after(module):
        args = (mode, module, *given)
        called = graph.create_node("call_function", wrap_with_set_grad_enabled, args, {}, name="wrap")
    called.meta["val"] = tuple([n.meta.get("val") for n in results])
    after = called
    for i, node in enumerate(results):
        with graph.inserting_after(after):
            after = graph.create_node("call_function", operator.getitem, (called, i), {}, name="getitem")
        after.meta.update(node.meta)
        node.replace_all_uses_with(after, delete_user_cb=lambda user: user not in inside)
    first = results[0].name if results else "wrap_with_set_grad_enabled"
    for node in reversed(nodes):
        graph.erase_node(node)
    called.name = first


__all__ = ["wrap_regions"]
