"""Elements picked, placed and added by index, with numpy: the kernels behind x[i], gather, scatter, embedding and
their gradients.
"""

import math

import numpy as np

from ..._base.shape import contiguous_strides, ordered_strides, preserved_strides, view_strides
from .table import install
from .views import strided, window

WHOLE = slice(None)


def _key(indices):
    return tuple([WHOLE if i is None else i for i in indices])


def _out_of_range(error):
    """numpy's IndexError in torch's words."""
    text = str(error)
    if "non-empty take from an empty" in text:
        return IndexError("index is out of bounds for dimension with size 0")
    return IndexError(text.replace("axis", "dimension"))


# ---- the memory order of an indexed result


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
    plain = got.size or got.ndim < 2 or x.size and 1 not in got.shape  # of nothing, sizes of 1 have a say
    if plain and _plainly_dense(x) and all(map(_plainly_dense, arrays)):
        return _row_major(got)
    if any([i is not None and i.dtype.kind == "b" and not i.ndim for i in indices]):
        return _row_major(got)
    if len(arrays) < len(indices):  # masks count as the coordinates of their true elements
        indices = [j for i in indices for j in (i.nonzero() if i is not None and i.dtype.kind == "b" else (i,))]
        arrays = [i for i in indices if i is not None]
    picked = np.broadcast_shapes(*[i.shape for i in arrays])
    places = [n for n, i in enumerate(indices) if i is not None]
    together = places[-1] - places[0] == len(places) - 1
    at = places[0] if together else 0
    kept = [n for n in range(x.ndim) if n >= len(indices) or indices[n] is None]
    steps, after = k.strides(x), [x.shape[n] for n in kept[at:]]
    steps = [steps[n] for n in kept]
    operands = [steps[:at] + [0] * len(picked) + steps[at:]]
    operands += [_spread_steps(k, i, [x.shape[n] for n in kept[:at]], picked, after) for i in arrays]
    if not got.size and got.shape == (*[1] * at, *picked, *[1] * (len(kept) - at)):
        strides = contiguous_strides(got.shape)  # operands of one shape, all contiguous since there is nothing in them
    else:
        strides = ordered_strides(got.shape, operands)
    if k.strides(got) == strides:
        return got
    out = k.of(got).empty_strided(got.shape, strides)
    out[...] = got
    return out


def _spread_steps(k, i, before, picked, after):
    """The strides of an index among the result's dimensions, as torch reshapes it to sizes of 1 before and after."""
    missing = len(picked) - i.ndim
    own = [0] * missing + [s if n == m else 0 for s, n, m in zip(k.strides(i), i.shape, picked[missing:])]
    shape = (*[1] * len(before), *picked, *[1] * len(after))
    steps = view_strides(picked, tuple(own), shape) if 0 not in picked else contiguous_strides(shape)
    return [s if n == m else 0 for s, n, m in zip(steps, shape, (*before, *picked, *after))]


def index(k, x, indices):
    """x[indices]: a tuple of integer or bool arrays, None for a dimension taken whole."""
    try:
        if indices[-1].dtype.kind != "b" and all(i is None for i in indices[:-1]) and x.flags.c_contiguous:
            return _laid_out(k, x, indices, x.take(indices[-1], len(indices) - 1))
        return _laid_out(k, x, indices, x[_key(indices)])
    except IndexError as error:
        if not x.size and 0 in (shape := _picked_shape(x, indices)):  # where torch looks at no place
            return _laid_out(k, x, indices, np.empty(shape, x.dtype))
        raise _out_of_range(error) from None


# ---- adding into rows


def add_rows(rows, where, values):
    """rows[where[i]] += values[i] for every i, in order; rows (n, m), where (c,) in range, values (c, m).

    Measured: numpy's add.at is quick on flat positions only; many long rows are quicker added in rounds, the second
    time a row is named in the second round; a few rows named over and over are sums of stretches.
    """
    count, width = values.shape
    if count == 1:
        rows[where[0]] += values[0]
    elif not rows.flags.c_contiguous:
        np.add.at(rows, where, values)
    elif count * width <= 1 << 18:
        _add_flat(rows, where, values)
    else:
        order = where.argsort(kind="stable")
        ranked = where[order]
        first = np.empty(count, bool)
        first[0] = True
        np.not_equal(ranked[1:], ranked[:-1], out=first[1:])
        starts = first.nonzero()[0]
        times = np.diff(starts, append=count)
        if times.max() <= 8:
            _add_in_rounds(rows, order, ranked, starts, times, values)
        elif len(starts) * 16 <= count:
            values = values[order]
            for row, start, n in zip(ranked[starts].tolist(), starts.tolist(), times.tolist()):
                rows[row] += np.add.reduce(values[start : start + n], 0)
        else:
            _add_flat(rows, where, values)


