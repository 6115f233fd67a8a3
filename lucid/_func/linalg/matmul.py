"""Products of matrices and vectors: matmul, mm, bmm, mv, dot, vdot, outer; addmm, addmv, addr, baddbmm, addbmm."""

import math

from ..._backend.autocast import as_called
from ..._backend.core import binary_func_op, func_op, unary_func_op
from ..._backend.dispatch import takes_apart
from ..._backend.entries import operands_asked
from ..._backend.families import Contraction, Own, not_implemented_error
from ..._backend.out_argument import refuse_type, store_out
from ..._backend.overrides import PLAIN, ask_overrides
from ..._backend.registry import public
from ..._backend.rules import in_one_step, unbroadcast, wide_times
from ..._base.dtype import C_NAMES, SCALAR_NAMES, bool_, float32
from ..._base.shape import broadcast_pair
from ..._base.state import DISPATCH, UNUSUAL, local
from ..._tensor.tensor import Tensor
from ..pointwise.operands import conj_number
from ..shape.view import unsafe_view, view_as_shape


def _flip(xp, m):
    """A matrix, or a batch of them, transposed."""
    n = len(m.shape)
    return xp.permute(m, (*range(n - 2), n - 1, n - 2))


def _adjoint(xp, m):
    return xp.conj(_flip(xp, m))


def need_numbers(xp, kernel):
    """Matrix products of bools do not exist in torch."""
    if xp.dtype is bool_:
        raise not_implemented_error(kernel, bool_)


def product_of(xp, kernel, a, b):
    """The matrix product; of bools there is only that in which there is nothing to multiply."""
    if xp.dtype is bool_ and (0 in a.shape or 0 in b.shape):
        return xp.zeros((*a.shape[:-1], *b.shape[len(a.shape) - 1 :]))
    need_numbers(xp, kernel)
    return xp.matmul(a, b)


class mm(Contraction):
    """mm(input, mat2) -> Tensor: the product of two matrices, (n, m) @ (m, p) -> (n, p)."""

    @binary_func_op()
    def forward(xp, input, mat2):
        return product_of(xp, "addmm_impl_cpu_", input, mat2)

    def prepare(input, mat2):
        if input.ndim != 2:
            raise RuntimeError("self must be a matrix")
        if mat2.ndim != 2:
            raise RuntimeError("mat2 must be a matrix")
        if input.shape[1] != mat2.shape[0]:
            raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({_by(input)} and {_by(mat2)})")
        return ()

    def mismatch(a, b):
        names = [C_NAMES.get(d, d.name) for d in (a, b)]
        return f"expected m1 and m2 to have the same dtype, but got: {names[0]} != {names[1]}"

    def grad_input(xp, g, mat2):
        return xp.matmul(g, _adjoint(xp, mat2))

    def grad_mat2(xp, g, input):
        return xp.matmul(_adjoint(xp, input), g)


def _by(m):
    return "x".join(map(str, m.shape))


class bmm(Contraction):
    """bmm(input, mat2) -> Tensor: products of matrices in a batch, (b, n, m) @ (b, m, p) -> (b, n, p)."""

    writes_expanded = True

    @binary_func_op()
    def forward(xp, input, mat2):
        return product_of(xp, "baddbmm_with_gemm", input, mat2)

    def prepare(input, mat2):
        if input.ndim != 3:
            raise RuntimeError("batch1 must be a 3D tensor")
        if mat2.ndim != 3:
            raise RuntimeError("batch2 must be a 3D tensor")
        if input.shape[0] != mat2.shape[0] or input.shape[2] != mat2.shape[1]:
            raise RuntimeError(
                f"Expected size for first two dimensions of batch2 tensor to be: [{input.shape[0]}, "
                f"{input.shape[2]}] but got: [{mat2.shape[0]}, {mat2.shape[1]}]."
            )
        return ()

    def mismatch(a, b):
        if a is bool_:
            raise not_implemented_error("bmm", bool_)
        return f"expected scalar type {SCALAR_NAMES[a]} but found {SCALAR_NAMES[b]}"

    def grad_input(xp, g, mat2):
        return xp.matmul(g, _adjoint(xp, mat2))

    def grad_mat2(xp, g, input):
        return xp.matmul(_adjoint(xp, input), g)


