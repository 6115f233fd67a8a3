"""A program as a list of nodes that can be read, changed and written out as Python again."""

import contextlib
import copy
import inspect
import warnings
from collections.abc import Callable

from .._base.dtype import SHORT_NAMES as dtype_abbrs  # noqa: F401
from .code import (  # noqa: F401  (torch has them here)
    CodeGen,
    PythonCode,
    _BoxedCodeGen,
    _format_target,
    _parse_stack_trace,
    _ParsedStackTrace,
    _PyTreeCodeGen,
    _PyTreeInfo,
    inplace_methods,
    magic_methods,
    reflectable_magic_methods,
)
from .immutable_collections import immutable_dict
from .names import (  # noqa: F401
    _custom_builtins,
    _CustomBuiltin,
    _is_from_torch,
    _is_magic,
    _Namespace,
    _register_custom_builtin,
    _snake_case,
    target_to_str,
)
from .node import Argument, Node, Target, _legal_ops, _typename, map_arg  # noqa: F401

__all__ = ["PythonCode", "CodeGen", "Graph"]

TransformCodeFunc = Callable[[list[str]], list[str]]
_OPS = ("call_function", "call_method", "get_attr", "call_module", "placeholder", "output")


class _InsertPoint:
    """Where new nodes go, within a `with`."""

    def __init__(self, graph, insert):
        self.graph = graph
        self.before, graph._insert = graph._insert, insert

    def __enter__(self):
        pass

    def __exit__(self, *trouble):
        self.graph._insert = self.before


class _node_list:
    """The nodes of a graph in order; they may be changed while one goes through them."""

    def __init__(self, graph, direction="_next"):
        if direction not in ("_next", "_prev"):
            raise AssertionError(f"direction must be '_next' or '_prev', got {direction}")
        self.graph, self.direction = graph, direction

    def __len__(self):
        return self.graph._len

    def __iter__(self):
        return self._from(self.direction)

    def __reversed__(self):
        return self._from("_prev" if self.direction == "_next" else "_next")

    def _from(self, direction):
        root = self.graph._root
        node = getattr(root, direction)
        while node is not root:
            if not node._erased:
                yield node
            node = getattr(node, direction)


