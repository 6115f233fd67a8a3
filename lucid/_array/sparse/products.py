"""Matrix products of sparse arrays, by scipy.sparse, which is imported when the first one is asked for."""

import numpy as np

from .arrays import (
    Compressed,
    Coo,
    SparseArray,
    coalesced,
    compressed_of,
    expanded_rows,
    flat_places,
    members,
    places_of,
    scipy_of,
)
from .refusals import refused


def _wide(x):
    """A dense operand in a type that scipy multiplies."""
    return x.astype(np.float32) if x.dtype.kind == "V" or x.dtype == np.float16 else x


class Products:
    """A part of SparseWords."""

    def matmul(self, a, b):
        one, two = isinstance(a, SparseArray), isinstance(b, SparseArray)
        if not (one or two):
            return self.dense.matmul(a, b)
        for x in (a, b):
            if isinstance(x, SparseArray) and x.ndim < 2:
                raise refused("dot", x)
        if max(a.ndim, b.ndim) > 2:
            return self._batches(a, b)
        if one and two:
            return self._two_sparse(a, b)
        if two:  # (b' a')'
            return np.ascontiguousarray(self.matmul(self.permute(b, (1, 0)), a.T).T)
        if a.dense_dim:
            raise RuntimeError(f"addmm: 2D tensor expected for sparse, got values of {a.values.ndim} dimensions")
        return np.ascontiguousarray(scipy_of(a) @ _wide(b)).astype(b.dtype, copy=False)

    def _two_sparse(self, a, b):
        if a.dense_dim or b.dense_dim:
            raise RuntimeError("sparse matmul: both tensors need to be without dense dimensions")
        if a.__class__ is not b.__class__ and Coo in (a.__class__, b.__class__):
            raise refused("mm", a if a.__class__ is Compressed else b)
        indices, values = _product(scipy_of(a), scipy_of(b))
        values, shape = values.astype(a.values.dtype, copy=False), (a.shape[0], b.shape[1])
        if a.__class__ is Coo:
            return Coo(indices, values, shape, True)
        return compressed_of(*indices, values, shape, a.layout, a.plain.dtype.type)

    def _batches(self, a, b):
        """bmm of a COO array, or of compressed batches, with a dense one."""
        if isinstance(b, SparseArray):
            raise refused("bmm", b)
        if a.__class__ is Compressed:
            parts = [self.matmul(m, d) for m, d in zip(members(a), b.reshape(-1, *b.shape[-2:]))]
        else:
            parts = [self.matmul(self.select(a, 0, i), b[i]) for i in range(a.shape[0])]
        rows = a.shape[-2]
        return np.stack(parts) if parts else np.zeros((0, rows, b.shape[-1]), b.dtype)

    def product_at(self, a, b, like):
        """(a @ b) at the places of the sparse matrix like, in its layout; a and b are dense."""
        if like.__class__ is Compressed and like.batch:
            parts = [self.product_at(*three).values for three in zip(_flat(a), _flat(b), members(like))]
            return like.with_values(np.stack(parts).reshape(like.values.shape))
        if like.__class__ is Coo:
            like = coalesced(like)
            rows, columns = like.indices
        else:
            rows, columns = places_of(like)
        if a.shape[1] == 0:
            return like.with_values(np.zeros(len(rows), a.dtype))
        values = np.einsum("ij,ij->i", _wide(a)[rows], _wide(b).T[columns])
        return like.with_values(values.astype(a.dtype, copy=False))

    # ---- rows reduced by something else than a sum

    def reduced_product(self, x, dense, reduce):
        """(result, which element each result came from: for amax and amin): rows of dense, times x's values, reduced
        over each row of x."""
        rows, columns = places_of(x)
        terms = x.values[:, None] * dense[columns]
        out = np.zeros((x.shape[0], dense.shape[1]), dense.dtype)
        counts = np.bincount(rows, minlength=x.shape[0])[:, None]
        if reduce in ("sum", "mean"):
            np.add.at(out, rows, terms)
            return (out / np.maximum(counts, 1).astype(out.dtype) if reduce == "mean" else out), None
        start, better = (-np.inf, np.maximum) if reduce == "amax" else (np.inf, np.minimum)
        best = np.full(out.shape, start, dense.dtype)
        better.at(best, rows, terms)
        first = np.full(out.shape, x.nnz, np.int64)
        numbers = np.broadcast_to(np.arange(x.nnz)[:, None], terms.shape)
        np.minimum.at(first, rows, np.where(terms == best[rows], numbers, x.nnz))
        return np.where(counts > 0, best, 0).astype(dense.dtype), first

    def reduced_product_backward(self, g, x, dense, reduce, first):
        """(the gradient at x's places, the gradient of dense)"""
        rows, columns = places_of(x)
        share = g[rows]
        if reduce == "mean":
            counts = np.bincount(rows, minlength=x.shape[0]).astype(g.dtype)
            share = share / np.maximum(counts, 1)[rows][:, None]
        elif reduce in ("amax", "amin"):
            share = np.where(first[rows] == np.arange(x.nnz)[:, None], share, 0).astype(g.dtype)
        to_dense = np.zeros_like(dense)
        np.add.at(to_dense, columns, np.conj(x.values)[:, None] * share)
        return x.with_values((share * np.conj(dense[columns])).sum(1).astype(x.values.dtype)), to_dense


def _product(a, b):
    """(places in order, values) of the product of two scipy matrices, with the zeros that terms may add up to."""
    product, b = (a.tocsr() @ b.tocsr()).tocsr(), b.tocsr()
    product.sort_indices()
    if product.nnz == _places_of_product(a.tocsr(), b):
        return _places(product), product.data
    for x in (a, b):  # scipy leaves sums out that are 0, so the places are those of a product of ones
        x.data = np.ones(len(x.data))
    every = (a @ b).tocsr()
    every.sort_indices()
    places = _places(every)
    if every.nnz == product.nnz:
        return places, product.data
    flat, known = (flat_places(p, every.shape) for p in (places, _places(product)))
    values = np.zeros(len(flat), product.data.dtype)
    values[np.searchsorted(flat, known)] = product.data
    return places, values


def _places_of_product(a, b):
    """How many places a product of two matrices has, those with zeros among them; -1 where scipy does not say."""
    from scipy.sparse import _sparsetools

    count = getattr(_sparsetools, "csr_matmat_maxnnz", None)
    if count is None or a.indices.dtype != b.indices.dtype:
        return -1
    return count(a.shape[0], b.shape[1], a.indptr, a.indices, b.indptr, b.indices)


def _places(matrix):
    return np.stack([expanded_rows(matrix.indptr), matrix.indices.astype(np.int64)])


def _flat(x):
    return x.reshape(-1, *x.shape[-2:])


__all__ = ["Products"]
