"""Tensors put together, repeated or turned round: cat, stack, repeat, tile, flip, roll, rot90, meshgrid."""

import math
import warnings

from ..._backend.core import poly_func_op, unary_func_op
from ..._backend.families import Own
from ..._backend.registry import FUNCTIONS, public
from ..._base.dtype import SCALAR_NAMES, bool_
from ..._base.promotion import can_cast
from ..._base.shape import wrap_dim, wrap_dims
from ..._base.state import NO_GRAD, UNUSUAL, local, tick
from ..._tensor.tensor import Tensor, contiguous_format, new_object
from .inplace_shape import atleast_1d, atleast_2d, atleast_3d
from .view import expand, reshape, sizes

# ---- cat and stack


def _skipped(shape):
    """torch's old rule: a 1-D empty tensor joins anything without a trace."""
    return shape == (0,)


class cat(Own):
    """cat(tensors, dim=0) -> Tensor: one after the other along dim; the other sizes must agree."""

    promote, linear, has_out, method, out_must_not_overlap, aliases = (
        "same",
        True,
        True,
        False,
        True,
        ("concat", "concatenate"),
    )

    @poly_func_op()
    def forward(xp, tensors, dim=0):
        kept = [t for t in tensors if not _skipped(t.shape)]
        return xp.cat(kept or tensors, dim)

    def prepare(tensors, dim):
        first = None
        for i, t in enumerate(tensors):
            if not t.ndim:
                raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
            if first is None and not _skipped(t.shape):
                first = t.shape
        if first is None:
            return (wrap_dim(dim, 1),)
        dim = wrap_dim(dim, len(first))
        for i, t in enumerate(tensors):
            if _skipped(t.shape) or t.shape == first:
                continue
            if t.ndim != len(first):
                raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {t.ndim}")
            for d, (m, n) in enumerate(zip(first, t.shape)):
                if m != n and d != dim:
                    raise RuntimeError(
                        f"Sizes of tensors must match except in dimension {dim}. Expected size {m} but "
                        f"got size {n} for tensor number {i} in the list."
                    )
        return (dim,)

    def backward(xp, needs, g, dim, shapes):
        grads, start = [], 0
        for need, shape in zip(needs, shapes):
            if _skipped(shape) and len(g.shape) != 1:
                grads.append(xp.zeros(shape) if need else None)
                continue
            grads.append(xp.slice(g, dim, start, start + shape[dim], 1) if need else None)
            start += shape[dim]
        return tuple(grads)


class stack(Own):
    """stack(tensors, dim=0) -> Tensor: side by side along a new dimension; all of one shape."""

    promote, linear, has_out, method = "same", True, True, False

    @poly_func_op()
    def forward(xp, tensors, dim=0):
        return xp.stack(tensors, dim)

    def prepare(tensors, dim):
        shape = tensors[0].shape
        for i, t in enumerate(tensors):
            if t.shape != shape:
                raise RuntimeError(
                    f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 and "
                    f"{list(t.shape)} at entry {i}"
                )
        return (wrap_dim(dim, len(shape) + 1),)

    def backward(xp, needs, g, dim):
        return tuple([xp.select(g, dim, i) if need else None for i, need in enumerate(needs)])


_cat, _stack = cat.fn, stack.fn


def _row(tensors):
    """(table, arrays, edges or None) of a list of plain tensors of one table; None for anything else."""
    if UNUSUAL or type(tensors) is not list and type(tensors) is not tuple or not tensors:
        return None
    first = tensors[0]
    if type(first) is not Tensor or not first._table.host:
        return None
    k, arrays, edges, wanted = first._table, [], [], False
    shape = first._array.shape
    for t in tensors:
        if type(t) is not Tensor or t._table is not k:
            return None
        d = t._array
        if d.shape != shape and (len(d.shape) != len(shape) or len(d.shape) == 1):
            return None
        arrays.append(d)
        edges.append(t._node)
        if t._node is not None:
            wanted = True
    return k, arrays, tuple(edges) if wanted and not (NO_GRAD and not local.grad) else None


def _joined(op, k, d, arrays, edges, dim):
    out = new_object(Tensor)
    out._array, out._table, out._extra = d, k, None
    if edges is None:
        out._node = None
    else:
        out._node = node = new_object(op.Node)
        node.k, node.seq, node.edges, node.dim = k, tick(), edges, dim
        if op is cat:
            node.shape_0 = [a.shape for a in arrays]
    return out


