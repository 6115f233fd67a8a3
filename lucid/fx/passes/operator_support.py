"""Which nodes a backend can run: OperatorSupport by a table of targets and types, and ways to join such rules."""

import abc

from ..node import Node
from .shape_prop import TensorMetadata
from .tools_common import CALLABLE_NODE_OPS, get_node_target

__all__ = ["OperatorSupportBase", "OperatorSupport", "create_op_support", "chain", "OpSupports", "any_chain"]


class OperatorSupportBase(abc.ABC):
    """A rule."""

    @abc.abstractmethod
    def is_node_supported(self, submodules, node):
        """is_node_supported(submodules, node) -> bool; submodules: dict(module.named_modules())"""
        raise NotImplementedError


class OperatorSupport(OperatorSupportBase):
    """OperatorSupport({target: types}): types are None for any, or (types of each argument, {name: types}), where None
    stands for an argument that is not looked at.
    """

    def __init__(self, support_dict=None):
        self._support_dict = support_dict or {}

    def is_node_supported(self, submodules, node):
        """Is the node's target in the table, with arguments of the types that it names?"""
        if node.op not in CALLABLE_NODE_OPS:
            return True
        target = get_node_target(submodules, node)
        if target not in self._support_dict:
            return False
        if self._support_dict[target] is None:
            return True
        by_place, by_name = self._support_dict[target]
        pairs = [(a, types) for a, types in zip(node.args, by_place) if types is not None]
        pairs += [(node.kwargs[name], types) for name, types in by_name.items() if name in node.kwargs]
        return all(_get_arg_dtype(a) in types for a, types in pairs if isinstance(a, Node))


def create_op_support(is_node_supported):
    """create_op_support(f) -> the rule that f(submodules, node) says."""

    class FunctionalOperatorSupport(OperatorSupportBase):
        """A rule of a function."""

        def is_node_supported(self, submodules, node):
            """What the function says."""
            return is_node_supported(submodules, node)

    return FunctionalOperatorSupport()


def chain(*op_support):
    """chain(*rules) -> the rule that all of them hold."""
    return create_op_support(lambda modules, node: all(x.is_node_supported(modules, node) for x in op_support))


def any_chain(*op_support):
    """any_chain(*rules) -> the rule that one of them holds."""
    return create_op_support(lambda modules, node: any(x.is_node_supported(modules, node) for x in op_support))


class OpSupports:
    """Rules to chain."""

    @classmethod
    def decline_if_input_dtype(cls, dtype):
        """No node with an input of this type."""
        return create_op_support(lambda _, node: all(_get_arg_dtype(a) != dtype for a in node.all_input_nodes))

    @classmethod
    def decline_if_node_in_names(cls, disallow_set):
        """No node of one of these names."""
        return create_op_support(lambda _, node: node.name not in disallow_set)


def _get_arg_dtype(arg):
    if not isinstance(arg, Node):
        raise AssertionError(f"Expected torch.fx.Node, got {type(arg)}")
    found = arg.meta.get("tensor_meta")
    return found.dtype if isinstance(found, TensorMetadata) else arg.meta["type"]
