"""x[...]: reading and writing by integers, slices, masks and index tensors; index_put, take, nonzero and relatives."""
from .._array.tables import table
from .._backend.core import FUNCTIONS, func_op, public, tensor_method, unary_func_op
from .._backend.families import Indexing, Own
from .._backend.generate import unbroadcast
from .._backend.inplace import before_write, bump, rebase
from .._backend.interpret import PLAIN, ask_overrides, is_number, record
from .._base import dtype as dtypes
from .._base.state import NO_GRAD, UNUSUAL, local, tick
from .._tensor.storage import link_view
from .._tensor.tensor import Tensor, new_object
from .parts import select, slice_of
from .view import alias, unsqueeze

# Index tensors are inputs of the ops below: so many of them at most, counted with the dimensions left whole before them.
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

    name, node, method, home, aside = "index_of", "IndexBackward0", False, None, PLACES

    @func_op(9)
    def forward(xp, input, i0=None, i1=None, i2=None, i3=None, i4=None, i5=None, i6=None, i7=None):
        return xp.index(input, _given(i0, i1, i2, i3, i4, i5, i6, i7))

    def grad_input(xp, g, shape, i0, i1, i2, i3, i4, i5, i6, i7):
        return xp.index_backward(g, shape, _given(i0, i1, i2, i3, i4, i5, i6, i7))


class index_gradient(Indexing):
    """The gradient of index_of: zeros of `shape` with grad added where its elements came from."""

    name, node, method, home, aside = "index_gradient", "IndexPutBackward0", False, None, PLACES

    @func_op(9)
    def forward(xp, grad, i0=None, i1=None, i2=None, i3=None, i4=None, i5=None, i6=None, i7=None, *, shape):
        return xp.index_backward(grad, shape, _given(i0, i1, i2, i3, i4, i5, i6, i7))

    def grad_grad(xp, g, i0, i1, i2, i3, i4, i5, i6, i7):
        return xp.index(g, _given(i0, i1, i2, i3, i4, i5, i6, i7))


class index_put_of(Indexing):
    """A copy of input with values at the indices; accumulate: added to what is there, repeats adding up."""

    name, node, method, home, aside = "index_put_of", "IndexPutBackward0", False, None, PLACES

    @func_op(10)
    def forward(xp, input, values, i0=None, i1=None, i2=None, i3=None, i4=None, i5=None, i6=None, i7=None, *, accumulate=False):
        return xp.index_put(input, _given(i0, i1, i2, i3, i4, i5, i6, i7), values, accumulate)

    def grad_input(xp, g, accumulate, i0, i1, i2, i3, i4, i5, i6, i7):
        return g if accumulate else xp.index_put(g, _given(i0, i1, i2, i3, i4, i5, i6, i7), xp.zeros(()), False)

    def grad_values(xp, g, shape, i0, i1, i2, i3, i4, i5, i6, i7):
        return unbroadcast(xp, xp.index(g, _given(i0, i1, i2, i3, i4, i5, i6, i7)), shape)


@public(home=None, word="index")
def index(input, indices):
    return index_of.fn(input, *indices)


@public(home=None, word="index_backward")
def index_backward(grad, shape, indices):
    return index_gradient.fn(grad, *indices, shape=shape)


# ---- reading what stands between the brackets

_TORCH_INDEX = (dtypes.int64, dtypes.int32, dtypes.uint8, dtypes.bool_)


def _tensor_of(item, device):
    """A list, tuple or array between the brackets, as an index tensor."""
    if isinstance(item, (list, tuple, range)) and not len(item):
        return FUNCTIONS["zeros"]((0,), dtype=dtypes.int64, device=device)
    made = FUNCTIONS["tensor"](item) if not hasattr(item, "__array_interface__") else Tensor._from_numpy(item)
    if made._k.inexact and not hasattr(item, "__array_interface__"):
        made = made.to(dtypes.int64)        # torch reads such a list as integers
    return made if made._k.device == device else made.to(device)


