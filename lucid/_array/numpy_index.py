"""Elements picked, placed and added by index, with numpy: the kernels behind x[i], gather, scatter, embedding and their gradients."""
import math

import numpy as np

from .._base.shape import contiguous_strides, preserved_strides
from .numpy import NumpyWords, soften, window

_WHOLE = slice(None)


def _key(indices):
    return tuple([_WHOLE if i is None else i for i in indices])


def _out_of_range(error):
    """numpy's IndexError in torch's words."""
    text = str(error)
    if "non-empty take from an empty" in text:
        return IndexError("index is out of bounds for dimension with size 0")
    return IndexError(text.replace("axis", "dimension"))


# ---- the memory order of an indexed result

def iterated_strides(shape, operands):
    """The strides of a new result that is computed along with operands of these strides (torch's TensorIterator)."""
    order = list(range(len(shape) - 1, -1, -1))

    def inner_first(a, b):
        for strides in operands:
            s, t = strides[a], strides[b]
            if s == 0 or t == 0:
                continue
            if s != t:
                return -1 if s < t else 1
            if shape[a] != shape[b]:
                return 1 if shape[a] > shape[b] else -1
        return 0

    for i in range(1, len(order)):
        at = i
        for j in range(i - 1, -1, -1):
            verdict = inner_first(order[at], order[j])
            if verdict < 0:
                order[at], order[j] = order[j], order[at]
                at = j
            elif verdict > 0:
                break
    strides, step = [0] * len(shape), 1
    for d in order:
        strides[d] = step
        step *= max(shape[d], 1)
    return tuple(strides)


def _row_major(x):
    """x, dense and row-major, its dimensions of size 1 included."""
    if not x.flags.c_contiguous:
        return np.ascontiguousarray(x)
    return np.ndarray(x.shape, x.dtype, x) if 1 in x.shape else x


def _plainly_dense(x):
    """Row-major, and so by its strides even along dimensions of size 1."""
    if not x.flags.c_contiguous:
        return False
    return 1 not in x.shape or x.strides == tuple([s * x.itemsize for s in contiguous_strides(x.shape)])


def _laid_out(k, x, indices, got):
    """got = x[indices] in the memory order torch gives it: row-major unless x or an index is not."""
    arrays = [i for i in indices if i is not None and i.dtype.kind != "b"]
    if _plainly_dense(x) and all(map(_plainly_dense, arrays)):
        return _row_major(got)
    if len(arrays) < len(indices):      # masks count as the coordinates of their true elements
        indices = [j for i in indices for j in (i.nonzero() if i is not None and i.dtype.kind == "b" else (i,))]
        arrays = [i for i in indices if i is not None]
    picked = np.broadcast_shapes(*[i.shape for i in arrays])
    places = [n for n, i in enumerate(indices) if i is not None]
    together = places[-1] - places[0] == len(places) - 1
    at = places[0] if together else 0
    kept = [s for n, s in enumerate(x.strides) if n >= len(indices) or indices[n] is None]
    operands = [kept[:at] + [0] * len(picked) + kept[at:]]
    for i in arrays:
        own = np.broadcast_to(i, picked).strides
        operands.append([0] * at + list(own) + [0] * (len(kept) - at))
    strides = iterated_strides(got.shape, operands)
    if k.strides(got) == strides:
        return got
    out = k.of(got).empty_strided(got.shape, strides)
    out[...] = got
    return out


def index(k, x, indices):
    """x[indices]: a tuple of integer or bool arrays, None for a dimension taken whole."""
    try:
        if indices[-1].dtype.kind != "b" and all(i is None for i in indices[:-1]) and x.flags.c_contiguous:
            return _laid_out(k, x, indices, x.take(indices[-1], len(indices) - 1))
        return _laid_out(k, x, indices, x[_key(indices)])
    except IndexError as error:
        raise _out_of_range(error) from None


# ---- adding into rows

def add_rows(rows, where, values):
    """rows[where[i]] += values[i] for every i, in order; rows (n, m) fresh, where (c,) in range, values (c, m)."""
    count, width = values.shape
    if count == 1:
        rows[where[0]] += values[0]
        return
    if width == 1 or count * width < 256 or rows.dtype.kind not in "fciu":
        if width == 1 and rows.flags.c_contiguous:
            np.add.at(rows.reshape(-1), where, values.reshape(-1))
        else:
            np.add.at(rows, where, values)
        return
    order = where.argsort(kind="stable")
    ranked = where[order]
    first = np.empty(count, bool)
    first[0] = True
    np.not_equal(ranked[1:], ranked[:-1], out=first[1:])
    starts = first.nonzero()[0]
    if len(starts) == count:
        rows[where] += values
        return
    sums = np.add.reduceat(values[order], starts, 0, rows.dtype)
    rows[ranked[starts]] += sums