def _add_flat(rows, where, values):
    width = rows.shape[1]
    places = where if width == 1 else ((where * width)[:, None] + np.arange(width)).reshape(-1)
    np.add.at(rows.reshape(-1), places, values.reshape(-1))


def _add_in_rounds(rows, order, ranked, starts, times, values):
    sums = values[order[starts]]
    live = np.arange(len(starts))
    for turn in range(1, int(times.max())):
        live = live[times[live] > turn]
        sums[live] += values[order[starts[live] + turn]]
    rows[ranked[starts]] += sums


def _flat_places(indices, shape, checked):
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
        least = i.min() if i.size else 0
        if checked and i.size and (least < -n or i.max() >= n):
            wrong = i[(i < -n) | (i >= n)].flat[0]
            raise IndexError(f"index {wrong} is out of bounds for dimension {d} with size {n}")
        if least < 0:
            i = np.where(i < 0, i + n, i)
        flat = i if len(dims) == 1 else flat * n + i
    return dims, flat


def accumulate(out, indices, values, checked=True):
    """out[indices] += values, repeated places adding up; checked: may a place not be there?"""
    dims, flat = _flat_places(indices, out.shape, checked)
    if not flat.size or not out.size:
        return
    rest = [d for d in range(out.ndim) if d not in dims]
    together = dims[-1] - dims[0] == len(dims) - 1 and _adjacent(indices)
    at = dims[0] if together else 0
    picked = flat.ndim
    shape = [out.shape[d] for d in rest]
    full = shape[:at] + list(flat.shape) + shape[at:]
    values = np.broadcast_to(values, full)
    if at and values.size <= 1 << 18 and out.flags.c_contiguous:
        places = _places(flat, dims, rest, at, out.shape, len(full))
        np.add.at(out.reshape(-1), np.broadcast_to(places, full).reshape(-1), values.reshape(-1))
        return
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


def _places(flat, dims, rest, at, shape, ndim):
    """Flat positions in an array of `shape`, for picks (flat over the adjacent dims) between its other dimensions."""
    steps = contiguous_strides(shape)
    places = (flat * steps[dims[-1]]).reshape([1] * at + list(flat.shape) + [1] * (ndim - at - flat.ndim))
    for i, d in enumerate(rest):
        line = [1] * ndim
        line[i if i < at else i + flat.ndim] = shape[d]
        places = places + (np.arange(shape[d]) * steps[d]).reshape(line)
    return places


def _adjacent(indices):
    places = [n for n, i in enumerate(indices) if i is not None]
    return places[-1] - places[0] == len(places) - 1


def index_backward(k, g, shape, indices):
    """The gradient of x[indices]: zeros of x's shape with g added where its elements came from."""
    out = np.zeros(shape, g.dtype)
    if len(indices) == 1 and indices[0].dtype.kind == "b":
        out[indices[0]] = g  # a mask repeats nothing
    else:
        accumulate(out, indices, g, False)
    return out


def kept(k, x):
    """A copy in x's memory order."""
    out = k.empty_strided(x.shape, preserved_strides(x.shape, k.strides(x)))
    out[...] = x
    return out


def index_put(k, x, indices, values, accumulate=False):
    """A copy of x with values at indices (accumulate: added to what is there, repeated places adding up)."""
    out = kept(k, x)
    place(k, out, indices, values, accumulate)
    return out


def _picked_shape(x, indices):
    """The shape of x[indices]."""
    shapes, kept, places = [], [], []
    d = 0
    for n, i in enumerate(indices):
        if i is None:
            kept.append(x.shape[d])
            d += 1
        else:
            places.append(n)
            shapes.append((int(np.count_nonzero(i)),) if i.dtype.kind == "b" else i.shape)
            d += max(i.ndim, 1) if i.dtype.kind == "b" else 1
    kept += x.shape[d:]
    at = places[0] if places[-1] - places[0] == len(places) - 1 else 0
    picked = shapes[0] if len(shapes) == 1 else np.broadcast_shapes(*shapes)
    return (*kept[:at], *picked, *kept[at:])


