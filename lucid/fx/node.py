"""A node of a graph: one call, its arguments, and who uses its result."""

import builtins
import functools
import inspect
import operator
import re
import sys
import types
from collections.abc import Callable
from typing import Any, Union

from .._base import dtype as dtypes
from .._base.device import device
from .._tensor.tensor import Tensor, layout, memory_format
from .immutable_collections import immutable_dict, immutable_list

__all__ = ["Node", "map_arg", "map_aggregate", "has_side_effect"]

# What may stand among the arguments as it is.
base_types = (str, int, float, bool, complex, dtypes.dtype, Tensor, device, memory_format, layout)

BaseArgumentTypes = Union[base_types]
Target = Callable[..., Any] | str  # what a node calls, or its name
Argument = Any  # a node, one of these, or a tuple, list, dictionary or slice of such

_legal_ops = dict.fromkeys(["placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root"])

# Functions that dead code elimination keeps.
_side_effectful_functions: set = {operator.setitem}


def has_side_effect(fn):
    """has_side_effect(fn) -> fn, whose calls dead code elimination keeps from now on."""
    _side_effectful_functions.add(fn)
    return fn


# ---- arguments


def map_aggregate(a, fn):
    """map_aggregate(a, fn): a, a nest of tuples, lists, dictionaries and slices, with fn of each leaf in its place."""
    if isinstance(a, tuple):
        parts = [map_aggregate(x, fn) for x in a]
        return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
    if isinstance(a, list):
        return immutable_list([map_aggregate(x, fn) for x in a])
    if isinstance(a, dict):
        return immutable_dict((k, map_aggregate(v, fn)) for k, v in a.items())
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)


def map_arg(a, fn):
    """map_arg(a, fn): a nest of arguments with fn(node) in the place of each Node."""
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


# ---- names of functions and types


def _type_repr(obj):
    """A type as generated code and printed graphs name it; anything else as repr does."""
    if isinstance(obj, type) and not isinstance(obj, types.GenericAlias):
        return obj.__qualname__ if obj.__module__ == "builtins" else f"{_torchs(obj.__module__)}.{obj.__qualname__}"
    if obj is ...:
        return "..."
    if isinstance(obj, types.FunctionType):
        return obj.__name__
    return _of_lucid.sub("torch.", repr(obj))


_of_lucid = re.compile(r"\blucid\.")


def _torchs(text):
    """A module's name (or a text with one) under torch's name for the library, which graphs are written in."""
    if text == "lucid" or text.startswith("lucid."):
        return "torch" + text[5:]
    return text


def _get_qualified_name(func):
    """Where generated code finds a function: `torch.relu`, `torch.nn.functional.relu`, `my_module.f`."""
    if getattr(builtins, func.__name__, None) is func:
        return func.__name__
    if getattr(func, "__qualname__", "") == f"Tensor.{func.__name__}" or _is_slot_of_tensor(func):
        return f"torch.Tensor.{func.__name__}"
    name = func.__name__
    if name == "<lambda>":
        try:
            name = inspect.getsource(func).split("=")[0].strip()
        except Exception as trouble:
            raise RuntimeError("Unable to represent lambda") from trouble
    module = getattr(func, "__module__", None)
    if module is None:
        raise RuntimeError(f"cannot find module for {func}")
    return f"{_torchs(module).replace('torch._ops', 'torch.ops')}.{name}"


def _is_slot_of_tensor(func):
    kinds = (types.MethodDescriptorType, types.WrapperDescriptorType)
    return isinstance(func, kinds) and func is getattr(Tensor, func.__name__, None)


def _format_arg(arg, max_list_len=float("inf")):
    """An argument as printed graphs show it: nodes with a percent sign."""
    if hasattr(arg, "_custom_fx_repr_fn"):
        return arg._custom_fx_repr_fn()
    if isinstance(arg, (list, tuple)):
        items = ", ".join(_format_arg(a) for i, a in enumerate(arg) if i < max_list_len)
        more = "" if len(arg) < max_list_len + 1 else f", ...[total_len={len(arg)}]"
        if isinstance(arg, list):
            return f"[{items}{more}]"
        return f"({items}{',' if len(arg) == 1 else ''}{more})"
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{k}: {_format_arg(v)}" for k, v in arg.items()) + "}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


def _typename(x):
    """What messages call the class of x, or x itself if it is a class or a function."""
    named = x if getattr(x, "__qualname__", None) and getattr(x, "__module__", None) else type(x)
    return f"{_torchs(named.__module__)}.{named.__qualname__}".removeprefix("builtins.")


