"""Fake tensors: all that a tensor says of itself but its numbers, so that a program can be run to see its shapes.

`with faking():` every new tensor is fake; `fake_of(t)` is the fake of a real one. What asks for numbers (`item`, `if
t`) raises what the meta device raises.
"""

from .._array.meta import fake
from .._base.shape import contiguous_strides
from .._base.state import FAKING, local, set_grad_enabled
from .._tensor.tensor import Tensor, new_object


class faking:
    """with faking(): tensors that are made have no data, whatever device they are asked for.

    tables: f(dtype, device) -> the table of what is made instead of fakes'.
    """

    def __init__(self, tables=True):
        self.tables = tables

    def __enter__(self):
        self._before, local.faking = local.faking, self.tables
        FAKING.append(None)
        return self

    def __exit__(self, *exc):
        local.faking = self._before
        FAKING.pop()


class computing:
    """with computing(), inside of faking(): tensors that are made have data all the same."""

    def __enter__(self):
        self._before, local.faking = local.faking, False

    def __exit__(self, *exc):
        local.faking = self._before


def is_fake(t):
    """Is it a tensor without data that says it is on another device than meta?"""
    if not isinstance(t, Tensor):
        return False
    k = t._table
    while k.is_transform:
        k = k.inner
    return isinstance(k, fake.FakeWords)


def fake_of(t, shape=None):
    """A fake tensor like t: class, type, device, sizes, strides, and whether (and as what) it needs a gradient.

    shape: its sizes in other words, some of them symbolic.
    """
    k = fake.table(t._table.dtype, t._table.device)
    made = new_object(type(t))
    strides = t.stride()
    if shape is not None and strides == contiguous_strides(t.shape):
        strides = contiguous_strides(shape)
    array = k.empty_strided(t.shape if shape is None else shape, strides)
    made._array, made._table, made._node, made._extra = array, k, None, None
    if t.requires_grad:
        made.requires_grad_()
        if not t.is_leaf:
            made = _as_result(made)
    return made


def _as_result(leaf):
    """The same as a result of an op, which a program may write to."""
    before = local.grad
    set_grad_enabled(True)
    try:
        return leaf * 1
    finally:
        set_grad_enabled(before)
