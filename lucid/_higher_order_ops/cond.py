"""cond: one of two functions, as a tensor decides."""

from .._tensor import pytree
from .._tensor.tensor import Tensor
from .higher_order_operator import (
    AutogradOp,
    HigherOrderOperator,
    in_graph,
    refuse,
    run_checked,
    validate_subgraph_args_types,
)


class CondOp(HigherOrderOperator):
    """cond_op(pred, true_fn, false_fn, operands): operands are tensors and ints, in one tuple."""

    def __init__(self):
        super().__init__("cond")

    def __call__(self, pred, true_fn, false_fn, operands):
        validate_subgraph_args_types(operands)
        return super().__call__(pred, true_fn, false_fn, operands)


cond_op = CondOp()


class CondAutogradOp(AutogradOp):
    """The node of a result of cond."""


@cond_op.py_impl("CompositeExplicitAutograd")
def cond_op_dense(pred, true_fn, false_fn, operands):
    """The function's result."""
    if not all(isinstance(o, (Tensor, int)) for o in operands):
        raise AssertionError(f"Dense implementation operands must be a list of tensors and ints {operands}")
    return true_fn(*operands) if pred else false_fn(*operands)


def cond(pred, true_fn, false_fn, operands=()):
    """cond(pred, true_fn, false_fn, operands=()): true_fn(*operands) if pred else false_fn(*operands).

    pred: a number, or a tensor of one element. With a tensor, the functions must not return or change their operands,
    which are tensors in any nests of dictionaries, lists and tuples; they return tensors or ints.
    """
    if isinstance(pred, (bool, int, float)):
        return true_fn(*operands) if pred else false_fn(*operands)
    if not isinstance(pred, Tensor):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if pred.numel() != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    leaves, spec = pytree.tree_flatten(operands)
    if not isinstance(operands, (tuple, list)) or not all(isinstance(x, Tensor) for x in leaves):
        raise RuntimeError(
            "Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of tensor leaves, but "
            f"got {operands}."
        )

    def flat(function):
        return lambda *given: _checked(function, given, spec)

    return in_graph(CondAutogradOp, cond_op(pred, flat(true_fn), flat(false_fn), tuple(leaves)))


cond.__module__ = __name__.partition(".")[0]  # where users find it


def _checked(function, leaves, spec):
    result = run_checked("torch.cond", lambda *given: function(*pytree.tree_unflatten(list(given), spec)), leaves)
    for x in pytree.tree_leaves(result):
        if not isinstance(x, (Tensor, int)) or isinstance(x, bool):
            what = "torch.cond: unsupported branch return type (constant non-int)"
            refuse("torch.cond", what, "Constants returned from branches must be ints.")
    return result
