"""torch.func.rearrange: dimensions reordered, joined and split as a pattern says ("b (h w) c -> b c h w")."""

import keyword
import math

from .._backend.registry import NAMESPACES
from .._base.entering import at_home
from .._tensor.tensor import Tensor

_ELLIPSIS = "…"


class DimensionBindError(Exception):
    """A size that does not follow from the pattern, or does not fit the tensor."""


def _check_name(name):
    if not name.isidentifier():
        raise ValueError(f"Invalid axis identifier: {name}\nnot a valid python identifier")
    if name[0] == "_" or name[-1] == "_":
        raise ValueError(f"Invalid axis identifier: {name}\naxis name should should not start or end with underscore")
    if keyword.iskeyword(name):
        raise ValueError(f"Invalid axis identifier: {name}\nit is a keyword of Python")


def _parsed(side):
    """The groups of one side: a list of names for what stands in parentheses, [] for 1, [name] for a name alone."""
    if "." in side:
        if side.count("...") != 1 or side.count(".") != 3:
            raise ValueError("Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor ")
        side = side.replace("...", _ELLIPSIS)
    groups, opened, seen = [], None, set()
    for word in side.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            if opened is not None:
                raise ValueError("Axis composition is one-level (brackets inside brackets not allowed)")
            opened = []
        elif word == ")":
            if opened is None:
                raise ValueError("Brackets are not balanced")
            groups.append(opened)
            opened = None
        elif word == "1":
            groups.append([]) if opened is None else None
        else:
            strange = next((c for c in word if not (c.isalnum() or c in "_…")), None)
            if strange:
                raise ValueError(f"Unknown character '{strange}'")
            if word != _ELLIPSIS:
                _check_name(word)
            if word in seen:
                raise ValueError(f"Indexing expression contains duplicate dimension '{word}'")
            seen.add(word)
            groups.append([word]) if opened is None else opened.append(word)
    if opened is not None:
        raise ValueError(f"Imbalanced parentheses in expression: '{side}'")
    return groups, seen


def _both_sides(pattern, axes_lengths):
    if pattern.count("->") != 1:
        raise ValueError("Pattern must contain a single '->' separator")
    (left, here), (right, there) = map(_parsed, pattern.split("->"))
    if _ELLIPSIS in there and _ELLIPSIS not in here:
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if any(_ELLIPSIS in group and len(group) > 1 for group in left):
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    if here != there:
        raise ValueError(f"Identifiers only on one side of rearrange expression (should be on both): {here ^ there}")
    if unknown := {*axes_lengths} - here:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")
    return left, right


def _split_sizes(group, size, lengths, at):
    """The sizes of a group's names, which are the dimensions from `at` on, in a dimension of that size."""
    named = [f"d{at + i}" for i in range(len(group))]
    known = [lengths.get(name) for name in group]
    rest = math.prod(n for n in known if n is not None)
    if known.count(None) > 1:
        raise DimensionBindError(f"cannot infer the sizes of two dimensions at once {' and '.join(named)}")
    if None not in known:
        if rest != size:
            raise DimensionBindError(
                f"Dimension sizes to do not match ({size} != {rest}) when matching dimension pack ({', '.join(named)})"
            )
        return known
    if rest == 0 or size % rest:
        shown = tuple("?" if n is None else n for n in known)
        raise DimensionBindError(f"inferred dimension does not evenly fit into larger dimension: {size} vs {shown}")
    return [size // rest if n is None else n for n in known]


def rearrange(tensor, pattern, **axes_lengths):
    """rearrange(tensor, "b (h w) c -> b c h w", h=4) -> Tensor with its dimensions reordered, split and joined.

    A name is a dimension, names in parentheses are one that is split (its sizes given or inferred) or joined, `1` has
    one element, `...` stands for what is left. A list of tensors is stacked along a first dimension.
    """
    if not isinstance(tensor, Tensor):
        tensor = NAMESPACES["torch"]["stack"](tensor)
    left, right = _both_sides(pattern, axes_lengths)
    named = [group for group in left if group != [_ELLIPSIS]]
    more = tensor.ndim - len(named)
    if more < 0 or more and len(named) == len(left):
        raise ValueError(
            f"Number of dimensions in pattern ({len(named)}) must be equal to the number of dimensions in the tensor "
            f"({tensor.ndim})"
        )
    sizes, shape = {}, list(tensor.shape)
    for group in left:
        if group == [_ELLIPSIS]:
            sizes[_ELLIPSIS], shape = shape[:more], shape[more:]
            continue
        for name, size in zip(group, _split_sizes(group, shape[0], axes_lengths, len(sizes)) if group else ()):
            sizes[name] = [size]
        if not group and shape[0] != 1:
            raise DimensionBindError(f"a dimension of {shape[0]} elements is not 1")
        shape = shape[1:]
    split = tensor.reshape([n for group in left for name in group for n in sizes[name]])
    at, places = {}, 0
    for group in left:
        for name in group:
            at[name] = range(places, places := places + len(sizes[name]))
    moved = split.permute([d for group in right for name in group for d in at[name]])
    made = []
    for group in right:
        parts = [n for name in group for n in sizes[name]]
        made += parts if group == [_ELLIPSIS] else [math.prod(parts)]
    return moved.reshape(made)


rearrange.__module__ = at_home("lucid.func")
