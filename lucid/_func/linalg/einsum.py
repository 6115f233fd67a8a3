"""Contractions spelled by labels and dimensions: einsum, tensordot, inner, kron, cross, multi_dot, matrix_power,
bilinear.
"""

import math

from ..._backend.core import binary_func_op, func_op
from ..._backend.families import Contraction, Pointwise
from ..._backend.out_argument import store_out
from ..._backend.registry import FUNCTIONS, public
from ..._base.shape import wrap_dim
from ..._tensor.tensor import Tensor
from ..pointwise.operands import need_tensors
from ..shape.view import unsafe_view
from .matmul import bmm, dot, matmul, mm

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


# ---- einsum


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
            elif isinstance(s, int) and 0 <= s < 52:
                text += _LETTERS[s]
            else:
                raise ValueError(
                    "einsum(): expected subscript to be an integer in the range [0, 52), but got " + str(s)
                    if isinstance(s, int)
                    else "einsum(): expected subscript to be an integer"
                )
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
                    f"einsum(): the number of subscripts in the equation ({named}) is more than the "
                    f"number of "
                    f"dimensions ({dims}) for operand {n}"
                )
            ellipsis = max(ellipsis, dims - named)
        elif dims != named:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({named}) does not match the "
                f"number of "
                f"dimensions ({dims}) for operand {n} and no ellipsis was given"
            )
        inputs.append(labels)
    counts = {}
    for labels in inputs:
        for c in labels:
            counts[c] = counts.get(c, 0) + 1
    if arrow:
        out = _labels(right, "the output")
        for c in out:
            if c == "...":
                continue
            if c not in counts:
                raise RuntimeError(
                    f"einsum(): output subscript {c} does not appear in the equation for any input operand"
                )
            if out.count(c) > 1:
                raise RuntimeError(f"einsum(): output subscript {c} appears more than once in the output")
            if c not in counts:
                raise RuntimeError(
                    f"einsum(): output subscript {c} does not appear in the equation for any input operand"
                )
    else:
        out = (["..."] if "..." in counts else []) + sorted(c for c, n in counts.items() if n == 1 and c != "...")
    return inputs, out, ellipsis


def _aligned(x, labels, place, n_dims, ellipsis, n):
    """x with one dimension per label of the whole equation, in the equation's order; repeated labels on a diagonal."""
    perm, where, dim = [None] * n_dims, {}, 0
    for c in labels:
        if c == "...":
            own = x._array.ndim - dim - (len(labels) - labels.index("...") - 1)
            for j in range(ellipsis - own, ellipsis):
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
            x = x.unsqueeze(-1)
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
            "einsum(): must specify the equation string and at least one operand, or at least one "
            "operand and its "
            "subscripts list"
        )
    if isinstance(args[0], Tensor):
        equation, operands = _from_sublists(args)
    else:
        equation, operands = args[0], list(args[1:])
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        return einsum(equation, *operands[0])
    inputs, out, ellipsis = _parse(equation, operands)
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
    parts = [_aligned(x, labels, place, at, ellipsis, n) for n, (x, labels) in enumerate(zip(operands, inputs))]
    for i in range(at):
        seen = 1
        for n, x in enumerate(parts):
            size = x._array.shape[i]
            if size not in (1, seen) and seen != 1:
                name = next(c for c, p in place.items() if p <= i < p + (ellipsis if c == "..." else 1))
                raise RuntimeError(
                    f"einsum(): subscript {name} has size {size} for operand {n} which does not "
                    f"broadcast with "
                    f"previously seen size {seen}"
                )
            seen = size if seen == 1 else seen
    return _contracted(parts, n_out, at)


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


# ---- contractions by dimension


