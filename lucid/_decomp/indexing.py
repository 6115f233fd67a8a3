"""Reading and writing at indices."""

from .registry import decomposes
from .words import flat, full, masked, ops, tt, wide, wrapped


@decomposes("take")
def take(self, index):
    return ops.index.Tensor(flat(self), [index])


@decomposes("_unsafe_index.Tensor", out=False)
def _unsafe_index(self, indices):
    return ops.index.Tensor(self, indices)


@decomposes("_unsafe_index_put", out=False)
def _unsafe_index_put(self, indices, values, accumulate=False):
    return ops.index_put.default(self, indices, values, accumulate)


def _held(self, indices, negative):
    """indices, held within the sizes of self."""
    return [i if i is None else i.clamp(-size if negative else 0, size - 1) for i, size in zip(indices, self.shape)]


@decomposes("_unsafe_masked_index", out=False)
def _unsafe_masked_index(self, mask, indices, fill):
    held = _held(self, indices, False)
    if not self.numel():
        shape = ops.index.Tensor(tt.empty(self.shape, dtype=self.dtype, device="meta"), held).shape
        return full(shape, fill, self)
    return ops._unsafe_index.Tensor(self, held).masked_fill(~mask, fill)


@decomposes("_unsafe_masked_index_put_accumulate", out=False)
def _unsafe_masked_index_put_accumulate(self, mask, indices, values):
    if not self.numel():
        return self.clone()
    held = _held(self, indices, True)
    return ops._unsafe_index_put.default(self, held, values.masked_fill(~mask, 0), True)


def _at(dim, index):
    return [*[None] * dim, index]


def _added(self, dim, index, source, alpha, put):
    dim = wrapped(dim, self.ndim)
    if index.ndim > 1:
        raise RuntimeError(f"Index should have dimension 1 or 0 (got {index.ndim})")
    if alpha != 1:
        source = source * alpha
    if not self.ndim:
        return put(self.unsqueeze(0), [index], source, True).squeeze(0)
    return put(self, _at(dim, index), source, True)


@decomposes("index_add", in_place=False)
def index_add(self, dim, index, source, *, alpha=1):
    return _added(self, dim, index, source, alpha, ops.index_put.default)


@decomposes("index_add_", out=False)
def index_add_(self, dim, index, source, *, alpha=1):
    return _written(_added, self, dim, index, source, alpha)


def _written(put, self, dim, index, source, *options):
    if self.ndim:
        return put(self, dim, index, source, *options, ops.index_put_.default)
    return self.copy_(put(self, dim, index, source, *options, ops.index_put.default))


def _copied(self, dim, index, source, put):
    dim = wrapped(dim, self.ndim)
    if index.ndim > 1:
        raise RuntimeError(f"Index should have dimension 1 or 0 (got {index.ndim})")
    if not self.ndim:
        return put(self.unsqueeze(0), [index], source).squeeze(0)
    return put(self, _at(dim, index), source)


@decomposes("index_copy", in_place=False)
def index_copy(self, dim, index, source):
    return _copied(self, dim, index, source, ops.index_put.default)


@decomposes("index_copy_", out=False)
def index_copy_(self, dim, index, source):
    return _written(_copied, self, dim, index, source)


@decomposes("index_fill.int_Scalar index_fill.int_Tensor")
def index_fill(self, dim, index, value):
    if index.ndim > 1:
        raise RuntimeError(f"Index should have dimension 1 or 0 (got {index.ndim})")
    if hasattr(value, "ndim"):
        if value.ndim:
            raise RuntimeError(f"Only supports 0-dimensional value tensor. Got a tensor with {value.ndim} dimensions")
    else:
        value = ops.scalar_tensor.default(
            value, dtype=self.dtype, layout=self.layout, device=self.device, pin_memory=False
        )
    dim = wrapped(dim, self.ndim)
    if not self.ndim:
        return index_copy(self, 0, index, value.expand([index.numel()]))
    shape = [*self.shape[:dim], index.numel(), *self.shape[dim + 1 :]]
    return ops.index_copy.default(self, dim, index, value.expand(shape))


@decomposes("embedding", core=False)
def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    if indices.ndim <= 1:
        out = weight.index_select(0, indices)
        return out.squeeze(0) if indices.ndim == 0 else out
    return ops.index.Tensor(weight, [indices])


@decomposes("embedding_dense_backward")
@wide(of="grad_output")
def embedding_dense_backward(grad_output, indices, num_weights, padding_idx, scale_grad_by_freq):
    if indices.dtype != tt.int64:
        indices = indices.to(tt.int64)
    known = (indices >= 0) & (indices < num_weights)
    if scale_grad_by_freq:
        counts = full((num_weights,), 0, indices)
        ones = tt.ones_like(indices)
        counts = ops._unsafe_masked_index_put_accumulate.default(counts, known, [indices], ones)
        share = ops._unsafe_masked_index.default(counts, known, [indices], 1)
        grad_output = grad_output / share.unsqueeze(-1)
    mask = _spread(known & (indices != padding_idx), grad_output.ndim)
    weight = full((num_weights, *grad_output.shape[indices.ndim :]), 0, grad_output)
    return ops._unsafe_masked_index_put_accumulate.default(weight, mask, [indices], grad_output)


def _spread(mask, ndim):
    while mask.ndim < ndim:
        mask = mask.unsqueeze(-1)
    return mask


def _corners(self, diagonal):
    height, width = self.shape[-2:]
    columns = tt.arange(width, device=self.device).unsqueeze(-2)
    return columns - tt.arange(height, device=self.device).unsqueeze(-1)


@decomposes("triu")
def triu(self, diagonal=0):
    if self.ndim < 2:
        raise RuntimeError("triu: input tensor must have at least 2 dimensions")
    return masked(self, _corners(self, diagonal) >= diagonal)


@decomposes("tril")
def tril(self, diagonal=0):
    if self.ndim < 2:
        raise RuntimeError("tril: input tensor must have at least 2 dimensions")
    return masked(self, _corners(self, diagonal) <= diagonal)