def _flat_places(indices, shape):
    """(dims indexed, flat positions in them, in the result's order): masks become their coordinates."""
    whole = []
    for i in indices:
        if i is None:
            whole.append(None)
        elif i.dtype.kind == "b":
            whole.extend(i.nonzero() if i.ndim else [np.zeros(int(i), np.int64)])
        else:
            whole.append(i)
    dims = [d for d, i in enumerate(whole) if i is not None]
    arrays = np.broadcast_arrays(*[whole[d] for d in dims]) if len(dims) > 1 else [whole[dims[0]]]
    flat = 0
    for d, i in zip(dims, arrays):
        n = shape[d]
        i = i.astype(np.int64, copy=False)
        if i.size and i.min() < 0:
            i = np.where(i < 0, i + n, i)
        flat = i if len(dims) == 1 else flat * n + i
    return dims, flat


def accumulate(out, indices, values):
    """out[indices] += values, repeated places adding up."""
    dims, flat = _flat_places(indices, out.shape)
    if not flat.size or not out.size:
        return
    rest = [d for d in range(out.ndim) if d not in dims]
    together = dims[-1] - dims[0] == len(dims) - 1 and _adjacent(indices)
    at = dims[0] if together else 0
    picked = flat.ndim
    shape = [out.shape[d] for d in rest]
    full = shape[:at] + list(flat.shape) + shape[at:]
    values = np.broadcast_to(values, full)
    front = list(range(at, at + picked))
    values = values.transpose(front + [d for d in range(values.ndim) if d not in front])
    target = out.transpose(dims + rest)
    width = math.prod(shape)
    rows = target.reshape(math.prod([out.shape[d] for d in dims]), width)
    shares = np.may_share_memory(rows, out)
    rows = rows if shares else np.ascontiguousarray(rows)
    add_rows(rows, flat.reshape(-1), values.reshape(flat.size, width))
    if not shares:
        target[...] = rows.reshape(target.shape)


def _adjacent(indices):
    places = [n for n, i in enumerate(indices) if i is not None]
    return places[-1] - places[0] == len(places) - 1


def index_backward(k, g, shape, indices):
    """The gradient of x[indices]: zeros of x's shape with g added where its elements came from."""
    out = np.zeros(shape, g.dtype)
    if len(indices) == 1 and indices[0].dtype.kind == "b":
        out[indices[0]] = g     # a mask repeats nothing
    else:
        accumulate(out, indices, g)
    return out


def index_put(k, x, indices, values, accumulate=False):
    """A copy of x with values at indices (accumulate: added to what is there, repeated places adding up)."""
    out = _kept(k, x)
    place(k, out, indices, values, accumulate)
    return out


def place(k, out, indices, values, add=False):
    """out[indices] = values in an array that may be written (add: += with repeats adding up)."""
    try:
        if add and out.dtype.kind != "b":
            accumulate(out, indices, values)
        elif add:
            np.logical_or.at(out, _key(indices), values)
        else:
            out[_key(indices)] = values
    except IndexError as error:
        raise _out_of_range(error) from None


# ---- the gradients of views

def select_backward(k, g, shape, dim, index):
    """Zeros of `shape` with g as the slice `index` of dimension dim."""
    out = np.zeros(shape, g.dtype)
    out[(_WHOLE,) * dim + (index,)] = g
    return out


def slice_backward(k, g, shape, dim, start, end, step):
    """Zeros of `shape` with g as the part start:end:step of dimension dim."""
    out = np.zeros(shape, g.dtype)
    out[(_WHOLE,) * dim + (slice(start, end, step),)] = g
    return out


def diagonal_backward(k, g, shape, offset, dim1, dim2):
    """Zeros of `shape` with g as a diagonal."""
    out = np.zeros(shape, g.dtype)
    part = out.diagonal(offset, dim1, dim2)
    part.flags.writeable = True
    part[...] = g
    return out


def unfold_backward(k, g, shape, dim, size, step):
    """Zeros of `shape` with each window of g added where it came from."""
    out = np.zeros(shape, g.dtype)
    if not out.ndim:
        return out + g.reshape(())
    count = g.shape[dim]
    along = np.moveaxis(out, dim, -1)
    windows = np.moveaxis(g, dim, -2)
    if step >= size:
        part = along[..., :count * step] if count * step <= along.shape[-1] else along
        for i in range(size):
            part[..., i:i + (count - 1) * step + 1:step] = windows[..., i]
        return out
    for i in range(size):
        along[..., i:i + (count - 1) * step + 1:step] += windows[..., i]
    return out