def _as_tuple(index):
    """The items of an index; a list counts as a tuple when it holds slices, sequences or tensors, as in torch."""
    if type(index) is tuple:
        return index
    if isinstance(index, tuple):
        return tuple(index)
    if isinstance(index, list) and len(index) < 32:
        for item in index:
            if isinstance(item, (Tensor, slice, list, tuple)) or item is None or item is Ellipsis or hasattr(item, "__array_interface__") \
                    and getattr(item, "ndim", 0):
                return tuple(index)
    return (index,)


def _wrong(item):
    kind = type(item)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    return IndexError("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
                      f"{name})")


def _read(self, index):
    """(view, index tensors by dimension or []): slices, integers and new dimensions done, tensors left to pick by."""
    items, ndim, device = [], self._d.ndim, self._k.device
    taken = 0
    for item in _as_tuple(index):
        kind = type(item)
        if kind is int or kind is slice:
            taken += 1
        elif kind is bool or item is None or item is Ellipsis:
            pass
        elif isinstance(item, Tensor):
            taken += item._d.ndim if item._k.dtype in (dtypes.bool_, dtypes.uint8) else 1
        elif isinstance(item, (list, tuple, range, str)) or hasattr(item, "__array_interface__") and hasattr(item, "strides") and item.ndim:
            item = _tensor_of(item, device)
            taken += item._d.ndim if item._k.dtype in (dtypes.bool_, dtypes.uint8) else 1
        elif hasattr(item, "__index__"):
            item = item.__index__()
            taken += 1
        elif hasattr(item, "__array_interface__") and item.dtype.kind in "iu":
            item = int(item)
            taken += 1
        else:
            raise _wrong(item)
        items.append(item)
    if taken > ndim:
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    view, dim, picks = self, 0, []
    for item in items:
        kind = type(item)
        if kind is int:
            view = _picked(view, dim, item)
        elif kind is slice:
            view = _sliced(view, dim, item, type(index) is tuple)
            dim += 1
        elif item is None:
            view = unsqueeze.fn(view, dim)
            dim += 1
        elif item is Ellipsis:
            dim += ndim - taken
            taken = ndim
        elif kind is bool:
            view = unsqueeze.fn(view, dim)
            _put_at(picks, dim, FUNCTIONS["zeros"]((int(item),), dtype=dtypes.int64, device=device))
            dim += 1
        else:
            view, dim = _tensor_item(view, dim, item, picks)
    return view, picks


def _tensor_item(view, dim, item, picks):
    dtype = item._k.dtype
    if item._d.ndim == 0 and dtype.category < dtypes.FLOATING:
        if dtype is not dtypes.bool_ and dtype is not dtypes.uint8:
            if hasattr(item._k, "merged"):      # inside vmap each member has its own index
                _put_at(picks, dim, item)
                return view, dim + 1
            return _picked(view, dim, int(item.item())), dim
        view = unsqueeze.fn(view, dim)
        _put_at(picks, dim, FUNCTIONS["zeros"]((int(bool(item.item())),), dtype=dtypes.int64, device=view._k.device))
        return view, dim + 1
    if dtype not in _TORCH_INDEX:
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if dtype is dtypes.uint8:
        import warnings
        warnings.warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.", UserWarning,
                      stacklevel=4)
        item = item.to(dtypes.bool_)
    if item._k.dtype is dtypes.bool_:
        shape = view._d.shape
        for i, n in enumerate(item._d.shape):
            if n != shape[dim + i]:
                raise IndexError(f"The shape of the mask {list(item._d.shape)} at index {i} does not match the shape of the indexed "
                                 f"tensor {list(shape)} at index {dim + i}")
        _put_at(picks, dim, item, item._d.ndim)
        return view, dim + item._d.ndim
    _put_at(picks, dim, item)
    return view, dim + 1


