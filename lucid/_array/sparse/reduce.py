"""Reductions of sparse arrays, and the softmax over the elements that are there."""

import numpy as np

from .arrays import (
    Compressed,
    Coo,
    SparseArray,
    coalesced,
    compressed_of,
    flat_places,
    listed,
    places_of,
    spread_places,
    summed_runs,
)
from .elementwise import need_matrix
from .refusals import needs_coo, refused


def _added(values, axes=None):
    """The sum of values in their own type (halves: in float32, rounded once)."""
    wide = np.float32 if values.dtype.kind == "V" or values.dtype == np.float16 else values.dtype
    return np.asarray(values.sum(axes, dtype=wide)).astype(values.dtype)


class Reduce:
    """A part of SparseWords."""

    def sum(self, x, dim, keepdim=False):
        if not isinstance(x, SparseArray):
            return self.dense.sum(x, dim, keepdim)
        if not self.dense_of(x).inexact and x.values.dtype != np.int64 and x.values.dtype != np.uint64:
            x = x.with_values(x.values.astype(np.int64))
        if len(dim) == x.ndim and not keepdim:
            return _added(x.values)
        if x.__class__ is Compressed:
            return self._compressed_sum(x, dim, keepdim)
        return self.sum_over(x, tuple(dim), keepdim)

    @staticmethod
    def sum_over(x, dims, keepdim=False):
        """The sum over some dimensions: sparse unless all sparse ones are among them."""
        x = coalesced(x)
        n = x.sparse_dim
        kept = [d for d in range(n) if d not in dims]
        inner = tuple([d - n + 1 for d in dims if d >= n])
        values = _added(x.values, inner) if inner else x.values
        shape = tuple([s for d, s in enumerate(x.shape) if d not in dims])
        if not kept and keepdim:
            total = _added(values, 0) if x.nnz else np.zeros(shape, values.dtype)
            return total.reshape([1 if d in dims else s for d, s in enumerate(x.shape)])
        if not kept:
            return _added(values, 0) if x.nnz else np.zeros(shape, values.dtype)
        if keepdim:
            for d in sorted(inner):
                values = np.expand_dims(values, d)
            indices = x.indices.copy()
            indices[[d for d in dims if d < n]] = 0
            shape = tuple([1 if d in dims else s for d, s in enumerate(x.shape)])
            found = coalesced(Coo(indices, values, shape, len(kept) == n))
            return listed(found.indices, found.values, shape)
        return coalesced(Coo(x.indices[kept], values, shape, len(kept) == n))

    @staticmethod
    def _compressed_sum(x, dim, keepdim):
        if not keepdim:
            raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
        need_matrix("sum", x)
        if x.dense_dim:
            raise RuntimeError("sum: CSR tensors with dense dimensions are not reduced over some dimensions")
        shape = tuple([1 if d in dim else s for d, s in enumerate(x.shape)])
        places = np.stack(places_of(x))
        places[[d for d in dim if d < 2]] = 0
        flat = flat_places(places, shape)
        order = np.argsort(flat, kind="stable")
        flat, values = flat[order], x.values[order]
        if len(flat):
            starts = np.flatnonzero(np.concatenate(([True], flat[1:] != flat[:-1])))
            values, flat = summed_runs(values, starts), flat[starts]
        rows, columns = spread_places(flat, shape)
        return compressed_of(rows, columns, values, shape, x.layout, x.plain.dtype.type)

    def any(self, x, dim, keepdim=False):
        if not isinstance(x, SparseArray):
            return self.dense.any(x, dim, keepdim)
        needs_coo("any", x)
        if len(dim) < x.ndim:
            raise refused("any", x)
        return np.asarray((x.values != 0).any())

    def vector_norm(self, x, dim, keepdim, p):
        if not isinstance(x, SparseArray):
            return self.dense.vector_norm(x, dim, keepdim, p)
        needs_coo("norm", x)
        if len(dim) < x.ndim:
            raise RuntimeError(
                "norm_sparse currently only supports full reductions, so 'dim' must either be empty or contain all "
                "dimensions of the input"
            )
        flat = coalesced(x).values.reshape(-1)
        got = np.asarray(self.dense_of(x).vector_norm(flat, (0,), False, p))
        return got.reshape((1,) * x.ndim) if keepdim else got

    # ---- softmax of the elements that are there

    @staticmethod
    def _groups(x, dim):
        """(the number of each element's group, how many): those that differ in dimension dim alone."""
        kept = [d for d in range(x.sparse_dim) if d != dim]
        flat = flat_places(x.indices[kept], [x.shape[d] for d in kept])
        _, group = np.unique(flat, return_inverse=True)
        return group.reshape(-1), int(group.max()) + 1 if len(group) else 0

    def sparse_softmax(self, x, dim, is_log=False):
        x = coalesced(needs_coo("_sparse_log_softmax" if is_log else "_sparse_softmax", x))
        v = x.values
        if dim >= x.sparse_dim:
            axis = dim - x.sparse_dim + 1
            e = v - v.max(axis, keepdims=True) if v.size else v
            total = np.exp(e).sum(axis, keepdims=True)
            return x.with_values((e - np.log(total) if is_log else np.exp(e) / total).astype(v.dtype))
        group, count = self._groups(x, dim)
        top = np.full((count, *v.shape[1:]), -np.inf, v.dtype)
        np.maximum.at(top, group, v)
        e = v - top[group]
        total = np.zeros_like(top)
        np.add.at(total, group, np.exp(e))
        return x.with_values(e - np.log(total[group]) if is_log else np.exp(e) / total[group])

    def sparse_softmax_backward(self, g, out, dim, is_log=False):
        """The gradient at out's places; what g holds elsewhere counts for nothing."""
        out, v = coalesced(out), coalesced(out).values
        gv = self.sparse_mask(g, out).values
        share = gv if is_log else gv * v
        if dim >= out.sparse_dim:
            total = share.sum(dim - out.sparse_dim + 1, keepdims=True)
        else:
            group, count = self._groups(out, dim)
            total = np.zeros((count, *v.shape[1:]), v.dtype)
            np.add.at(total, group, share)
            total = total[group]
        return out.with_values(gv - np.exp(v) * total if is_log else share - v * total)


__all__ = ["Reduce"]
