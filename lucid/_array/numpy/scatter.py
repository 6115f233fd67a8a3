"""gather, scatter and index_add with numpy; copies of an array in which a part is replaced."""

import numpy as np

from ..._base.shape import contiguous_strides
from .index import WHOLE, accumulate
from .table import install


def index_select(k, x, dim, index):
    """The slices of x along dim that index names."""
    if not x.ndim:
        return x.reshape(1).take(index.reshape(-1)).reshape(())
    try:
        if x.ndim == 1 or x.flags.c_contiguous:
            return x.take(index.reshape(-1), dim)
        return np.ascontiguousarray(x.take(index.reshape(-1), dim))
    except IndexError:
        raise IndexError("index out of range in self") from None


def _rows_of(out, dim):
    return out.reshape(1) if not out.ndim else out


def index_add(k, x, dim, index, source):
    """x plus source's slices, added where index says (repeated places add up)."""
    out = np.array(x, order="C")
    if x.ndim > 1 and not x.size:
        return out  # where torch looks at no place
    if index.size and (index.min() < 0 or index.max() >= _length(x, dim)):
        if x.ndim > 1 and not dim and index.dtype == np.int64:
            _checked(index, len(x), dim)  # torch scatters these
        raise IndexError("index out of range in self")
    target = _rows_of(out, dim)
    accumulate(target, (None,) * dim + (index.reshape(-1),), source.reshape(1) if not source.ndim else source)
    return out


def _checked(index, n, dim):
    """index, when all of it is within 0 .. n - 1."""
    if index.dtype == np.int64 and index.size:
        if index.view(np.uint64).max() < n:  # negative ones are huge when read so
            return index
    if index.size and (index.min() < 0 or index.max() >= n):
        bad = index[(index < 0) | (index >= n)].reshape(-1)[0]
        raise RuntimeError(f"index {bad} is out of bounds for dimension {dim} with size {n}")
    return index


def _length(x, dim):
    return x.shape[dim] if x.ndim else 1


def gather(k, x, dim, index):
    """out[i][j] = x[index[i][j]][j] for dim 0, and so on."""
    if not index.size:
        return np.empty(index.shape, x.dtype)
    _checked(index, _length(x, dim), dim)
    if not index.ndim:
        return x.reshape(-1).take(index.reshape(-1)).reshape(())
    if not x.ndim:
        return np.broadcast_to(x, index.shape).copy()
    return np.ascontiguousarray(x[_grid(index, dim)])


def _grid(index, dim):
    """The coordinates of index's elements, with its values along dim."""
    where = []
    for d, n in enumerate(index.shape):
        if d == dim:
            where.append(index)
        else:
            shape = [1] * index.ndim
            shape[d] = n
            where.append(np.arange(n).reshape(shape))
    return tuple(where)


def _whole(x):
    out = np.array(x, order="C")
    return out, out.reshape(1) if not out.ndim else out


def _part(src, index):
    """The elements of src that index reaches."""
    if not src.ndim or src.shape == index.shape:
        return src
    return src[tuple([slice(n) for n in index.shape])] if index.ndim else src.reshape(-1)[:1].reshape(())


def scatter(k, x, dim, index, src):
    """A copy of x with out[index[i][j]][j] = src[i][j] for dim 0, and so on."""
    out, target = _whole(x)
    if index.size:
        _checked(index, _length(x, dim), dim)
        index1 = index if index.ndim else index.reshape(1)
        target[_grid(index1, dim)] = _part(src, index)
    return out


def scatter_add(k, x, dim, index, src):
    """x plus src's elements, added where index says."""
    out, target = _whole(x)
    if index.size:
        _checked(index, _length(x, dim), dim)
        src = _part(src, index)
        if not index.ndim:
            index, src = index.reshape(1), src.reshape(1)
        if target.dtype.kind == "b":
            np.logical_or.at(target, _grid(index, dim), src)
        else:
            places = _flat_grid(index, dim, target.shape)
            np.add.at(target.reshape(-1), places, np.broadcast_to(src, index.shape).reshape(-1))
    return out


def scatter_reduce(k, x, dim, index, src, reduce, include_self):
    """x with src's elements reduced into index's places; include_self: x's own value among them?"""
    out, target = _whole(x)
    if not index.size:
        return out
    _checked(index, _length(x, dim), dim)
    src = _part(src, index)
    if not index.ndim:
        index, src = index.reshape(1), np.broadcast_to(src, (1,))
    where, src = _flat_grid(index, dim, target.shape), np.broadcast_to(src, index.shape).reshape(-1)
    flat = target.reshape(-1)
    if not include_self:
        flat[where] = _NEUTRAL[reduce](flat.dtype)
    if reduce == "mean":
        counts = np.full(flat.size, 1 if include_self else 0)
        np.add.at(counts, where, 1)
        np.maximum(counts, 1, out=counts)
        np.add.at(flat, where, src)
        if flat.dtype.kind in "iu":
            np.floor_divide(flat, counts, out=flat, casting="unsafe")
        else:
            np.divide(flat, counts, out=flat, casting="unsafe")
    else:
        _REDUCE[reduce].at(flat, where, src)
    return out


_REDUCE = {"sum": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


def _lowest(kind):
    return -np.inf if kind.kind in "fV" else False if kind.kind == "b" else np.iinfo(kind).min


def _highest(kind):
    return np.inf if kind.kind in "fV" else True if kind.kind == "b" else np.iinfo(kind).max


_NEUTRAL = {"sum": lambda kind: 0, "mean": lambda kind: 0, "prod": lambda kind: 1, "amax": _lowest, "amin": _highest}


# ---- copies with a part replaced


def _in_steps(k, x):
    """A copy of x with x's strides, gaps and all; row by row where elements of x share a place."""
    if 0 in x.strides:
        return np.array(x, order="C")
    out = k.empty_strided(x.shape, k.strides(x))
    out[...] = x
    return out


def select_scatter(k, x, src, dim, index):
    """A copy of x whose slice `index` of dim is src."""
    out = _in_steps(k, x)
    out[(WHOLE,) * dim + (index,)] = src
    return out


def slice_scatter(k, x, src, dim, start, end, step):
    """A copy of x whose slices start:end:step of dim are src."""
    out = _in_steps(k, x)
    out[(WHOLE,) * dim + (slice(start, end, step),)] = src
    return out


def diagonal_scatter(k, x, src, offset, dim1, dim2):
    """A copy of x with src as its diagonal."""
    out = _in_steps(k, x)
    part = out.diagonal(offset, dim1, dim2)
    part.flags.writeable = True
    part[...] = src
    return out


def _flat_grid(index, dim, shape):
    """The flat positions that the elements of index name in an array of `shape`."""
    steps = contiguous_strides(shape)
    flat = index.astype(np.int64, copy=False) * steps[dim]
    for d, n in enumerate(index.shape):
        if d != dim:
            row = np.arange(n) * steps[d]
            flat = flat + row.reshape([-1 if e == d else 1 for e in range(index.ndim)])
    return flat.reshape(-1)


install(
    (
        index_select,
        index_add,
        gather,
        scatter,
        scatter_add,
        scatter_reduce,
        select_scatter,
        slice_scatter,
        diagonal_scatter,
    )
)