def _put_at(picks, dim, item, width=1):
    """Note an index tensor at a dimension; a mask covers several."""
    covered = sum(getattr(p, "_d", None) is not None and p._k.dtype is dtypes.bool_ and p._d.ndim - 1 for p in picks)
    picks.extend([None] * (dim - covered - len(picks)))
    picks.append(item)


def _picked(view, dim, i):
    shape = view._d.shape
    n = shape[dim] if dim < len(shape) else 0
    if not -n <= i < n:
        if not shape:
            raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert "
                             "a 0-dim tensor to a number")
        if not -1 << 63 <= i < 1 << 63:
            raise ValueError("Overflow when unpacking long long")
        raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {n}")
    return select.fn(view, dim, i)


def _sliced(view, dim, part, among_others):
    shape = view._d.shape
    if not shape:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    step = part.step
    if step is not None:
        step = step.__index__() if hasattr(step, "__index__") else step
        if type(step) is int and step < 1:
            raise ValueError("slice step cannot be zero" if step == 0 else "step must be greater than zero")
    n = shape[dim]
    start, end, step = part.indices(n)
    if among_others and step == 1 and (part.start is None or start == 0 and part.start.__index__() == 0) and (
            part.stop is None or part.stop.__index__() >= n):
        return view         # all of the dimension, so written
    return slice_of.fn(view, dim, start, end, step)


# ---- x[index]

@tensor_method
def __getitem__(self, index):
    """x[index]: a view for integers, slices, None and ...; a copy when tensors, lists or masks pick elements."""
    if UNUSUAL or type(self) not in PLAIN:
        relevant = [self, *[i for i in (index if isinstance(index, tuple) else (index,)) if isinstance(i, Tensor)]]
        handled, result = ask_overrides(Tensor.__getitem__, relevant, (self, index), {})
        if handled:
            return result
    else:
        kind = type(index)
        got = (_select_at(self, 0, index) if kind is int else _slice_at(self, 0, index) if kind is slice
               else _step_by_step(self, index) if kind is tuple else _pick_by(self, index) if kind is Tensor else None)
        if got is not None:
            return got
    view, picks = _read(self, index)
    if not picks:
        return alias.fn(view) if view is self else view
    return _index_call(view, picks)


# ---- the short ways: each gives None when anything is out of the ordinary, and the long way says what

_SelectNode, _SliceNode, _IndexNode = select.Node, slice_of.Node, index_of.Node


def _select_at(x, dim, i):
    d = x._d
    shape = d.shape
    if dim >= len(shape) or not -shape[dim] <= i < shape[dim]:
        return None
    if i < 0:
        i += shape[dim]
    k = x._k
    out = new_object(Tensor)
    out._d, out._k = k.select(d, dim, i), k
    edge, on = x._n, not NO_GRAD or local.grad
    if edge is None or not on:
        out._n = None
    else:
        out._n = node = new_object(_SelectNode)
        node.k, node.seq, node.edges, node.dim, node.index, node.shape_0 = k, tick(), (edge,), dim, i, shape
    link_view(out, x, select, (dim, i), on)
    return out


def _slice_at(x, dim, part):
    d = x._d
    shape = d.shape
    step = part.step
    if dim >= len(shape) or step is not None and (type(step) is not int or step < 1):
        return None
    try:
        start, end, step = part.indices(shape[dim])
    except TypeError:
        return None
    if end < start:
        end = start
    k = x._k
    out = new_object(Tensor)
    out._d, out._k = k.slice(d, dim, start, end, step), k
    edge, on = x._n, not NO_GRAD or local.grad
    if edge is None or not on:
        out._n = None
    else:
        out._n = node = new_object(_SliceNode)
        node.k, node.seq, node.edges, node.shape_0 = k, tick(), (edge,), shape
        node.dim, node.start, node.end, node.step = dim, start, end, step
    link_view(out, x, slice_of, (dim, start, end, step), on)
    return out


