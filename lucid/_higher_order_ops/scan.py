"""scan: a carry that goes from slice to slice, and an output of each."""

from .._base.shape import wrap_dim
from .._func.shape.join import stack
from .._tensor import pytree
from .._tensor.tensor import Tensor
from .higher_order_operator import (
    AutogradOp,
    HigherOrderOperator,
    check_meta_consistency,
    in_graph,
    run_checked,
    validate_subgraph_args_types,
)

_NAME = "torch.ops.higher_order.scan"
_TOO_FEW = "All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0"


class ScanOp(HigherOrderOperator):
    """scan_op(combine_fn, init, xs, additional_inputs): lists of tensors, scanned along their first dimension."""

    def __init__(self):
        super().__init__("scan")

    def __call__(self, combine_fn, init, xs, additional_inputs):
        if not isinstance(additional_inputs, (tuple, list)):
            raise AssertionError(f"additional_inputs must be a tuple or list, got {type(additional_inputs)}")
        validate_subgraph_args_types(tuple(additional_inputs))
        return super().__call__(combine_fn, init, xs, tuple(additional_inputs))


scan_op = ScanOp()


class ScanAutogradOp(AutogradOp):
    """The node of a result of scan."""


@scan_op.py_impl("CompositeExplicitAutograd")
def scan_op_dense(combine_fn, init, xs, additional_inputs):
    """[the last carry's leaves, then those of the stacked outputs]"""
    carry, columns = list(init), None
    for parts in zip(*[x.unbind(0) for x in xs]):
        flat = pytree.tree_leaves(run_checked(_NAME, combine_fn, (*carry, *parts, *additional_inputs)))
        new, out = flat[: len(init)], flat[len(init) :]
        if columns is None:
            check_meta_consistency(_NAME, list(init), new, "init", "carry")
            columns = [[] for _ in out]
        for column, x in zip(columns, out):
            column.append(x)
        carry = new
    return [*carry, *[stack.fn(column) for column in columns]]


def _validate(combine_fn, xs, init, dim, reverse):
    if not callable(combine_fn):
        raise RuntimeError(f"Combine_fn must be a callable, but got {combine_fn}")
    if not isinstance(reverse, bool):
        raise RuntimeError(f"Reverse must be a bool, but got {type(reverse)}")
    if not init:
        raise RuntimeError("scan() operator requires init leaves.")
    for name, leaves in (("init", init), ("xs", xs)):
        for x in leaves:
            if not isinstance(x, Tensor):
                raise RuntimeError(f"All {name} leaves must be a Tensor but got {x}")
    if any(x.ndim <= dim or x.shape[dim] == 0 for x in xs):
        raise RuntimeError(_TOO_FEW)


def scan(combine_fn, init, xs, *, dim=0, reverse=False):
    """scan(combine_fn, init, xs, *, dim=0, reverse=False) -> (the last carry, the outputs stacked along dim).

    combine_fn(carry, x) -> (the next carry, an output) for the slices x of xs along dim, from the last on if reverse.
    All are tensors in any nests; the carry keeps its shapes and types.
    """
    flat_init, init_spec = pytree.tree_flatten(init)
    flat, spec = pytree.tree_flatten(xs)
    if not flat:
        return init, []
    dim = wrap_dim(dim, flat[0].ndim)
    _validate(combine_fn, flat, flat_init, dim, reverse)
    leaves = [x.movedim(dim, 0) if dim else x for x in flat]
    leaves = [x.flip([0]) for x in leaves] if reverse else leaves
    count, shapes = len(flat_init), []

    def run(*given):
        carry = pytree.tree_unflatten(list(given[:count]), init_spec)
        result = combine_fn(carry, pytree.tree_unflatten(list(given[count:]), spec))
        if isinstance(result, tuple) and len(result) == 2:
            shapes[:] = [pytree.tree_flatten(part)[1] for part in result]
        else:  # one tensor: its slices would be the carry and the output, which do not fit
            result = tuple(result)
        return result

    found = in_graph(ScanAutogradOp, scan_op(run, flat_init, leaves, ()))
    outputs = found[count:]
    if reverse:
        outputs = [x.flip([0]) for x in outputs]
    outputs = [x.movedim(0, dim) if dim and dim < x.ndim else x for x in outputs]
    return tuple([pytree.tree_unflatten(part, s) for part, s in zip((found[:count], outputs), shapes)])
