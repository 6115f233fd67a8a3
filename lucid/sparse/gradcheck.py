"""as_sparse_gradcheck: a gradcheck that takes functions of sparse tensors."""

import functools

from .._func.sparse.construct import sparse_compressed_tensor, sparse_coo_tensor
from .._tensor.tensor import Tensor, sparse_coo, sparse_csc, sparse_csr, strided

_SPARSE = (sparse_coo, sparse_csr, sparse_csc)


def as_sparse_gradcheck(gradcheck):
    """as_sparse_gradcheck(gradcheck): the same function, which takes sparse inputs and results, too.

    Sparse inputs are given to it as their values (masked=True), or dense (masked=False), and put together again for the
    function that is checked; sparse results are given back dense.
    """

    @functools.wraps(gradcheck)
    def gradcheck_with_sparse_support(func, inputs, **kwargs):
        masked = kwargs.pop("masked", False)
        inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
        parts, plans = [], []
        for x in inputs:
            given, rebuild = _taken_apart(x, masked)
            parts.append(given)
            plans.append(rebuild)

        def checked(*args):
            outputs = func(*[rebuild(a) for rebuild, a in zip(plans, args)])
            if isinstance(outputs, (list, tuple)):
                return tuple([_dense(out, masked) for out in outputs])
            return _dense(outputs, masked)

        return gradcheck(checked, tuple(parts), **kwargs)

    return gradcheck_with_sparse_support


def _taken_apart(x, masked):
    """(a strided tensor that stands for x, the function that makes x of it)."""
    if not (isinstance(x, Tensor) and x.layout in _SPARSE and x.requires_grad):
        return x, lambda a: a
    if not masked:
        layout, dims = x.layout, x.sparse_dim()
        dense = x.detach().to_dense().requires_grad_()
        return dense, lambda a: a.to_sparse(dims) if layout is sparse_coo else a.to_sparse(layout=layout)
    shape = x.shape
    if x.layout is sparse_coo:
        x = x.detach().coalesce()
        indices = x.indices()
        return x.values().clone().requires_grad_(), lambda a: sparse_coo_tensor(indices, a, shape, is_coalesced=True)
    layout, rows = x.layout, x.layout is sparse_csr
    first = x.crow_indices() if rows else x.ccol_indices()
    second = x.col_indices() if rows else x.row_indices()
    values = x.detach().values().clone().requires_grad_()
    return values, lambda a: sparse_compressed_tensor(first, second, a, shape, layout=layout)


def _dense(x, masked):
    if isinstance(x, Tensor) and x.layout is not strided:
        return x.to_dense(masked_grad=masked)
    return x


__all__ = ["as_sparse_gradcheck"]
