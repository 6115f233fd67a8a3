"""x[...]: reading by integers, slices, masks and index tensors."""

import sys

from ..._backend.core import func_op
from ..._backend.dispatch import spelled_as
from ..._backend.families import Indexing
from ..._backend.graph import record
from ..._backend.overrides import ORDINARY, PLAIN, ask_overrides
from ..._backend.recording import refuse_saved
from ..._backend.registry import public, tensor_method
from ..._backend.rules import unbroadcast
from ..._base import dtype as dtypes
from ..._base.state import DISPATCH, INFERENCE, NO_GRAD, UNUSUAL, local, tick
from ..._base.symbolic import slice_indices
from ..._base.warn import warn
from ..._tensor.storage import link_view
from ..._tensor.tensor import Tensor, new_object
from ..creation.from_data import tensor
from ..creation.gfunc import zeros
from ..shape.expand import unsqueeze
from ..shape.slicing import select, slice_of
from ..shape.view import alias

# Index tensors are inputs of the ops below: so many at most, counted with the dimensions left whole before them.
PLACES = ("i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7")


def _given(*indices):
    """The indices up to the last that is given."""
    n = len(indices)
    while n and indices[n - 1] is None:
        n -= 1
    return indices[:n]


# ---- the ops


class index_of(Indexing):
    """x[i0, i1, ...]: elements picked by integer or bool arrays; None for a dimension taken whole."""

    name, node_name, method, namespace, index_inputs = "index_of", "IndexBackward0", False, None, PLACES

    @func_op(9)
    def forward(xp, input, i0=None, i1=None, i2=None, i3=None, i4=None, i5=None, i6=None, i7=None):
        return xp.index(input, _given(i0, i1, i2, i3, i4, i5, i6, i7))

    def grad_input(xp, g, shape, i0, i1, i2, i3, i4, i5, i6, i7):
        return xp.index_backward(g, shape, _given(i0, i1, i2, i3, i4, i5, i6, i7))


class index_gradient(Indexing):
    """The gradient of index_of: zeros of `shape` with grad added where its elements came from."""

    name, node_name, method, namespace, index_inputs = "index_gradient", "IndexPutBackward0", False, None, PLACES

    @func_op(9)
    def forward(xp, grad, i0=None, i1=None, i2=None, i3=None, i4=None, i5=None, i6=None, i7=None, *, shape):
        return xp.index_backward(grad, shape, _given(i0, i1, i2, i3, i4, i5, i6, i7))

    def grad_grad(xp, g, i0, i1, i2, i3, i4, i5, i6, i7):
        return xp.index(g, _given(i0, i1, i2, i3, i4, i5, i6, i7))


class index_put_of(Indexing):
    """A copy of input with values at the indices; accumulate: added to what is there, repeats adding up."""

    name, node_name, method, namespace, index_inputs = "index_put_of", "IndexPutBackward0", False, None, PLACES

    @func_op(10)
    def forward(
        xp, input, values, i0=None, i1=None, i2=None, i3=None, i4=None, i5=None, i6=None, i7=None, *, accumulate=False
    ):
        return xp.index_put(input, _given(i0, i1, i2, i3, i4, i5, i6, i7), values, accumulate)

    def grad_input(xp, g, accumulate, i0, i1, i2, i3, i4, i5, i6, i7):
        return g if accumulate else xp.index_put(g, _given(i0, i1, i2, i3, i4, i5, i6, i7), xp.zeros(()), False)

    def grad_values(xp, g, shape, i0, i1, i2, i3, i4, i5, i6, i7):
        g = xp.index(g, _given(i0, i1, i2, i3, i4, i5, i6, i7))
        if len(shape) > len(g.shape):  # one value of several dimensions, filled in at a mask
            raise RuntimeError(
                f"Function IndexPutBackward0 returned an invalid gradient at index 1 - got {list(g.shape)} but "
                f"expected shape compatible with {list(shape)}"
            )
        return unbroadcast(xp, g, shape)


