"""torch.export.unflatten: an exported program as modules again, as the program had them."""

import abc
import operator

from .._tensor import pytree
from ..fx.graph import Graph
from ..fx.interpreter import Interpreter
from ..nn.modules.module import Module
from ._unlift import checked_leaves, put_tensors
from .graph_signature import InputKind, OutputKind

__all__ = ["FlatArgsAdapter", "InterpreterModule", "InterpreterModuleDispatcher", "UnflattenedModule", "unflatten"]


class FlatArgsAdapter(abc.ABC):
    """What makes the inputs of a program of other inputs; a subclass says how."""

    @abc.abstractmethod
    def adapt(self, target_spec, input_spec, input_args, metadata=None, obj=None):
        """adapt(target_spec, input_spec, input_args) -> list of leaves as target_spec has them"""

    def get_flat_arg_paths(self):
        """get_flat_arg_paths() -> list of the paths of all leaves"""
        return []


class InterpreterModule(Module):
    """A module whose call runs its graph, node by node."""

    def __init__(self, graph=None, ty=None):
        super().__init__()
        self.graph, self._ty = graph, ty

    def type_name(self):
        """type_name() -> str, the class that the module had in the program"""
        return self._ty

    def forward(self, *args):
        """What the graph gives."""
        return Interpreter(self, graph=self.graph).run(*args)


class InterpreterModuleDispatcher(Module):
    """A module that is called several times in a program: each call its own graph. lucid has those as `name@1` ..."""

    def __init__(self, attrs, call_modules):
        super().__init__()
        self._call_modules, self._num_calls = call_modules, 0

    def forward(self, *args, **kwargs):
        """The next call."""
        module = self._call_modules[self._num_calls]
        self._num_calls = (self._num_calls + 1) % len(self._call_modules)
        return module(*args, **kwargs)


class UnflattenedModule(InterpreterModule):
    """The program's modules, under their names; its call takes the program's inputs."""

    def __init__(self, export_module, flat_args_adapter=None):
        super().__init__(ty="")
        self.flat_args_adapter = flat_args_adapter
        ep = export_module
        self.graph_signature, self.module_call_graph = ep.graph_signature, ep.module_call_graph
        self._spec, self._checks = ep.call_spec, checked_leaves(ep)
        put_tensors(self, ep, InterpreterModule)
        for name, child in ep.graph_module.named_children():
            self.add_module(name, child)
        self.graph = _Builder(self, ep).built()

    def forward(self, *args, **kwargs):
        """The program's results."""
        if self.flat_args_adapter is not None:
            leaves, spec = pytree.tree_flatten((args, kwargs))
            if spec != self._spec.in_spec:
                leaves = self.flat_args_adapter.adapt(self._spec.in_spec, spec, leaves)
                args, kwargs = pytree.tree_unflatten(leaves, self._spec.in_spec)
        out = super().forward(*self._checks(args, kwargs))
        return pytree.tree_unflatten(list(out), self._spec.out_spec)


def unflatten(module, flat_args_adapter=None):
    """unflatten(program, flat_args_adapter=None) -> UnflattenedModule: its modules under their names, which can be
    exchanged."""
    return UnflattenedModule(module, flat_args_adapter)


