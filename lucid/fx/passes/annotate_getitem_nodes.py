"""Types of elements, from the types of the sequences that they are taken from."""

import operator
import typing

from ..._tensor.tensor import Tensor


def annotate_getitem_nodes(graph):
    """annotate_getitem_nodes(graph): nodes x[i] get a type where x has one: a tuple, a list or a named tuple."""
    for node in graph.nodes:
        if node.target is not operator.getitem:
            continue
        sequence, index = node.args
        kind = sequence.type
        if not kind or kind == Tensor:
            continue
        origin, parts = typing.get_origin(kind), typing.get_args(kind)
        if origin is tuple:
            many = len(parts) == 2 and parts[1] is ...
            if not many and len(parts) <= index:
                raise AssertionError(f"Index {index} out of range for parameterized_types (len={len(parts)})")
            node.type = parts[0] if many else parts[index]
        elif origin is list:
            if len(parts) != 1:
                raise AssertionError(f"Expected 1 parameterized type, got {len(parts)}")
            node.type = parts[0]
        elif origin is None and hasattr(kind, "_fields"):
            node.type = kind.__annotations__[kind._fields[index]]
