"""Tensors put together: cat, stack, hstack, vstack, dstack, column_stack."""

from ..._backend.core import poly_func_op
from ..._backend.families import Own
from ..._backend.graph import record
from ..._backend.registry import public
from ..._base.dtype import SCALAR_NAMES
from ..._base.promotion import can_cast
from ..._base.shape import wrap_dim
from ..._base.state import INFERENCE, NO_GRAD, UNUSUAL, local
from ..._tensor.tensor import Tensor, new_object
from .expand import atleast_1d, atleast_2d, atleast_3d
from .view import reshape


def _skipped(shape):
    """torch's old rule: a 1-D empty tensor joins anything without a trace."""
    return shape == (0,)


class cat(Own):
    """cat(tensors, dim=0) -> Tensor: one after the other along dim; the other sizes must agree."""

    not_overgrown = "all"
    promote, linear, has_out, overlap, namespace, method = "same", True, True, "any", None, False
    out_takes = "castable"

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

    not_overgrown = 1
    promote, linear, has_out, namespace, method, out_takes = "same", True, True, None, False, "castable"
    out_resized = staticmethod(lambda shape, dim: dim < len(shape) - 1)  # otherwise it is cat that refuses

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
        out._node = node = record(op.Node, k, edges)
        node.dim = dim
        if op is cat:
            node.shape_0 = [a.shape for a in arrays]
    return out


def _joined_quickly(tensors, dim):
    """cat of a plain list; None where anything is out of the ordinary, and the long way says what."""
    if type(dim) is not int or (row := _row(tensors)) is None:
        return None
    k, arrays, edges = row
    n = arrays[0].ndim
    if not -n <= dim < n or arrays[0].shape == (0,):
        return None
    at = dim + n if dim < 0 else dim
    try:
        return _joined(cat, k, k.cat(arrays, at), arrays, edges, at)
    except ValueError:  # sizes differ
        return None


def _stacked_quickly(tensors, dim):
    """The same for stack."""
    if INFERENCE and not local.inference and _is_of_inference(tensors, dim):
        return None
    if type(dim) is not int or (row := _row(tensors)) is None:
        return None
    k, arrays, edges = row
    n = arrays[0].ndim + 1
    if not -n <= dim < n or not all([a.shape == arrays[0].shape for a in arrays]):
        return None
    at = dim + n if dim < 0 else dim
    return _joined(stack, k, k.stack(arrays, at), arrays, edges, at)


def join(tensors, dim=0, *, axis=None, out=None):
    if axis is not None:
        dim = axis
    if out is None and (got := _joined_quickly(tensors, dim)) is not None:
        return got
    if isinstance(tensors, (tuple, list)) and not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    if out is not None and local.grad and any(isinstance(t, Tensor) and t.requires_grad for t in (*tensors, out)):
        raise RuntimeError(
            "cat(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    if isinstance(out, Tensor) and not all(can_cast(t.dtype, out.dtype) for t in tensors if isinstance(t, Tensor)):
        raise TypeError(f"torch.cat(): input types can't be cast to the desired output type {SCALAR_NAMES[out.dtype]}")
    return _cat(tensors, dim, out=out)


def side_by_side(tensors, dim=0, *, axis=None, out=None):
    if axis is not None:
        dim = axis
    if INFERENCE and not local.inference and out is None and _is_of_inference(tensors, dim):
        shape, at = tensors[0].shape, dim % (len(tensors[0].shape) + 1)
        return _cat(tensors, at).view((*shape[:at], len(tensors), *shape[at:]))
    if out is None and (got := _stacked_quickly(tensors, dim)) is not None:
        return got
    return _stack(_tensors(tensors, "stack") if isinstance(tensors, (tuple, list)) else tensors, dim, out=out)


def _is_of_inference(tensors, dim):
    """Inference tensors alone, and not along the last dimension: torch's stack gives a view of what its cat gives."""
    if type(tensors) not in (list, tuple) or not tensors or not all([type(t) is Tensor for t in tensors]):
        return False
    n = len(tensors[0].shape)
    alike = all([t.is_inference() and t.shape == tensors[0].shape for t in tensors])
    return alike and type(dim) is int and -n - 1 <= dim < n and dim != -1


def _face(op, f, quickly, *names):
    """Publish f, which has a shorter way for plain lists, as the function of op."""
    f.quickly = quickly
    f.__name__, f.__qualname__, f.__doc__, op.fn = op.name, op.name, op.__doc__, f
    for name in names:
        public(name)(f)


_face(cat, join, _joined_quickly, "cat", "concat", "concatenate")
_face(stack, side_by_side, _stacked_quickly, "stack")


def _tensors(tensors, name):
    if isinstance(tensors, Tensor):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
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


@public(word=False)
def _chunk_cat(tensors, dim, num_chunks, *, out=None):
    """_chunk_cat(tensors, dim, num_chunks) -> Tensor: each tensor filled up with zeros along dim until num_chunks
    equal chunks fit, chunks side by side: the first of all, then the second of all ...
    """
    if not tensors:
        raise RuntimeError("_chunk_cat expects a non-empty input tensor list")
    if num_chunks < 1:
        raise RuntimeError("_chunk_cat expects positive num_chunks")
    if dim < 0 and len({x._array.ndim for x in tensors}) > 1:
        raise RuntimeError("_chunk_cat expects non-negative dim when input tensors have different ndims")
    dim = wrap_dim(dim, tensors[0]._array.ndim)
    lead, parts = tuple(tensors[0]._array.shape[:dim]), []
    for x in tensors:
        if x._array.size == 0:
            raise RuntimeError("_chunk_cat expects non-empty tensor")
        if x._table.dtype is not tensors[0]._table.dtype:
            raise RuntimeError("_chunk_cat expects all input tensors with the same dtype")
        if dim >= x._array.ndim:
            raise RuntimeError("_chunk_cat expects dim < ndim for all input tensors")
        if tuple(x._array.shape[:dim]) != lead:
            raise RuntimeError("_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors")
        missing = -x._array.shape[dim] % num_chunks
        if missing:
            x = cat.fn([x, x.new_zeros((*lead, missing, *x._array.shape[dim + 1 :]))], dim)
        parts.append(reshape(x, (*lead, num_chunks, -1)))
    return join(parts, dim + 1, out=out)