@public(namespace=None, word="index")
def index(input, indices):
    return index_of.fn(input, *indices)


@public(namespace=None, word="index_backward")
def index_backward(grad, shape, indices):
    return index_gradient.fn(grad, *indices, shape=shape)


# ---- reading what stands between the brackets

MASKS = (dtypes.bool_, dtypes.uint8)
TORCH_INDEX = (dtypes.int64, dtypes.int32, *MASKS)


def _tensor_of(item, device):
    """A list, tuple or array between the brackets, as an index tensor: of truth values, of bytes, else of integers."""
    is_array = hasattr(item, "__array_interface__")
    if not is_array and isinstance(item, (list, tuple, range)) and not len(item):
        return zeros((0,), dtype=dtypes.int64, device=device)
    made = Tensor._from_numpy(item) if is_array else tensor(item)
    dtype = made._table.dtype
    if dtype.is_complex and not is_array:
        raise TypeError("'complex' object cannot be interpreted as an integer")
    if dtype not in MASKS:
        made = made.to(dtypes.int64)
    return made if made._table.device == device else made.to(device)


def _is_array(item):
    """A numpy array, of any number of dimensions; not one of numpy's numbers."""
    return hasattr(item, "__array_interface__") and hasattr(item, "__len__")


def _as_tuple(index):
    """The items of an index; a list counts as a tuple when it holds slices, sequences or tensors, as in torch."""
    if type(index) is tuple:
        return index
    if isinstance(index, tuple):
        return tuple(index)
    if isinstance(index, list) and len(index) < 32:
        for item in index:
            if isinstance(item, (Tensor, slice, list, tuple)) or item is None or item is Ellipsis or _is_array(item):
                warn(
                    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
                    "pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as "
                    "tensor index, x[torch.tensor(seq)], which will result either in an error or a different result",
                    UserWarning,
                )
                return tuple(index)
    return (index,)


def _index_error(item):
    kind = type(item)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    return IndexError(
        f"only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {name})"
    )


def _dimensions_taken(items):
    """How many dimensions the items of an index take, as torch counts: a list or array one, even of truth values."""
    taken = 0
    for item in items:
        kind = type(item)
        if kind is int or kind is slice:
            taken += 1
        elif isinstance(item, Tensor):
            taken += item._array.ndim if item._table.dtype in MASKS else 1
        elif kind is not bool and item is not None and item is not Ellipsis:
            taken += 1
    return taken


def _number_or_tensor(item, device):
    """What else may stand between the brackets, as an index tensor or a number."""
    if isinstance(item, (list, tuple, range, str)) or _is_array(item):
        return _tensor_of(item, device)
    if hasattr(item, "__index__"):
        return int(item.__index__())  # of a symbolic number, the value at hand
    if hasattr(item, "__array_interface__") and item.dtype.kind in "iu":
        return int(item)
    raise _index_error(item)


def read(self, index, to_write=False):
    """(view, index tensors by dimension or []): slices, integers and new dimensions done, tensors left to pick by.

    A slice of all of a dimension is a view of its own only where it is the whole index, and is to be read.
    """
    ndim, device = self._array.ndim, self._table.device
    items = _as_tuple(index)
    as_tuple = to_write or type(index) is tuple or len(items) > 1
    if not ndim and type(index) is int:
        return _picked(self, 0, index, 0), []  # raises torch's advice for 0-dim tensors
    if not ndim and type(index) is slice:
        return _sliced(self, 0, index, False), []  # raises too
    if (taken := _dimensions_taken(items)) > ndim:
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    view, dim, picks = self, 0, []
    for place, item in enumerate(items):
        kind = type(item)
        if kind is not int and kind is not slice and kind is not bool and item is not None and item is not Ellipsis:
            item = item if isinstance(item, Tensor) else _number_or_tensor(item, device)
            kind = type(item)
        if kind is int:
            view = _picked(view, dim, item, place)
        elif kind is slice:
            view = _sliced(view, dim, item, as_tuple)
            dim += 1
        elif item is None:
            view = unsqueeze.fn(view, dim)
            dim += 1
        elif item is Ellipsis:
            dim += ndim - taken
        elif kind is bool:
            view = unsqueeze.fn(view, dim)
            _put_at(picks, dim, zeros((int(item),), dtype=dtypes.int64, device=device))
            dim += 1
        else:
            view, dim = _tensor_item(view, dim, item, picks, place)
    return view, picks


