"""What distributions share: broadcasting of parameters, probabilities and logits, values computed once."""

import functools

from .._base.dtype import finfo, get_default_dtype
from .._base.shape import Size
from .._tensor.tensor import Tensor
from ..autograd.grad_mode import enable_grad
from ..nn._ops import ops

euler_constant = 0.57721566490153286060  # Euler and Mascheroni's

__all__ = [
    "broadcast_all",
    "logits_to_probs",
    "clamp_probs",
    "probs_to_logits",
    "lazy_property",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]

Number = (bool, int, float)  # what is a number beside tensors


def _is_tensor_like(value):
    return isinstance(value, Tensor) or hasattr(value, "__torch_function__")


def broadcast_all(*values):
    """broadcast_all(*values) -> tensors: numbers and tensors, all expanded to their common shape.

    Numbers take the type and the device of the first tensor, or the default type where there is none.
    """
    if not all(_is_tensor_like(v) or isinstance(v, Number) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    first = next((v for v in values if isinstance(v, Tensor)), None)
    like = {"dtype": get_default_dtype()} if first is None else {"dtype": first.dtype, "device": first.device}
    return ops.broadcast_tensors(*[v if _is_tensor_like(v) else ops.tensor(v, **like) for v in values])


def like(t):
    """The type and the device of a tensor, as keywords of a factory."""
    return {"dtype": t.dtype, "device": t.device}


def _standard_normal(shape, dtype, device):
    """Standard normals of a shape, outside the graph."""
    return ops.empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value, dim):
    """The sum over the last `dim` dimensions (none for 0)."""
    if dim == 0:
        return value
    return value.reshape((*value.shape[:-dim], -1)).sum(-1)


def logits_to_probs(logits, is_binary=False):
    """logits_to_probs(logits, is_binary=False) -> Tensor: the probabilities that they stand for.

    Binary logits are log(p / (1 - p)), element by element; others are logarithms of weights along the last dimension.
    """
    return ops.sigmoid(logits) if is_binary else ops.softmax(logits, dim=-1)


def clamp_probs(probs):
    """clamp_probs(probs) -> Tensor: probabilities kept an epsilon of their type away from 0 and 1."""
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs, is_binary=False):
    """probs_to_logits(probs, is_binary=False) -> Tensor: log(p / (1 - p)) where binary, else log(p), both finite."""
    p = clamp_probs(probs)
    return p.log() - (-p).log1p() if is_binary else p.log()


class lazy_property:
    """@lazy_property: a method without arguments whose value, computed when it is first read, replaces it."""

    def __init__(self, wrapped):
        self.wrapped = wrapped
        functools.update_wrapper(self, wrapped)

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        with enable_grad():  # the value outlives a no_grad() in which it happens to be read first
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


def _tril_mask(n, diag, device):
    """Which elements of an (n, n) matrix are on diagonal `diag` or below."""
    columns = ops.arange(n, device=device)
    return columns < columns.view(-1, 1) + (diag + 1)


def tril_matrix_to_vec(mat, diag=0):
    """tril_matrix_to_vec(mat, diag=0) -> Tensor: the elements of (..., D, D) matrices on diagonal `diag` and below, row
    by row, in one dimension."""
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _tril_mask(n, diag, mat.device)]


def vec_to_tril_matrix(vec, diag=0):
    """vec_to_tril_matrix(vec, diag=0) -> Tensor: (..., D, D) matrices whose elements on diagonal `diag` and below are
    those of vec's last dimension, row by row; the inverse of `tril_matrix_to_vec`."""
    length = vec.shape[-1]
    b = 1 + 2 * diag  # how many elements a (D, D) matrix has there is a quadratic polynomial of D
    n = ((b * b + 8 * length + 4 * abs(diag) * (diag + 1)) ** 0.5 - b) / 2
    if round(n) - n > finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {length} which cannot be expressed as "
            "the lower triangular part of a square D x D matrix."
        )
    n = round(n)
    mat = vec.new_zeros(vec.shape[:-1] + Size((n, n)))
    mat[..., _tril_mask(n, diag, vec.device)] = vec
    return mat
