"""Gradients that a leaf does not just keep as they came: copies, and those that are sparse or of a sparse leaf."""

from .._base.shape import is_dense
from .._tensor.storage import write
from .._tensor.tensor import wrap


def copy_for(g, like, k):
    """A copy of the gradient g, in memory as the leaf's array is where that has no gaps."""
    strides = k.strides(like)
    if g.shape == like.shape and is_dense(g.shape, strides):
        fresh = k.of(g).empty_strided(g.shape, strides)
    else:
        fresh = k.of(g).empty_like(g)
    k.of(g).write(fresh, g)
    return fresh


def keep_as_it_is(m, g, k, is_shared):
    """m.grad = g where it or the leaf is sparse: a gradient has the layout in which it came."""
    own = k.of(g)
    g = own.copy(g) if is_shared or not own.is_sparse else own.taken_over(g)
    m.grad = wrap(own.cast(g, k.dtype), own.sibling(k.dtype))


def add_sparse(m, have, g):
    """m.grad += g where one of the two is sparse: in place where the sum has the layout of what is there."""
    total = have._array + g
    kept = have._table.of(total)
    if kept is have._table:
        write(have, total)
    else:
        m.grad = wrap(total, kept)