def bytes_as_mask(item):
    """A uint8 mask as bool, with torch's warning."""
    warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.")
    return item.to(dtypes.bool_)


def _tensor_item(view, dim, item, picks, place):
    """(view, the next dimension) after an index tensor at dim: one number picks at once, others are noted in picks."""
    dtype = item._table.dtype
    if item._array.ndim == 0 and dtype.category < dtypes.FLOATING:
        return _number_item(view, dim, item, picks, place)
    _put_at(picks, dim, item)
    return view, dim + (item._array.ndim if dtype in MASKS else 1)


def _number_item(view, dim, item, picks, place):
    """_tensor_item for a 0-dim tensor of integers, or of a truth value, which adds a dimension of size 0 or 1."""
    if item._table.dtype not in MASKS:
        if item._table.is_transform:  # inside vmap each member has its own index
            _put_at(picks, dim, item)
            return view, dim + 1
        return _picked(view, dim, int(item.item()), place), dim
    view = unsqueeze.fn(view, dim)
    _put_at(picks, dim, zeros((int(bool(item.item())),), dtype=dtypes.int64, device=view._table.device))
    return view, dim + 1


def fitting(x, picks):
    """Index tensors by dimension, found to fit x: bytes as masks, without masks of 0 dimensions, which pick nothing."""
    shape, found, dim = x._array.shape, [], 0
    for p in picks:
        if p is None:
            found.append(None)
            dim += 1
            continue
        dtype = p._table.dtype
        if dtype not in TORCH_INDEX:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if dtype in MASKS:
            p = bytes_as_mask(p) if dtype is dtypes.uint8 else p
            _check_mask(shape, dim, p._array.shape)
            dim += p._array.ndim
            if not p._array.ndim:
                continue
        else:
            dim += 1
        found.append(p)
    if dim > len(shape):
        raise IndexError(f"too many indices for tensor of dimension {len(shape)} (got {dim})")
    if len(found) > len(PLACES):
        raise NotImplementedError(f"indexing by tensors beyond dimension {len(PLACES)} is not supported")
    _check_together(found)
    if 0 in shape:
        _check_places_in_nothing(shape, found)
    return found


def _check_mask(shape, dim, mask):
    for i, n in enumerate(mask):
        if dim + i >= len(shape):
            raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
        if n != shape[dim + i]:
            raise IndexError(
                f"The shape of the mask {list(mask)} at index {i} does not match the shape of the indexed "
                f"tensor {list(shape)} at index {dim + i}"
            )


def _picked_shapes(picks):
    """The shapes of index tensors; of a mask, that of its true places."""
    return [p._array.shape if p._table.dtype is not dtypes.bool_ else (int(p.sum()),) for p in picks if p is not None]


def _check_together(picks):
    """Index tensors must broadcast together."""
    if len(picks) - picks.count(None) > 1:
        shapes = _picked_shapes(picks)
        for a in range(1, max(map(len, shapes)) + 1):
            if len({s[-a] for s in shapes if len(s) >= a} - {1}) > 1:
                raise IndexError(
                    "shape mismatch: indexing tensors could not be broadcast together with shapes "
                    + ", ".join(str(list(s)) for s in shapes)
                )


def _check_places_in_nothing(shape, picks):
    """Where there is nothing along a dimension, nothing can be picked."""
    dim, empty = 0, False
    for p in picks:
        covered = 1 if p is None or p._table.dtype is not dtypes.bool_ else p._array.ndim
        empty = empty or p is not None and 0 in shape[dim : dim + covered]
        dim += covered
    if empty and not any([0 in s for s in _picked_shapes(picks)]):
        raise IndexError("index is out of bounds for dimension with size 0")


