"""Matrices from diagonals and back: diag, diagflat, block_diag (diagonal and diag_embed are in slicing.py)."""

from ..._backend.core import poly_func_op
from ..._backend.families import Own
from ..._backend.out_argument import store_out
from ..._backend.registry import public
from ..creation.gfunc import zeros
from .slicing import diag_embed
from .view_copies import diagonal_copy


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
    return blocks.fn(tensors) if tensors else zeros((1, 0))


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


@public(method=True)
def diag(input, diagonal=0, *, out=None):
    """diag(input, diagonal=0) -> Tensor: a matrix's diagonal as a vector, or a matrix with a vector on its diagonal."""
    n = input._array.ndim
    if n not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {n}D")
    got = diag_embed.fn(input, diagonal) if n == 1 else diagonal_copy.fn(input, diagonal)
    return got if out is None else store_out("diag", got, out, resized="castable" if n == 1 else True)


@public(method=True)
def diagflat(input, offset=0):
    """diagflat(input, offset=0) -> 2-D Tensor with input's elements on its diagonal."""
    return diag_embed.fn(input.contiguous().view(-1), offset)
