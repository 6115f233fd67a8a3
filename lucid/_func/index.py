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
            view = _sliced(view, dim, item, len(items) > 1)
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
    if among_others and start == 0 and end == n and step == 1:
        return view
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
    elif type(index) is int:
        d = self._d
        shape = d.shape
        if shape and -shape[0] <= index < shape[0]:
            if index < 0:
                index += shape[0]
            k = self._k
            out = new_object(Tensor)
            out._d, out._k = k.select(d, 0, index), k
            edge = self._n
            if edge is None or NO_GRAD and not local.grad:
                out._n = None
            else:
                out._n = node = new_object(_SelectNode)
                node.k, node.seq, node.edges = k, tick(), (edge,)
                node.dim, node.index, node.shape_0 = 0, index, shape
            link_view(out, self, select, (0, index), not NO_GRAD or local.grad)
            return out
    view, picks = _read(self, index)
    if not picks:
        return alias.fn(view) if view is self else view
    return _index_call(view, picks)


_SelectNode = select.Node


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
