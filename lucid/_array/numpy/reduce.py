"""The CPU's reductions, scans and sorts: the words that go over dimensions rather than over elements."""

import math

import numpy as np

from ..._base.shape import preserved_strides
from .table import KINDS, TABLES, install
from .unordered import mode_of_row

_ONES = {"f": {}, "d": {}}
_LONG_KIND = np.dtype(np.int64)  # what torch adds up small integers in; numpy's would be unsigned for unsigned ones
_BLOCK = 4096  # a BLAS dot of this many float32 is as exact as torch's blocked sum


def _ones(n, kind):
    """A shared row of ones: a dot with it is numpy's quickest sum."""
    rows = _ONES[kind.char]
    row = rows.get(n)
    if row is None:
        row = rows[n] = np.ones(n, kind)
    return row


def _kept(shape, dim):
    return [1 if i in dim else n for i, n in enumerate(shape)]


def _left(shape, dim):
    return [n for i, n in enumerate(shape) if i not in dim]


def _flat_sum(x):
    """The sum of a 1-D float array, as exact as a blocked sum."""
    n, kind = x.shape[0], x.dtype
    if n <= _BLOCK:
        return x.dot(_ones(n, kind))
    if n < 1 << 15 or not x.flags.c_contiguous:
        return np.add.reduce(x)  # pairwise
    whole = n // _BLOCK * _BLOCK
    rows = x[:whole].reshape(-1, _BLOCK).dot(_ones(_BLOCK, kind))
    return _flat_sum(rows) + np.add.reduce(x[whole:])


def _square_sum(x):
    """The sum of the squares of a 1-D float array, in blocks, too."""
    if x.shape[0] <= 1 << 16:
        return x.dot(x)
    whole = x.shape[0] // _BLOCK * _BLOCK
    rows, rest = x[:whole].reshape(-1, _BLOCK), x[whole:]
    return _flat_sum(np.einsum("ij,ij->i", rows, rows)) + rest.dot(rest)


def _row_sums(x):
    """The sums of the rows of a contiguous 2-D float array."""
    n = x.shape[1]
    if n <= _BLOCK:
        return x.dot(_ones(n, x.dtype))
    return np.add.reduce(x, 1)


def _column_sums(x):
    """The sums of the columns of a contiguous 2-D float array."""
    n = x.shape[0]
    if n <= _BLOCK:
        return _ones(n, x.dtype).dot(x)
    whole = n // _BLOCK * _BLOCK
    parts = np.matmul(_ones(_BLOCK, x.dtype), x[:whole].reshape(-1, _BLOCK, x.shape[1]))
    rest = _column_sums(x[whole:])
    return _column_sums(parts) + rest


def _float_sum(x, dim):
    """A float sum through BLAS, over trailing and leading dimensions first; None where that does not fit."""
    shape, ndim = x.shape, x.ndim
    if not x.flags.c_contiguous:
        # A view with its dimensions in another order sums like the dense array behind it.
        order = sorted(range(ndim), key=lambda d: -x.strides[d])
        y = x.transpose(order)
        if not y.flags.c_contiguous:
            return None
        got = _float_sum(y, tuple(sorted([order.index(d) for d in dim])))
        left = [d for d in order if d not in dim]
        back = sorted(range(len(left)), key=lambda i: left[i])
        return None if got is None else np.ascontiguousarray(got.transpose(back)) if back else got
    if len(dim) == ndim:
        return _flat_sum(x.reshape(-1))
    reduced = [i in dim for i in range(ndim)]
    tail = ndim
    while reduced[tail - 1]:
        tail -= 1
    if tail < ndim:
        n = math.prod(shape[tail:])
        x = _row_sums(x.reshape(-1, n))
        if len(dim) == ndim - tail:
            return x.reshape(shape[:tail])
        return _float_sum(x.reshape(shape[:tail]), tuple([d for d in dim if d < tail]))
    head = 0
    while reduced[head]:
        head += 1
    if head:
        x = _column_sums(x.reshape(math.prod(shape[:head]), -1)).reshape(shape[head:])
        rest = tuple([d - head for d in sorted(dim) if d >= head])
        return _float_sum(x, rest) if rest else x
    first, last = min(dim), max(dim)
    if len(dim) == last - first + 1:
        n, inner = math.prod(shape[first : last + 1]), math.prod(shape[last + 1 :])
        if inner >= 16 and n <= _BLOCK:
            y = np.matmul(_ones(n, x.dtype), x.reshape(math.prod(shape[:first]), n, inner))
            return y.reshape(shape[:first] + shape[last + 1 :])
    return None