class mv(Contraction):
    """mv(input, vec) -> Tensor: a matrix times a vector, (n, m) @ (m,) -> (n,)."""

    writes_expanded = True

    @binary_func_op()
    def forward(xp, input, vec):
        return product_of(xp, "addmv_impl_cpu", input, vec)

    def prepare(input, vec):
        if input.ndim != 2 or vec.ndim != 1:
            raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input.ndim}, {vec.ndim}")
        if input.shape[1] != vec.shape[0]:
            raise RuntimeError(f"size mismatch, got input ({input.shape[0]}), mat ({_by(input)}), vec ({vec.shape[0]})")
        return ()

    def mismatch(a, b):
        one, two = SCALAR_NAMES[a], SCALAR_NAMES[b]
        return f"addmv input tensors must have the same dtype, but got {two}, {one}, and {two}"

    def grad_input(xp, g, vec):
        return xp.unsqueeze(g, 1) * xp.conj(vec)

    def grad_vec(xp, g, input):
        return xp.matmul(_adjoint(xp, input), g)


def _two_vectors(input, tensor):
    if input.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    if input.shape != tensor.shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{input.shape[0]}] and src [{tensor.shape[0]}] to have the "
            f"same number of elements, but got {input.shape[0]} and {tensor.shape[0]} elements respectively"
        )
    return ()


class dot(Contraction):
    """dot(input, tensor) -> 0-dim Tensor: the sum of products of two vectors."""

    out_resized = True

    @binary_func_op()
    def forward(xp, input, tensor):
        need_numbers(xp, "dot")
        return xp.matmul(input, tensor)

    def prepare(input, tensor):
        return _two_vectors(input, tensor)

    def mismatch(a, b):
        return f"dot : expected both vectors to have same dtype, but found {SCALAR_NAMES[a]} and {SCALAR_NAMES[b]}"

    def grad_input(xp, g, tensor):
        return g * xp.conj(tensor)

    def grad_tensor(xp, g, input):
        return g * xp.conj(input)


class vdot(Contraction):
    """vdot(input, other) -> 0-dim Tensor: dot, with the first vector conjugated."""

    out_resized = True

    @binary_func_op()
    def forward(xp, input, other):
        need_numbers(xp, "vdot")
        return xp.matmul(xp.conj(input), other)

    def prepare(input, other):
        return _two_vectors(input, other)

    def mismatch(a, b):
        return f"dot : expected both vectors to have same dtype, but found {SCALAR_NAMES[a]} and {SCALAR_NAMES[b]}"

    def grad_input(xp, g, other):
        return xp.conj(g) * other

    def grad_other(xp, g, input):
        return g * input


# ---- matmul: torch folds every case into the ones above


class drop_dim(Own):
    """A result without a dimension of size 1 that its making needed."""

    promote, node_name, namespace, method, linear = "keep", "SqueezeBackward4", None, False, True

    @unary_func_op()
    def forward(xp, input, dim):
        return xp.squeeze(input, (dim,))

    def grad_input(xp, g, shape):
        return xp.reshape(g, shape)


@public(method=True)
def matmul(input, other, *, out=None):
    """matmul(input, other) -> Tensor: vectors, matrices or batches of matrices (leading dimensions broadcast).

    Both 1-D: their dot product; a 1-D operand beside matrices acts as a row (first) or a column (second).
    """
    if UNUSUAL or type(input) not in PLAIN or type(other) not in PLAIN:
        for place, x in enumerate((input, other), 1):
            if not isinstance(x, Tensor) and not hasattr(type(x), "__torch_function__"):
                name = ("input", "other")[place - 1]
                raise TypeError(
                    f"matmul(): argument '{name}' (position {place}) must be Tensor, not {type(x).__name__}"
                )
        handled, result = ask_overrides(
            matmul, (input, other), (input, other), {} if out is None else {"out": out}, out=out
        )
        if handled:
            return result
        if local.cast_to is not None and out is None:
            return as_called(matmul, input, other)
    if out is not None:
        if isinstance(out, Tensor) and out._table.dtype is not input._table.dtype and input._table.dtype is bool_:
            refuse_type(input._table, out)  # before the kernel says that it has no bools
        result, n1, n2 = matmul(input, other), input._array.ndim, other._array.ndim
        return store_out("matmul", result, out, expanded=True, resized=max(n1, n2) > 2 or n1 == n2 == 1)
    n1, n2 = input._array.ndim, other._array.ndim
    if n1 == 2 and n2 == 2:
        return mm.fn(input, other)
    if n1 == 0 or n2 == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {n1}D and {n2}D")
    if n1 == 1:
        if n2 == 1:
            return dot.fn(input, other)
        if n2 == 2:
            return drop_dim.fn(mm.fn(input.unsqueeze(0), other), 0)
    elif n1 == 2 and n2 == 1:
        return mv.fn(input, other)
    return _folded(input, other) if _foldable(input, other) else _batched(input, other)


