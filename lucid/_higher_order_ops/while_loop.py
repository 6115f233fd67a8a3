"""while_loop: a function applied to its own result as long as another says so."""

from .._base import dtype as dtypes
from .._tensor import pytree
from .._tensor.tensor import Tensor
from .higher_order_operator import (
    AutogradOp,
    HigherOrderOperator,
    check_meta_consistency,
    in_graph,
    refuse,
    run_checked,
    validate_subgraph_args_types,
)

_NAME = "torch.while_loop"


class WhileLoopOp(HigherOrderOperator):
    """while_loop_op(cond_fn, body_fn, carried_inputs, additional_inputs)"""

    def __init__(self):
        super().__init__("while_loop")

    def __call__(self, cond_fn, body_fn, carried_inputs, additional_inputs, /):
        for name, given in (("carried_inputs", carried_inputs), ("additional_inputs", additional_inputs)):
            if not isinstance(given, (tuple, list)):
                raise RuntimeError(f"{name} must be a tuple or list, got {type(given)}")
            validate_subgraph_args_types(given)
        return super().__call__(cond_fn, body_fn, carried_inputs, additional_inputs)


while_loop_op = WhileLoopOp()


class WhileLoopAutogradOp(AutogradOp):
    """The node of a result of while_loop."""


def _goes_on(answer):
    """What cond_fn has answered: a bool, or a tensor of one without dimensions."""
    if isinstance(answer, Tensor) and answer.dtype is dtypes.bool_ and answer.dim() == 0 or isinstance(answer, bool):
        return bool(answer)
    if isinstance(answer, int):
        why = f"Infinite loop detected because while_loop's cond_fn always returns the same value {answer}."
        return refuse(_NAME, "torch.while_loop: infinite loop detected", why)
    got = answer.shape if isinstance(answer, Tensor) else answer
    why = f"Expected cond_fn to return a scalar tensor or a bool but got {got}."
    return refuse(_NAME, "torch.while_loop: unsupported cond_fn return type", why)


@while_loop_op.py_impl("CompositeExplicitAutograd")
def while_loop_dense(cond_fn, body_fn, carried_inputs, additional_inputs):
    """The last values."""
    values, first = tuple(carried_inputs), True
    if not _goes_on(cond_fn(*values, *additional_inputs)):
        return tuple([x.clone() if isinstance(x, Tensor) else x for x in values])
    while first or _goes_on(cond_fn(*values, *additional_inputs)):
        out = run_checked(_NAME, body_fn, (*values, *additional_inputs))
        flat = pytree.tree_leaves(out)
        if first:
            check_meta_consistency(_NAME, flat, list(values), "body_fn_output", "carried_inputs")
        values, first = tuple(flat), False
    return values


def while_loop(cond_fn, body_fn, carried_inputs):
    """while_loop(cond_fn, body_fn, carried_inputs): values = body_fn(*values), from carried_inputs on, while
    cond_fn(*values).

    The values are tensors and ints, in any nests; they keep their shapes and types. body_fn returns new ones, never
    those that it is given, which it does not change.
    """
    leaves, spec = pytree.tree_flatten(carried_inputs)
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("Expect cond_fn and body_fn to be callable.")
    validate_subgraph_args_types(leaves)
    shape = []

    def flat(function):
        def run(*given):
            result = function(*pytree.tree_unflatten(list(given), spec))
            if function is body_fn:
                shape[:] = [pytree.tree_flatten(result)[1]]
            return result

        return run

    result = while_loop_op(flat(cond_fn), flat(body_fn), tuple(leaves), ())
    found = pytree.tree_unflatten(list(result), shape[0] if shape else spec)
    return in_graph(WhileLoopAutogradOp, found)