def _put_at(picks, dim, item):
    """Note an index tensor at a dimension; a mask covers several."""
    covered = sum(
        getattr(p, "_array", None) is not None and p._table.dtype in MASKS and p._array.ndim - 1 for p in picks
    )
    picks.extend([None] * (dim - covered - len(picks)))
    picks.append(item)


def _picked(view, dim, i, place):
    """Slice i of dim. torch's error counts dimensions by the place of i among the indices."""
    shape = view._array.shape
    n = shape[dim] if dim < len(shape) else 0
    if not -n <= i < n:
        if not shape:
            raise IndexError(
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in "
                "C++ to convert a 0-dim tensor to a number"
            )
        if not -1 << 63 <= i < 1 << 63:
            raise ValueError("Overflow when unpacking long long")
        raise IndexError(f"index {i} is out of bounds for dimension {place} with size {n}")
    return select.fn(view, dim, i)


def _as_written(part):
    """(start, end, step) of a slice as torch's C++ code has it, which modes see; None for one with tensors in it."""
    raw = part.start, part.stop, part.step
    if any(i is not None and type(i) is not int for i in raw):
        return None
    return raw[0] or 0, sys.maxsize if raw[1] is None else raw[1], 1 if raw[2] is None else raw[2]


def _sliced(view, dim, part, among_others):
    shape = view._array.shape
    if not shape:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    step = part.step
    if step is not None:
        step = step.__index__() if hasattr(step, "__index__") else step
        if type(step) is int and step < 1:
            raise ValueError("slice step cannot be zero" if step == 0 else "step must be greater than zero")
    if dim >= len(shape):
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-len(shape)}, {len(shape) - 1}], but got {dim})"
        )
    n = shape[dim]
    raw = _as_written(part) if DISPATCH and n.__class__ is int else None
    if raw is not None and (raw[0] or raw[1] < n or raw[2] > 1 or not among_others):
        return slice_of.fn(view, dim, *raw)
    start, end, step = part.indices(n) if n.__class__ is int else slice_indices(part, n)
    if (
        among_others
        and step == 1
        and (part.start is None or start == 0 and part.start.__index__() == 0)
        and (part.stop is None or part.stop.__index__() >= n)
    ):
        return view  # all of the dimension, so written
    if DISPATCH and (part.start is not None or part.stop is not None):
        return _told_slice(view, dim, part, start, end, step)
    return slice_of.fn(view, dim, start, end, step)


def _told_slice(view, dim, part, start, end, step):
    """A slice that somebody sees: its ends as they were written."""
    first = 0 if part.start is None else part.start.__index__()
    last = (1 << 63) - 1 if part.stop is None else part.stop.__index__()
    args = (view, dim, first, last) if step == 1 else (view, dim, first, last, step)
    return spelled_as("slice.Tensor", args, slice_of.fn, view, dim, start, end, step)


# ---- x[index]


@tensor_method
def __getitem__(self, index):
    """x[index]: a view for integers, slices, None and ...; a copy when tensors, lists or masks pick elements."""
    if UNUSUAL or type(self) not in PLAIN:
        relevant = [self, *(index if isinstance(index, tuple) else (index,))]
        handled, result = ask_overrides(Tensor.__getitem__, relevant, (self, index), {})
        if handled:
            return result
    else:
        kind = type(index)
        got = (
            _select_at(self, 0, index)
            if kind is int
            else _slice_at(self, 0, index)
            if kind is slice
            else _step_by_step(self, index)
            if kind is tuple
            else _pick_by(self, index)
            if kind is Tensor
            else None
        )
        if got is not None:
            return got
        items = index if kind is tuple else (index,)
        if any(type(i) not in ORDINARY and hasattr(type(i), "__torch_function__") for i in items):
            handled, result = ask_overrides(Tensor.__getitem__, items, (self, index), {})
            if handled:
                return result
    view, picks = read(self, index)
    if not picks:
        return alias.fn(view) if view is self else view
    return _index_call(view, picks)