def _step_by_step(x, index):
    """A tuple of ints, slices, None and ... only."""
    ndim, taken = x._d.ndim, 0
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
            if item.step is None and item.start in (None, 0) and (item.stop is None or (
                    type(item.stop) is int and item.stop >= view._d.shape[dim])):
                dim += 1
                continue
            view = _slice_at(view, dim, item)
            dim += 1
        elif item is None:
            view = unsqueeze.fn(view, dim)
            dim += 1
        else:
            dim += ndim - taken
            taken = ndim
        if view is None:
            return None
    return alias.fn(view) if view is x else view


def _pick_by(x, index):
    """One tensor of integers, or one mask."""
    dtype, i, d = index._k.dtype, index._d, x._d
    if not i.ndim or not d.ndim or index._k.device is not x._k.device or not x._k.aliases:
        return None
    if dtype is dtypes.bool_:
        if i.shape != d.shape[:i.ndim]:
            return None
    elif dtype is not dtypes.int64:
        return None
    k = x._k
    out = new_object(Tensor)
    out._d, out._k, out._m = k.index(d, (i,)), k, None
    edge = x._n
    if edge is None or NO_GRAD and not local.grad:
        out._n = None
    else:
        out._n = node = new_object(_IndexNode)
        node.k, node.seq, node.edges, node.shape_0, node.i0 = k, tick(), (edge, *_NO_EDGES), d.shape, i
        node.i1 = node.i2 = node.i3 = node.i4 = node.i5 = node.i6 = node.i7 = None
    return out


_NO_EDGES = (None,) * len(PLACES)


def _index_call(view, picks):
    if len(picks) > len(PLACES):
        raise NotImplementedError(f"indexing by tensors beyond dimension {len(PLACES)} is not supported")
    device = view._k.device
    picks = [p if p is None or p._k.device == device else p.to(device) for p in picks]
    _check_together(picks)
    return index_of.fn(view, *picks)


def _check_together(picks):
    """Index tensors must broadcast together."""
    arrays = [p for p in picks if p is not None]
    if len(arrays) > 1:
        shapes = [p._d.shape if p._k.dtype is not dtypes.bool_ else (int(p.sum()),) for p in arrays]
        for a in range(1, max(map(len, shapes)) + 1):
            if len({s[-a] for s in shapes if len(s) >= a} - {1}) > 1:
                raise IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes "
                                 + ", ".join(str(list(s)) for s in shapes))


# ---- x[index] = value

def _assignable(value):
    kind = type(value)
    return isinstance(value, Tensor) or kind in (int, float, bool, complex) or is_number(value) and isinstance(
        value, (int, float, complex)) or is_number(value) and hasattr(value, "__index__")


def _number_for(k, value):
    """A number in the type of the table k, with torch's refusals."""
    if isinstance(value, complex) and not k.is_complex:
        raise RuntimeError(f"value cannot be converted to type {_C_TYPES.get(k.dtype.name, k.dtype.name)} without overflow")
    if not k.inexact and k is not k.bool and isinstance(value, float):
        value = int(value)
    return value


_C_TYPES = {"float32": "float", "float64": "double", "int64": "int64_t", "int32": "int", "int16": "int16_t", "int8": "int8_t",
            "uint8": "uint8_t", "bool": "bool", "float16": "at::Half", "bfloat16": "at::BFloat16"}


def _only_basic(index):
    kind = type(index)
    if kind is tuple:
        for i in index:
            if type(i) is not int and type(i) is not slice:
                return False
        return bool(index)
    return kind is int or kind is slice


