"""x[...] = value: writing by integers, slices, masks and index tensors; index_put."""

from ..._backend.autocast import otherwise_unusual
from ..._backend.dispatch import Speller, asked
from ..._backend.inplace import inplace
from ..._backend.overrides import PLAIN, ask_overrides
from ..._backend.promotion import is_number
from ..._backend.recording import record_call, refuse_forbidden, refuse_inference_saved
from ..._backend.registry import public, tensor_method
from ..._backend.view_history import before_write, check_overlap, rebase, reread_views
from ..._base import dtype as dtypes
from ..._base.dtype import fitted, fitted_as_element
from ..._base.state import DISPATCH, INFERENCE, NO_GRAD, UNUSUAL, local
from ..._tensor.storage import bump
from ..._tensor.tensor import Tensor, wrap
from ..creation.from_data import tensor
from ..shape.expand import expand, unsqueeze
from ..shape.slicing import as_strided
from .getitem import fitting, index_put_of, read


def _assignable(value):
    kind = type(value)
    return (
        isinstance(value, Tensor)
        or kind in (int, float, bool, complex)
        or is_number(value)
        and isinstance(value, (int, float, complex))
        or is_number(value)
        and hasattr(value, "__index__")
    )


def _number_for(k, value):
    """A number in the type of the table k, with torch's refusals."""
    if k.is_complex and k.is_half:  # complex32, of which numpy has no numbers
        return k.scalar(value)
    kind = value.__class__
    if (kind is float or kind is int and value.bit_length() < 64) and k.low <= value <= k.high:
        return int(value) if kind is float and not k.inexact and k is not k.bool else value
    if isinstance(value, int) and not -1 << 63 <= value < 1 << 63:
        raise ValueError("Overflow when unpacking long long")
    return fitted_as_element(value, k.dtype) if k.has_data else value


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
    k = self._table
    seen = DISPATCH and asked((self, value))
    if seen and not isinstance(value, Tensor):
        value = Speller.current.lift(wrap(k.asarray(_number_for(k, value)), k))
    if (
        k.host
        and not seen
        and (self._node is None or NO_GRAD and not local.grad)
        and (
            _write_plainly(self, k, index, value)
            if _only_basic(index)
            else type(index) is Tensor and _write_picked(self, k, index, value)
        )
    ):
        return
    if k.is_sparse:
        raise TypeError("Cannot assign to a sparse tensor")
    if not isinstance(value, Tensor):
        value = tensor(_number_for(k, value), dtype=k.dtype, device=k.device)
    if type(index) is bool:
        if index:
            _copy_to(unsqueeze.fn(self, 0), value)
        return
    view, picks = read(self, index, to_write=True)
    if not picks:
        _copy_to(view, value)
        return
    if value._array.ndim:
        value = _without_leading_ones(value)
    elif value._table is not k:
        value = value.to(device=k.device) if value._table.device != k.device else value
    index_put_(view, picks, value, _whole=True)


def _refuse_bytes(picks, value):
    """RuntimeError where one value goes to the places of a mask of bytes, as torch's masked_fill_ takes none."""
    if value.numel() == 1 and [p._table.dtype for p in picks if p is not None] == [dtypes.uint8]:
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")


def _write_plainly(self, k, index, value):
    """The short way: no graph, ints and slices only. False when anything is out of the ordinary."""
    if isinstance(value, Tensor):
        if (
            value._node is not None
            and not (NO_GRAD and not local.grad)
            or value._table is not k
            or self._extra is not None
            and (self._extra.inference or value._extra is not None and value._extra.storage is self._extra.storage)
        ):
            return False
        value = value._array
    else:
        if self._extra is not None and self._extra.inference:
            return False
        value = _number_for(k, value)
    d = self._array
    try:
        part = d[(*index, ...)] if type(index) is tuple else d[index, ...]
    except (IndexError, ValueError):
        return False  # the long way says what is wrong
    if 0 in d.strides or any(s < 0 for s in part.strides) or getattr(value, "ndim", 0) > part.ndim:
        return False
    if getattr(value, "ndim", 0) and value.shape != part.shape:
        for m, n in zip(part.shape[::-1], value.shape[::-1]):
            if n != 1 and n != m:
                return False
    if getattr(value, "ndim", 0):
        k.write(part, value)
    else:
        part[...] = value
    bump(self)
    reread_views(self)
    return True


