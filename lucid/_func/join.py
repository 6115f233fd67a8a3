"""Tensors put together, repeated or turned round: cat, stack, repeat, tile, flip, roll, rot90, meshgrid."""
import math

from .._backend.core import FUNCTIONS, poly_func_op, public, unary_func_op
from .._backend.families import Own
from .._base.shape import wrap_dim, wrap_dims
from .._tensor.tensor import Tensor
from .view import atleast_1d, atleast_2d, atleast_3d, expand, reshape, sizes


# ---- cat and stack

def _skipped(shape):
    """torch's old rule: a 1-D empty tensor joins anything without a trace."""
    return shape == (0,)


class cat(Own):
    """cat(tensors, dim=0) -> Tensor: one after the other along dim; the other sizes must agree."""

    promote, linear, has_out, method, aliases = "same", True, True, False, ("concat", "concatenate")

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
                first, at = t.shape, i
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
                    raise RuntimeError(f"Sizes of tensors must match except in dimension {dim}. Expected size {m} but got size {n} "
                                       f"for tensor number {i} in the list.")
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
                raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 and "
                                   f"{list(t.shape)} at entry {i}")
        return (wrap_dim(dim, len(shape) + 1),)

    def backward(xp, needs, g, dim):
        return tuple([xp.select(g, dim, i) if need else None for i, need in enumerate(needs)])


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
    return cat.fn(tensors, 0 if tensors[0]._d.ndim == 1 else 1, out=out)


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
    tensors = [reshape(x, (x.numel(), 1)) if x._d.ndim <= 1 else x for x in _tensors(tensors, "column_stack")]
    return hstack(tensors, out=out)