@tensor_method
def __setitem__(self, index, value):
    """x[index] = value: written through the view, or at the elements, that the index names; value broadcasts."""
    if UNUSUAL or type(self) not in PLAIN or isinstance(value, Tensor) and type(value) not in PLAIN:
        items = index if isinstance(index, tuple) else (index,)
        relevant = [t for t in (self, *items, value) if isinstance(t, Tensor)]
        handled, _ = ask_overrides(Tensor.__setitem__, relevant, (self, index, value), {})
        if handled:
            return
    if type(value) is not Tensor and not _assignable(value):
        kind = type(value)
        name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
        raise TypeError(f"can't assign a {name} to a {self.type()}")
    k = self._k
    if k.lib == "numpy" and (self._n is None or NO_GRAD and not local.grad) and (
            _write_plainly(self, k, index, value) if _only_basic(index) else
            type(index) is Tensor and _write_picked(self, k, index, value)):
        return
    view, picks = _read(self, index)
    if not picks:
        _copy_to(view, value)
        return
    if not isinstance(value, Tensor):
        value = FUNCTIONS["tensor"](_number_for(k, value), dtype=k.dtype, device=k.device)
    elif value._d.ndim:
        value = _without_leading_ones(value)
    elif value._k is not k:
        value = value.to(device=k.device) if value._k.device != k.device else value
    index_put_(view, picks, value, _whole=True)


def _write_plainly(self, k, index, value):
    """The short way: no graph, ints and slices only. False when anything is out of the ordinary."""
    if type(value) is Tensor:
        if value._n is not None and not (NO_GRAD and not local.grad) or value._k is not k or self._m is not None and (
                self._m.inference or value._m is not None and value._m.storage is self._m.storage):
            return False
        value = value._d
    else:
        if self._m is not None and self._m.inference:
            return False
        value = _number_for(k, value)
    d = self._d
    try:
        part = d[(*index, ...)] if type(index) is tuple else d[index, ...]
    except (IndexError, ValueError):
        return False        # the long way says what is wrong
    if 0 in d.strides or any(s < 0 for s in part.strides) or getattr(value, "ndim", 0) > part.ndim:
        return False
    if getattr(value, "ndim", 0) and value.shape != part.shape:
        for m, n in zip(part.shape[::-1], value.shape[::-1]):
            if n != 1 and n != m:
                return False
    bump(self)
    if getattr(value, "ndim", 0):
        k.write(part, value)
    else:
        part[...] = value
    return True


def _write_picked(self, k, index, value):
    """The short way for one tensor of integers or one mask; False when anything is out of the ordinary."""
    i, d, m = index._d, self._d, self._m
    dtype = index._k.dtype
    if not i.ndim or not d.ndim or dtype is not dtypes.int64 and (dtype is not dtypes.bool_ or i.shape != d.shape[:i.ndim]) or (
            m is not None and (m.inference or m.one_of_many or m.made_without_grad)) or 0 in d.strides or index._k.lib != "numpy":
        return False
    if type(value) is Tensor:
        if value._n is not None and not (NO_GRAD and not local.grad) or value._k is not k or value._m is not None:
            return False
        value = value._d
    else:
        value = _number_for(k, value)
    try:
        d[i] = value
    except (IndexError, ValueError):
        return False
    bump(self)
    return True


def _without_leading_ones(value):
    shape = value._d.shape
    first = 0
    while first < len(shape) and shape[first] == 1:
        first += 1
    return value.view(shape[first:]) if first else value


def _copy_to(view, value):
    if not isinstance(value, Tensor):
        value = FUNCTIONS["tensor"](_number_for(view._k, value), dtype=view._k.dtype, device=view._k.device)
    if value._d.shape != view._d.shape:
        if not value._d.ndim:
            view.fill_(value)
            return
        value = FUNCTIONS["expand"](_without_leading_ones(value), view._d.shape)
    view.copy_(value)