def join(tensors, dim=0, *, axis=None, out=None):
    if axis is not None:
        dim = axis
    if out is None and type(dim) is int and (row := _row(tensors)) is not None:
        k, arrays, edges = row
        n = arrays[0].ndim
        if -n <= dim < n and arrays[0].shape != (0,):
            try:
                at = dim + n if dim < 0 else dim
                return _joined(cat, k, k.cat(arrays, at), arrays, edges, at)
            except ValueError:
                pass  # the long way says which sizes differ
    if isinstance(tensors, (tuple, list)) and not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    if isinstance(out, Tensor) and not all(can_cast(t.dtype, out.dtype) for t in tensors if isinstance(t, Tensor)):
        raise TypeError(f"torch.cat(): input types can't be cast to the desired output type {SCALAR_NAMES[out.dtype]}")
    return _cat(tensors, dim, out=out)


join.__name__ = join.__qualname__ = "cat"
join.__doc__ = cat.__doc__
for _name in ("cat", "concat", "concatenate"):
    public(_name)(join)
cat.fn = join


def side_by_side(tensors, dim=0, *, axis=None, out=None):
    if axis is not None:
        dim = axis
    if out is None and type(dim) is int and (row := _row(tensors)) is not None:
        k, arrays, edges = row
        n = arrays[0].ndim + 1
        if -n <= dim < n and all([a.shape == arrays[0].shape for a in arrays]):
            at = dim + n if dim < 0 else dim
            return _joined(stack, k, k.stack(arrays, at), arrays, edges, at)
    return _stack(_tensors(tensors, "stack") if isinstance(tensors, (tuple, list)) else tensors, dim, out=out)


side_by_side.__name__ = side_by_side.__qualname__ = "stack"
side_by_side.__doc__ = stack.__doc__
public("stack")(side_by_side)
stack.fn = side_by_side


def _tensors(tensors, name):
    tensors = tuple(tensors)
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return tensors


def _several(x):
    return x if isinstance(x, tuple) else (x,)


@public()
def hstack(tensors, *, out=None):
    """hstack(tensors) -> Tensor: cat along dimension 1 (0 for vectors)."""
    tensors = atleast_1d(_tensors(tensors, "hstack"))
    return cat.fn(tensors, 0 if tensors[0]._array.ndim == 1 else 1, out=out)


@public()
def vstack(tensors, *, out=None):
    """vstack(tensors) -> Tensor: cat along dimension 0, vectors as rows."""
    return cat.fn(atleast_2d(_tensors(tensors, "vstack")), 0, out=out)


row_stack = public("row_stack")(vstack)


@public()
def dstack(tensors, *, out=None):
    """dstack(tensors) -> Tensor: cat along dimension 2, with at least three dimensions each."""
    return cat.fn(atleast_3d(_tensors(tensors, "dstack")), 2, out=out)


@public()
def column_stack(tensors, *, out=None):
    """column_stack(tensors) -> Tensor: vectors become columns, then hstack."""
    tensors = [reshape(x, (x.numel(), 1)) if x._array.ndim <= 1 else x for x in _tensors(tensors, "column_stack")]
    return hstack(tensors, out=out)


