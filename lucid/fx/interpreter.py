"""Running a graph node by node: on values (Interpreter), or to make another graph (Transformer)."""

import inspect

from ._lazy_graph_module import _make_graph_module
from .graph import Graph
from .node import map_aggregate, map_arg
from .proxy import Proxy
from .traceback import preserve_node_meta, set_current_meta

__all__ = ["Interpreter", "Transformer"]


class Interpreter:
    """Interpreter(module, garbage_collect_values=True, graph=None): run(*args) gives what the GraphModule gives.

    Subclasses override call_function, call_method, call_module, get_attr, placeholder, output or run_node to do
    something else with a node. Values are forgotten after their last use, unless garbage_collect_values is false.
    """

    def __init__(self, module, garbage_collect_values=True, graph=None):
        self.module, self.submodules = module, dict(module.named_modules())
        self.graph = module.graph if graph is None else graph
        self.env, self.name, self.extra_traceback = {}, "Interpreter", True
        self.garbage_collect_values = garbage_collect_values
        if garbage_collect_values:
            self.user_to_last_uses, seen = {}, set()
            for node in reversed(self.graph.nodes):
                for used in node._input_nodes:
                    if used not in seen:
                        seen.add(used)
                        self.user_to_last_uses.setdefault(node, []).append(used)

    def run(self, *args, initial_env=None, enable_io_processing=True):
        """run(*args, initial_env=None, enable_io_processing=True): the graph's result.

        initial_env: {node: value} that are known already. enable_io_processing: arguments and result are as the
        module's forward has them, not as the placeholders and the output node do.
        """
        self.env = {} if initial_env is None else initial_env
        self.args_iter = iter(self.graph.process_inputs(*args) if enable_io_processing else args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as error:
                self._tell_where(error, node)
                raise
            if self.garbage_collect_values:
                for used in self.user_to_last_uses.get(node, ()):
                    del self.env[used]
            if node.op == "output":
                result = self.env[node]
                return self.graph.process_outputs(result) if enable_io_processing else result
        return None

    def _tell_where(self, error, node):
        """Add the node to the error's message."""
        if not self.extra_traceback:
            return
        message = f"While executing {node.format_node()}"
        message = f"{error.args[0]}\n\n{message}" if error.args else message
        message += f"\nOriginal traceback:\n{node.stack_trace}\nUse tlparse to see full graph. "
        message += "(https://github.com/pytorch/tlparse?tab=readme-ov-file#tlparse-parse-structured-pt2-logs)"
        error.args = (message, *error.args[1:])
        if isinstance(error, KeyError):
            raise RuntimeError(*error.args) from error

    def boxed_run(self, args_list):
        """boxed_run(args_list): run(*args_list), and the list is empty afterwards."""
        placeholders = self.graph.find_nodes(op="placeholder")
        if len(args_list) != len(placeholders):
            detail = "extra arguments" if len(args_list) > len(placeholders) else "missing arguments"
            raise RuntimeError(
                f"Interpreter.boxed_run expected {len(placeholders)} arguments for placeholders but received "
                f"{len(args_list)} ({detail})"
            )
        env = dict(zip(placeholders, args_list))
        args_list.clear()
        return self.run(initial_env=env)

    def run_node(self, n):
        """run_node(n): what node n gives, with the values that its arguments have."""
        with self._set_current_node(n):
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            return getattr(self, n.op)(n.target, args, kwargs)

    def _set_current_node(self, node):
        return set_current_meta(node, f"Interpreter_{type(self).__name__}")

    def placeholder(self, target, args, kwargs):
        """The next argument; all that are left for one with a star; else the default."""
        if target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration as nothing:
            if args:
                return args[0]
            raise RuntimeError(
                f"Expected positional argument for parameter {target}, but one was not passed in!"
            ) from nothing

    def get_attr(self, target, args, kwargs):
        """The module's member at a path."""
        return self.fetch_attr(target)

    def call_function(self, target, args, kwargs):
        """The function's result."""
        return target(*args, **kwargs)

    def call_method(self, target, args, kwargs):
        """The method's result, of args[0]."""
        obj, *args = args
        return getattr(obj, target)(*args, **kwargs)

    def call_module(self, target, args, kwargs):
        """The submodule's result."""
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target, args, kwargs):
        """What the graph returns."""
        return args[0]

    def fetch_attr(self, target):
        """fetch_attr(target): the module's member at a dotted path; RuntimeError if there is none."""
        found, path = self.module, target.split(".")
        for i, part in enumerate(path):
            if not hasattr(found, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(path[: i + 1])}")
            found = getattr(found, part)
        return found

    def fetch_args_kwargs_from_env(self, n):
        """(args, kwargs) of node n with values for nodes."""
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args, n):
        """A nest of arguments with values for nodes."""

        def value(node):
            if node not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {node}! Run Graph.lint() to diagnose such issues"
                )
            return self.env[node]

        return map_arg(args, value)


class Transformer(Interpreter):
    """Transformer(module): transform() gives a new GraphModule; overridden methods say what becomes of each node.

    They get and give proxies of the new graph.
    """

    def __init__(self, module):
        from ._symbolic_trace import Tracer

        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)

        class TransformerTracer(Tracer):
            """Adds to the new graph; every module is a leaf."""

            def __init__(self, graph):
                super().__init__()
                self.graph, self.tensor_attrs = graph, {}

            def is_leaf_module(self, m, module_qualified_name):
                return True

        self.tracer = TransformerTracer(self.new_graph)
        self.tracer.root = module

    def placeholder(self, target, args, kwargs):
        """An input of the new graph."""
        default = args[0] if args else inspect.Signature.empty
        return Proxy(self.new_graph.placeholder(target, default_value=default), self.tracer)

    def get_attr(self, target, args, kwargs):
        """A member of the module, in the new graph."""
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target, args, kwargs):
        """A call of a submodule, in the new graph."""
        submodule = self.fetch_attr(target)
        return self.tracer.call_module(submodule, submodule.forward, args, kwargs)

    def call_function(self, target, args, kwargs):
        """A call of a function, in the new graph."""
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self):
        """transform() -> GraphModule"""
        with preserve_node_meta():
            result = self.run(enable_io_processing=False)
        if result is not None:
            made = self.new_graph.output(map_aggregate(result, lambda a: a.node if isinstance(a, Proxy) else a))
            made.meta.update(self.graph.output_node().meta)
        return _make_graph_module(self.module, self.new_graph)