def as_strided_backward(k, g, shape, in_stride, size, stride, offset):
    """The gradient of a window: g added into the memory of a tensor (shape, in_stride), `offset` elements from its first."""
    low = min(0, offset)
    reach = max(_reach(shape, in_stride), offset + _reach(size, stride)) - low
    memory = np.zeros(max(reach, 1), g.dtype)
    if _distinct(size, stride):
        part = _over(memory, size, stride, offset - low)
        part[...] = g
    else:
        places = np.broadcast_to(_over(np.arange(memory.size), size, stride, offset - low), g.shape)
        np.add.at(memory, places.reshape(-1), g.reshape(-1))
    if not _distinct(shape, in_stride):     # several elements of the input are one in memory: each takes its share
        counts = np.zeros(memory.size, np.int64)
        np.add.at(counts, _over(np.arange(memory.size), shape, in_stride, -low).reshape(-1), 1)
        memory = memory / np.maximum(counts, 1).astype(g.real.dtype)
        return _over(memory.astype(g.dtype, copy=False), shape, in_stride, -low).copy()
    return _over(memory, shape, in_stride, -low)


def _over(memory, shape, stride, offset):
    item = memory.itemsize
    return window(memory, tuple(shape), tuple([s * item for s in stride]), offset * item)


def _reach(shape, stride):
    return 0 if 0 in shape else 1 + sum((n - 1) * s for n, s in zip(shape, stride))


def _distinct(shape, stride):
    """No two elements in one place, for sure."""
    step = 0
    for s, n in sorted((s, n) for n, s in zip(shape, stride) if n != 1):
        if s <= step:
            return False
        step += s * (n - 1)
    return True


# ---- along one dimension

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
    target = _rows_of(out, dim)
    accumulate(target, (None,) * dim + (index.reshape(-1),), source.reshape(1) if not source.ndim else source)
    return out


def _checked(index, n, dim):
    """index, when all of it is within 0 .. n - 1."""
    if index.dtype == np.int64 and index.size:
        if index.view(np.uint64).max() < n:     # negative ones are huge when read so
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
            np.add.at(target.reshape(-1), _flat_grid(index, dim, target.shape), np.broadcast_to(src, index.shape).reshape(-1))
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

def _kept(k, x):
    """A copy in x's memory order."""
    out = k.empty_strided(x.shape, preserved_strides(x.shape, k.strides(x)))
    out[...] = x
    return out


def select_scatter(k, x, src, dim, index):
    """A copy of x whose slice `index` of dim is src."""
    out = _kept(k, x)
    out[(_WHOLE,) * dim + (index,)] = src
    return out


def slice_scatter(k, x, src, dim, start, end, step):
    """A copy of x whose slices start:end:step of dim are src."""
    out = _kept(k, x)
    out[(_WHOLE,) * dim + (slice(start, end, step),)] = src
    return out


def diagonal_scatter(k, x, src, offset, dim1, dim2):
    """A copy of x with src as its diagonal."""
    out = _kept(k, x)
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


def flip(k, x, dims):
    """The order of elements turned round along dims; x's memory order."""
    if not x.ndim or not dims:
        return x.copy("K")
    out = k.empty_strided(x.shape, preserved_strides(x.shape, k.strides(x)))
    out[...] = np.flip(x, dims)
    return out


def roll(k, x, shifts, dims):
    """Elements moved along dims, those pushed out coming in again at the other end."""
    return np.ascontiguousarray(np.roll(x, shifts, dims))


def repeat(k, x, repeats):
    return np.tile(x, repeats)


def nonzero(k, x):
    """The coordinates of true elements, one row each; columns are dense, as in torch."""
    if not x.ndim:
        return np.zeros((int(bool(x)), 0), np.int64)
    return np.array(x.nonzero(), np.int64).T


def repeat_places(k, repeats):
    """0 repeats[0] times, then 1 repeats[1] times ..."""
    return np.repeat(np.arange(repeats.size, dtype=repeats.dtype), repeats)


def as_strided_scatter(k, x, src, size, stride, offset, in_stride):
    """A copy of x, laid out as in_stride says, in which the window (size, stride, offset) holds src."""
    out = k.with_strides(x, in_stride)
    item = out.itemsize
    window(out, size, tuple([s * item for s in stride]), offset * item)[...] = src
    return out


def storage_bytes(k, x):
    """How many bytes the memory that x lies in has."""
    owner = x
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return owner.nbytes


def may_overlap(k, a, b):
    """Do the stretches of memory of two arrays meet?"""
    return np.may_share_memory(a, b)


for _word in (may_overlap, index, index_put, index_backward, place, select_backward, slice_backward, diagonal_backward, unfold_backward,
              as_strided_backward, index_select, index_add, gather, scatter, scatter_add, flip, roll, nonzero,
              repeat_places, as_strided_scatter, storage_bytes, scatter_reduce, select_scatter, slice_scatter, diagonal_scatter):
    setattr(NumpyWords, _word.__name__, _word)
soften(["index_backward", "unfold_backward", "as_strided_backward", "index_add", "scatter_add", "scatter_reduce"])
