"""Indexing words and layer kernels in mlx's functions: elements and windows picked by position. See table.py."""

import math

import numpy as np

from ..._base import dtype as dtypes
from ..meta.table import MetaWords
from . import elementwise as mlx_elementwise
from . import reduce as mlx_reduce
from .table import MlxArray, MlxWords, fill, mx, one, raw, refuse_outlines, table, through_numpy, word


def within(index, n, dim, least=None, error=IndexError):
    """An index with negative entries counted from the end; an error outside (mlx would read anything)."""
    if index.size:
        bad = (index < (-n if least is None else least)) | (index >= n)
        if bool(mx.any(bad)):
            value = int(mx.reshape(index, (-1,))[int(mx.argmax(mx.reshape(mx.astype(bad, mx.uint8), (-1,))))])
            raise error(f"index {value} is out of bounds for dimension {dim} with size {n}")
    return mx.where(index < 0, index + n, index)


def counted(index, n, dim):
    """An index of gather, scatter and index_add: none is negative, and the error is torch's for them."""
    return within(index, n, dim, 0, RuntimeError)


class Places:
    """x[indices] as rows: the indexed dimensions first and flattened, and the flat place of each row asked for."""

    def __init__(self, x, indices):
        self.x, indices = x, [*indices, *[None] * (x.ndim - len(indices))]
        used = [d for d, i in enumerate(indices) if i is not None]
        rest = [d for d in range(x.ndim) if d not in used]
        self.order, self.rest = used + rest, [x.shape[d] for d in rest]
        together = used == list(range(used[0], used[-1] + 1))
        self.first = used[0] if together else 0
        size = [x.shape[d] for d in used]
        where = mx.array(0, mx.int64)
        for d, n in zip(used, size):
            where = where * n + mx.astype(within(indices[d], n, d), mx.int64)
        self.found, self.size = where.shape, size
        self.where = mx.reshape(where, (-1,))

    def rows(self, x):
        return mx.reshape(mx.transpose(x, self.order), (math.prod(self.size), math.prod(self.rest)))

    def back(self, rows):
        """The inverse of rows."""
        shape = [*self.size, *self.rest]
        return mx.transpose(mx.reshape(rows, shape), sorted(range(len(shape)), key=self.order.__getitem__))

    def take(self):
        got = mx.reshape(mx.take(self.rows(self.x), self.where, axis=0), (*self.found, *self.rest))
        n = len(self.found)
        dims = [*range(n, n + self.first), *range(n), *range(n + self.first, got.ndim)]
        return mx.transpose(got, dims)

    def values(self, values):
        """Values laid out as take() gives them, as rows."""
        n = len(self.found)
        shape = (*self.rest[: self.first], *self.found, *self.rest[self.first :])
        values = mx.broadcast_to(values, shape)
        values = mx.transpose(
            values, [*range(self.first, self.first + n), *range(self.first), *range(self.first + n, values.ndim)]
        )
        return mx.reshape(values, (self.where.size, math.prod(self.rest)))


def whole_indices(k, x, indices):
    """(x, indices) with masks as the places where they are true (this reads data)."""
    out = []
    for i in indices:
        if i is None or i.dtype is not dtypes.bool_:
            out.append(i)
            continue
        mask, d = k.to_numpy(i), len(out)
        if mask.shape != x.shape[d : d + mask.ndim]:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {d} does not match the shape of the indexed tensor "
                f"{list(x.shape)} at index {d}"
            )
        if not mask.ndim:  # a new dimension of size 1 or 0
            x = k.unsqueeze(x, d)
        long = k.sibling(dtypes.int64)
        out += [long.made(mx.array(a, mx.int64)) for a in np.atleast_1d(mask).nonzero()]
    return x, tuple(out)


def index(self, x, indices):
    """x[indices]: a tuple of integer or bool arrays, None for a dimension taken whole."""
    x, indices = whole_indices(self, x, indices)
    out = MetaWords.index(self, x, indices)
    return out if not out.size else fill(out, Places(x.value, raw(indices)).take())


def index_put(self, x, indices, values, accumulate=False):
    out = MetaWords.index_put(self, x, indices, values, accumulate)
    x, indices = whole_indices(self, x, indices)
    places = Places(x.value, raw(indices))
    if not places.where.size or not x.size:
        return fill(out, x.value)
    value = values.value if isinstance(values, MlxArray) else mx.array(values, x.k.native)
    rows, value = places.rows(x.value), places.values(mx.astype(value, x.k.native))
    if accumulate:
        rows = rows.at[places.where].add(value)
    else:
        rows = mx.array(rows)
        rows[places.where] = value
    return fill(out, places.back(rows))