def _foldable(input, other):
    """Do the leading dimensions of one become rows of one product with the other, a matrix or a vector?"""
    turned = other._array.ndim > input._array.ndim
    batch, matrix = (other, input) if turned else (input, other)
    if matrix._array.ndim > 2:
        return False
    if matrix._node is not None:  # batches would make its gradient large
        return True
    if input._array.ndim == 2:
        return False
    shape = batch._array.shape
    if 0 in shape:
        return True
    strides = batch.stride()
    return not [i for i in range(len(shape) - 2) if strides[i] != strides[i + 1] * shape[i + 1]]


def _folded(input, other):
    turned = other._array.ndim > input._array.ndim
    batch, matrix = (other.transpose(-2, -1), input) if turned else (input, other)
    if turned and input._array.ndim == 2:
        matrix = input.t()
    shape = batch._array.shape
    flat = batch.reshape(math.prod(shape[:-1]), shape[-1])
    if matrix._array.ndim == 1:
        return unsafe_view.fn(mv.fn(flat, matrix), shape[:-1])
    result = unsafe_view.fn(mm.fn(flat, matrix), (*shape[:-1], matrix._array.shape[1]))
    return result.transpose(-2, -1).contiguous() if turned else result


def _batched(input, other):
    """Leading dimensions broadcast, all products in one bmm."""
    a, b = input._array.shape, other._array.shape
    if len(a) == len(b) == 3 and a[0] != b[0]:
        if a[0] == 1 and input._node is not None:
            return matmul(input.squeeze(0), other)
        if b[0] == 1 and other._node is not None:
            return matmul(input, other.squeeze(0))
    column = len(b) == 1
    rows, left = (a[-2] if len(a) > 1 else 1), a[-1]
    right = (b[0],) if column else b[-2:]
    lead = broadcast_pair(a[:-2], b[:-2])
    count = math.prod(lead)
    first = input.expand(*lead, rows, left).reshape(count, rows, left)
    second = other.expand(*lead, *right).reshape(count, *right)
    result = bmm.fn(first, second.unsqueeze(2) if column else second)
    if column:
        result = result.squeeze(-1)
    view = view_as_shape.fn if DISPATCH and takes_apart() else unsafe_view.fn
    return view(result, (*lead, *a[-2:-1], *(() if column else b[-1:])))


def __matmul__(self, other):
    if isinstance(other, Tensor):
        return Tensor.matmul(self, other)  # the method, which handlers are told
    taken, result = operands_asked(Tensor.matmul, self, other)
    return result if taken else NotImplemented


def __rmatmul__(self, other):
    taken, result = operands_asked(Tensor.__rmatmul__, self, other)
    if taken:
        return result
    if isinstance(other, Tensor):
        return matmul(other, self)
    return NotImplemented


Tensor.__matmul__, Tensor.__rmatmul__ = __matmul__, __rmatmul__


# ---- sums with a product


def scaled(xp, x, factor):
    """x * factor, without the work when factor is 1; integers take the whole part of the factor."""
    if type(factor) is int and factor == 1:
        return x
    return x * xp.scalar(factor if xp.inexact else int(factor))


def _rescaled(xp, g, factor):
    """A gradient, as it goes through such a product."""
    return g if type(factor) is int and factor == 1 else wide_times(xp, g, factor)


def plus(xp, input, beta, product):
    """beta * input + product; a beta of 0 leaves input out, NaNs included."""
    return product if beta == 0 else xp.add(scaled(xp, input, beta), product)


def expands(name, input, shape):
    """torch's error for an input that does not expand to the product's shape."""
    own = input.shape
    if len(own) > len(shape):
        raise RuntimeError(
            f"expand({_kind(input)}{{{list(own)}}}, size={list(shape)}): the number of sizes provided ({len(shape)}) "
            f"must be greater or equal to the number of dimensions in the tensor ({len(own)})"
        )
    for i in range(1, len(own) + 1):
        if own[-i] != shape[-i] and own[-i] != 1:
            raise RuntimeError(
                f"The expanded size of the tensor ({shape[-i]}) must match the existing size ({own[-i]}) at "
                f"non-singleton dimension {len(shape) - i}.  Target sizes: {list(shape)}.  Tensor sizes: {list(own)}"
            )


def _kind(input):
    return f"torch.{str(input.dtype).replace('float32', 'Float').replace('float64', 'Double')}Tensor"


class _SumWithProduct(Contraction):
    """beta * input + alpha * (a product): input broadcasts to the product's shape."""

    inplace, linear = True, False

    def grad_input(xp, g, beta, shape):
        return unbroadcast(xp, _rescaled(xp, g, conj_number(beta)), shape)


