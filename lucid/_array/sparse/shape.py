"""Words of sparse arrays that move elements: transposes, picks along a dimension, joins, broadcasts, masks."""

import sys

import numpy as np

from .arrays import (
    Compressed,
    Coo,
    SparseArray,
    as_coo,
    coalesced,
    compress,
    dense_of,
    flat_places,
    listed,
    members,
    picked,
    places_of,
)
from .refusals import LAYOUTS, TITLES, calling_op, needs_coo, refused

_TURNED = {"sparse_csr": "sparse_csc", "sparse_csc": "sparse_csr"}


class Shape:
    """A part of SparseWords."""

    # ---- dimensions in another order

    def permute(self, x, dims):
        if not isinstance(x, SparseArray):
            return self.dense.permute(x, dims)
        if x.__class__ is Compressed:
            if dims == tuple(range(x.ndim)):
                return x
            n = len(x.batch)
            if dims != (*range(n), n + 1, n, *range(n + 2, x.ndim)):
                raise refused("permute", x)
            return self._turned(x)
        n = x.sparse_dim
        if sorted(dims[:n]) != list(range(n)):
            raise RuntimeError(
                "permute(sparse_coo): transpositions between sparse and dense dimensions are not allowed."
                "Only transpositions within sparse and dense dimensions are supported."
            )
        if dims == tuple(range(x.ndim)):
            return x
        values = x.values.transpose(0, *[d - n + 1 for d in dims[n:]])
        is_moved = dims[:n] != tuple(range(n))
        shape = tuple([x.shape[d] for d in dims])
        is_kept = not is_moved or not x.nnz and getattr(calling_op(), "name", None) in ("t", "transpose")
        return Coo(x.indices[list(dims[:n])], values, shape, x.coalesced and is_kept)

    def transpose(self, x, dim0, dim1):
        if not isinstance(x, SparseArray):
            return self.dense.transpose(x, dim0, dim1)
        if dim0 == dim1:
            return x
        if x.__class__ is Compressed:
            lead = len(x.batch)
            if {dim0, dim1} != {lead, lead + 1}:
                raise RuntimeError(
                    f"transpose(): can only transpose the two matrix dimensions of {TITLES[x.layout]} tensors"
                )
            return self._turned(x)
        if max(dim0, dim1) >= x.sparse_dim:
            raise RuntimeError(
                f"sparse transpose: transposed dimensions must be sparse Got sparse_dim: {x.sparse_dim}, "
                f"d0: {dim0}, d1: {dim1}"
            )
        dims = list(range(x.ndim))
        dims[dim0], dims[dim1] = dim1, dim0
        return self.permute(x, tuple(dims))

    @staticmethod
    def _turned(x):
        n = len(x.batch)
        shape = (*x.batch, x.shape[n + 1], x.shape[n], *x.shape[n + 2 :])
        return Compressed(_TURNED[x.layout], x.compressed, x.plain, x.values, shape)

    def unsqueeze(self, x, dim):
        if not isinstance(x, SparseArray):
            return self.dense.unsqueeze(x, dim)
        needs_coo("unsqueeze", x)
        shape = (*x.shape[:dim], 1, *x.shape[dim:])
        if dim <= x.sparse_dim:
            indices = np.insert(x.indices, dim, 0, 0)
            return listed(indices, x.values, shape)
        return listed(x.indices, np.expand_dims(x.values, dim - x.sparse_dim + 1), shape)

    # ---- picks

    def select(self, x, dim, index):
        if not isinstance(x, SparseArray):
            return self.dense.select(x, dim, index)
        if x.__class__ is Compressed:
            if x.batch and not dim:
                return members(x)[index] if len(x.batch) == 1 else self._member(x, index)
            found = self.select(as_coo(x), dim, index)
            return Coo(found.indices, found.values, found.shape, True) if found.__class__ is Coo else found
        shape = x.shape[:dim] + x.shape[dim + 1 :]
        if dim >= x.sparse_dim:  # a view, as torch's, which sums tell from what is contiguous
            at = (slice(None),) * (dim - x.sparse_dim + 1)
            return listed(x.indices, x.values[(*at, index)], shape)
        kept = x.indices[dim] == index
        if x.sparse_dim == 1:  # nothing sparse is left
            values = x.values[kept]
            return np.asarray(values.sum(0, dtype=values.dtype)) if len(values) != 1 else values[0, ...]
        return listed(np.delete(x.indices, dim, 0)[:, kept], x.values[kept], shape)

    @staticmethod
    def _member(x, index):
        return Compressed(x.layout, x.compressed[index], x.plain[index], x.values[index], x.shape[1:])

    @staticmethod
    def part_along(x, dim, start, length):
        """The places between start and start + length, counted from start."""
        shape = (*x.shape[:dim], length, *x.shape[dim + 1 :])
        if dim >= x.sparse_dim:
            at = [slice(None)] * x.values.ndim
            at[dim - x.sparse_dim + 1] = slice(start, start + length)
            return Coo(x.indices, x.values[tuple(at)].copy(), shape, x.coalesced)
        row = x.indices[dim]
        kept = (row >= start) & (row < start + length)
        indices = x.indices[:, kept]
        indices[dim] -= start
        return Coo(indices, x.values[kept], shape, x.coalesced)

    def index_select(self, x, dim, index):
        if not isinstance(x, SparseArray):
            return self.dense.index_select(x, dim, index)
        needs_coo("index_select", x)
        if not x.ndim:
            raise IndexError("index_select() cannot be applied to a 0-dim tensor.")
        size, index = x.shape[dim], index.reshape(-1)
        outside = (index < -size) | (index >= size)
        if outside.any():
            raise IndexError(
                f"index_select(): index contains {int(index[outside][0])} that is out of range for tensor of size "
                f"{list(x.shape)} at dimension {dim}"
            )
        index = np.where(index < 0, index + size, index).astype(np.int64)
        shape = (*x.shape[:dim], len(index), *x.shape[dim + 1 :])
        if dim >= x.sparse_dim:
            return listed(x.indices, x.values.take(index, dim - x.sparse_dim + 1), shape)
        order = np.argsort(x.indices[dim], kind="stable")
        rows = x.indices[dim][order]
        first, last = np.searchsorted(rows, index), np.searchsorted(rows, index, "right")
        counts = last - first
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        chosen = order[np.repeat(first, counts) + within]
        indices = x.indices[:, chosen]
        indices[dim] = np.repeat(np.arange(len(index)), counts)
        return listed(indices, x.values[chosen], shape)

    # ---- joins

    def cat(self, arrays, dim):
        if not any(isinstance(a, SparseArray) for a in arrays):
            return self.dense.cat(arrays, dim)
        for i, a in enumerate(arrays):
            if not isinstance(a, SparseArray):
                raise RuntimeError(
                    f"Concatenating sparse tensors, but a dense tensor was found at position {i}."
                    if arrays[0].__class__ is Coo
                    else f"Concatenating dense tensors, but a sparse tensor was found at position {i}."
                )
            needs_coo("cat", a)
        first = arrays[0]
        n = first.sparse_dim
        for i, a in enumerate(arrays):
            if a.sparse_dim != n or a.dense_dim != first.dense_dim:
                raise RuntimeError(
                    "All tensors must have the same sparse_dim and dense_dim: "
                    f"{n}, {first.dense_dim}, but tensor at position {i} has {a.sparse_dim}, {a.dense_dim}."
                )
            if any(d != dim and s != t for d, (s, t) in enumerate(zip(a.shape, first.shape))):
                raise RuntimeError(
                    f"All tensors must have the same shape: {list(first.shape)} (except in the concatenating "
                    f"dimension), but found shape: {list(a.shape)}"
                )
        total = sum(a.shape[dim] for a in arrays)
        shape = (*first.shape[:dim], total, *first.shape[dim + 1 :])
        parts, values, at = [], [], 0
        for a in arrays:
            indices, v = a.indices, a.values
            if dim < n:
                indices = indices.copy()
                indices[dim] += at
            else:
                wide = np.zeros((*v.shape[: dim - n + 1], total, *v.shape[dim - n + 2 :]), v.dtype)
                wide[(slice(None),) * (dim - n + 1) + (slice(at, at + a.shape[dim]),)] = v
                v = wide
            parts.append(indices)
            values.append(v)
            at += a.shape[dim]
        return listed(np.concatenate(parts, 1), np.concatenate(values), shape)

    def stack(self, arrays, dim):
        if not any(isinstance(a, SparseArray) for a in arrays):
            return self.dense.stack(arrays, dim)
        return self.cat([self.unsqueeze(a, dim) for a in arrays], dim)

    # ---- other shapes

    def broadcast_to(self, x, shape):
        if not isinstance(x, SparseArray):
            return self.dense.broadcast_to(x, shape)
        if x.shape != tuple(shape):
            raise RuntimeError(f"expand is unsupported for {LAYOUTS[x.layout]} tensors")
        return x

    expand = broadcast_to

    @staticmethod
    def broadcast_sparse(x, shape):
        """A COO array stretched to a larger shape, its places repeated."""
        x, lead = coalesced(x), len(shape) - x.ndim
        indices = np.concatenate([np.zeros((lead, x.nnz), np.int64), x.indices])
        values, n = x.values, x.sparse_dim + lead
        values = np.broadcast_to(values, (x.nnz, *shape[n:])) if values.ndim > 1 else values
        old = (*(1,) * lead, *x.shape)
        for d in range(n):
            if old[d] != shape[d]:
                m = shape[d]
                indices, values = np.repeat(indices, m, 1), np.repeat(values, m, 0)
                indices[d] = np.tile(np.arange(m), indices.shape[1] // m) if m else indices[d]
        return coalesced(Coo(indices, values, shape))

    def view(self, x, shape):
        if isinstance(x, SparseArray) and sys._getframe(1).f_code.co_name == "view":
            raise refused("view", x)
        return self.reshape(x, shape) if isinstance(x, SparseArray) else self.dense.view(x, shape)

    def reshape(self, x, shape):
        if not isinstance(x, SparseArray):
            return self.dense.reshape(x, shape)
        if x.__class__ is Coo:
            raise RuntimeError("reshape is not implemented for sparse tensors")
        raise RuntimeError(f"{TITLES[x.layout]} tensors do not have is_contiguous")

    # ---- masks

    def sparse_mask(self, x, mask, accumulate_matches=False):
        """x at the places of the sparse array mask, in mask's layout; zero where a sparse x has nothing.

        accumulate_matches: x's values at one place all count where x is not coalesced (else they are added up first,
        which is the same).
        """
        if mask.__class__ is Compressed:
            return self._compressed_mask(x, mask)
        n, sizes = mask.sparse_dim, mask.shape[: mask.sparse_dim]
        if not isinstance(x, SparseArray):
            return Coo(mask.indices, picked(x, mask.indices), mask.shape, mask.coalesced)
        known = coalesced(as_coo(x))
        if known.sparse_dim != n:
            return self.sparse_mask(dense_of(known), mask)
        have, wanted = flat_places(known.indices, sizes), flat_places(mask.indices, sizes)
        at = np.minimum(np.searchsorted(have, wanted), max(len(have) - 1, 0))
        values = np.zeros((mask.nnz, *known.values.shape[1:]), known.values.dtype)
        if len(have):
            found = have[at] == wanted
            values[found] = known.values[at[found]]
        return Coo(mask.indices, values, mask.shape, mask.coalesced)

    def _compressed_mask(self, x, mask):
        if isinstance(x, SparseArray):
            x = dense_of(x)
        if mask.batch:
            flat = x.reshape(-1, *x.shape[len(mask.batch) :])
            parts = [m[places_of(part)] for m, part in zip(flat, members(mask))]
            return mask.with_values(np.stack(parts).reshape(mask.values.shape))
        return mask.with_values(np.asarray(x[places_of(mask)]))

    def kept_at(self, x, mask):
        """A sparse matrix with zeros at places that mask does not name."""
        if x.__class__ is Compressed:
            x = as_coo(x)
        x, ones = coalesced(x), coalesced(as_coo(mask))
        there = self.sparse_mask(ones.with_values(np.ones(ones.nnz, bool)), x).values
        kept = x.with_values(np.where(there, x.values, 0).astype(x.values.dtype))
        return kept if mask.__class__ is Coo else compress(kept, mask.layout)

    # ---- gradients of reductions over places

    def sparse_sum_backward(self, g, x, dims):
        """The gradient of the sum over dims, at x's places (coalesced): each gets that of where it went."""
        x = coalesced(x)
        n = x.sparse_dim
        kept = [d for d in range(n) if d not in dims]
        gone = [d - n for d in dims if d >= n]
        wide = (x.nnz, *x.shape[n:])
        if not kept:
            g = np.expand_dims(dense_of(g) if isinstance(g, SparseArray) else g, tuple(gone))
            return Coo(x.indices, np.broadcast_to(g, wide).copy(), x.shape, True)
        if not isinstance(g, SparseArray):
            found = g[tuple(x.indices[kept])]
        else:
            mask = Coo(x.indices[kept], x.values, g.shape)
            found = self.sparse_mask(g, mask).values
        found = np.expand_dims(found, tuple([d + 1 for d in gone]))
        return Coo(x.indices, np.broadcast_to(found, wide).copy(), x.shape, True)

    # ---- what other rules ask

    def select_backward(self, g, shape, dim, index):
        if not isinstance(g, SparseArray):
            return self.dense.select_backward(g, shape, dim, index)
        raise refused("select_backward", g)

    def squeeze(self, x, dims):
        if not isinstance(x, SparseArray):
            return self.dense.squeeze(x, dims)
        raise refused("as_strided", x)


__all__ = ["Shape"]