def place(self, out, indices, values, add=False):
    """out[indices] = values in an array that may be written (add: += with repeats adding up)."""
    self.write(out, index_put(self, out, indices, values, add))


MlxWords.index, MlxWords.index_put, MlxWords.place = index, index_put, place


@word
def index_select(k, x, dim, index):
    if not x.ndim:
        return x
    return mx.take(x, within(mx.reshape(index, (-1,)), x.shape[dim], dim), axis=dim)


@word
def index_add(k, x, dim, index, source):
    if not x.ndim:
        return x + mx.reshape(source, ())
    index = counted(mx.reshape(index, (-1,)), x.shape[dim], dim)
    return x.at[(slice(None),) * dim + (index,)].add(source) if source.size else x


def cut(x, shape, dim):
    """x without what lies beyond `shape` in the dimensions other than dim (torch's gather and scatter)."""
    return x[region(shape, dim)] if x.ndim else x


def region(shape, dim):
    return tuple([slice(None) if i == dim else slice(n) for i, n in enumerate(shape)])


@word
def gather(k, x, dim, index):
    if not x.ndim or not index.ndim:
        return mx.reshape(mx.take(mx.reshape(x, (-1,)), mx.reshape(index, (-1,))), index.shape)
    return (
        mx.take_along_axis(cut(x, index.shape, dim), counted(index, x.shape[dim], dim), axis=dim)
        if index.size
        else mx.zeros(index.shape, x.dtype)
    )


def grid(index, dim):
    """Index arrays that name each of index's elements along dim, and its own place in the others."""
    where = []
    for d, n in enumerate(index.shape):
        where.append(index if d == dim else mx.reshape(mx.arange(n), [-1 if i == d else 1 for i in range(index.ndim)]))
    return tuple([mx.broadcast_to(w, index.shape) for w in where])


def trimmed(src, index):
    if not isinstance(src, mx.array) or not src.ndim:
        return src
    return src[tuple([slice(n) for n in index.shape])]


@word
def scatter(k, x, dim, index, src):
    if not index.size:
        return x
    if not x.ndim:
        return mx.reshape(src if isinstance(src, mx.array) else one(x, src), ())
    src = mx.broadcast_to(mx.array(trimmed(src, index), x.dtype), index.shape)
    out = mx.array(x)
    out[grid(counted(index, x.shape[dim], dim), dim)] = src
    return out


@word
def scatter_add(k, x, dim, index, src):
    if not index.size:
        return x
    if not x.ndim:
        return x + mx.reshape(src, ())
    return x.at[grid(counted(index, x.shape[dim], dim), dim)].add(mx.broadcast_to(trimmed(src, index), index.shape))


@word
def masked_fill(k, x, mask, value):
    return mx.where(mask, value if isinstance(value, mx.array) else one(x, value), x)


# ---- windows: layers by positions in the padded, flattened image


def positions(room, kernel, stride, dilation, out_size):
    """(taps, windows) flat positions in an image of size `room`."""
    taps, starts = np.zeros((1,), np.int64), np.zeros((1,), np.int64)
    for n, k, s, d, m in zip(room, kernel, stride, dilation, out_size):
        taps = (taps[:, None] * n + np.arange(k) * d).reshape(-1)
        starts = (starts[:, None] * n + np.arange(m) * s).reshape(-1)
    return taps[:, None] + starts