def _write_picked(self, k, index, value):
    """The short way for one tensor of integers or one mask; False when anything is out of the ordinary."""
    i, d, m = index._array, self._array, self._extra
    dtype = index._table.dtype
    if not i.ndim or not d.ndim or 0 in d.strides or not index._table.host:
        return False
    if dtype is not dtypes.int64 and (dtype is not dtypes.bool_ or i.shape != d.shape[: i.ndim]):
        return False
    if self is index or m is not None and (m.inference or m.storage is not None and index._extra is not None):
        return False
    if isinstance(value, Tensor):
        if (
            value._node is not None
            and not (NO_GRAD and not local.grad)
            or value._table is not k
            or value._extra is not None
            or value is self
        ):
            return False
        value = value._array
    else:
        value = _number_for(k, value)
    try:
        d[i] = value
    except (IndexError, ValueError):
        return False
    bump(self)
    reread_views(self)
    return True


def _leading_ones(value):
    """How many of value's first dimensions have size 1."""
    first = 0
    for n in value._array.shape:
        if n != 1:
            break
        first += 1
    return first


def _without_leading_ones(value):
    first = _leading_ones(value)
    return value.view(value._array.shape[first:]) if first else value


def _copy_to(view, value):
    if value._array.shape != view._array.shape:
        if not value._array.ndim:
            view.fill_(value)
            return
        value = value.view(value._array.shape[_leading_ones(value) :])
        if value._array.shape != view._array.shape:
            value = expand.fn(value, view._array.shape)
    view.copy_(value)


def _refuse_others(indices):
    """TypeError for what is no list of index tensors."""
    if isinstance(indices, Tensor) or not isinstance(indices, (tuple, list)):
        raise TypeError(
            f"index_put(): argument 'indices' (position 1) must be tuple of Tensors, not {type(indices).__name__}"
        )
    for i, p in enumerate(indices):
        if not isinstance(p, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(p).__name__}")


def _index_list(indices, self, values, accumulate):
    """index_put's indices, checked; masks stay masks."""
    if len(indices) > self._array.ndim:
        raise IndexError(f"too many indices for tensor of dimension {self._array.ndim} (got {len(indices)})")
    picks = fitting(self, indices)
    if not accumulate and isinstance(values, Tensor):
        _refuse_bytes(indices, values)
    if not picks and not accumulate and isinstance(values, Tensor) and values.numel() == 1:
        return list(indices)  # a mask of 0 dimensions, which torch fills
    if not any([p is not None for p in picks]):
        raise RuntimeError("index_put(): nothing is picked by a mask of 0 dimensions")
    return picks


def _filled(self, values):
    """The one value that is filled in, in the type of self."""
    _refuse_overflow(self, values)
    return values.to(self.dtype)


def _refuse_overflow(self, values):
    """RuntimeError where the value has no place in self's type, since torch fills in a number."""
    k = values._table
    if k is not self._table and k.has_data and not k.is_transform:
        fitted(values.item(), self._table.dtype)


def _fills(indices, picks, values, accumulate):
    """Is it one value at one mask, which torch fills in, from whatever memory and type?"""
    return (
        not accumulate
        and len([i for i in indices if i is not None]) == 1
        and isinstance(values, Tensor)
        and values.numel() == 1
        and [p._table.dtype for p in picks if p is not None] == [dtypes.bool_]
    )


def _refuse_overlap(self, values, picks):
    for t in (values, *picks):
        if isinstance(t, Tensor):
            check_overlap(self, t, partly=False)


def _same_type(self, values):
    if not isinstance(values, Tensor):
        raise TypeError(f"index_put(): argument 'values' (position 2) must be Tensor, not {type(values).__name__}")
    if values._table.dtype is not self._table.dtype:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {dtypes.SCALAR_NAMES[self._table.dtype]} "
            f"for the destination and {dtypes.SCALAR_NAMES[values._table.dtype]} for the source."
        )


@public(method=True, word=False)
def index_put(input, indices, values, accumulate=False):
    """index_put(input, indices, values, accumulate=False) -> Tensor:
    a copy with values at the places the index tensors name.
    """
    _refuse_others(indices)
    return put(input, indices, values, accumulate)


