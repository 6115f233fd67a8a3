"""Elements turned round or moved along dimensions: flip, fliplr, flipud, roll, rot90."""

import math

from ..._backend.core import unary_func_op
from ..._backend.families import Own
from ..._backend.registry import public
from ..._base.shape import channels_last_strides, has_channels_last, wrap_dim, wrap_dims
from .view import sizes


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
    """roll(input, shifts, dims=()) -> Tensor:
    elements moved along dims, coming in again at the other end (flat without dims).
    """

    promote, linear = "keep", True

    @unary_func_op()
    def forward(xp, input, shifts, dims=()):
        if not dims:
            flat = xp.roll(xp.reshape(input, (math.prod(input.shape),)), shifts, (0,))
            return xp.reshape(flat, tuple(input.shape))
        return xp.roll(input, shifts, dims)

    def numpy(xp, input, shifts, dims):
        out = roll.forward(xp, input, shifts, dims)
        if dims and not input.flags.c_contiguous and has_channels_last(input.shape, xp.strides(input)):
            return xp.with_strides(out, channels_last_strides(out.shape))
        return out

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
        return xp.with_strides(x, None)
    if k == 2:
        return xp.flip(x, dims)
    order = list(range(len(x.shape)))
    order[a], order[b] = b, a
    return xp.permute(xp.flip(x, (b,) if k == 1 else (a,)), tuple(order))
