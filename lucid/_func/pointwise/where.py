"""Choosing between two tensors by a condition: where."""

from ..._backend.core import func_op
from ..._backend.families import Pointwise
from ..._backend.promotion import common_type, is_number
from ..._backend.registry import public
from ..._base.dtype import BOOL, DTYPES, SCALAR_NAMES, fitted_as_element
from ..._base.promotion import scalar_dtype
from ..._tensor.tensor import Tensor
from ..creation.from_data import tensor


class where_op(Pointwise):
    """The three-operand form of where; the condition keeps its own type."""

    out_takes = "same"
    name, node_name, namespace, method, inplace = "where", "WhereBackward0", None, False, False
    index_inputs, scalar_operands = ("condition",), "all"
    layout_from = (2, 0, 1)

    @func_op(3)
    def forward(xp, input, other, condition):
        return xp.where(condition, input, other)

    def check(tensors, options):
        kind = tensors[2].dtype
        if kind.category != BOOL and kind is not DTYPES["uint8"]:
            raise RuntimeError(
                f"where expected condition to be a boolean tensor, but got a tensor with dtype {SCALAR_NAMES[kind]}"
            )

    def grad_input(xp, g, condition):
        return xp.where(condition, g, xp.scalar(0))

    def grad_other(xp, g, condition):
        return xp.where(condition, xp.scalar(0), g)


@public()
def where(condition, input=None, other=None, *, out=None):
    """where(condition, input, other) -> Tensor: input where condition is true, else other; all broadcast and promote.

    where(condition) -> the indices of true elements, one tensor a dimension.
    """
    if input is None and other is None:
        condition._table.need_unbatched(condition._array, "where")
        return condition.nonzero(as_tuple=True)
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        input = _number_like(input, condition)
    if condition._table.dtype.category != BOOL:
        where_op.check((input, other, condition), ())
        condition = condition.bool()
    for number, t in ((input, other), (other, input)):
        if not isinstance(number, Tensor) and is_number(number) and not t._table.low <= _size(number) <= t._table.high:
            kind = common_type([t, number])
            if t._table.has_data and (kind is not DTYPES["bool"]):
                fitted_as_element(number, kind)
    return where_op.fn(input, other, condition, out=out)


def _size(number):
    return number if not isinstance(number, complex) else float("nan")


def _number_like(value, like):
    """A Python number as a 0-dim tensor on another tensor's device."""
    return tensor(value, dtype=scalar_dtype(value), device=like.device)


def _where_method(self, condition, other):
    """where(condition, other) -> Tensor: self where condition is true, else other."""
    return where(condition, self, other)


where_op.public_function, Tensor.where = where, _where_method