def _index_list(indices, self, nones=False):
    """index_put's indices, checked; bool masks stay masks."""
    if isinstance(indices, Tensor) or not isinstance(indices, (tuple, list)):
        raise TypeError(f"index_put(): argument 'indices' (position 1) must be tuple of Tensors, not {type(indices).__name__}")
    picks = []
    for i, p in enumerate(indices):
        if p is None and nones:
            picks.append(None)
            continue
        if not isinstance(p, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(p).__name__}")
        if p._k.dtype not in _TORCH_INDEX:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        picks.append(p.to(dtypes.bool_) if p._k.dtype is dtypes.uint8 else p)
    taken = sum(1 if p is None or p._k.dtype is not dtypes.bool_ else p._d.ndim for p in picks)
    if taken > self._d.ndim:
        raise IndexError(f"too many indices for tensor of dimension {self._d.ndim} (got {taken})")
    if len(picks) > len(PLACES):
        raise NotImplementedError(f"indexing by tensors beyond dimension {len(PLACES)} is not supported")
    _check_together(picks)
    return picks


def _same_type(self, values):
    if not isinstance(values, Tensor):
        raise TypeError(f"index_put(): argument 'values' (position 2) must be Tensor, not {type(values).__name__}")
    if values._k.dtype is not self._k.dtype:
        raise RuntimeError(f"Index put requires the source and destination dtypes match, got {dtypes.SCALAR_NAMES[self._k.dtype]} for "
                           f"the destination and {dtypes.SCALAR_NAMES[values._k.dtype]} for the source.")


@public(method=True)
def index_put(input, indices, values, accumulate=False):
    """index_put(input, indices, values, accumulate=False) -> Tensor: a copy with values at the places the index tensors name."""
    picks = _index_list(indices, input, nones=not isinstance(input, Tensor) or accumulate is False)
    _same_type(input, values)
    return index_put_of.fn(input, values, *picks, accumulate=accumulate)


@public(method=True)
def index_put_(input, indices, values, accumulate=False, *, _whole=False):
    """index_put_(indices, values, accumulate=False) -> self with values at the places the index tensors name."""
    picks = _index_list(indices, input, nones=_whole)
    _same_type(input, values)
    if UNUSUAL or type(input) not in PLAIN or type(values) not in PLAIN or not input._k.aliases:
        return change(input, index_put_of, (values, *picks), {"accumulate": accumulate})
    k = input._k
    others = [None if p is None else p._d for p in picks]
    return overwrite(input, index_put_of, (values, *picks), (accumulate,),
                     lambda d: k.place(d, tuple(others), values._d, accumulate))


public("index_put_", home="torch")(index_put_)


def overwrite(x, op, others, options, write):
    """x changed in place by `write(array)`, which is what op does to a copy; the graph is op's."""
    edges = (x._n, *[None if t is None else t._n for t in others])
    recording = local.grad and x._k.inexact and any(e is not None for e in edges)
    before_write(x, recording)
    arrays = [x._d, *[None if t is None else t._d for t in others]]
    missing = len(op.inputs) - len(arrays)
    arrays += [None] * missing
    write(x._d)
    bump(x)
    if recording:
        rebase(x, record(op, x._k, x._d, arrays, edges + (None,) * missing, options))
    return x


def change(x, op, others, options):
    """x changed in place by way of a copy, for arrays that cannot be written."""
    new = op.fn(x, *others, **options)
    return x.copy_(new)


# ---- take, put, nonzero, masked_select

class take_at(Indexing):
    """take(input, index) -> Tensor of index's shape: elements of input read as one long vector."""

    name, aside, method, home, has_out = "take", ("index",), False, None, True

    @func_op(2)
    def forward(xp, input, index):
        return xp.index(xp.reshape(input, (_count(input.shape),)), (index,))

    def numpy(k, input, index):
        n = input.size
        if not n and index.size:
            raise IndexError("take(): tried to take from an empty tensor")
        try:
            return input.reshape(-1).take(index) if index.size else k.zeros(index.shape)
        except IndexError:
            bad = index[(index >= n) | (index < -n)].reshape(-1)[0]
            raise IndexError(f"out of range: tried to access index {bad} on a tensor of {n} elements.") from None

    def grad_input(xp, g, shape, index):
        n = _count(index.shape)
        flat = xp.index_backward(xp.reshape(g, (n,)), (_count(shape),), (xp.of(index).reshape(index, (n,)),))
        return xp.reshape(flat, shape)