class addmm(_SumWithProduct):
    """addmm(input, mat1, mat2, *, beta=1, alpha=1) -> Tensor: beta * input + alpha * (mat1 @ mat2)."""

    not_overgrown = 1
    fits_float = ("beta", "alpha")

    @func_op(3)
    def forward(xp, input, mat1, mat2, *, beta=1, alpha=1):
        need_numbers(xp, "addmm_impl_cpu_")
        return plus(xp, input, beta, scaled(xp, xp.matmul(mat1, mat2), alpha))

    def numpy(k, input, mat1, mat2, *, beta=1, alpha=1):
        need_numbers(k, "addmm_impl_cpu_")
        if k.inexact and k.dtype.itemsize == 2:  # torch rounds the whole once
            wide = k.sibling(float32)
            arrays = [wide.cast(a, wide.dtype) for a in (input, mat1, mat2)]
            return k.cast(addmm.kernel(wide)(wide, *arrays, beta, alpha), k.dtype)
        d = k.matmul(mat1, mat2)
        if beta == 1 == alpha:  # d is new: the sum may be written into it
            d += input
            return d
        return plus(k, input, beta, scaled(k, d, alpha))

    def prepare(input, mat1, mat2, beta, alpha):
        if mat1.ndim != 2:
            raise RuntimeError(f"mat1 must be a matrix, got {mat1.ndim}-D tensor")
        if mat2.ndim != 2:
            raise RuntimeError(f"mat2 must be a matrix, got {mat2.ndim}-D tensor")
        if mat1.shape[1] != mat2.shape[0]:
            raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({_by(mat1)} and {_by(mat2)})")
        expands("addmm", input, (mat1.shape[0], mat2.shape[1]))
        return beta, alpha

    def mismatch(input, mat1, mat2):
        if mat1 is not mat2:
            return f"mat1 and mat2 must have the same dtype, but got {SCALAR_NAMES[mat1]} and {SCALAR_NAMES[mat2]}"
        return f"self and mat2 must have the same dtype, but got {SCALAR_NAMES[input]} and {SCALAR_NAMES[mat2]}"

    def grad_mat1(xp, g, mat2, alpha):
        return _rescaled(xp, xp.matmul(g, _adjoint(xp, mat2)), conj_number(alpha))

    def grad_mat2(xp, g, mat1, alpha):
        return _rescaled(xp, xp.matmul(_adjoint(xp, mat1), g), conj_number(alpha))


class addmv(_SumWithProduct):
    """addmv(input, mat, vec, *, beta=1, alpha=1) -> Tensor: beta * input + alpha * (mat @ vec)."""

    not_overgrown = 1
    writes_expanded = "in place"
    fits_type = ("beta", "alpha")

    @func_op(3)
    def forward(xp, input, mat, vec, *, beta=1, alpha=1):
        need_numbers(xp, "addmv_impl_cpu")
        return plus(xp, input, beta, scaled(xp, xp.matmul(mat, vec), alpha))

    def prepare(input, mat, vec, beta, alpha):
        if mat.ndim != 2 or vec.ndim != 1 or input.ndim > 1:
            raise RuntimeError(f"vector + matrix @ vector expected, got {input.ndim}, {mat.ndim}, {vec.ndim}")
        if mat.shape[1] != vec.shape[0] or input.ndim == 1 and input.shape[0] not in (1, mat.shape[0]):
            size = input.shape[0] if input.ndim else 1
            raise RuntimeError(f"size mismatch, got input ({size}), mat ({_by(mat)}), vec ({vec.shape[0]})")
        return beta, alpha

    def grad_mat(xp, g, vec, alpha):
        return _rescaled(xp, xp.unsqueeze(g, 1) * xp.conj(vec), conj_number(alpha))

    def grad_vec(xp, g, mat, alpha):
        return _rescaled(xp, xp.matmul(_adjoint(xp, mat), g), conj_number(alpha))


