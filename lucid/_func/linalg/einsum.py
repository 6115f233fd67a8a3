"""Products summed over labelled dimensions: einsum."""

import math

from ..._backend.registry import public
from ..._tensor.tensor import Tensor
from .matmul import bmm

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _from_sublists(args):
    """einsum(op, [0, 1], op, [1, 2], [0, 2]) as an equation and operands."""
    operands, labels = list(args[0::2]), list(args[1::2])
    out = None
    if len(args) % 2:
        out = operands.pop()

    def spell(sublist):
        text = ""
        for s in sublist:
            if s is Ellipsis:
                text += "..."
            elif s >= 0 and s < 52:
                text += chr(ord("A") + s) if s < 26 else chr(ord("a") + s - 26)
            else:
                raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
        return text

    equation = ",".join(spell(s) for s in labels)
    return (equation if out is None else f"{equation}->{spell(out)}"), operands


def _labels(text, what, operand=None):
    """The labels of one operand or of the output; '...' is one label."""
    found, i = [], 0
    text = text.replace(" ", "")
    while i < len(text):
        c = text[i]
        if c == ".":
            if text[i : i + 3] != "..." or "..." in found:
                raise RuntimeError(
                    f"einsum(): found '.' for {what} that is not part of any ellipsis"
                    if "..." not in found
                    else f"einsum(): found '.' for {what} for which an ellipsis was already found"
                )
            found.append("...")
            i += 3
            continue
        if c not in _LETTERS:
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {i} in the equation string, subscripts must be in [a-zA-Z]"
            )
        found.append(c)
        i += 1
    return found


def _parse(equation, operands):
    """(labels of each operand, labels of the output, number of dimensions that '...' stands for)"""
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        more = "more" if len(terms) < len(operands) else "fewer"
        raise RuntimeError(f"einsum(): {more} operands were provided than specified in the equation")
    inputs, ellipsis = [], 0
    for n, (term, x) in enumerate(zip(terms, operands)):
        labels = _labels(term, f"operand {n}")
        dims, named = x._array.ndim, len([c for c in labels if c != "..."])
        if "..." in labels:
            if dims < named:
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({named}) is more than the number of "
                    f"dimensions ({dims}) for operand {n}"
                )
            ellipsis = max(ellipsis, dims - named)
        elif dims != named:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({named}) does not match the number of dimensions "
                f"({dims}) for operand {n} and no ellipsis was given"
            )
        inputs.append(labels)
    return inputs, _output_labels(inputs, right if arrow else None), ellipsis


def _output_labels(inputs, text):
    """The labels of the output as spelled, or those that occur once when there is no '->'."""
    counts = {}
    for labels in inputs:
        for c in labels:
            counts[c] = counts.get(c, 0) + 1
    if text is None:
        return (["..."] if "..." in counts else []) + sorted(c for c, n in counts.items() if n == 1 and c != "...")
    out = _labels(text, "the output")
    for c in out:
        if c == "...":
            continue
        if c not in counts:
            raise RuntimeError(f"einsum(): output subscript {c} does not appear in the equation for any input operand")
        if out.count(c) > 1:
            raise RuntimeError(f"einsum(): output subscript {c} appears more than once in the output")
    return out


def _aligned(x, labels, place, n_dims, ellipsis, n):
    """x with one dimension per label of the whole equation, in the equation's order; repeated labels on a diagonal."""
    perm, where, dim, n_own = [None] * n_dims, {}, 0, x._array.ndim
    for c in labels:
        if c == "...":
            for _ in range(ellipsis - (n_own - len(labels) + 1)):
                x = x.unsqueeze(dim)
            for j in range(ellipsis):
                perm[place["..."] + j] = dim
                dim += 1
            continue
        if c in where:
            first = where[c]
            if x._array.shape[first] != x._array.shape[dim]:
                raise RuntimeError(
                    f"einsum(): subscript {c} is repeated for operand {n} but the sizes don't match, "
                    f"{x._array.shape[dim]} != {x._array.shape[first]}"
                )
            x = x.diagonal(0, first, dim).movedim(-1, first)
        else:
            where[c] = perm[place[c]] = dim
            dim += 1
    for i, p in enumerate(perm):
        if p is None:
            x = x.unsqueeze(x.dim())
            perm[i] = dim
            dim += 1
    return x.permute(perm)