class Windows:
    """The windows over the last dimensions of images of `size`."""

    def __init__(self, size, kernel, stride, padding, dilation, out_size=None):
        if out_size is None:
            out_size = [
                (n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in zip(size, kernel, stride, padding, dilation)
            ]
        self.size, self.padding, self.out_size = tuple(size), padding, tuple(out_size)
        reach = [(m - 1) * s + d * (k - 1) + 1 for m, s, d, k in zip(out_size, stride, dilation, kernel)]
        self.room = tuple([max(r, n + p) for r, n, p in zip(reach, size, padding)])
        self.room = tuple([max(r, p + n) for r, n, p in zip(self.room, size, padding)])
        self.places = positions(self.room, kernel, stride, dilation, out_size)

    def read(self, x, value=0):
        """x (..., *size) as (..., taps, windows), `value` outside."""
        lead = x.shape[: x.ndim - len(self.size)]
        widths = [(0, 0)] * len(lead) + [(p, r - n - p) for p, r, n in zip(self.padding, self.room, self.size)]
        x = mx.pad(x, widths, constant_values=one(x, value))
        return mx.take(mx.reshape(x, (*lead, math.prod(self.room))), mx.array(self.places), axis=-1)

    def add(self, columns):
        """The transpose of read: (..., taps, windows) added back where they came from."""
        lead = columns.shape[:-2]
        rows = math.prod(lead)
        if not columns.size:
            return mx.zeros((*lead, *self.size), columns.dtype)
        out = mx.zeros((math.prod(self.room), rows), columns.dtype)
        columns = mx.transpose(mx.reshape(columns, (rows, self.places.size)))
        out = out.at[mx.array(self.places.reshape(-1))].add(columns)
        out = mx.reshape(mx.transpose(out), (*lead, *self.room))
        inside = tuple([slice(p, p + n) for p, n in zip(self.padding, self.size)])
        return out[(..., *inside)]

    def image_positions(self):
        """(taps, windows) positions in the image without its padding."""
        where, flat = np.unravel_index(self.places, self.room), 0
        for i, p, n in zip(where, self.padding, self.size):
            flat = flat * n + (i - p)
        return flat


@word
def im2col(k, x, kernel, dilation, padding, stride):
    got = Windows(x.shape[2:], kernel, stride, padding, dilation).read(x)
    return mx.reshape(got, (x.shape[0], x.shape[1] * got.shape[2], got.shape[3]))


@word
def col2im(k, columns, size, kernel, dilation, padding, stride):
    windows = Windows(size, kernel, stride, padding, dilation)
    return windows.add(
        mx.reshape(columns, (columns.shape[0], columns.shape[1] // math.prod(kernel), *windows.places.shape))
    )


def grouped(x, groups):
    """(N, C, taps, windows) as (N, groups, C/groups * taps, windows)."""
    return mx.reshape(x, (x.shape[0], groups, x.shape[1] // groups * x.shape[2], x.shape[3]))


def product(a, b):
    """a @ b; mlx has it of floating types only."""
    if mx.issubdtype(a.dtype, mx.inexact):
        return mx.matmul(a, b)
    return mx.sum(mx.expand_dims(a, -1) * mx.expand_dims(b, -3), axis=-2).astype(a.dtype)


@word
def conv(k, x, w, stride, padding, dilation, groups):
    windows = Windows(x.shape[2:], w.shape[2:], stride, padding, dilation)
    columns = grouped(windows.read(x), groups)
    out = product(mx.reshape(w, (groups, w.shape[0] // groups, columns.shape[2])), columns)
    return mx.reshape(out, (x.shape[0], w.shape[0], *windows.out_size))


@word
def conv_input(k, g, w, size, stride, padding, dilation, groups):
    windows = Windows(size, w.shape[2:], stride, padding, dilation, g.shape[2:])
    g = mx.reshape(g, (g.shape[0], groups, g.shape[1] // groups, windows.places.shape[1]))
    w = mx.reshape(w, (groups, w.shape[0] // groups, w.shape[1] * windows.places.shape[0]))
    columns = product(mx.swapaxes(w, 1, 2), g)
    return windows.add(
        mx.reshape(columns, (g.shape[0], groups * w.shape[2] // windows.places.shape[0], *windows.places.shape))
    )


@word
def conv_weight(k, g, x, kernel, stride, padding, dilation, groups):
    windows = Windows(x.shape[2:], kernel, stride, padding, dilation, g.shape[2:])
    columns = grouped(windows.read(x), groups)
    g = mx.reshape(g, (g.shape[0], groups, g.shape[1] // groups, windows.places.shape[1]))
    out = mx.sum(mx.matmul(g, mx.swapaxes(columns, 2, 3)), axis=0)
    return mx.reshape(out, (g.shape[1] * g.shape[2], x.shape[1] // groups, *kernel))


def lowest(x):
    return -math.inf if mx.issubdtype(x.dtype, mx.floating) else mx.iinfo(x.dtype).min


@word
def max_pool(k, x, kernel, stride, padding, dilation, out_size):
    got = mx.max(
        Windows(x.shape[-len(kernel) :], kernel, stride, padding, dilation, out_size).read(x, lowest(x)), axis=-2
    )
    return mx.reshape(got, (*x.shape[: -len(kernel)], *out_size))


def winners(windows, x):
    """(..., windows): where in the image each window's greatest element is: the first of equals, the last NaN."""
    got = windows.read(x, lowest(x))
    where = mx.argmax(got, axis=-2)
    if mx.issubdtype(x.dtype, mx.floating):
        nans = mx.isnan(got)
        last = got.shape[-2] - 1 - mx.astype(mx.argmax(mx.astype(nans, mx.uint8)[..., ::-1, :], axis=-2), mx.int64)
        where = mx.where(mx.any(nans, axis=-2), last, mx.astype(where, mx.int64))
    places = mx.array(windows.image_positions())
    return mx.take_along_axis(
        mx.broadcast_to(places, (*got.shape[:-2], *places.shape)), mx.expand_dims(where, -2), axis=-2
    )[..., 0, :]


@word
def max_pool_indices(k, x, out, kernel, stride, padding, dilation):
    dims = len(kernel)
    return winners(Windows(x.shape[-dims:], kernel, stride, padding, dilation, out.shape[-dims:]), x)


@word
def max_pool_backward(k, g, x, out, kernel, stride, padding, dilation):
    dims = len(kernel)
    where = winners(Windows(x.shape[-dims:], kernel, stride, padding, dilation, out.shape[-dims:]), x)
    rows = math.prod(x.shape[:-dims])
    where, area = mx.reshape(where, (rows, math.prod(out.shape[-dims:]))), math.prod(x.shape[-dims:])
    flat = mx.reshape(where + mx.expand_dims(mx.arange(rows), 1) * area, (-1,))
    return (
        mx.reshape(mx.zeros((rows * area,), g.dtype).at[flat].add(mx.reshape(g, (-1,))), x.shape)
        if flat.size
        else mx.zeros(x.shape, g.dtype)
    )


def unit(kernel):
    return (1,) * len(kernel)


@word
def window_sum(k, x, kernel, stride, padding, out_size):
    got = mx.sum(Windows(x.shape[-len(kernel) :], kernel, stride, padding, unit(kernel), out_size).read(x), axis=-2)
    return mx.reshape(got, (*x.shape[: -len(kernel)], *out_size))


@word
def window_spread(k, g, kernel, stride, padding, size):
    dims = len(kernel)
    windows = Windows(size, kernel, stride, padding, unit(kernel), g.shape[-dims:])
    g = mx.reshape(g, (*g.shape[:-dims], 1, math.prod(g.shape[-dims:])))
    return windows.add(mx.broadcast_to(g, (*g.shape[:-2], *windows.places.shape)))


# ---- lines read at other points (see _base/sampling.py): a product with a dense matrix of weights


def weights(taps, kind):
    """The (n_out, n_in) matrix of a resampling, kept with it."""
    found = taps.cache.get(kind)
    if found is None:
        dense, rows = np.zeros((taps.n_out, taps.n_in), np.float64), np.arange(taps.n_out)
        for t, index in enumerate(taps.indices):
            np.add.at(dense, (rows, np.array(index)), 1.0 if taps.weights is None else np.array(taps.weights[t]))
        found = taps.cache[kind] = mx.array(dense.astype(np.float32), kind)
    return found


def along(matrix, x, dim):
    x = mx.swapaxes(x, dim, -1)
    return mx.swapaxes(mx.matmul(x, mx.transpose(matrix)), dim, -1)


@word
def resample(k, x, dim, taps):
    if taps.weights is None:
        return mx.take(x, mx.array(taps.indices[0]), axis=dim)
    return along(weights(taps, x.dtype), x, dim)


@word
def resample_backward(k, g, dim, taps):
    return along(mx.transpose(weights(taps, g.dtype)), g, dim)


# ---- the transposes of reading


def index_backward(self, g, shape, indices):
    """The gradient of x[indices]: zeros of x's shape with g added where its elements came from."""
    zeros = self.zeros(shape)
    return index_put(self, zeros, indices, g, True)


def unfold_backward(self, g, shape, dim, size, step):
    """Zeros of `shape` with each window of g added where it came from."""
    out = self.zeros(shape)
    where = self.unfold(out, dim, size, step).positions()
    return (
        fill(out, mx.reshape(out.memory().at[where].add(mx.reshape(g.value, (-1,))), out.shape)) if where.size else out
    )


MlxWords.index_backward, MlxWords.unfold_backward = index_backward, unfold_backward

through_numpy("""searchsorted scatter_reduce frexp adaptive_max_indices as_strided_backward repeat_places unique
    unique_runs bincount histc isin""")
refuse_outlines()

__all__ = ["mlx_elementwise", "mlx_reduce", "table"]