def _check_values(shape, values):
    """values must broadcast to what the indices pick."""
    if (
        values.shape == shape
        or values.ndim <= len(shape)
        and all(m in (1, n) for m, n in zip(values.shape[::-1], shape[::-1]))
    ):
        return
    raise RuntimeError(
        f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing "
        f"result of shape {list(shape)}"
    )


def place(k, out, indices, values, add=False):
    """out[indices] = values in an array that may be written (add: += with repeats adding up)."""
    try:
        if values.ndim and values.size == 1 and not add and [i.dtype.kind for i in indices if i is not None] == ["b"]:
            values = values.reshape(())  # as torch fills one value in at a mask
        if values.ndim:
            _check_values(_picked_shape(out, indices), values)
        if add and 0 in out.strides and out.size:
            np.add.at(out, _key(indices), values)  # places that share memory, one after another
        elif add and out.dtype.kind != "b":
            accumulate(out, indices, values)
        elif add:
            np.logical_or.at(out, _key(indices), values)
        else:
            out[_key(indices)] = values
    except IndexError as error:
        if not out.size and 0 in _picked_shape(out, indices):  # where torch looks at no place
            return
        raise _out_of_range(error) from None


# ---- the gradients of views


def select_backward(k, g, shape, dim, index):
    """Zeros of `shape` with g as the slice `index` of dimension dim."""
    out = np.zeros(shape, g.dtype)
    out[(WHOLE,) * dim + (index,)] = g
    return out


def slice_backward(k, g, shape, dim, start, end, step):
    """Zeros of `shape` with g as the part start:end:step of dimension dim."""
    out = np.zeros(shape, g.dtype)
    out[(WHOLE,) * dim + (slice(start, end, step),)] = g
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
        return out + g.sum()  # of one element, or none
    count = g.shape[dim]
    along = np.moveaxis(out, dim, -1)
    windows = np.moveaxis(g, dim, -2)
    if step >= size:
        part = along[..., : count * step] if count * step <= along.shape[-1] else along
        for i in range(size):
            part[..., i : i + (count - 1) * step + 1 : step] = windows[..., i]
        return out
    for i in reversed(range(size)):  # what an element gets comes window by window
        along[..., i : i + (count - 1) * step + 1 : step] += windows[..., i]
    return out


def as_strided_backward(k, g, shape, in_stride, size, stride, offset):
    """The gradient of a window: g added into the memory of a tensor (shape, in_stride), `offset` elements from its
    first.
    """
    low = min(0, offset)
    reach = max(_reach(shape, in_stride), offset + _reach(size, stride)) - low
    memory = np.zeros(max(reach, 1), g.dtype)
    if _distinct(size, stride):
        part = _over(memory, size, stride, offset - low)
        part[...] = g
    else:
        places = np.broadcast_to(_over(np.arange(memory.size), size, stride, offset - low), g.shape)
        np.add.at(memory, places.reshape(-1), g.reshape(-1))
    if not _distinct(shape, in_stride):  # several elements of the input are one in memory: each takes its share
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
        found = np.zeros((int(bool(x)), 0), np.int64)
        return strided(found, found.shape, (found.itemsize, found.itemsize * len(found)))
    found = np.array(x.nonzero(), np.int64).T
    return found if found.size else strided(found, found.shape, (found.itemsize, 0))  # numpy's would be all 0


def repeat_places(k, repeats):
    """0 repeats[0] times, then 1 repeats[1] times ..."""
    return np.repeat(np.arange(repeats.size, dtype=repeats.dtype), repeats)


def as_strided_scatter(k, x, src, size, stride, offset, in_stride):
    """A copy of x, laid out as in_stride says, in which the window (size, stride, offset) holds src."""
    out = k.with_strides(x, in_stride)
    item = out.itemsize
    window(out, size, tuple([s * item for s in stride]), offset * item)[...] = src
    return out


install(
    (
        index,
        index_put,
        index_backward,
        place,
        select_backward,
        slice_backward,
        diagonal_backward,
        unfold_backward,
        as_strided_backward,
        flip,
        roll,
        nonzero,
        repeat_places,
        as_strided_scatter,
    )
)