# ---- the short ways: each gives None when anything is out of the ordinary, and the long way says what. They are asked
# only where nothing is UNUSUAL, and write out what `record` does, whose call would be a twentieth of x[0].


def _select_at(x, dim, i):
    d = x._array
    shape = d.shape
    if dim >= len(shape) or not -shape[dim] <= i < shape[dim]:
        return None
    if i < 0:
        i += shape[dim]
    k = x._table
    out = new_object(Tensor)
    out._array, out._table = k.select(d, dim, i), k
    edge, on = x._node, not NO_GRAD or local.grad
    if edge is None or not on:
        out._node = None
    else:
        out._node = node = new_object(select.Node)
        node.k, node.edges, node.seq = k, (edge,), tick()
        node.dim, node.index, node.shape_0 = dim, i, shape
    link_view(out, x, select, (dim, i), on)
    return out


def _slice_at(x, dim, part):
    d = x._array
    shape = d.shape
    step = part.step
    if dim >= len(shape) or step is not None and (type(step) is not int or step < 1):
        return None
    try:
        n = shape[dim]
        start, end, step = part.indices(n) if n.__class__ is int else slice_indices(part, n)
    except TypeError:
        return None
    if end < start:
        end = start
    k = x._table
    out = new_object(Tensor)
    out._array, out._table = k.slice(d, dim, start, end, step), k
    edge, on = x._node, not NO_GRAD or local.grad
    if edge is None or not on:
        out._node = None
    else:
        out._node = node = new_object(slice_of.Node)
        node.k, node.edges, node.seq = k, (edge,), tick()
        node.shape_0, node.dim, node.start, node.end, node.step = shape, dim, start, end, step
    link_view(out, x, slice_of, (dim, start, end, step), on)
    return out


def _step_by_step(x, index):
    """A tuple of ints, slices, None and ... only."""
    ndim, taken = x._array.ndim, 0
    for item in index:
        kind = type(item)
        if kind is int or kind is slice:
            taken += 1
        elif item is not None and item is not Ellipsis:
            return None
    if taken > ndim:
        return None
    view, dim = x, 0
    for item in index:
        kind = type(item)
        if kind is int:
            view = _select_at(view, dim, item)
        elif kind is slice:
            if (
                (item.step is None or type(item.step) is int and item.step == 1)
                and item.start in (None, 0)
                and (item.stop is None or (type(item.stop) is int and item.stop >= view._array.shape[dim]))
            ):
                dim += 1
                continue
            view = _slice_at(view, dim, item)
            dim += 1
        elif item is None:
            view = unsqueeze.fn(view, dim)
            dim += 1
        else:
            dim += ndim - taken
        if view is None:
            return None
    return alias.fn(view) if view is x else view


def _pick_by(x, index):
    """One tensor of integers, or one mask."""
    dtype, i, d = index._table.dtype, index._array, x._array
    if not i.ndim or not d.ndim or index._table.device is not x._table.device or not x._table.aliases:
        return None
    if dtype is dtypes.bool_:
        if i.shape != d.shape[: i.ndim]:
            return None
    elif dtype is not dtypes.int64:
        return None
    k = x._table
    out = new_object(Tensor)
    out._array, out._table, out._extra = k.index(d, (i,)), k, None
    edge = x._node
    if edge is None or NO_GRAD and not local.grad:
        out._node = None
    else:
        if INFERENCE and index.is_inference():
            refuse_saved()
        out._node = node = record(index_of.Node, k, (edge, *_NO_EDGES))
        node.shape_0, node.i0 = d.shape, i
        node.i1 = node.i2 = node.i3 = node.i4 = node.i5 = node.i6 = node.i7 = None
    return out


_NO_EDGES = (None,) * len(PLACES)


def _index_call(view, picks):
    device = view._table.device
    picks = [p if p is None or p._table.device == device else p.to(device) for p in picks]
    return index_of.fn(view, *fitting(view, picks))