@public(namespace=None, word="index_put")
def put(input, indices, values, accumulate=False):
    """index_put, which here may have None for a dimension taken whole."""
    picks = _index_list(indices, input, values, accumulate)
    if _fills(indices, picks, values, accumulate):
        values = _filled(input, values)
    _same_type(input, values)
    return index_put_of.fn(input, values, *picks, accumulate=accumulate)


@public(method=True)
def index_put_(input, indices, values, accumulate=False, *, _whole=False):
    """index_put_(indices, values, accumulate=False) -> self with values at the places the index tensors name."""
    if not _whole:
        _refuse_others(indices)
    try:
        picks, casts = _index_list(indices, input, values, accumulate), None
    except (IndexError, RuntimeError):
        if isinstance(input, Tensor) and input._node is not None and local.grad:
            before_write(input, True, expanded=True)  # torch looks at the tensor before it looks at the places
        if len(indices) <= input._array.ndim:
            _refuse_overlap(input, values, indices)
        raise
    if _fills(indices, picks, values, accumulate):
        if otherwise_unusual() or not all([t._table.host for t in (input, values)]) or values._table is input._table:
            values = _filled(input, values)
        else:
            _refuse_overflow(input, values)
            casts = (input._table, values._table, *[None] * (len(index_put_of.inputs) - 2))
            node, values = values._node, wrap(input._table.cast(values._array, input.dtype), input._table)
            values._node = node  # without a node for the cast, as in torch
    else:
        _same_type(input, values)
        _refuse_overlap(input, values, picks)
    if otherwise_unusual() or type(input) not in PLAIN or type(values) not in PLAIN or not input._table.aliases:
        return change(input, index_put_of, (values, *picks), {"accumulate": accumulate})
    k = input._table
    others = [None if p is None else p._array for p in picks]
    return overwrite(
        input,
        index_put_of,
        (values, *picks),
        (accumulate,),
        lambda d: k.place(d, tuple(others), values._array, accumulate),
        casts,
    )


public("index_put_", namespace="torch")(index_put_)


def overwrite(x, op, others, options, write, casts=None):
    """x changed in place by `write(array)`, which is what op does to a copy; the graph is op's.

    casts: the tables of x and of the others, where those were cast.
    """
    if any(t is not None and t._table.is_transform for t in others):
        return change(x, op, others, dict(zip(op.options, options)))
    edges = (x._node, *[None if t is None else t._node for t in others])
    recording = local.grad and x._table.inexact and any(e is not None for e in edges)
    before_write(x, recording, expanded=True)
    if recording:
        refuse_forbidden(edges)
        if INFERENCE:
            refuse_inference_saved(op, (x, *others), edges)
    arrays = [x._array, *[None if t is None else t._array for t in others]]
    missing = len(op.inputs) - len(arrays)
    arrays += [None] * missing
    write(x._array)
    bump(x)
    if recording:
        rebase(x, record_call(op, x._table, x._array, arrays, edges + (None,) * missing, options, casts))
    else:
        reread_views(x)
    return x


@tensor_method
def fill_diagonal_(self, fill_value, wrap=False):
    """fill_diagonal_(fill_value, wrap=False) -> self with that number on its main diagonal.

    With more than two dimensions all must be equally long (RuntimeError). wrap: in a matrix with more rows than columns
    the diagonal begins anew one row below its end.
    """
    if isinstance(fill_value, Tensor):
        raise TypeError("fill_diagonal_(): argument 'fill_value' (position 1) must be Number, not Tensor")
    shape, step = self._array.shape, sum(self.stride())
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2 and len(set(shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    start = self.storage_offset()
    as_strided(self, (min(shape),), (step,), start).fill_(fill_value)
    rows, columns = shape[:2]
    if wrap and len(shape) == 2 and rows > columns + 1:
        again = -(-rows * columns // (columns + 1)) - columns
        as_strided(self, (again,), (step,), start + self.stride(0) * (columns + 1)).fill_(fill_value)
    return self


def change(x, op, others, options):
    """x changed in place by way of a copy, for arrays that cannot be written."""
    if DISPATCH and asked((x, *others)):
        others = (*others, *[None] * (len(op.inputs) - 1 - len(others)))
        told = getattr(Tensor, op.name + "_", Tensor.__setitem__)
        return inplace(op, x, others, tuple([options.get(n, op.defaults.get(n)) for n in op.options]), told)
    new = op.fn(x, *others, **options)
    return x.copy_(new)