class _Builder:
    """Makes the graph of the root module, and of each module in it."""

    def __init__(self, root, ep):
        self.root, self.ep, self.calls = root, ep, {}
        self.tensors = {}  # placeholder -> the path of its parameter, buffer or constant
        holes = [n for n in ep.graph.nodes if n.op == "placeholder"]
        self.holes = []
        for node, spec in zip(holes, ep.graph_signature.input_specs):
            if spec.kind == InputKind.USER_INPUT:
                self.holes.append(node)
            else:
                self.tensors[node] = spec.target
        self.by_target = {t: n for n, t in self.tensors.items()}

    def built(self):
        """The root's graph."""
        graph, env = Graph(), {}
        for node in self.holes:
            env[node] = graph.placeholder(node.name)
        nodes = [n for n in self.ep.graph.nodes if n.op not in ("placeholder", "output")]
        self._fill(graph, env, "", self.root, nodes, 0)
        self._finish(graph, env)
        return graph

    def _finish(self, graph, env):
        """New values of buffers and inputs are copied into them; the program's results are given."""
        from .._aten.overloads import aten

        results, copied = [], {}
        output = next(reversed(self.ep.graph.nodes))
        for spec, value in zip(self.ep.graph_signature.output_specs, output.args[0]):
            new = self._value(graph, env, "", value) if hasattr(value, "op") else value
            if spec.kind in (OutputKind.USER_OUTPUT, OutputKind.LOSS_OUTPUT):
                results.append((value, new))
                continue
            old = self.by_target.get(spec.target)
            old = next(h for h in self.holes if h.name == spec.target) if old is None else old
            copied[value] = graph.call_function(aten("copy_"), (self._value(graph, env, "", old), new))
        graph.output(tuple([copied.get(old, new) if hasattr(old, "op") else new for old, new in results]))

    def _value(self, graph, env, prefix, node):
        """What a node of the program is in a module's graph."""
        if node not in env:
            path = self.tensors[node]
            env[node] = graph.get_attr(path[len(prefix) + 1 :] if prefix else path)
        return env[node]

    def _own(self, prefix, node):
        """Is a tensor the module's, or one of a module in it?"""
        return not prefix or self.tensors[node].startswith(f"{prefix}.")

    def _fill(self, graph, env, prefix, module, nodes, depth):
        at = 0
        while at < len(nodes):
            child = self._child(nodes[at], prefix, depth)
            end = at + 1
            while child is not None and end < len(nodes) and self._child(nodes[end], prefix, depth) == child:
                end += 1
            if child is None:
                node = nodes[at]
                env[node] = graph.node_copy(node, lambda n: self._value(graph, env, prefix, n))
            else:
                self._call(graph, env, prefix, module, child, nodes[at:end], depth)
            at = end

    def _child(self, node, prefix, depth):
        """The path of the module in which a node is, as far as one below `prefix`."""
        stack = [path for path, _ in (node.meta.get("nn_module_stack") or {}).values() if path]
        if node.op == "get_attr" or len(stack) <= depth:
            return None
        return stack[depth] if not prefix or stack[depth].startswith(f"{prefix}.") else None

    def _call(self, graph, env, prefix, module, path, nodes, depth):
        """A call of a module: its graph, and the node in the graph that calls it."""
        inside = set(nodes)
        used = dict.fromkeys([n for node in nodes for n in node.all_input_nodes if n not in inside])
        given = [n for n in used if n not in self.tensors or not self._own(path, n)]
        results = [n for n in nodes if any([u not in inside for u in n.users])]
        inner, own = Graph(), {}
        for n in given:
            own[n] = inner.placeholder(n.name)
        n_calls = self.calls[path] = self.calls.get(path, -1) + 1
        name = path[len(prefix) + 1 :] if prefix else path
        target = self._module_at(module, name, n_calls)
        self._fill(inner, own, path, target, nodes, depth + 1)
        made = [self._value(inner, own, path, n) for n in results]
        inner.output(made[0] if len(made) == 1 else tuple(made))
        target.graph = inner
        attribute = name if not n_calls else f"{name}@{n_calls}"
        called = graph.call_module(attribute, tuple([self._value(graph, env, prefix, n) for n in given]))
        if len(results) == 1:
            env[results[0]] = called
            return
        for i, n in enumerate(results):
            env[n] = graph.call_function(operator.getitem, (called, i))

    def _module_at(self, module, name, n_calls):
        """The module for a call; a second call's has the tensors of the first."""
        *parts, last = name.split(".")
        for part in parts:
            if part not in module._modules:
                module.add_module(part, InterpreterModule())
            module = module._modules[part]
        first = module._modules.get(last)
        if first is None:
            first = InterpreterModule()
            module.add_module(last, first)
        if not n_calls:
            return first
        again = InterpreterModule()
        again._parameters, again._buffers, again._modules = first._parameters, first._buffers, dict(first._modules)
        module.add_module(f"{last}@{n_calls}", again)
        return again
