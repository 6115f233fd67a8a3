"""Products of vectors and of chains of matrices: inner, kron, cross, multi_dot, chain_matmul, matrix_power."""

from ..._backend.autocast import as_called
from ..._backend.core import binary_func_op
from ..._backend.families import Pointwise, not_implemented_error
from ..._backend.out_argument import store_out
from ..._backend.registry import public
from ..._base.dtype import SCALAR_NAMES, bool_
from ..._base.shape import wrap_dim
from ..creation.gfunc import eye
from ..pointwise.operands import need_tensors
from ..shape.view import unsafe_view
from .matmul import matmul, mm
from .solvers import linalg_inv
from .tensordot import tensordot


@public(method=True)
def inner(input, other, *, out=None):
    """inner(input, other) -> Tensor: products summed over the last dimensions."""
    if input._array.ndim == 0 or other._array.ndim == 0:
        result, takes = input * other, "castable"
    else:
        if input._array.shape[-1] != other._array.shape[-1]:
            raise RuntimeError(
                "inner() the last dimension must match on both input tensors but got shapes "
                f"{list(input._array.shape)} and {list(other._array.shape)}"
            )
        result, takes = tensordot(input, other, ([-1], [-1])), "same"
    return result if out is None else store_out("inner", result, out, takes)


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
    return result if out is None else store_out("kron", result, out, "castable", resized=True, read=(input, other))


class linalg_cross(Pointwise):
    """cross(input, other, *, dim=-1) -> Tensor: the cross product of 3-vectors along dim."""

    not_overgrown = "all"
    namespace, method, inplace, out_takes, stepwise = "linalg", False, False, "same", True

    @binary_func_op()
    def forward(xp, input, other, *, dim=-1):
        return _cross(xp, input, other, dim)

    def check(tensors, options):
        need_tensors("linalg_cross", input=tensors[0], other=tensors[1])
        one, other = [t.dtype for t in tensors]
        if tensors[0]._array.ndim != tensors[1]._array.ndim:
            raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
        if not tensors[0]._array.ndim:
            raise IndexError(f"Dimension specified as {options[0]} but tensor has no dimensions")
        if one is bool_:
            raise not_implemented_error("cross", one)
        if one is not other:
            raise RuntimeError(f"expected scalar type {SCALAR_NAMES[one]} but found {SCALAR_NAMES[other]}")

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
    return result if out is None else store_out("multi_dot", result, out, expanded=True, resized="typed")


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
    for x in matrices:
        if x._array.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {x._array.ndim}, expected 2 instead.")
    if len(matrices) == 1:
        return matrices[0]
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
            f"linalg.matrix_power: A must be batches of square matrices, but they are {shape[-2]} by {shape[-1]} "
            "matrices"
        )
    copied = n in (0, 1) or n > 3 and not n & (n - 1)  # into out=, by torch; otherwise its last product goes there
    if n < 0:
        input, n = as_called(linalg_inv, input), -n
    if n == 0:
        result = input.clone().copy_(eye(shape[-1], dtype=input.dtype, device=input.device))
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
    if out is None:
        return result
    return store_out("matrix_power", result, out, "castable" if copied else "same", resized="castable")