def _count(shape):
    n = 1
    for m in shape:
        n *= m
    return n


@public(method=True)
def take(input, index, *, out=None):
    """take(input, index) -> Tensor of index's shape: elements of input read as one long vector."""
    if index._k.dtype is not dtypes.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {dtypes.SCALAR_NAMES[index._k.dtype]}")
    return take_at.fn(input, index, out=out)


class put_at(Indexing):
    """A copy of input, read as one long vector, with source's elements at index (or added there)."""

    name, node, aside, method, home, inplace = "put_at", "PutBackward0", ("index",), False, None, True

    @func_op(3)
    def forward(xp, input, index, source, accumulate=False):
        n = _count(index.shape)
        flat = xp.reshape(input, (_count(input.shape),))
        where = xp.of(index).reshape(index, (n,))
        return xp.reshape(xp.index_put(flat, (where,), xp.reshape(source, (n,)), accumulate), tuple(input.shape))

    def grad_input(xp, g, index, accumulate):
        if accumulate:
            return g
        n = _count(index.shape)
        flat = xp.index_put(xp.reshape(g, (_count(g.shape),)), (xp.of(index).reshape(index, (n,)),), xp.zeros(()), False)
        return xp.reshape(flat, tuple(g.shape))

    def grad_source(xp, g, index, shape):
        return xp.reshape(xp.index(xp.reshape(g, (_count(g.shape),)), (index,)), shape)


def _check_put(input, index, source):
    if source.numel() != index.numel():
        raise IndexError(f"put_(): Expected source and index to have the same number of elements, but got source.numel() = "
                         f"{source.numel()}, index.numel() = {index.numel()}")
    if index._k.dtype is not dtypes.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {dtypes.SCALAR_NAMES[index._k.dtype]}")
    if source._k.dtype is not input._k.dtype:
        raise RuntimeError(f"put_(): self and source expected to have the same dtype, but got self.dtype = "
                           f"{dtypes.SCALAR_NAMES[input._k.dtype]} and source.dtype = {dtypes.SCALAR_NAMES[source._k.dtype]}")
    n = input.numel()
    if not n and index.numel():
        raise IndexError("put_(): tried to put elements into an empty tensor")
    wrong = [i for i in index.view(-1).tolist() if not -n <= i < n] if index._k.lib == "numpy" else []
    if wrong:
        raise IndexError(f"out of range: tried to access index {wrong[0]} on a tensor of {n} elements.")


@public(method=True)
def put(input, index, source, accumulate=False):
    """put(input, index, source, accumulate=False) -> Tensor: input read as one long vector, with source's elements at index."""
    _check_put(input, index, source)
    return put_at.fn(input, index, source, accumulate)


@tensor_method
def put_(self, index, source, accumulate=False):
    """put_(index, source, accumulate=False) -> self, read as one long vector, with source's elements at index."""
    _check_put(self, index, source)
    return self.put_at_(index, source, accumulate)


class nonzero_rows(Own):
    """The coordinates of elements that are not zero, one row each."""

    name, promote, method, home, result, has_out = "nonzero", "keep", False, None, "of", True

    @unary_func_op(has_gradient=False)
    def forward(xp, input):
        return xp.nonzero(input)


@public(method=True)
def nonzero(input, *, out=None, as_tuple=False):
    """nonzero(input, as_tuple=False) -> (n, ndim) int64 Tensor of coordinates, or a tuple with a vector per dimension."""
    if as_tuple:
        if not input._d.ndim:
            input = input.unsqueeze(0)
        return nonzero_rows.fn(input).unbind(1)
    return nonzero_rows.fn(input, out=out)


