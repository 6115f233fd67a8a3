"""The CPU's words that count and look up: unique, bincount, histc, searchsorted, isin."""

import numpy as np

from .table import install
from .unordered import order_of_rows


def _rows(x, dim):
    """The slices of x along dim, each flattened."""
    n = x.shape[dim]
    return np.moveaxis(x, dim, 0).reshape(n, x.size // n if n else 0)


class Counting:
    """Words whose results depend on which values occur."""

    def unique(self, x, dim=None):
        """(values in order, where each element is among them, counts), of elements or (dim) of slices."""
        if dim is None:
            flat = x.reshape(-1)
            if self.array_dtype.kind in "fc":
                values, inverse, counts = np.unique(flat, return_inverse=True, return_counts=True, equal_nan=False)
            else:
                values, inverse, counts = np.unique(flat, return_inverse=True, return_counts=True)
            return values, inverse.reshape(x.shape).astype(np.int64), counts.astype(np.int64)
        rows = _rows(x, dim)
        if rows.dtype.kind == "f" and np.isnan(rows).any():
            order = np.array(order_of_rows(rows))
        else:
            order = np.lexsort(rows.T[::-1]) if rows.shape[1] else np.arange(len(rows))
        return self._runs(x, dim, rows, order)

    def unique_runs(self, x, dim=None):
        """The same for runs of equal neighbours, in the order they come."""
        if dim is None:
            flat = x.reshape(-1)
            values, inverse, counts = self._runs(flat, 0, flat.reshape(-1, 1), np.arange(flat.size))
            return values, inverse.reshape(x.shape), counts
        rows = _rows(x, dim)
        return self._runs(x, dim, rows, np.arange(len(rows)))

    def _runs(self, x, dim, rows, order):
        """Of rows taken in `order`: the first of each run, the run of each row, the runs' lengths."""
        n = len(order)
        sorted_rows = rows[order]
        new = np.ones(n, bool)
        new[1:] = (sorted_rows[1:] != sorted_rows[:-1]).any(1)
        inverse = np.empty(n, np.int64)
        inverse[order] = np.cumsum(new) - 1
        starts = np.flatnonzero(new)
        counts = np.diff(np.append(starts, n)).astype(np.int64)
        first = np.moveaxis(x, dim, 0)[order[starts]]
        return np.moveaxis(np.ascontiguousarray(first), 0, dim), inverse, counts

    def bincount(self, x, weights, minlength):
        """How often (or with what total weight) each whole number occurs."""
        if weights is None:
            return np.bincount(x, minlength=minlength).astype(np.int64)
        return np.bincount(x, weights, minlength)

    def histc(self, x, bins, low, high):
        """Counts of x in `bins` equal parts of [low, high]; a value at an edge belongs to the part above it."""
        x = x.reshape(-1)
        inside = x[(x >= low) & (x <= high)]
        part = (
            (inside - self.array_dtype.type(low)) * self.array_dtype.type(bins) / self.array_dtype.type(high - low)
        ).astype(np.int64)
        return np.bincount(np.minimum(part, bins - 1), minlength=bins).astype(self.array_dtype)

    def searchsorted(self, sequence, values, right=False):
        """Where each value goes in its sorted row: before (right: after) equal elements; NaN after all."""
        side = "right" if right else "left"
        kind = np.result_type(sequence, values)
        sequence, values = sequence.astype(kind, copy=False), values.astype(kind, copy=False)
        if sequence.ndim == 1:
            return np.asarray(np.searchsorted(sequence, values, side)).astype(np.int64)
        out = np.empty(values.shape, np.int64)
        for place in np.ndindex(sequence.shape[:-1]):
            out[place] = np.searchsorted(sequence[place], values[place], side)
        return out

    def isin(self, x, pool):
        """Is each element one of pool's?"""
        return np.isin(x, pool)


install(Counting)

__all__ = ["Counting"]
