"""Triangles of matrices: tril, triu (their indices, tril_indices and triu_indices, are factories)."""

from ..._backend.core import unary_func_op
from ..._backend.families import Own


class tril(Own):
    """tril(input, diagonal=0) -> Tensor: the lower triangle of matrices; zeros above the diagonal."""

    promote, inplace, has_out, linear = "same", True, True, True
    writes_expanded = True

    @unary_func_op()
    def forward(xp, input, diagonal=0):
        return xp.tril(input, diagonal)

    def prepare(input, diagonal):
        if input.ndim < 2:
            raise RuntimeError("tril: input tensor must have at least 2 dimensions")
        return (int(diagonal),)

    def grad_input(xp, g, diagonal):
        return xp.tril(g, diagonal)


class triu(Own):
    """triu(input, diagonal=0) -> Tensor: the upper triangle of matrices; zeros below the diagonal."""

    promote, inplace, has_out, linear = "same", True, True, True
    writes_expanded = True

    @unary_func_op()
    def forward(xp, input, diagonal=0):
        return xp.triu(input, diagonal)

    def prepare(input, diagonal):
        if input.ndim < 2:
            raise RuntimeError("triu: input tensor must have at least 2 dimensions")
        return (int(diagonal),)

    def grad_input(xp, g, diagonal):
        return xp.triu(g, diagonal)
