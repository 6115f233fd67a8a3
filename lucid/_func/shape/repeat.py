"""Copies side by side: repeat, tile, repeat_interleave (without a copy: expand)."""

from ..._backend.core import unary_func_op
from ..._backend.families import Own, not_implemented_error
from ..._backend.registry import public
from ..._base.shape import wrap_dim
from ..._tensor.tensor import Tensor, contiguous_format
from ..creation.from_data import tensor
from ..indexing.index_add import index_select
from ..methods.convert import clone
from .expand import expand, unsqueeze
from .view import reshape, sizes


class repeat(Own):
    """repeat(*repeats) -> Tensor:
    copies of input side by side, repeats[i] of them along dimension i (new ones in front).
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
        raise not_implemented_error("repeat_interleave_cpu", repeats.dtype)
    if repeats._array.ndim != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    k = repeats._table
    if repeats._array.size and k.has_data and not k.is_transform and bool((repeats < 0).any()):
        raise RuntimeError("repeats can not be negative")
    got = repeat_places.fn(repeats)
    if output_size is not None and got.numel() != output_size:
        raise RuntimeError("allocated size does not match required size")
    return got


@public(method=True)
def repeat_interleave(input=None, repeats=None, dim=None, *, output_size=None):
    """repeat_interleave(input, repeats, dim=None) -> Tensor:
    each slice of dim as often as repeats says (flat when None).

    repeat_interleave(repeats) gives the indices of such slices.
    """
    if repeats is None:
        return _places(input, output_size)
    if input is None:
        return _places(repeats, output_size)
    if dim is None:
        input, dim = input.contiguous().view(-1) if not input.is_contiguous() else input.view(-1), 0
    if not isinstance(repeats, Tensor) and isinstance(repeats, (tuple, list)):
        repeats = tensor(repeats)
    if not isinstance(repeats, Tensor):
        if repeats < 0:
            raise RuntimeError("Repeats must be non-negative")
        shape = input._array.shape
        at = wrap_dim(dim, len(shape))
        if not shape:
            raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
        total = shape[at] * repeats
        if output_size is not None and output_size != total:
            raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {total} but got {output_size}")
        wide = unsqueeze.fn(input, at + 1)
        wide = expand.fn(wide, (*shape[: at + 1], repeats, *shape[at + 1 :]))
        return clone.fn(wide, memory_format=contiguous_format).view(*shape[:at], total, *shape[at + 1 :])
    if repeats._array.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    at = wrap_dim(dim, input._array.ndim)
    if not input._array.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    n = input._array.shape[at]
    if repeats._array.size == 1:
        repeats = expand.fn(reshape(repeats, (1,)), (n,))
    elif repeats._array.size != n:
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{repeats._array.size} and input.size({at}) = {n}"
        )
    return index_select(input, at, _places(repeats, output_size))
