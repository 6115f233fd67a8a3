"""What the backward graph may compute anew, and what that saves: facts about nodes for the partitioner.

Which ops these are is torch's choice (facts of its 2.13): so graphs are cut where torch cuts them.
"""

import functools
import operator

from .._aten import table
from .._aten.overloads import OpOverload
from .._tensor import pytree
from .._tensor.tensor import Tensor

__all__ = ["is_fusible", "is_random", "is_recomputable", "is_view", "size_of", "writes"]

VIEWS = frozenset("squeeze unsqueeze alias view slice t expand as_strided permute select split".split())
_CHEAP = VIEWS | set(
    """add sub div atan2 mul max min pow remainder fmod __and__ __or__ __xor__ __lshift__ __rshift__ eq ne ge gt le lt
    abs bitwise_not ceil floor frac neg relu round silu trunc log log10 log1p log2 lgamma exp expm1 erf erfc cos acos
    cosh sin asin sinh tan atan tanh atanh sqrt rsqrt reciprocal sigmoid softplus threshold threshold_backward clamp
    where lerp addcmul gelu gelu_backward sum mean _grad_sum_to_size sum_to_size amax to type_as rsub _to_copy clone
    full_like var std _unsafe_view reshape broadcast_tensors scalar_tensor ones new_zeros lift_fresh_copy arange triu
    var_mean isinf any full zeros empty empty_like argmax maximum index gather zeros_like""".split()
)
_RANDOM = frozenset("native_dropout rand_like randn_like".split())
_NEVER_SHARED = frozenset(
    """dropout _fused_dropout _standard_gamma bernoulli multinomial native_dropout normal poisson binomial rrelu
    rand_like rand randint randn randperm randn_like randint_like empty""".split()
)
# A result that takes this much less memory than what it was made of is worth keeping.
_REDUCES = 4


def _op(node):
    return node.target if node.op == "call_function" and isinstance(node.target, OpOverload) else None


@functools.cache
def _is_pointwise(name):
    return any("pointwise" in row.facts for row in table.overloads(name).values())


def _name(node):
    """The ATen name of a node's op, or None."""
    op = _op(node)
    return op._opname if op is not None and op._name.startswith("aten::") else None


def is_random(node):
    """Does another call give other numbers?"""
    op = _op(node)
    return op is not None and ("nondeterministic_seeded" in op._tags or op._opname in _NEVER_SHARED)


def writes(node):
    """Does it write to an argument?"""
    op = _op(node)
    return op is not None and op._schema.is_mutable


def is_view(node):
    """Is it one of the views that cost nothing?"""
    return _name(node) in VIEWS


def is_recomputable(node):
    """Is its op one that may run twice?"""
    if node.target is operator.getitem:
        return True
    name = _name(node)
    return name is not None and (name in _CHEAP or _is_pointwise(name))


def is_fusible(node, user):
    """Is a value computed along with what reads it?"""
    if _name(user) == "cat":
        return True
    return all(is_recomputable(n) or _name(n) in _RANDOM for n in (node, user))


def reduces(node):
    """Is a result much smaller than what it was made of?"""
    return size_of(node) * _REDUCES < sum(size_of(i) for i in node.args if hasattr(i, "meta"))


def size_of(node):
    """Bytes of a node's value."""
    leaves = pytree.tree_leaves(node.meta.get("val"))
    return sum(t.numel() * t.element_size() for t in leaves if isinstance(t, Tensor))