@public()
def tensordot(a, b, dims=2, out=None):
    """tensordot(a, b, dims=2) -> Tensor: products summed over dims: the last of a with the first of b, or (dims_a,
    dims_b).
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims._array.size > 1 else int(dims)
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a._array.ndim, b._array.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        dims_a, dims_b = list(range(-dims, 0)), list(range(dims))
    else:
        dims_a, dims_b = ([d] if isinstance(d, int) else list(d) for d in dims)
    if len(dims_a) != len(dims_b):
        raise RuntimeError("both dimension lists should have same length")
    if a.dtype is not b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    given = dims_a, dims_b
    dims_a, dims_b = [wrap_dim(d, a._array.ndim) for d in dims_a], [wrap_dim(d, b._array.ndim) for d in dims_b]
    count = 1
    for i, j, *told in zip(dims_a, dims_b, *given):
        m, n = a._array.shape[i], b._array.shape[j]
        if n == 1:
            a = a.sum(i, True, dtype=a.dtype)
        elif m == 1:
            b = b.sum(j, True, dtype=b.dtype)
        elif m != n:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {m} in dim {told[0]} and "
                f"second has size {n} in dim {told[1]}"
            )
        else:
            count *= m
    free_a = [i for i in range(a._array.ndim) if i not in dims_a]
    free_b = [i for i in range(b._array.ndim) if i not in dims_b]
    shape = [a._array.shape[i] for i in free_a] + [b._array.shape[i] for i in free_b]
    left, right = a.permute([*free_a, *dims_a]), b.permute([*dims_b, *free_b])
    if not shape:
        result = dot.fn(left.reshape(count), right.reshape(count)).view(())
    else:
        rows = math.prod([a._array.shape[i] for i in free_a])
        columns = math.prod([b._array.shape[i] for i in free_b])
        result = mm.fn(left.reshape(rows, count), right.reshape(count, columns)).view(shape)
    return result if out is None else store_out("tensordot", result, out)


@public(method=True)
def inner(input, other, *, out=None):
    """inner(input, other) -> Tensor: products summed over the last dimensions."""
    if input._array.ndim == 0 or other._array.ndim == 0:
        result = input * other
    else:
        if input._array.shape[-1] != other._array.shape[-1]:
            raise RuntimeError(
                f"inner() the last dimension must match on both input tensors but got shapes "
                f"{list(input._array.shape)} and {list(other._array.shape)}"
            )
        result = tensordot(input, other, ([-1], [-1]))
    return result if out is None else store_out("inner", result, out)


@public(method=True)
def kron(input, other, *, out=None):
    """kron(input, other) -> Tensor: the Kronecker product, each element of input times all of other."""
    need_tensors("kron", input=input, other=other)
    n = max(input._array.ndim, other._array.ndim)
    a = (1,) * (n - input._array.ndim) + input._array.shape
    b = (1,) * (n - other._array.ndim) + other._array.shape
    left = unsafe_view.fn(input, tuple(x for m in a for x in (m, 1)))
    right = unsafe_view.fn(other, tuple(x for m in b for x in (1, m)))
    result = unsafe_view.fn(left * right, tuple(m * k for m, k in zip(a, b)))
    return result if out is None else store_out("kron", result, out)


class linalg_cross(Pointwise):
    """cross(input, other, *, dim=-1) -> Tensor: the cross product of 3-vectors along dim."""

    namespace, method, inplace = "linalg", False, False

    @binary_func_op()
    def forward(xp, input, other, *, dim=-1):
        return _cross(xp, input, other, dim)

    def prepare(input, other, dim):
        if input.ndim != other.ndim:
            raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
        d = wrap_dim(dim, input.ndim)
        if input.shape[d] != 3 or other.shape[d] != 3:
            raise RuntimeError(
                f"linalg.cross: inputs dimension {dim} must have length 3. Got {input.shape[d]} and {other.shape[d]}"
            )
        return (d,)

    def grad_input(xp, g, other, dim):
        return _cross(xp, xp.conj(other), g, dim)

    def grad_other(xp, g, input, dim):
        return _cross(xp, g, xp.conj(input), dim)


def _cross(xp, a, b, dim):
    def turned(x, by):
        return xp.roll(x, (by,), (dim,))

    return turned(a, -1) * turned(b, -2) - turned(a, -2) * turned(b, -1)


@public(method=True)
def cross(input, other, dim=None, *, out=None):
    """cross(input, other, dim) -> Tensor: the cross product along dim (None: the first dimension of size 3)."""
    if dim is None:
        dim = next((i for i, n in enumerate(input._array.shape) if n == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return linalg_cross.fn(input, other, dim=dim) if out is None else linalg_cross.fn(input, other, dim=dim, out=out)


# ---- chains of matrices


@public("linalg_multi_dot", namespace="linalg")
def multi_dot(tensors, *, out=None):
    """multi_dot(tensors) -> Tensor: the product of matrices in the order of association that costs least.

    The first and the last may be vectors.
    """
    tensors = list(tensors)
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    first, last = tensors[0], tensors[-1]
    for i, x in enumerate(tensors):
        if x._array.ndim != 2 and not (i in (0, len(tensors) - 1) and x._array.ndim == 1):
            end = "first" if i == 0 else "last"
            where = f"the {end} tensor to be 1D or 2D" if i in (0, len(tensors) - 1) else f"tensor {i} to be 2D"
            raise RuntimeError(f"multi_dot(): expected {where} but got {x._array.ndim}D")
        if x.dtype is not first.dtype:
            raise RuntimeError(
                "multi_dot(): expected all tensors to have be the same dtype but tensor 0 is "
                f"{first.dtype} and tensor {i} {x.dtype}"
            )
    shape = first._array.shape[:-1] + (last._array.shape[1:] if last._array.ndim == 2 else ())
    chain = [
        first.unsqueeze(0) if first._array.ndim == 1 else first,
        *tensors[1:-1],
        last.unsqueeze(-1) if last._array.ndim == 1 else last,
    ]
    for i, (x, y) in enumerate(zip(chain, chain[1:])):
        if x._array.shape[1] != y._array.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {i} and {i + 1} with shapes {list(tensors[i]._array.shape)} and "
                f"{list(tensors[i + 1]._array.shape)} cannot be multiplied"
            )
    result = _best_product(chain).view(shape)
    return result if out is None else store_out("multi_dot", result, out)


def _best_product(chain):
    """Dynamic programming over the split points (Cormen et al., Introduction to Algorithms, 15.2)."""
    n = len(chain)
    sizes = [x._array.shape[0] for x in chain] + [chain[-1]._array.shape[1]]
    cost, split = {(i, i): 0 for i in range(n)}, {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i, j], split[i, j] = min(
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            )

    def product(i, j):
        return chain[i] if i == j else mm.fn(product(i, split[i, j]), product(split[i, j] + 1, j))

    return product(0, n - 1)


@public()
def chain_matmul(*matrices, out=None):
    """chain_matmul(*matrices) -> Tensor: the older name of linalg.multi_dot, for matrices only."""
    if len(matrices) == 1:
        return matrices[0]
    for i, x in enumerate(matrices):
        if x._array.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {x._array.ndim}, expected 2 instead.")
    return multi_dot(matrices, out=out)


@public("linalg_matrix_power", namespace="linalg")
@public(method=True)
def matrix_power(input, n, *, out=None):
    """matrix_power(input, n) -> Tensor: square matrices multiplied n times; a negative n multiplies the inverse."""
    shape = input._array.shape
    if len(shape) < 2:
        raise RuntimeError("linalg.matrix_power: The input tensor A must have at least 2 dimensions.")
    if shape[-1] != shape[-2]:
        raise RuntimeError(
            f"linalg.matrix_power: A must be batches of square matrices, but they are {shape[-2]} by "
            f"{shape[-1]} "
            "matrices"
        )
    if n < 0:
        input, n = FUNCTIONS["linalg_inv"](input), -n
    if n == 0:
        result = input.clone().copy_(FUNCTIONS["eye"](shape[-1], dtype=input.dtype, device=input.device))
    elif n == 1:
        result = input.clone()
    elif n == 3:
        result = matmul(matmul(input, input), input)
    else:
        result = power = None
        while n:
            power = input if power is None else matmul(power, power)
            if n & 1:
                result = power if result is None else matmul(result, power)
            n >>= 1
    return result if out is None else store_out("matrix_power", result, out)


# ---- a form of two vectors


def _outer_rows(xp, a, b):
    """(n, p) and (n, q) -> (n, p * q): all products in each row."""
    n, p = a.shape
    return xp.reshape(xp.unsqueeze(a, 2) * xp.unsqueeze(b, 1), (n, p * b.shape[1]))


class trilinear(Contraction):
    """sum over i, j of input1[n, i] * weight[o, i, j] * input2[n, j]"""

    node_name, namespace, method, has_out = "TrilinearBackward0", None, False, False

    @func_op(3)
    def forward(xp, input1, weight, input2):
        o, i, j = weight.shape
        return xp.matmul(_outer_rows(xp, input1, input2), xp.permute(xp.reshape(weight, (o, i * j)), (1, 0)))

    def grad_input1(xp, g, weight, input2):
        o, i, j = weight.shape
        w = xp.reshape(xp.permute(weight, (0, 2, 1)), (o * j, i))
        return xp.matmul(_outer_rows(xp, g, xp.conj(input2)), xp.conj(w))

    def grad_input2(xp, g, input1, weight):
        o, i, j = weight.shape
        return xp.matmul(_outer_rows(xp, g, xp.conj(input1)), xp.conj(xp.reshape(weight, (o * i, j))))

    def grad_weight(xp, g, input1, input2):
        pairs = _outer_rows(xp, xp.conj(input1), xp.conj(input2))
        return xp.reshape(xp.matmul(xp.permute(g, (1, 0)), pairs), (g.shape[1], input1.shape[1], input2.shape[1]))


@public(namespace=("torch", "nn.functional"))
def bilinear(input1, input2, weight, bias=None):
    """bilinear(input1, input2, weight, bias=None) -> Tensor: input1 @ weight[o] @ input2 + bias, (*, in1), (*, in2)
    -> (*, out).
    """
    if input1._array.ndim != input2._array.ndim:
        raise RuntimeError(
            f"bilinear(): input dimensions do not match: got {input1._array.ndim} and {input2._array.ndim}"
        )
    lead = input1._array.shape[:-1]
    if lead != input2._array.shape[:-1]:
        raise RuntimeError(
            f"bilinear(): input batch dimensions do not match at dim 0: got {lead[0]} and {input2._array.shape[0]}"
        )
    for n, x in ((1, input1), (2, input2)):
        if x._array.shape[-1] != weight._array.shape[n]:
            raise RuntimeError(
                f"bilinear(): input{n} size does not match weight size: got {x._array.shape[-1]} but "
                f"expected "
                f"{weight._array.shape[n]}"
            )
    if bias is not None and bias._array.shape[0] != weight._array.shape[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias._array.shape[0]} but expected "
            f"{weight._array.shape[0]}"
        )
    flat1, flat2 = (x.reshape(-1, x._array.shape[-1]) for x in (input1, input2))
    result = trilinear.fn(flat1, weight, flat2).reshape(*lead, weight._array.shape[0])
    return result if bias is None else result + bias