def _pair(left, right, sums):
    """The product of two aligned tensors, summed over the dimensions `sums` (kept as size 1), as one bmm."""
    both, only_left, only_right = [], [], []
    for i in range(left._array.ndim):
        in_left, in_right = left._array.shape[i] != 1, right._array.shape[i] != 1
        if i in sums:
            if in_left and not in_right:
                left = left.sum(i, True)
            elif in_right and not in_left:
                right = right.sum(i, True)
        else:
            (both if in_left and in_right else only_left if in_left else only_right).append(i)
    if only_left and only_right and only_right[-1] < only_left[0]:  # so the product lies as the result does
        left, right, only_left, only_right = right, left, only_right, only_left
    a, b = left._array.shape, right._array.shape
    n, p, s, q = (
        math.prod([x[i] for i in dims]) for x, dims in ((a, both), (a, only_left), (a, sums), (b, only_right))
    )
    first = left.permute([*both, *only_left, *sums, *only_right]).reshape(n, p, s)
    second = right.permute([*both, *sums, *only_right, *only_left]).reshape(n, s, q)
    shape = [*[a[i] for i in both], *[a[i] for i in only_left], *[1] * len(sums), *[b[i] for i in only_right]]
    order = [*both, *only_left, *sums, *only_right]
    return bmm.fn(first, second).view(shape).permute([order.index(i) for i in range(len(order))])


@public()
def einsum(*args):
    """einsum(equation, *operands) -> Tensor: products summed over labels, e.g. einsum("bij,bjk->bik", a, b).

    Ellipses broadcast; a label repeated in one operand takes its diagonal; without '->' the output has the labels that
    occur once, in alphabetical order. Also einsum(op, [0, 1], op, [1, 2], [0, 2]). Contracts from left to right.
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    if isinstance(args[0], Tensor):
        equation, operands = _from_sublists(args)
    else:
        equation, operands = args[0], list(args[1:])
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        return einsum(equation, *operands[0])
    for n, x in enumerate(operands):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {n} in argument 1, but got {type(x).__name__}")
    inputs, out, ellipsis = _parse(equation, operands)
    place, n_out, n_dims = _places(inputs, out, ellipsis)
    parts = [_aligned(x, labels, place, n_dims, ellipsis, n) for n, (x, labels) in enumerate(zip(operands, inputs))]
    _check_sizes(parts, place, ellipsis, n_dims)
    return _contracted(parts, n_out, n_dims)


def _places(inputs, out, ellipsis):
    """(label -> its dimension: the output's first, then those summed over; dimensions of the output, of all)"""
    place, at = {}, 0
    for c in out:
        place[c] = at
        at += ellipsis if c == "..." else 1
    n_out = at
    names = {c for labels in inputs for c in labels}
    if "..." in names and "..." not in place:
        place["..."] = at
        at += ellipsis
    for c in _LETTERS:
        if c in names and c not in place:
            place[c] = at
            at += 1
    return place, n_out, at


def _check_sizes(parts, place, ellipsis, n_dims):
    """torch's error for a label that stands for two sizes."""
    for i in range(n_dims):
        seen = 1
        for n, x in enumerate(parts):
            size = x._array.shape[i]
            if size not in (1, seen) and seen != 1:
                name = next(c for c, p in place.items() if p <= i < p + (ellipsis if c == "..." else 1))
                raise RuntimeError(
                    f"einsum(): subscript {name} has size {size} for operand {n} which does not broadcast with "
                    f"previously seen size {seen}"
                )
            seen = size if seen == 1 else seen


def _contracted(parts, n_out, n_dims):
    if len(parts) == 1:
        return parts[0].sum(tuple(range(n_out, n_dims))) if n_dims > n_out else parts[0]
    left = {i: len([1 for x in parts if x._array.shape[i] != 1]) for i in range(n_out, n_dims)}
    result = parts[0]
    for x in parts[1:]:
        sums, alone = [], ([], [])
        for i in range(n_out, n_dims):
            a, b = result._array.shape[i] != 1, x._array.shape[i] != 1
            if a and b:
                left[i] -= 1
                if left[i] == 1:
                    sums.append(i)
                    left[i] = 0
            elif left[i] == 1 and (a or b):
                alone[0 if a else 1].append(i)
                left[i] = 0
        result = result.sum(tuple(alone[0]), True) if alone[0] else result
        x = x.sum(tuple(alone[1]), True) if alone[1] else x
        result = _pair(result, x, sums) if sums else result * x
    return result.view(result._array.shape[:n_out]) if n_dims > n_out else result
