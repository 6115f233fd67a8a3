"""Choosing between values: where, maximum, minimum, clamp, masked_fill, fill, nan_to_num."""
from .._backend.core import binary_func_op, func_op, public, unary_func_op
from .._backend.families import Pointwise
from .._backend.interpret import PLAIN, ask_overrides, inplace, is_number
from .._base.state import UNUSUAL
from .._tensor.tensor import Tensor


class where_op(Pointwise):
    """The three-operand form of where; the condition keeps its own type."""

    name, node, home, method, inplace, aside = "where", "WhereBackward0", None, False, False, ("condition",)

    @func_op(3)
    def forward(xp, input, other, condition):
        return xp.where(condition, input, other)

    def grad_input(xp, g, condition):
        return xp.where(condition, g, xp.scalar(0))

    def grad_other(xp, g, condition):
        return xp.where(condition, xp.scalar(0), g)


@public()
def where(condition, input=None, other=None, *, out=None):
    """where(condition, input, other) -> Tensor: input where condition is true, else other; all broadcast, types promote.

    where(condition) -> the indices of true elements, one tensor a dimension.
    """
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    return where_op.fn(input, other, condition, out=out)


where_op.face = where
