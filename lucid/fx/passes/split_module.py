"""A graph cut into submodules, as a function of each node says."""

import inspect
import operator

from ...nn.modules.module import Module
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import map_arg

__all__ = ["Partition", "split_module"]


class Partition:
    """One of the submodules to be: its nodes by name, what goes in and out, and whom it waits for."""

    def __init__(self, name):
        self.name, self.submod_name = name, f"submod_{name}"
        self.node_names, self.inputs, self.outputs = [], {}, {}
        self.dependencies, self.dependents = {}, {}
        self.graph, self.environment, self.targets = Graph(), {}, {}

    def __repr__(self):
        return (
            f"name: {self.name},\n nodes: {self.node_names},\n inputs: {self.inputs},\n outputs: {self.outputs},\n "
            f"partitions depended on: {self.dependencies},\n partition dependents: {self.dependents}"
        )


def split_module(
    m,
    root_m,
    split_callback,
    qualname_map=None,
    keep_original_order=False,
    keep_original_node_name=False,
    keep_original_input_name=True,
    *,
    partition_affix=None,
    tuple_return=False,
):
    """split_module(m, root_m, split_callback) -> GraphModule with submodules submod_0, submod_1 ...

    split_callback(node) -> the number of its part. qualname_map: a dictionary to fill with {path in the new module:
    path in m}. keep_original_order: the parts are called in the order in which m has them. tuple_return: parts return
    a tuple even of one result.
    """
    split = _Split(m, split_callback, partition_affix)
    order = split.order()
    for name in order:
        split.add_inputs(split.partitions[name], keep_original_input_name)
    split.add_nodes(keep_original_node_name, qualname_map)
    order = list(split.partitions) if keep_original_order else order
    return split.joined(order, keep_original_order, keep_original_node_name, tuple_return)


class _Split:
    def __init__(self, m, part_of, affix):
        self.m, self.partitions, self.nodes, self.home = m, {}, {n.name: n for n in m.graph.nodes}, {}
        for node in m.graph.nodes:
            if node.op not in ("placeholder", "get_attr", "output"):
                name = str(part_of(node))
                name = name if affix is None else f"{affix}_{name}"
                self.partitions.setdefault(name, Partition(name)).node_names.append(node.name)
                self.home[node] = name
        for node in m.graph.nodes:
            if node.op not in ("placeholder", "get_attr"):
                for used in _in_order_of_use(node):
                    self._note_use(used, node)

    def _note_use(self, made, user):
        here, there = self.home.get(made), self.home.get(user)
        if here == there:
            return
        if here is not None:
            self.partitions[here].outputs.setdefault(made.name)
        if there is not None:
            self.partitions[there].inputs.setdefault(made.name)
        if here is not None and there is not None:
            self.partitions[here].dependents.setdefault(there)
            self.partitions[there].dependencies.setdefault(here)

    def order(self):
        """The parts, each after those that it waits for; RuntimeError where they wait for each other."""
        waiting = {name: dict(p.dependencies) for name, p in self.partitions.items()}
        ready, done = [name for name, before in waiting.items() if not before], []
        while ready:
            name = ready.pop()
            done.append(name)
            for after in self.partitions[name].dependents:
                del waiting[after][name]
                if not waiting[after]:
                    ready.append(after)
        if len(done) != len(self.partitions):
            raise RuntimeError("cycle exists between partitions!")
        return done

    def add_inputs(self, partition, keep_name):
        values, modules = [], []
        for name in partition.inputs:
            node = self.nodes[name]
            (modules if node.op == "get_attr" and isinstance(_member(self.m, node.target), Module) else values).append(
                node
            )
        for i, node in enumerate(values):
            made = partition.graph.placeholder(node.name if keep_name else f"arg_{i}", type_expr=node.type)
            made.meta, partition.environment[node] = node.meta.copy(), made
        for node in modules:
            made = partition.graph.get_attr(node.target)
            partition.targets[node.target] = _member(self.m, node.target)
            made.meta, partition.environment[node] = node.meta.copy(), made
        partition.inputs = dict.fromkeys(node.name for node in values)

    def add_nodes(self, keep_name, qualname_map):
        for node, home in self.home.items():
            partition = self.partitions[home]
            here, target = partition.environment.__getitem__, node.target
            if node.op == "call_module":
                target = node.target.replace(".", "_")
                partition.targets[target] = _member(self.m, node.target)
                if qualname_map is not None:
                    qualname_map[f"{partition.submod_name}.{target}"] = node.target
            args, kwargs = map_arg(node.args, here), map_arg(node.kwargs, here)
            name = node.name if keep_name else None
            made = partition.graph.create_node(node.op, target, args, kwargs, name, node.type)
            made.meta, partition.environment[node] = node.meta.copy(), made

    def joined(self, order, keep_order, keep_name, tuple_return):
        """The module that calls the parts."""
        graph, here, members = Graph(), {}, {}

        def bring(node):
            if node.name in here or node.op not in ("placeholder", "get_attr"):
                return
            if node.op == "placeholder":
                default = node.args[0] if node.args else inspect.Signature.empty
                name = node.name if keep_name else node.target
                here[node.name] = graph.placeholder(name, type_expr=node.type, default_value=default)
            else:
                here[node.name] = graph.get_attr(node.target)
                members[node.target] = _member(self.m, node.target)
            here[node.name].meta = node.meta.copy()

        nodes = list(self.m.graph.nodes)
        for node in nodes:
            if not keep_order or node.op == "placeholder":
                bring(node)
        for name in order:
            partition = self.partitions[name]
            for used in partition.inputs:
                bring(self.nodes[used])
            results = tuple([partition.environment[self.nodes[n]] for n in partition.outputs])
            tupled = len(results) != 1 or tuple_return
            partition.graph.output(results if tupled else results[0])
            members[partition.submod_name] = GraphModule(partition.targets, partition.graph)
            call = graph.call_module(partition.submod_name, tuple([here[n] for n in partition.inputs]))
            for i, result in enumerate(partition.outputs):
                here[result] = graph.call_function(operator.getitem, (call, i)) if tupled else call
        for node in nodes:
            bring(node) if keep_order and not self.partitions else None
            if node.op == "output":
                graph.output(map_arg(node.args[0], lambda n: here[n.name]))
        made = GraphModule(members, graph)
        made.meta["partition_names"] = {p.submod_name for p in self.partitions.values()}
        return made


def _in_order_of_use(node):
    found = []
    map_arg((node.args, node.kwargs), lambda n: found.append(n) or n)
    return found


def _member(module, path):
    for part in path.split("."):
        if not hasattr(module, part):
            raise AttributeError(f"Node target {path} not found!")
        module = getattr(module, part)
    return module