class addr(_SumWithProduct):
    """addr(input, vec1, vec2, *, beta=1, alpha=1) -> Tensor:
    beta * input + alpha * the outer product of two vectors.
    """

    out_takes = "castable"
    promote, stepwise = "same", True
    fits_type = ("beta", "alpha")

    @func_op(3)
    def forward(xp, input, vec1, vec2, *, beta=1, alpha=1):
        if xp.dtype is bool_ and type(alpha) is not float and type(beta) is not float:  # numbers are truths, too
            product = xp.logical_and(xp.logical_and(xp.unsqueeze(vec1, 1), vec2), xp.scalar(bool(alpha)))
            return xp.logical_or(xp.logical_and(input, xp.scalar(bool(beta))), product)
        for name, number in (("beta", beta), ("alpha", alpha)):
            if isinstance(number, bool):
                raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
            if isinstance(number, float) and not xp.inexact:
                raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")
        return plus(xp, input, beta, xp.mul(xp.unsqueeze(scaled(xp, vec1, alpha), 1), vec2))

    def prepare(input, vec1, vec2, beta, alpha):
        if vec1.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument vec1, but got {vec1.ndim}-D")
        if vec2.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument vec2, but got {vec2.ndim}-D")
        expands("addr", input, (vec1.shape[0], vec2.shape[0]))
        return beta, alpha

    def grad_vec1(xp, g, vec2, alpha):
        return _rescaled(xp, xp.matmul(g, xp.conj(vec2)), conj_number(alpha))

    def grad_vec2(xp, g, vec1, alpha):
        return _rescaled(xp, xp.matmul(_flip(xp, g), xp.conj(vec1)), conj_number(alpha))


def _check_batches(batch1, batch2):
    if batch1.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if batch2.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    if batch1.shape[0] != batch2.shape[0] or batch1.shape[2] != batch2.shape[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{batch1.shape[0]}, "
            f"{batch1.shape[2]}] but got: [{batch2.shape[0]}, {batch2.shape[1]}]."
        )


class baddbmm(_SumWithProduct):
    """baddbmm(input, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
    beta * input + alpha * (batch1 @ batch2), batches of matrices.
    """

    not_overgrown = 1
    fits_float = ("beta", "alpha")

    @func_op(3)
    def forward(xp, input, batch1, batch2, *, beta=1, alpha=1):
        need_numbers(xp, "baddbmm_with_gemm")
        return plus(xp, input, beta, scaled(xp, xp.matmul(batch1, batch2), alpha))

    def prepare(input, batch1, batch2, beta, alpha):
        _check_batches(batch1, batch2)
        expands("baddbmm", input, (*batch1.shape[:2], batch2.shape[2]))
        return beta, alpha

    def grad_batch1(xp, g, batch2, alpha):
        return _rescaled(xp, xp.matmul(g, _adjoint(xp, batch2)), conj_number(alpha))

    def grad_batch2(xp, g, batch1, alpha):
        return _rescaled(xp, xp.matmul(_adjoint(xp, batch1), g), conj_number(alpha))


class addbmm(_SumWithProduct):
    """addbmm(input, batch1, batch2, *, beta=1, alpha=1) -> Tensor:
    beta * input + alpha * the sum over the batch of products.
    """

    not_overgrown = 1
    out_resized, stepwise = True, True
    fits_float = ("beta", "alpha")

    @func_op(3)
    def forward(xp, input, batch1, batch2, *, beta=1, alpha=1):
        need_numbers(xp, "addmm_impl_cpu_")
        if xp.is_half and batch1.shape[0]:  # product by product, each sum rounded
            for i in range(batch1.shape[0]):
                matrices = xp.select(batch1, 0, i), xp.select(batch2, 0, i)
                input = in_one_step(xp, _plus_product, input, *matrices, beta if i == 0 else 1, alpha)
            return input
        return plus(xp, input, beta, scaled(xp, xp.sum(xp.matmul(batch1, batch2), (0,), False), alpha))

    def prepare(input, batch1, batch2, beta, alpha):
        _check_batches(batch1, batch2)
        expands("addbmm", input, (batch1.shape[1], batch2.shape[2]))
        return beta, alpha

    def grad_batch1(xp, g, batch2, alpha):
        return _rescaled(xp, xp.matmul(g, _adjoint(xp, batch2)), conj_number(alpha))

    def grad_batch2(xp, g, batch1, alpha):
        return _rescaled(xp, xp.matmul(_adjoint(xp, batch1), g), conj_number(alpha))


def _plus_product(xp, input, mat1, mat2, beta, alpha):
    return plus(xp, input, beta, scaled(xp, xp.matmul(mat1, mat2), alpha))


@public(method=True)
def outer(input, vec2, *, out=None):
    """outer(input, vec2) -> Tensor: the products of all pairs, (n,) and (m,) -> (n, m)."""
    if input._array.ndim != 1:
        raise RuntimeError(f"outer: Expected 1-D argument self, but got {input._array.ndim}-D")
    if vec2._array.ndim != 1:
        raise RuntimeError(f"outer: Expected 1-D argument vec2, but got {vec2._array.ndim}-D")
    result = input.reshape(input._array.shape[0], 1) * vec2
    return result if out is None else store_out("outer", result, out, "castable")


ger = public("ger", method=True)(outer)
