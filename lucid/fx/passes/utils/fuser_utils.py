"""Parts of a graph as modules of their own."""

import copy
import operator
from queue import SimpleQueue

from ...graph import Graph
from ...graph_module import GraphModule


def topo_sort(nodes):
    """topo_sort(nodes) -> the nodes with each after all that it reads among them."""
    indegree = {node: sum(n in nodes for n in node.all_input_nodes) for node in nodes}
    waiting, done = SimpleQueue(), []
    for node in nodes:
        if indegree[node] == 0:
            waiting.put(node)
    while not waiting.empty():
        node = waiting.get()
        done.append(node)
        for user in node.users:
            if user in indegree:
                indegree[user] -= 1
                if indegree[user] == 0:
                    waiting.put(user)
    if len(done) < len(nodes):
        raise AssertionError("topological sorted nodes doesn't have same length as input nodes")
    return done


def validate_partition(partition):
    """validate_partition(nodes) -> bool: can they be one step, so that none waits for something outside that waits for
    another of them?
    """
    inside = set(partition)
    outside = {user for node in inside for user in node.users if user not in inside}
    seen, waiting = set(outside), list(outside)
    while waiting:
        node = waiting.pop()
        if node in inside:
            return False
        for user in node.users:
            if user not in seen:
                seen.add(user)
                waiting.append(user)
    return True


def fuse_as_graphmodule(gm, nodes, module_name, partition_lookup_table=None, *, always_return_tuple=False):
    """fuse_as_graphmodule(gm, nodes, module_name) -> (GraphModule of these nodes, the nodes of gm that are its inputs,
    those that are its results).
    """
    for node in nodes:
        if node.graph.owning_module is not gm:
            raise AssertionError(f"{node} doesn't belong to passed in graph module {gm._get_name()}")
        if node._erased:
            raise AssertionError(f"{node} has been removed from owning graph")
        if node not in gm.graph.nodes:
            raise AssertionError(f"{node} is not found in graph module {gm._get_name()}")
    if not validate_partition(nodes):
        raise AssertionError("Invalid partition, found dependency cycles")
    graph, here, inputs = Graph(), {}, {}
    inside = set(nodes)

    def argument(x):
        if x in inside:
            return here[x]
        if x not in inputs:
            inputs[x] = graph.placeholder(x.name, type_expr=x.type)
            inputs[x].meta = copy.copy(x.meta)
        return inputs[x]

    for node in nodes:
        here[node] = graph.node_copy(node, argument)
    results = [n for n in nodes if any(user not in inside for user in n.users)]
    outs = tuple([here[n] for n in results])
    graph.output(outs[0] if len(outs) == 1 and not always_return_tuple else outs)
    graph.lint()
    return GraphModule(gm, graph, class_name=module_name), tuple(inputs), tuple(results)


def insert_subgm(gm, sub_gm, orig_inputs, orig_outputs):
    """insert_subgm(gm, sub_gm, orig_inputs, orig_outputs) -> gm, which calls sub_gm for the results orig_outputs."""
    name = type(sub_gm).__name__
    gm.add_submodule(name, sub_gm)
    last = max(orig_outputs)
    with gm.graph.inserting_after(last):
        call = gm.graph.call_module(name, args=orig_inputs)
        tupled = isinstance(sub_gm.graph.output_node().args[0], tuple)
    if tupled:
        after = call
        for i, old in enumerate(orig_outputs):
            with gm.graph.inserting_after(after):
                after = gm.graph.call_function(operator.getitem, (call, i))
            after.meta = copy.copy(old.meta)
            old.replace_all_uses_with(after, delete_user_cb=lambda user, skip=after: user is not skip)
    else:
        call.meta = copy.copy(orig_outputs[0].meta)
        orig_outputs[0].replace_all_uses_with(call)
    return gm


def erase_nodes(gm, nodes):
    """Take out these nodes, which nobody else uses, last first."""
    for node in reversed(nodes):
        gm.graph.erase_node(node)


def fuse_by_partitions(gm, partitions, prefix="fused_", always_return_tuple=False):
    """fuse_by_partitions(gm, partitions) -> gm, in which each partition (nodes) is one submodule."""
    for i, partition in enumerate(partitions):
        nodes = topo_sort(list(partition))
        sub, inputs, outputs = fuse_as_graphmodule(gm, nodes, f"{prefix}{i}", always_return_tuple=always_return_tuple)
        insert_subgm(gm, sub, inputs, outputs)
        erase_nodes(gm, nodes)
    gm.graph = _in_order(gm.graph)
    return gm


def _in_order(graph):
    """Move nodes so that each comes after what it reads."""
    done, waiting = set(), list(graph.nodes)
    root = graph._root
    while waiting:
        later = []
        for node in waiting:
            if all(n in done for n in node.all_input_nodes):
                root.prepend(node)
                done.add(node)
            else:
                later.append(node)
        if len(later) == len(waiting):
            raise AssertionError("the graph has a cycle")
        waiting = later
    return graph
