"""Calls in one spelling: arguments by keyword, functions of torch as operators."""

import operator

from ..interpreter import Transformer
from ..names import library
from ..node import Node, map_aggregate
from ..operator_schemas import create_type_hint, normalize_function, normalize_module
from .schema_type_annotation import AnnotateTypesWithSchema


class NormalizeArgs(Transformer):
    """NormalizeArgs(module, normalize_to_only_use_kwargs=True): transform() gives a GraphModule whose calls name all
    arguments, those with defaults, too.
    """

    def __init__(self, module, normalize_to_only_use_kwargs=True):
        super().__init__(module)
        self.node_map, self.normalize_to_only_use_kwargs = {}, normalize_to_only_use_kwargs

    def run_node(self, n):
        """The node in its new spelling."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)

        def kind(a):
            return n.meta.get("type") if isinstance(a, Node) else type(a)

        if n.op == "call_function":
            kinds = tuple([create_type_hint(k) for k in map_aggregate(n.args, kind)])
            out = self.call_function(n.target, args, kwargs, kinds, {k: kind(v) for k, v in kwargs.items()})
        else:
            out = super().run_node(n)
        if n.op != "output":
            self.node_map[out] = n
            out.node.meta, out.node.type = n.meta, n.type
        return out

    def call_function(self, target, args, kwargs, arg_types=None, kwarg_types=None):
        """A call of a function."""
        found = normalize_function(target, args, kwargs, arg_types, kwarg_types, self.normalize_to_only_use_kwargs)
        if found:
            return self.tracer.create_proxy("call_function", target, found.args, found.kwargs)
        return super().call_function(target, args, kwargs)

    def call_module(self, target, args, kwargs):
        """A call of a module."""
        found = normalize_module(self.module, target, args, kwargs, self.normalize_to_only_use_kwargs)
        return super().call_module(target, *(found or (args, kwargs)))


_NAMES = dict(add="add", mul="mul", sub="sub", div="truediv", floor_divide="floordiv", remainder="mod")
_NAMES |= {name: name for name in "eq ne lt le gt ge".split()}


class NormalizeOperators(AnnotateTypesWithSchema):
    """NormalizeOperators(module): transform() gives a GraphModule with operator.add for torch.add(a, b), and so on."""

    @property
    def binary_magic_method_remap(self):
        """{function of torch: operator}"""
        return {getattr(library(), name): getattr(operator, own) for name, own in _NAMES.items()}

    def call_function(self, target, args, kwargs):
        """A call of a function."""
        own = self.binary_magic_method_remap.get(target)
        if own is None or len(args) != 2:
            return super().call_function(target, args, kwargs)
        return super().call_function(own, tuple(args), {})