def _no_node(name, graph, target, wanted):
    return ValueError(
        f"Node [graph = {graph}, name = '{name}'] target {target} has type {_typename(target)} but a {wanted} is "
        "expected"
    )


class Node:
    """One step of a Graph.

    `op` says what `target` is: "placeholder" (an input's name), "get_attr" (the path of a parameter), "call_function"
    (the function), "call_method" (the method's name; args[0] is the object), "call_module" (the path of a submodule)
    or "output" (args[0] is what the graph returns). `args` and `kwargs` hold other nodes and constants, nested in
    tuples, lists, dictionaries and slices. Made by Graph.create_node and its like.
    """

    def __init__(self, graph, name, op, target, args, kwargs, return_type=None):
        if op == "call_function":
            if not callable(target):
                raise _no_node(name, graph, target, "Callable")
        else:
            if op not in _legal_ops:
                raise AssertionError(f"op '{op}' is not in _legal_ops")
            if not isinstance(target, str):
                raise _no_node(name, graph, target, "str")
        self.__dict__["name"] = name
        self.graph, self.op, self.target, self.type = graph, op, target, return_type
        self.users, self._input_nodes, self.meta = {}, {}, {}
        self._prev = self._next = self
        self._sort_key, self._erased, self._repr_fn = 0, False, None
        self._args, self._kwargs = (), immutable_dict()
        self._update_args_kwargs(args, kwargs)

    # ---- its place in the graph

    @property
    def next(self):
        """The node after this one."""
        return self._next

    @property
    def prev(self):
        """The node before this one."""
        return self._prev

    def prepend(self, x):
        """Move x, a node of the same graph, to just before this one."""
        if self.graph is not x.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if self is x:
            return
        x._remove_from_list()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x
        self.graph._unsorted = True

    def append(self, x):
        """Move x, a node of the same graph, to just after this one."""
        self._next.prepend(x)

    def _remove_from_list(self):
        self._prev._next, self._next._prev = self._next, self._prev

    def _place(self):
        self.graph._sort()
        return self._sort_key

    def __lt__(self, other):
        return self._place() < other._place() if isinstance(other, Node) else NotImplemented

    def __gt__(self, other):
        return self._place() > other._place() if isinstance(other, Node) else NotImplemented

    def __le__(self, other):
        return self is other or self.__lt__(other)

    def __ge__(self, other):
        return self is other or self.__gt__(other)

    # ---- arguments

    @property
    def args(self):
        """The positional arguments, a tuple; assigning keeps users up to date."""
        return self._args

    @args.setter
    def args(self, a):
        self._update_args_kwargs(a, self._kwargs)

    @property
    def kwargs(self):
        """The keyword arguments, a dictionary; assigning keeps users up to date."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, k):
        self._update_args_kwargs(self._args, k)

    def _update_args_kwargs(self, args, kwargs):
        for old in self._input_nodes:
            old.users.pop(self, None)
        self._input_nodes = {}

        def note(x):
            if isinstance(x, Node):
                self._input_nodes.setdefault(x)
                x.users.setdefault(self)
            return x

        self._args, self._kwargs = map_aggregate(args, note), map_aggregate(kwargs, note)

    @property
    def all_input_nodes(self):
        """The nodes among the arguments, each once, in order."""
        return list(self._input_nodes)

    def update_arg(self, idx, arg):
        """args[idx] becomes arg."""
        self.args = (*self._args[:idx], arg, *self._args[idx + 1 :])

    def insert_arg(self, idx, arg):
        """arg goes before args[idx]."""
        if not 0 <= idx <= len(self._args):
            raise AssertionError(f"insert_args index must be between 0 and len(self.args), got {idx}")
        self.args = (*self._args[:idx], arg, *self._args[idx:])

    def update_kwarg(self, key, arg):
        """kwargs[key] becomes arg."""
        self.kwargs = {**self._kwargs, key: arg}

    def replace_input_with(self, old_input, new_input):
        """Wherever old_input is an argument, new_input is from now on."""
        self._tell_replaced(old_input, new_input.name, [self])
        self._replace_input_with(old_input, new_input)

    def _replace_input_with(self, old, new):
        self._update_args_kwargs(*map_arg((self._args, self._kwargs), lambda n: new if n is old else n))

    def replace_all_uses_with(self, replace_with, delete_user_cb=None, *, propagate_meta=False):
        """Every user of this node uses replace_with instead, or those for which delete_user_cb(user) is true; returns
        them. propagate_meta: replace_with, which must have no meta yet, gets this node's.
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but replace_with already "
                    "has .meta keys"
                )
            replace_with.meta.update(self.meta)
        changed = [user for user in list(self.users) if delete_user_cb is None or delete_user_cb(user)]
        for user in changed:
            self._tell_replaced(self, replace_with.name, [user])
            user._replace_input_with(self, replace_with)
        return changed

    def _tell_replaced(self, old, new_name, users):
        for hook in getattr(self.graph.owning_module, "_replace_hooks", None) or ():
            for user in users:
                hook(old=old, new=new_name, user=user)

    # ---- what it is

    @property
    def name(self):
        """The name of its result in the graph's code."""
        return self.__dict__["name"]

    @name.setter
    def name(self, value):
        self._tell_replaced(self, value, list(self.users))
        self.__dict__["name"] = value

    def _rename(self, candidate):
        if candidate != self.name:
            self.name = name = self.graph._graph_namespace.create_name(candidate, None)
            self.graph._graph_namespace._rename_object(self, name)

    @property
    def stack_trace(self):
        """Where in the traced program the node comes from, innermost frame last; None where that was not recorded."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace):
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random=True):
        """Does it do more than give its result, so that it stays though nobody uses it?"""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_module":
            if self.graph.owning_module is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            return getattr(self.graph.owning_module.get_submodule(self.target), "_is_impure", False)
        return self.op == "call_function" and _is_impure_function(self.target, impure_random)

    def normalized_arguments(self, root, arg_types=None, kwarg_types=None, normalize_to_only_use_kwargs=False):
        """(args, kwargs) as the target's signature orders and completes them; None where it has none that tells."""
        from .operator_schemas import normalize_function, normalize_module

        if self.op == "call_function":
            return normalize_function(
                self.target, self.args, self.kwargs, arg_types, kwarg_types, normalize_to_only_use_kwargs
            )
        if self.op == "call_module":
            return normalize_module(root, self.target, self.args, self.kwargs, normalize_to_only_use_kwargs)
        return None

    # ---- as text

    def __repr__(self):
        return self._repr_fn(self) if self._repr_fn else self.name

    @staticmethod
    def _pretty_print_target(target):
        if isinstance(target, str):
            return target
        name = getattr(target, "__name__", None)
        if name is not None and hasattr(target, "__module__"):
            if target.__module__ == "builtins":
                return f"builtins.{name}"
            if target.__module__ == "_operator":
                return f"operator.{name}"
        return _get_qualified_name(target)

    def format_node(self, placeholder_names=None, maybe_return_typename=None, *, include_tensor_metadata=False):
        """One line about the node. The lists are filled for the head of a printed graph: placeholders go there and
        give None, the return type goes there, too.
        """
        typed = f"{_type_repr(self.type)} " if self.type is not None else ""
        if self.op == "placeholder":
            if placeholder_names:
                placeholder_names.append(self.target + (f": {_type_repr(self.type)}" if self.type else ""))
                return None
            default = f"(default={self.args[0]})" if self.args else ""
            return f"{self._head(typed)}[target={self.target}]{default}"
        if self.op == "get_attr":
            return f"{self._head(typed)}[target={self._pretty_print_target(self.target)}]"
        if self.op == "output":
            if self.type and maybe_return_typename:
                maybe_return_typename[0] = f" -> {_type_repr(self.type)}"
            return f"return {self.args[0]}"
        if include_tensor_metadata and isinstance(found := self._example(), Tensor):
            shown = "".join(f"[{', '.join(map(str, x))}]" for x in (found.shape, found.stride()))
            typed = f'Tensor "{dtypes.SHORT_NAMES[found.dtype]}{shown}{found.device}"'
        return (
            f"{self._head(typed)}[target={self._pretty_print_target(self.target)}]"
            f"(args = {_format_arg(self.args)}, kwargs = {_format_arg(self.kwargs)})"
        )

    def _head(self, typed):
        return f"%{self.name} : {typed}[num_users={len(self.users)}] = {self.op}"

    def _example(self):
        """What passes have found out about its value."""
        return self.meta.get("val", self.meta.get("tensor_meta", self.meta.get("example_value")))


@functools.cache
def _impure_functions():
    """Functions of the library that check, set the state, or draw random numbers."""
    library = sys.modules[__name__.partition(".")[0]]
    random = "rand randn randint randperm rand_like randn_like randint_like normal poisson bernoulli multinomial"
    found = [getattr(library, name, None) for name in ("_assert", *random.split())]
    return {f for f in found if f is not None}


def _is_impure_function(target, impure_random):
    if target in _side_effectful_functions or target in _impure_functions():
        return True
    tells = getattr(target, "_is_impure", None)
    return bool(tells(impure_random)) if callable(tells) else False