@public()
def block_diag(*tensors):
    """block_diag(*tensors) -> 2-D Tensor with the given ones (2-D or less) along its diagonal, zeros elsewhere."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    for i, x in enumerate(tensors):
        if x._array.ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has "
                f"{x._array.ndim} dimensions"
            )
    return blocks.fn(tensors) if tensors else FUNCTIONS["zeros"]((1, 0))


def _block(shape):
    """The sizes of a block: a vector is one row."""
    return shape if len(shape) == 2 else (1, *shape) if shape else (1, 1)


class blocks(Own):
    """The record of block_diag."""

    name, node_name, promote, linear, method, namespace = "blocks", "BlockDiagBackward0", "same", True, False, None

    @poly_func_op()
    def forward(xp, tensors):
        widths = [_block(t.shape)[1] for t in tensors]
        rows = []
        for i, t in enumerate(tensors):
            m, n = _block(t.shape)
            before, after = xp.zeros((m, sum(widths[:i]))), xp.zeros((m, sum(widths[i + 1 :])))
            rows.append(xp.cat([before, xp.reshape(t, (m, n)), after], 1))
        return xp.cat(rows, 0)

    def backward(xp, needs, g, shapes):
        grads, row, column = [], 0, 0
        for need, shape in zip(needs, shapes):
            m, n = _block(shape)
            part = xp.slice(xp.slice(g, 0, row, row + m, 1), 1, column, column + n, 1) if need else None
            grads.append(xp.reshape(part, shape) if need else None)
            row, column = row + m, column + n
        return tuple(grads)


# ---- repeats


class repeat(Own):
    """repeat(*repeats) -> Tensor: copies of input side by side, repeats[i] of them along dimension i (new ones in
    front).
    """

    promote, linear, namespace, varargs = "keep", True, None, "repeats"

    @unary_func_op()
    def forward(xp, input, repeats):
        return xp.repeat(input, repeats)

    def prepare(input, repeats):
        repeats = sizes(repeats)
        if len(repeats) < input.ndim:
            raise RuntimeError(
                "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
            )
        new = [r * n for r, n in zip(repeats, (1,) * (len(repeats) - input.ndim) + input.shape)]
        if any(n < 0 for n in new) or any(r < 0 for r in repeats):
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {next((n for n in new if n < 0), -1)}: {new}"
            )
        return (repeats,)

    def grad_input(xp, g, repeats, shape):
        full = (1,) * (len(repeats) - len(shape)) + tuple(shape)
        if 0 in repeats:
            return xp.zeros(shape)
        pairs = [n for pair in zip(repeats, full) for n in pair]
        g = xp.sum(xp.reshape(g, tuple(pairs)), tuple(range(0, len(pairs), 2)), False) if repeats else g
        return xp.reshape(g, shape)


@public(method=True)
def tile(input, *dims, **kwargs):
    """tile(input, dims) -> Tensor: repeat, with ones in front of too few dims."""
    dims = kwargs.get("dims", dims)
    dims = sizes(dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims)
    return repeat.fn(input, (1,) * (input._array.ndim - len(dims)) + dims)


class repeat_places(Own):
    """The index 0 repeats[0] times, then 1 repeats[1] times, and so on."""

    name, promote, method, namespace, result = "repeat_places", "keep", False, None, "of"

    @unary_func_op(has_gradient=False)
    def forward(xp, repeats):
        return xp.repeat_places(repeats)


def _places(repeats, output_size):
    kind = repeats.dtype.name
    if kind not in ("int64", "int32"):
        raise NotImplementedError(f"\"repeat_interleave_cpu\" not implemented for '{SCALAR_NAMES[repeats.dtype]}'")
    if repeats._array.ndim != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if repeats._array.size and not repeats.is_meta and bool((repeats < 0).any()):
        raise RuntimeError("repeats can not be negative")
    got = repeat_places.fn(repeats)
    if output_size is not None and got.numel() != output_size:
        raise RuntimeError("allocated size does not match required size")
    return got


@public(method=True)
def repeat_interleave(input=None, repeats=None, dim=None, *, output_size=None):
    """repeat_interleave(input, repeats, dim=None) -> Tensor: each slice of dim as often as repeats says (flat when
    None).

    repeat_interleave(repeats) gives the indices of such slices.
    """
    if repeats is None:
        return _places(input, output_size)
    if input is None:
        return _places(repeats, output_size)
    if isinstance(repeats, Tensor) and repeats._array.size == 1 and repeats._array.ndim <= 1:
        if repeats._table.inexact:
            _places(repeats.view(-1), None)
        repeats = int(repeats.item())
        if repeats < 0:
            raise RuntimeError("repeats can not be negative")
    if dim is None:
        input, dim = input.contiguous().view(-1) if not input.is_contiguous() else input.view(-1), 0
    if not isinstance(repeats, Tensor) and isinstance(repeats, (tuple, list)):
        repeats = FUNCTIONS["tensor"](repeats)
    if not isinstance(repeats, Tensor):
        if repeats < 0:
            raise RuntimeError("Repeats must be non-negative")
        shape = input._array.shape or (1,)
        at = wrap_dim(dim, len(shape))
        total = shape[at] * repeats
        if output_size is not None and output_size != total:
            raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {total} but got {output_size}")
        if not input._array.ndim:
            input = reshape(input, (1,))
        wide = FUNCTIONS["unsqueeze"](input, at + 1)
        wide = expand.fn(wide, (*shape[: at + 1], repeats, *shape[at + 1 :]))
        return FUNCTIONS["clone"](wide, memory_format=contiguous_format).view(*shape[:at], total, *shape[at + 1 :])
    if repeats._array.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    at = wrap_dim(dim, input._array.ndim)
    n = input._array.shape[at] if input._array.ndim else 1
    if repeats._array.ndim == 1 and repeats._array.size != n:
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{repeats._array.size} and input.size({at}) = {n}"
        )
    return FUNCTIONS["index_select"](input, at, _places(repeats, output_size))


# ---- turned round


class flip(Own):
    """flip(input, dims) -> Tensor: the order of elements turned round along each of dims."""

    promote, linear, varargs = "keep", True, "dims"

    @unary_func_op()
    def forward(xp, input, dims):
        return xp.flip(input, dims)

    def prepare(input, dims):
        return (wrap_dims(sizes(dims), input.ndim),)

    def grad_input(xp, g, dims):
        return xp.flip(g, dims)


@public(method=True)
def fliplr(input):
    """fliplr(input) -> Tensor: columns in reverse order."""
    if input._array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip.fn(input, (1,))


@public(method=True)
def flipud(input):
    """flipud(input) -> Tensor: rows in reverse order."""
    if input._array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip.fn(input, (0,))


class roll(Own):
    """roll(input, shifts, dims=()) -> Tensor: elements moved along dims, coming in again at the other end (flat
    without dims).
    """

    promote, linear = "keep", True

    @unary_func_op()
    def forward(xp, input, shifts, dims=()):
        if not dims:
            flat = xp.roll(xp.reshape(input, (math.prod(input.shape),)), shifts, (0,))
            return xp.reshape(flat, tuple(input.shape))
        return xp.roll(input, shifts, dims)

    def prepare(input, shifts, dims):
        shifts = (shifts,) if isinstance(shifts, int) or hasattr(shifts, "__index__") else tuple(shifts)
        dims = (dims,) if isinstance(dims, int) else tuple(dims or ())
        if not shifts:
            raise RuntimeError("`shifts` required")
        if len(dims) != len(shifts) and not (not dims and len(shifts) == 1):
            raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
        if dims and not input.ndim:
            raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
        return tuple([int(s) for s in shifts]), tuple([wrap_dim(d, input.ndim) for d in dims])

    def grad_input(xp, g, shifts, dims):
        back = tuple([-s for s in shifts])
        if not dims:
            return xp.reshape(xp.roll(xp.reshape(g, (math.prod(g.shape),)), back, (0,)), tuple(g.shape))
        return xp.roll(g, back, dims)


class quarter_turns(Own):
    """rot90 under another name for its option."""

    name, node_name, promote, linear, method, namespace = "quarter_turns", "Rot90Backward0", "keep", True, False, None

    @unary_func_op()
    def forward(xp, input, turns=1, dims=(0, 1)):
        return _turned(xp, input, turns % 4, dims)

    def prepare(input, turns, dims):
        if len(dims) != 2:
            raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
        if input.ndim < 2:
            raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.ndim}")
        if dims[0] == dims[1] or abs(dims[0] - dims[1]) == input.ndim:
            raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
        return int(turns), tuple([wrap_dim(d, input.ndim) for d in dims])

    def grad_input(xp, g, turns, dims):
        return _turned(xp, g, -turns % 4, dims)


@public(method=True)
def rot90(input, k=1, dims=(0, 1)):
    """rot90(input, k=1, dims=(0, 1)) -> Tensor: turned by k quarter turns from the first of dims to the second."""
    return quarter_turns.fn(input, k, dims)


def _turned(xp, x, k, dims):
    a, b = dims
    if k == 0:
        return xp.contiguous(xp.copy(x))
    if k == 2:
        return xp.flip(x, dims)
    order = list(range(len(x.shape)))
    order[a], order[b] = b, a
    return xp.permute(xp.flip(x, (b,) if k == 1 else (a,)), tuple(order))


# ---- grids


@public()
def meshgrid(*tensors, indexing=None):
    """meshgrid(*tensors, indexing=None) -> tuple: each vector spread over the grid that all span ("ij" or "xy"
    order).
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for x in tensors:
        if x._array.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {x}")
        if x.dtype is not tensors[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing is None:
        _warn_indexing()
        indexing = "ij"
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    swapped = indexing == "xy" and len(tensors) >= 2
    if swapped:
        tensors = (tensors[1], tensors[0], *tensors[2:])
    shape = tuple([x.numel() for x in tensors])
    grids = []
    for i, x in enumerate(tensors):
        line = x.view(*[n if j == i else 1 for j, n in enumerate(shape)])
        grids.append(expand.fn(line, shape))
    if swapped:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


def _warn_indexing():
    warnings.warn(
        "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.",
        UserWarning,
        stacklevel=3,
    )


@public()
def cartesian_prod(*tensors):
    """cartesian_prod(*tensors) -> (n, len(tensors)) Tensor: every way to take one element of each vector."""
    for x in tensors:
        if x._array.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(x._array.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return stack.fn([reshape(grid, (-1,)) for grid in meshgrid(*tensors, indexing="ij")], 1)


@public()
def combinations(input, r=2, with_replacement=False):
    """combinations(input, r=2, with_replacement=False) -> (n, r) Tensor: every choice of r elements, in order."""
    if input._array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input._array.shape)}")
    if r < 0:
        raise RuntimeError("Expect a non-negative number, but got " + str(r))
    if r == 0:
        return FUNCTIONS["empty"]((0,), dtype=input.dtype, device=input.device)
    n = input.numel()
    places = meshgrid(*[FUNCTIONS["arange"](n, device=input.device)] * r, indexing="ij")
    mask = FUNCTIONS["ones"]((n,) * r, dtype=bool_, device=input.device)
    for a, b in zip(places, places[1:]):
        mask = mask & (a <= b if with_replacement else a < b)
    return stack.fn([FUNCTIONS["masked_select"](grid, mask) for grid in meshgrid(*[input] * r, indexing="ij")], 1)