class Graph:
    """Graph(): the nodes of a program in order; see Node.

    New nodes go to the end, or where inserting_before / inserting_after say.
    """

    def __init__(self, owning_module=None, tracer_cls=None, tracer_extras=None):
        self._root = Node(self, "", "root", "", (), {})
        self._insert = self._root.prepend
        self._len, self._unsorted = 0, True
        self._graph_namespace = _Namespace()
        self._owning_module, self._tracer_cls, self._tracer_extras = owning_module, tracer_cls, tracer_extras
        self._codegen, self._co_fields = CodeGen(), {}

    @property
    def owning_module(self):
        """The GraphModule that runs it, or None."""
        return self._owning_module

    @owning_module.setter
    def owning_module(self, mod):
        self._owning_module = mod

    # ---- reading

    @property
    def nodes(self):
        """The nodes in order; reversed() goes backwards."""
        return _node_list(self)

    def output_node(self):
        """output_node() -> Node: the last one."""
        last = next(iter(reversed(self.nodes)))
        if last.op != "output":
            raise AssertionError(f"Expected output node, got op={last.op}")
        return last

    def find_nodes(self, *, op, target=None, sort=True):
        """find_nodes(*, op, target=None) -> list of nodes of this kind, in order."""
        if op == "call_function" and target is None:
            raise AssertionError("target must not be None for call_function op")
        return [n for n in self.nodes if n.op == op and (target is None or n.target == target)]

    def _sort(self):
        """Number the nodes, so that two of them can be compared."""
        if self._unsorted:
            for i, node in enumerate(self.nodes):
                node._sort_key = i
            self._unsorted = False

    # ---- adding

    def create_node(self, op, target, args=None, kwargs=None, name=None, type_expr=None):
        """create_node(op, target, args=None, kwargs=None, name=None, type_expr=None) -> Node, at the place where new
        nodes go.
        """
        if args and not isinstance(args, tuple):
            raise AssertionError(f"args must be a tuple, got {type(args)}")
        if kwargs and not isinstance(kwargs, dict):
            raise AssertionError(f"kwargs must be a dict, got {type(kwargs)}")
        candidate = name if name is not None else self._target_to_str(target)
        name = self._graph_namespace.create_name(candidate, None)
        node = Node(self, name, op, target, args or (), kwargs or immutable_dict(), type_expr)
        self._tell("_create_node_hooks", node)
        self._graph_namespace.associate_name_with_obj(name, node)
        self._insert(node)
        self._len += 1
        return node

    _target_to_str = staticmethod(target_to_str)

    def _tell(self, hooks, node):
        for hook in getattr(self.owning_module, hooks, None) or ():
            hook(node)

    def placeholder(self, name, type_expr=None, default_value=inspect.Signature.empty):
        """placeholder(name, type_expr=None, default_value=...) -> Node: an input."""
        args = () if default_value is inspect.Signature.empty else (default_value,)
        return self.create_node("placeholder", name, args=args, type_expr=type_expr)

    def get_attr(self, qualified_name, type_expr=None):
        """get_attr(qualified_name, type_expr=None) -> Node: a parameter, buffer or submodule of the owning module."""
        if self.owning_module is not None and not _has_reference(self.owning_module, qualified_name):
            warnings.warn(
                "Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! Call "
                "GraphModule.add_submodule to add the necessary submodule, GraphModule.add_parameter to add the "
                "necessary Parameter, or nn.Module.register_buffer to add the necessary buffer",
                stacklevel=2,
            )
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(self, module_name, args=None, kwargs=None, type_expr=None):
        """call_module(module_name, args=None, kwargs=None, type_expr=None) -> Node: a submodule's result."""
        if self.owning_module is not None and self.owning_module.get_submodule(module_name) is None:
            warnings.warn(
                "Attempted to insert a call_module Node with no underlying reference in the owning GraphModule! Call "
                "GraphModule.add_submodule to add the necessary submodule",
                stacklevel=2,
            )
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(self, method_name, args=None, kwargs=None, type_expr=None):
        """call_method(method_name, args=None, kwargs=None, type_expr=None) -> Node: a method's result, of args[0]."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(self, the_function, args=None, kwargs=None, type_expr=None, name=None):
        """call_function(the_function, args=None, kwargs=None, type_expr=None, name=None) -> Node: its result."""
        return self.create_node("call_function", the_function, args, kwargs, name=name, type_expr=type_expr)

    def output(self, result, type_expr=None):
        """output(result, type_expr=None) -> Node: what the graph returns, a nest of nodes and constants."""
        return self.create_node("output", "output", args=(result,), type_expr=type_expr)

    def inserting_before(self, n=None):
        """Within a `with`, new nodes go before n (None: to the beginning)."""
        if n is None:
            return self.inserting_after(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        return _InsertPoint(self, n.prepend)

    def inserting_after(self, n=None):
        """Within a `with`, new nodes go after n (None: to the end)."""
        if n is None:
            return self.inserting_before(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert after is not in graph.")
        return _InsertPoint(self, n.append)

    def node_copy(self, node, arg_transform=lambda x: x):
        """node_copy(node, arg_transform) -> Node: a copy, also from another graph; arg_transform gives this graph's
        node for each one among the arguments.
        """
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        made = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        made.meta = copy.copy(node.meta)
        return made

    def graph_copy(self, g, val_map, return_output_node=False):
        """graph_copy(g, val_map, return_output_node=False): adds g's nodes; val_map says which nodes stand for g's
        already, and is filled. Returns what g's output has here (and its output node).
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], val_map.__getitem__)
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, val_map.__getitem__)
        return None

    # ---- taking away

    def erase_node(self, to_erase):
        """Take out a node that nobody uses; RuntimeError if somebody does."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: "
                f"{to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warnings.warn(f"erase_node({to_erase}) on an already erased node", stacklevel=2)
            return
        self._tell("_erase_node_hooks", to_erase)
        to_erase._remove_from_list()
        to_erase._erased = True
        self._len -= 1
        to_erase._update_args_kwargs(*map_arg((to_erase._args, to_erase._kwargs), lambda n: None))

    def eliminate_dead_code(self, is_impure_node=None):
        """eliminate_dead_code(is_impure_node=None) -> bool: takes out what nobody uses, but for placeholders, the
        output and nodes for which is_impure_node (or Node.is_impure) is true. Was anything taken out?
        """
        self.lint()
        keeps = is_impure_node or Node.is_impure
        changed = False
        for node in reversed(self.nodes):
            if not node.users and not keeps(node):
                self.erase_node(node)
                changed = True
        if self.owning_module is not None:
            targets = {n.target for n in self.find_nodes(op="get_attr")}
            for name, child in self.owning_module.named_children():
                if name in targets and isinstance(getattr(child, "graph", None), Graph):
                    changed |= child.graph.eliminate_dead_code()
                    child.recompile()
        return changed

    def _clear_nodes(self):
        for node in reversed(self.nodes):
            node.meta.clear()
            self.erase_node(node)

    # ---- as text

    def python_code(self, root_module, **how):
        """python_code(root_module, *, verbose=False, include_stride=False, include_device=False, colored=False, ...)
        -> PythonCode: the graph as a function; root_module is what the code calls the owning module ("self").
        """
        namespace = _Namespace()
        shown = {node: node._repr_fn for node in self.nodes}
        for node in shown:
            node._repr_fn = lambda n: namespace.create_name(n.name, n)
        try:
            return self._python_code(root_module, namespace, **how)
        finally:
            for node, before in shown.items():
                node._repr_fn = before

    def _python_code(self, root_module, namespace, **how):
        return self._codegen._gen_python_code(self.nodes, root_module, namespace, **how)

    def set_codegen(self, codegen):
        """set_codegen(codegen): what writes the code."""
        self._codegen = codegen

    def on_generate_code(self, make_transformer):
        """on_generate_code(make_transformer): make_transformer(the present one or None) gives a function of the lines
        of the body, which may change them; a context manager that undoes it.
        """
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)

        @contextlib.contextmanager
        def restored():
            try:
                yield
            finally:
                self._codegen._body_transformer = before

        return restored()

    def process_inputs(self, *args):
        """The arguments of the generated function as the placeholders take them."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out):
        """What the output node holds as the generated function returns it."""
        return self._codegen.process_outputs(out)

    def __str__(self):
        names = []
        lines = [node.format_node(names) for node in self.nodes]
        return f"graph({', '.join(names)}):" + "".join(f"\n    {line}" for line in lines if line)

    def print_tabular(self):
        """Print the nodes as a table (needs the package tabulate)."""
        try:
            from tabulate import tabulate
        except ImportError:
            print(
                "`print_tabular` relies on the library `tabulate`, which could not be found on this machine. Run `pip "
                "install tabulate` to install the library."
            )
            raise
        rows = [[n.op, n.name, n.target, n.args, n.kwargs] for n in self.nodes]
        print(tabulate(rows, headers=["opcode", "name", "target", "args", "kwargs"]))

    # ---- checking and copying

    def lint(self):
        """RuntimeError where the graph is no program: arguments from elsewhere or used before they are made, names
        twice, paths that lead nowhere.
        """
        names, made = set(), set()
        for node in self.nodes:
            if node.op not in _OPS:
                raise RuntimeError(f"Node {node} had unknown opcode {node.op}!")
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            for arg in node._input_nodes:
                self._check_argument(arg, node, made)
            made.add(node)
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            names.add(node.name)
        if self.owning_module is not None:
            for node in self.nodes:
                _check_target(node, self.owning_module)

    def _check_argument(self, arg, node, made):
        if arg.graph is not self:
            raise RuntimeError(
                f"Argument '{arg}' of Node '{node}' does not belong to this Graph, but was used as an argument! If you "
                f"are copying nodes from another graph, make sure to use ``arg_transform`` on node_copy() to remap "
                f"values\n{self}"
            )
        if arg not in made:
            raise RuntimeError(
                f"Argument '{arg}' of Node '{node}' was used before it has been defined! Please check that Nodes in "
                f"the graph are topologically ordered\n{self}"
            )

    def __deepcopy__(self, memo=None):
        made = Graph(tracer_cls=self._tracer_cls)
        found = made.graph_copy(self, {} if memo is None else memo, return_output_node=True)
        made._codegen = copy.deepcopy(self._codegen)
        if found is not None:
            result, old = found
            made.output(result, type_expr=old.type).meta = copy.copy(old.meta)
        return made


def _has_reference(module, path):
    where, _, name = path.rpartition(".")
    try:
        owner = module.get_submodule(where)
    except AttributeError:
        warnings.warn(f"Failed to fetch module {where}!", stacklevel=3)
        return False
    found = getattr(owner, name, None)
    return found is not None and (name in owner._buffers or name in owner._parameters or name in owner._modules)


def _check_target(node, module):
    if node.op == "call_function":
        if not callable(node.target):
            raise ValueError(
                f"Node {node} target {node.target} has type {_typename(node.target)} but a Callable is expected"
            )
    elif not isinstance(node.target, str):
        raise ValueError(f"Node {node} target {node.target} has type {_typename(node.target)} but a str is expected")
    if node.op not in ("get_attr", "call_module"):
        return
    path = node.target.split(".")
    for i, part in enumerate(path):
        found, seen = getattr(module, part, None), ".".join(path[:i])
        if found is None:
            raise RuntimeError(f"Node {node} target {node.target} references nonexistent attribute {part} of {seen}")
        if node.op == "call_module" and not hasattr(found, "named_modules"):
            raise RuntimeError(f"Node {node} target {node.target} {part} of {seen} does not reference an nn.Module")
        module = found
