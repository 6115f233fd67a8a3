"""Rows by number: one_hot and embedding, the look-up table with its gradient, renormalisation and padding."""

from ..._array.sparse.table import table as sparse_table
from ..._backend.core import func_op
from ..._backend.families import Indexing
from ..._backend.registry import public
from ..._base import dtype as dtypes
from ..._tensor.storage import bump
from ..._tensor.tensor import Tensor, wrap
from ..creation.gfunc import arange, zeros
from ..methods.convert import detach
from .index_add import need_slices


class embedding_op(Indexing):
    """embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False): rows of weight."""

    complex_gradient = False
    name, node_name, index_inputs, method, namespace = "embedding_rows", "EmbeddingBackward0", ("indices",), False, None

    @func_op(2)
    def forward(xp, weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
        return xp.index(weight, (indices,))

    def numpy(k, weight, indices, padding_idx, scale_grad_by_freq, sparse):
        if indices.size and indices.min() < 0:
            raise IndexError("index out of range in self")
        try:
            return weight.take(indices, 0)
        except IndexError:
            raise IndexError("index out of range in self") from None

    def grad_weight(xp, g, indices, padding_idx, scale_grad_by_freq, sparse, shape):
        if sparse:
            return _sparse_rows(xp, g, indices, padding_idx, scale_grad_by_freq, shape)
        if scale_grad_by_freq:
            times = xp.index(xp.index_backward(xp.ones(tuple(indices.shape)), (shape[0],), (indices,)), (indices,))
            g = g / xp.unsqueeze(times, len(indices.shape))
        grad = xp.index_backward(g, shape, (indices,))
        if padding_idx >= 0:
            grad = xp.select_scatter(grad, xp.zeros((shape[1],)), 0, padding_idx)
        return grad


def _sparse_rows(xp, g, indices, padding_idx, scale_grad_by_freq, shape):
    """The gradient of the rows alone that were picked, as a COO tensor."""
    if scale_grad_by_freq:
        raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    return sparse_bag_rows(xp, xp.reshape(g, (-1, *shape[1:])), indices, padding_idx, shape)


def sparse_bag_rows(xp, g, indices, padding_idx, shape):
    """A COO matrix of that shape with the rows g at indices, those of padding_idx left out."""
    k = xp.k if xp.records else xp
    rows = k.reshape(indices._array if xp.records else indices, (-1,))
    if padding_idx >= 0:
        long = k.sibling(dtypes.int64)
        kept = long.cast((rows != padding_idx).nonzero()[0], dtypes.int64)
        g = xp.index_select(g, 0, wrap(kept, long) if xp.records else kept)
        rows = rows[kept]
    if xp.records:
        indices = xp.k.sibling(dtypes.int64).cast(rows, dtypes.int64).reshape(1, -1)
        return xp.sparse_coo(g, indices, tuple(shape))
    return sparse_table(xp.dtype).rows_of(g, rows, tuple(shape))


def _check(weight, indices, name="embedding"):
    if not isinstance(weight, Tensor):
        raise TypeError(f"embedding(): argument 'weight' (position 1) must be Tensor, not {type(weight).__name__}")
    if not isinstance(indices, Tensor):
        raise TypeError(f"embedding(): argument 'indices' (position 2) must be Tensor, not {type(indices).__name__}")
    if weight._array.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if indices._table.dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(
            f"Expected tensor for argument #{1 if name == 'embedding' else 2} 'indices' to have one of the following "
            f"scalar types: Long, Int; but got {indices.type()} instead (while checking arguments for {name})"
        )


@public(method=None)
def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    """embedding(weight, indices, padding_idx=-1) -> Tensor of shape (*indices.shape, weight.shape[1]):
    rows of weight.
    """
    _check(weight, indices)
    need_slices(weight, 0, indices)
    return embedding_op.fn(weight, indices, padding_idx, scale_grad_by_freq, sparse)


@public("embedding", namespace="nn.functional")
def embed(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    """embedding(input, weight) -> Tensor of shape (*input.shape, weight.shape[1]): the rows of weight that input names.

    padding_idx: a row that gets no gradient. max_norm: rows in use are first shrunk, in place, to this norm_type-norm.
    scale_grad_by_freq: a row's gradient is divided by how often it was used.
    """
    if isinstance(weight, Tensor) and isinstance(input, Tensor) and not weight._array.ndim and weight.requires_grad:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if padding_idx is not None:
        if padding_idx and not weight._array.ndim:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        n = weight._array.shape[0] if weight._array.ndim else 0
        if padding_idx and not -n <= padding_idx < n:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx = padding_idx % n if n else padding_idx
    else:
        padding_idx = -1
    if max_norm is not None:
        shrink_rows(weight, input, max_norm, norm_type)
    return embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


embed.__name__ = embed.__qualname__ = "embedding"


@public(word=False)
def embedding_renorm_(input, indices, max_norm, norm_type):
    """embedding_renorm_(input, indices, max_norm, norm_type) -> input, whose rows with those numbers are scaled down
    to a norm of max_norm where theirs is above it."""
    if input._array.ndim != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {input._array.ndim}-dimensional tensor for argument #1 'self' "
            "(while checking arguments for embedding_renorm_)"
        )
    shrink_rows(input, indices, max_norm, norm_type, "embedding_renorm_")
    return input


def shrink_rows(weight, indices, max_norm, norm_type, name="embedding"):
    """Rows in use whose norm is above max_norm are scaled down to it (torch divides by norm + 1e-7)."""
    _check(weight, indices, name)
    k, d = weight._table, weight._array
    used = indices.contiguous().view(-1)._array
    rows = k.index(d, (used,))
    size = k.abs(rows)
    if norm_type == float("inf"):
        norms = k.amax(size, (1,), True)
    else:
        norms = k.pow(k.sum(k.pow(size, k.scalar(norm_type)), (1,), True), k.scalar(1.0 / norm_type))
    factor = k.where(norms > max_norm, max_norm / (norms + 1e-7), k.ones(norms.shape))
    new = k.index_put(d, (used,), k.cast(rows * factor, k.dtype), False)
    if k.aliases:
        k.write(d, new)
        bump(weight)
    else:
        detach(weight).copy_(wrap(new, k))


def _checked_classes(tensor, num_classes):
    """The number of classes that the values ask for, or that is given and large enough for them."""
    if int(tensor.min()) < 0:
        raise RuntimeError("Class values must be non-negative.")
    top = int(tensor.max())
    if num_classes == -1:
        return top + 1
    if top >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return num_classes


@public(namespace="nn.functional")
def one_hot(tensor, num_classes=-1):
    """one_hot(tensor, num_classes=-1) -> int64 Tensor of shape (*tensor.shape, num_classes):
    1 at each value, else 0.
    """
    if tensor._table.dtype is not dtypes.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if getattr(tensor._array, "has_batch", False):  # under vmap nobody can look at the values
        if num_classes <= 0:
            raise RuntimeError(
                "When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes argument."
            )
        return (tensor.unsqueeze(-1) == arange(num_classes, device=tensor.device)).long()
    shape = tensor._array.shape
    if not tensor._array.size:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return zeros((*shape, num_classes), dtype=dtypes.int64, device=tensor.device)
    if tensor._table.has_data or num_classes == -1:
        num_classes = _checked_classes(tensor, num_classes)
    if num_classes < 1:
        raise RuntimeError("num_classes should be positive")
    out = zeros((*shape, num_classes), dtype=dtypes.int64, device=tensor.device)
    return out.scatter_(-1, tensor.unsqueeze(-1), 1)
