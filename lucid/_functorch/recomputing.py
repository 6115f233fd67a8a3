"""What the backward graph may compute anew, and what that saves: facts about nodes for the partitioner."""

import operator

from .._aten.overloads import OpOverload
from .._tensor import pytree
from .._tensor.tensor import Tensor

__all__ = ["is_random", "is_recomputable", "size_of", "writes"]

# Ops that read their inputs once, or make something of nothing: their work is little beside reading memory.
_CHEAP = set(
    """_to_copy _unsafe_index alias all amax amin any arange argmax argmin as_strided bernoulli_p cat clone
    constant_pad_nd convert_element_type copy count_nonzero empty empty_like expand eye flip full full_like gather index
    iota isin linspace mean narrow_copy new_empty new_full new_ones new_zeros ones ones_like one_hot prod
    reflection_pad1d reflection_pad2d repeat replication_pad1d replication_pad2d roll rot90 scalar_tensor select_scatter
    slice_scatter split split_with_sizes stack std std_mean sum tril triu unbind var var_mean where zeros
    zeros_like""".split()
)
# What cannot be part of a loop over elements: a result of one of these is in memory whatever is saved.
_HEAVY = set(
    """mm bmm addmm baddbmm addbmm matmul linear convolution convolution_backward _convolution einsum
    _scaled_dot_product_flash_attention_for_cpu _scaled_dot_product_flash_attention_for_cpu_backward
    scaled_dot_product_attention""".split()
)
# A reduction of this many inputs to one output or more is a pass over memory of its own.
_LARGE_REDUCTION = 4


def _op(node):
    return node.target if node.op == "call_function" and isinstance(node.target, OpOverload) else None


def is_random(node):
    """Does another call give other numbers?"""
    op = _op(node)
    return op is not None and ("nondeterministic_seeded" in op._tags or op._opname in ("native_dropout", "bernoulli"))


def writes(node):
    """Does it write to an argument?"""
    op = _op(node)
    return op is not None and op._schema.is_mutable


def is_view(node):
    """Is it memory of an argument, or an item of a result?"""
    op = _op(node)
    return node.target is operator.getitem if op is None else op.is_view or op._opname == "_unsafe_view"


def is_fusible(node):
    """May a loop over elements compute it along with what reads it?"""
    op = _op(node)
    return op is not None and op._opname not in _HEAVY and ("pointwise" in op._tags or op._opname in _CHEAP)


def is_recomputable(node):
    """Is computing it twice cheaper than keeping it?"""
    if node.op == "get_attr" or is_view(node):
        return True
    if is_random(node) or writes(node) or not is_fusible(node):
        return False
    if "pointwise" in _op(node)._tags:
        return True
    inputs = sum(size_of(i) for i in node.all_input_nodes)
    return inputs <= _LARGE_REDUCTION * size_of(node)


def size_of(node):
    """Bytes of a node's value."""
    leaves = pytree.tree_leaves(node.meta.get("val"))
    return sum(t.numel() * t.element_size() for t in leaves if isinstance(t, Tensor))