def _quick(x, dim):
    """Is an extremum over dim best found through its place? numpy's argmax is much quicker than maximum.reduce on
    rows.
    """
    if x.size < 1 << 14 or x.dtype.char not in "fd" or not x.flags.c_contiguous:
        return False
    return len(dim) == x.ndim or len(dim) == 1 and dim[0] == x.ndim - 1


_STARTS: dict = {}


def _row_starts(rows, n):
    """0, n, 2 n ...: where the rows of a contiguous array begin."""
    starts = _STARTS.get((rows, n))
    if starts is None:
        if len(_STARTS) > 256:
            _STARTS.clear()
        starts = _STARTS[rows, n] = np.arange(0, rows * n, n)
    return starts


def _at(x, index, dim, keepdim):
    """The elements of a contiguous array at one index per row, or at one flat index."""
    flat = x.reshape(-1)
    if len(dim) == x.ndim:
        value = flat[index]
    else:
        n = x.shape[-1]
        value = flat[index.reshape(-1) + _row_starts(x.size // n, n)].reshape(index.shape)
    return value.reshape(_kept(x.shape, dim)) if keepdim else value


_TRIANGLES: dict = {}


def _float_cumsum(x, dim):
    """Running sums in blocks of 16, each one small matrix product: quicker than accumulate, and more exact."""
    last = x.ndim - 1
    if dim != last:
        return np.ascontiguousarray(
            np.moveaxis(_float_cumsum(np.ascontiguousarray(np.moveaxis(x, dim, last)), last), last, dim)
        )
    rows = np.ascontiguousarray(x).reshape(-1, x.shape[last])
    sums = _row_cumsum(rows)
    if not np.isfinite(sums[:, -1]).all():  # a product spreads an infinity over its whole block
        return np.add.accumulate(x, dim)
    return sums.reshape(x.shape)


def _row_cumsum(x):
    n = x.shape[1]
    if n < 64:
        return np.add.accumulate(x, 1)
    whole = n // 16 * 16
    triangle = _TRIANGLES.get(x.dtype.char)
    if triangle is None:
        triangle = _TRIANGLES[x.dtype.char] = np.triu(np.ones((16, 16), x.dtype))
    blocks = np.ascontiguousarray(x[:, :whole]).reshape(-1, 16).dot(triangle).reshape(len(x), -1, 16)
    before = _row_cumsum(np.ascontiguousarray(blocks[:, :, -1]))
    blocks[:, 1:] += before[:, :-1, None]
    sums = blocks.reshape(len(x), whole)
    if whole == n:
        return sums
    return np.concatenate([sums, np.add.accumulate(x[:, whole:], 1) + before[:, -1:]], 1)


def _complex_logcumsumexp(x, dim):
    """Running logaddexp of complex numbers: that with the larger real part is set apart at every step, as in torch."""
    x = np.moveaxis(x, dim, 0)
    found = np.empty(x.shape, x.dtype)
    if len(x):
        total = np.full(x.shape[1:], -np.inf, x.dtype)
        with np.errstate(all="ignore"):
            for i, one in enumerate(x):
                found[i] = total = _complex_logaddexp(one, total)
    return np.ascontiguousarray(np.moveaxis(found, 0, dim))


def _complex_logaddexp(x, y):
    less = x.real < y.real
    low, high = np.where(less, x, y), np.where(less, y, x)
    equal = ~np.isfinite(low.real) & (low.real == high.real)  # both -inf, or both inf
    infinite = np.where(low.real < 0, low, np.log(np.exp(low) + np.exp(high)))
    added = np.where(equal, infinite, np.log1p(np.exp(low - high)) + high)
    return np.where(np.isnan(x) | np.isnan(y), complex(np.nan, np.nan), added)


class Reductions:
    """Words over dimensions; `dim` is a tuple of non-negative ints unless said otherwise."""

    def sum(self, x, dim, keepdim=False):
        if x.ndim == 1 and dim and not keepdim and x.dtype is self.array_dtype:
            row = self._rows.get(x.size)  # a small vector: what follows, without the questions
            if row is not None:
                return x.dot(row)
            if 0 < x.size <= _BLOCK and self.array_dtype.char in "fd":
                self._rows[x.size] = _ones(x.size, self.array_dtype)
        if x.ndim == 2 and len(dim) == 1 and 0 < x.shape[dim[0]] <= _BLOCK and x.dtype.kind == "f":
            row = _ones(x.shape[dim[0]], x.dtype)
            got = x.dot(row) if dim[0] else row.dot(x)
            return got.reshape(_kept(x.shape, dim)) if keepdim else got
        kind = x.dtype
        if kind.char in "fd" and x.size:
            if len(dim) == x.ndim == 1 or len(dim) == x.ndim and x.flags.c_contiguous:
                got = _flat_sum(x if x.ndim == 1 else x.reshape(-1))
            else:
                got = _float_sum(x, dim) if dim else None
            if got is not None:
                return got.reshape(_kept(x.shape, dim)) if keepdim else got
        elif kind.char == "?":
            return self.count_nonzero(x, dim, keepdim)
        return _dense(np.add.reduce(x, dim, _LONG_KIND if kind.char in "BHI" else None, None, keepdim))

    def mean(self, x, dim, keepdim=False):
        count = x.size if len(dim) == x.ndim else math.prod([x.shape[d] for d in dim])
        return np.divide(self.sum(x, dim, keepdim), self.scalar(count or np.nan))

    def nansum(self, x, dim, keepdim=False):
        return self.sum(np.where(np.isnan(x), self.scalar(0), x) if self.inexact else x, dim, keepdim)

    def prod(self, x, dim, keepdim=False):
        return _dense(np.multiply.reduce(x, dim, _LONG_KIND if x.dtype.char in "BHI" else None, None, keepdim))

    def amax(self, x, dim, keepdim=False):
        if _quick(x, dim):
            return _at(x, x.argmax(-1) if len(dim) < x.ndim else x.argmax(), dim, keepdim)
        return _dense(np.maximum.reduce(x, dim, None, None, keepdim))

    def amin(self, x, dim, keepdim=False):
        if _quick(x, dim):
            return _at(x, x.argmin(-1) if len(dim) < x.ndim else x.argmin(), dim, keepdim)
        return _dense(np.minimum.reduce(x, dim, None, None, keepdim))

    def all(self, x, dim, keepdim=False):
        return _dense(np.logical_and.reduce(x, dim, None, None, keepdim))

    def any(self, x, dim, keepdim=False):
        return _dense(np.logical_or.reduce(x, dim, None, None, keepdim))

    def count_nonzero(self, x, dim, keepdim=False):
        if len(dim) == x.ndim:
            return np.array(np.count_nonzero(x)).reshape((1,) * x.ndim if keepdim else ())
        return _dense(np.add.reduce(x != 0, dim, np.int64, None, keepdim))

    def logsumexp(self, x, dim, keepdim=False):
        top = np.maximum.reduce(x.real, dim, None, None, True, initial=-np.inf)
        top = np.where(np.isinf(top), top.dtype.type(0), top)
        total = np.log(self.sum(np.exp(x - top), dim, True)) + top
        return total if keepdim else total.reshape(_left(x.shape, dim))

    def var_dim(self, x, dim, keepdim, correction):
        """The mean square distance from the mean, over count - correction."""
        count = math.prod([x.shape[d] for d in dim])
        away = x - self.mean(x, dim, True)
        square = away.real * away.real + away.imag * away.imag if self.is_complex else away * away
        k = TABLES[square.dtype]
        over = max(0, count - correction)  # in this order NaN counts as 0
        return np.divide(
            k.sum(square, dim, keepdim), k.scalar(over) if over else k.array_dtype.type(0), dtype=k.array_dtype
        )

    def std_dim(self, x, dim, keepdim, correction):
        """The root of var_dim."""
        return np.sqrt(self.var_dim(x, dim, keepdim, correction))

    def vector_norm(self, x, dim, keepdim, p):
        """The p-norm of the absolute values; p is a float, infinities and 0 included."""
        if p == 2 and len(dim) == x.ndim and x.flags.c_contiguous and x.dtype.char in "fd":
            total = _square_sum(x.reshape(-1))
            return np.sqrt(total.reshape((1,) * x.ndim) if keepdim else total)
        size = np.absolute(x)
        k = TABLES[size.dtype]
        if p == 0:
            return k.sum((size != 0).astype(size.dtype), dim, keepdim)
        if p == math.inf or p == -math.inf:
            pick = np.maximum if p > 0 else np.minimum
            return _dense(pick.reduce(size, dim, None, None, keepdim))
        if p == 1:
            return k.sum(size, dim, keepdim)
        if p == 2:
            return np.sqrt(k.sum(size * size, dim, keepdim))
        return np.power(k.sum(np.power(size, k.array_dtype.type(p)), dim, keepdim), k.array_dtype.type(1 / p))

    # ---- along one dimension, an int

    def cumsum(self, x, dim):
        if self.array_dtype.char in "fd" and x.size >= 4096 and x.shape[dim] >= 64:
            return _float_cumsum(x, dim)
        return self._accumulated(np.add, x, dim)

    def cumprod(self, x, dim):
        return self._accumulated(np.multiply, x, dim)

    def logcumsumexp(self, x, dim):
        if self.is_complex:
            return _complex_logcumsumexp(x.astype(np.complex128), dim).astype(self.array_dtype)
        return self._accumulated(np.logaddexp, x, dim)

    def _accumulated(self, ufunc, x, dim):
        """ufunc over all up to each element; single precision in double, of which each step is rounded, as in torch."""
        wide = {"f": np.float64, "F": np.complex128}.get(self.array_dtype.char)
        if wide is None:
            return _dense(ufunc.accumulate(x, dim, self.array_dtype))
        with np.errstate(over="ignore"):
            return _dense(ufunc.accumulate(x, dim, wide).astype(self.array_dtype))

    def argmax(self, x, dim, keepdim=False):
        return _dense(np.argmax(x.view(np.uint8) if x.dtype.kind == "b" else x, dim, keepdims=keepdim))

    def argmin(self, x, dim, keepdim=False):
        return _dense(np.argmin(x.view(np.uint8) if x.dtype.kind == "b" else x, dim, keepdims=keepdim))

    def max_dim(self, x, dim, keepdim=False):
        """(values, indices of the first place of each)"""
        if _quick(x, (dim,)) and x.ndim > 1:
            index = x.argmax(-1, keepdims=keepdim)
            return _at(x, index, (dim,), False).reshape(index.shape), index
        return _picked(x, self.argmax(x, dim, True), dim, keepdim)

    def min_dim(self, x, dim, keepdim=False):
        if _quick(x, (dim,)) and x.ndim > 1:
            index = x.argmin(-1, keepdims=keepdim)
            return _at(x, index, (dim,), False).reshape(index.shape), index
        return _picked(x, self.argmin(x, dim, True), dim, keepdim)

    def sort(self, x, dim, descending=False, stable=True):
        """(values, indices), NaN last when ascending and first when descending, ties in index order."""
        if descending:
            index = np.flip(x, dim).argsort(dim, kind="stable")
            index = np.flip(x.shape[dim] - 1 - index, dim)
        else:
            index = x.argsort(dim, kind="stable")
        values = np.take_along_axis(x, index, dim)
        stride = preserved_strides(x.shape, self.strides(x))
        return self.with_strides(values, stride), _LONG.with_strides(index, stride)

    def topk(self, x, k, dim, largest=True):
        """(values, indices) of the k largest or smallest, in order; NaN counts as the largest."""
        n = x.shape[dim]
        if n > 256 and k * 8 < n and not x.dtype.kind == "b":
            some = np.argpartition(x, n - k if largest else max(k - 1, 0), dim)
            some = some[(slice(None),) * dim + ((slice(n - k, None) if largest else slice(k)),)]
            some = np.sort(some, dim)  # equal values in index order
            part = np.take_along_axis(x, some, dim)
            _, order = self.sort(part, dim, largest)
            index = np.take_along_axis(some, order, dim)
        else:
            index = self.sort(x, dim, largest)[1][(slice(None),) * dim + (slice(k),)]
        index = np.ascontiguousarray(index)
        return np.ascontiguousarray(np.take_along_axis(x, index, dim)), index

    def kthvalue(self, x, k, dim, keepdim=False):
        """(the k-th smallest, counted from 1, and where it is); NaN is the largest."""
        index = x.argsort(dim, kind="stable")[(slice(None),) * dim + (slice(k - 1, k),)]
        return _picked(x, index, dim, keepdim)

    def median_dim(self, x, dim, keepdim=False, ignore_nan=False):
        """(the lower median, its index); a NaN is the median unless ignored."""
        n = x.shape[dim]
        order = x.argsort(dim, kind="stable")
        middle = (n - 1) // 2
        if self.inexact:
            nans = np.isnan(x)
            if ignore_nan:
                middle = np.maximum(n - nans.sum(dim, keepdims=True) - 1, 0) // 2
                index = np.ascontiguousarray(np.take_along_axis(order, middle, dim))
                return _picked(x, index, dim, keepdim)
            index = order[(slice(None),) * dim + (slice(middle, middle + 1),)]
            index = np.where(nans.any(dim, keepdims=True), nans.argmax(dim, keepdims=True), index)
            return _picked(x, index, dim, keepdim)
        return _picked(x, order[(slice(None),) * dim + (slice(middle, middle + 1),)], dim, keepdim)

    def mode_dim(self, x, dim, keepdim=False):
        """(the most frequent value, the smallest of several; the last index where it is)"""
        n = x.shape[dim]
        order = np.sort(x, dim)
        at = np.arange(n).reshape([-1 if i == dim else 1 for i in range(x.ndim)])
        before = np.roll(order, 1, dim)
        new = (order != before) | (at == 0)
        start = np.maximum.accumulate(np.where(new, at, 0), dim)
        length = at - start
        best = np.argmax(length, dim, keepdims=True)  # the first longest run: the smallest value
        value = np.take_along_axis(order, best, dim)
        index = n - 1 - np.flip(x == value, dim).argmax(dim, keepdims=True)
        if self.inexact and np.isnan(x).any():
            rows, places = np.moveaxis(x, dim, -1), np.moveaxis(index, dim, -1)
            for row in np.argwhere(np.isnan(rows).any(-1)):
                places[(*row, 0)] = mode_of_row(rows[tuple(row)])
        return _picked(x, index, dim, keepdim)

    def cummax(self, x, dim):
        return self._running(np.maximum, x, dim)

    def cummin(self, x, dim):
        return self._running(np.minimum, x, dim)

    def _running(self, pick, x, dim):
        """Running extremum and the index where it was last reached (NaN once seen stays)."""
        values = pick.accumulate(x, dim)
        hit = x == values
        if self.array_dtype.kind in "fc":
            hit |= np.isnan(x)
        shape = [1] * x.ndim
        shape[dim] = -1
        where = np.where(hit, np.arange(x.shape[dim]).reshape(shape), 0)
        return _dense(values), _dense(np.maximum.accumulate(where, dim))


def _dense(x):
    """A reduction's result is row-major whatever the operand's layout was."""
    if x.ndim < 2:
        return x
    if 1 in x.shape:  # numpy leaves any stride in dimensions of size 1
        return x.reshape(-1).reshape(x.shape)
    return x if x.flags.c_contiguous else np.ascontiguousarray(x)


def _picked(x, index, dim, keepdim):
    """The values at `index` (of size 1 in dim), and the index."""
    values, index = np.take_along_axis(x, index, dim), np.ascontiguousarray(index)
    if not keepdim:
        shape = x.shape[:dim] + x.shape[dim + 1 :]
        return values.reshape(shape), index.reshape(shape)
    return _dense(values), _dense(index)


_LONG = TABLES[np.dtype(np.int64)]
install(Reductions)

__all__ = ["KINDS", "Reductions"]