@public(method=True)
def nonzero_static(input, *, size, fill_value=-1, out=None):
    """nonzero_static(input, size, fill_value=-1) -> (size, ndim) int64 Tensor: nonzero, cut off or filled up to `size` rows."""
    if input.is_meta:
        return FUNCTIONS["empty"]((size, input._d.ndim), dtype=dtypes.int64, device="meta")
    found = nonzero_rows.fn(input)[:size]
    rest = FUNCTIONS["full"]((size - found._d.shape[0], input._d.ndim), fill_value, dtype=dtypes.int64, device=input.device)
    return FUNCTIONS["cat"]([found, rest], 0, out=out)


@public(method=True)
def argwhere(input):
    """argwhere(input) -> (n, ndim) int64 Tensor: the coordinates of elements that are not zero."""
    return nonzero_rows.fn(input)


class masked_pick(Indexing):
    """masked_select with both operands already of one shape."""

    name, node, aside, method, home, has_out = "masked_select", "MaskedSelectBackward0", ("mask",), False, None, True

    @func_op(2)
    def forward(xp, input, mask):
        full = _together(input.shape, mask.shape)
        return xp.index(xp.expand(input, full), (xp.of(mask).expand(mask, full),))

    def grad_input(xp, g, mask, shape):
        full = _together(shape, mask.shape)
        return unbroadcast(xp, xp.index_backward(g, full, (xp.of(mask).expand(mask, full),)), shape)


def _together(a, b):
    from .._base.shape import broadcast_pair
    return broadcast_pair(tuple(a), tuple(b))


@public(method=True)
def masked_select(input, mask, *, out=None):
    """masked_select(input, mask) -> 1-D Tensor: the elements where the bool mask is true (both broadcast)."""
    if mask._k.dtype is not dtypes.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    return masked_pick.fn(input, mask, out=out)


class masked_scatter_from(Indexing):
    """A copy of input in which the places where mask is true hold source's elements, in order."""

    name, node, aside, method, home, inplace = "masked_scatter_from", "MaskedScatterBackward0", ("mask",), False, None, True

    @func_op(3)
    def forward(xp, input, mask, source):
        full = _together(input.shape, mask.shape)
        if xp.lib == "meta":
            return xp.masked_fill(input, mask, 0)
        mask = xp.of(mask).expand(mask, full)
        taken = xp.of(mask).nonzero(mask).shape[0]
        if taken > _count(source.shape):
            raise RuntimeError("Number of elements of source < number of ones in mask")
        flat = xp.slice(xp.reshape(source, (_count(source.shape),)), 0, 0, taken, 1)
        return xp.index_put(xp.expand(input, full), (mask,), flat, False)

    def grad_input(xp, g, mask, shape):
        return unbroadcast(xp, xp.masked_fill(g, mask, xp.scalar(0)), shape)

    def grad_source(xp, g, mask, shape):
        if xp.lib == "meta":
            return xp.zeros(shape)
        flat = xp.index(g, (xp.of(mask).expand(mask, tuple(g.shape)),))
        return xp.reshape(xp.slice_backward(flat, (_count(shape),), 0, 0, flat.shape[0], 1), shape)


def _check_masked_scatter(input, mask, source):
    if mask._k.dtype is not dtypes.bool_:
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {dtypes.SCALAR_NAMES[mask._k.dtype]}")
    if source._k.dtype is not input._k.dtype:
        raise RuntimeError(f"masked_scatter: expected self and source to have same dtypes but got "
                           f"{dtypes.SCALAR_NAMES[input._k.dtype]} and {dtypes.SCALAR_NAMES[source._k.dtype]}")


@public(method=True)
def masked_scatter(input, mask, source):
    """masked_scatter(input, mask, source) -> Tensor: source's elements, in order, where the bool mask is true."""
    _check_masked_scatter(input, mask, source)
    return masked_scatter_from.fn(input, mask, source)


@tensor_method
def masked_scatter_(self, mask, source):
    """masked_scatter_(mask, source) -> self with source's elements, in order, where the bool mask is true."""
    _check_masked_scatter(self, mask, source)
    return self.masked_scatter_from_(mask, source)
