"""associative_scan: all partial results of an associative function, found pair by pair."""

from .._base.shape import wrap_dim
from .._func.shape.join import cat, stack
from .._modes.vmap import vmap
from .._tensor import pytree
from .._tensor.tensor import Tensor
from .higher_order_operator import HigherOrderOperator, validate_subgraph_args_types

_TOO_FEW = "All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0"


class AssociativeScanOp(HigherOrderOperator):
    """associative_scan_op(combine_fn, xs, additional_inputs): a list of tensors, along their first dimension."""

    def __init__(self):
        super().__init__("associative_scan")

    def __call__(self, combine_fn, xs, additional_inputs):
        if not isinstance(additional_inputs, (tuple, list)):
            raise AssertionError(f"additional_inputs must be a tuple or list, got {type(additional_inputs)}")
        validate_subgraph_args_types(tuple(additional_inputs))
        return super().__call__(combine_fn, xs, tuple(additional_inputs))


associative_scan_op = AssociativeScanOp()


@associative_scan_op.py_impl("CompositeExplicitAutograd")
def associative_scan_op_dense(combine_fn, xs, additional_inputs):
    """The partial results."""
    return generic_associative_scan(combine_fn, xs, additional_inputs=additional_inputs)


def generic_associative_scan(operator, leaves, dim=0, additional_inputs=()):
    """generic_associative_scan(operator, leaves): neighbours are combined, then, in the same way, their results; what
    lies between follows from those (Blelloch's scan).
    """

    def combined(a, b):
        return pytree.tree_leaves(operator(*a, *b, *additional_inputs))

    def scanned(parts):
        count = parts[0].shape[dim]
        if count < 2:
            return parts
        odd = scanned(combined([x[0:-1:2] for x in parts], [x[1::2] for x in parts]))
        before = [x[:-1] for x in odd] if count % 2 == 0 else odd
        after = [x[2::2] for x in parts]
        rest = combined(before, after) if after[0].shape[dim] else after
        even = [cat.fn([x[:1], r]) for x, r in zip(parts, rest)]
        return [_interleaved(a, b) for a, b in zip(even, odd)]

    return scanned(list(leaves))


def _interleaved(a, b):
    """a[0], b[0], a[1], b[1] ...: a may have one more."""
    together = stack.fn([a[: len(b)], b], 1).flatten(0, 1)
    return cat.fn([together, a[len(b) :]]) if len(a) > len(b) else together


def _validate(combine_fn, xs, dim, reverse, mode):
    if not callable(combine_fn):
        raise ValueError(f"Combine_fn must be a callable, but got {combine_fn}")
    if not isinstance(reverse, bool):
        raise RuntimeError(f"Reverse must be a bool, but got {type(reverse)}")
    if mode not in ("pointwise", "generic"):
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {mode}")
    if mode == "pointwise" and not all(x.device.type in ("cuda", "xpu") for x in xs):
        raise ValueError("For combine_mode='pointwise', all input tensors need to be on CUDA or XPU")
    if any(not isinstance(x, Tensor) for x in xs):
        raise ValueError("xs leaves must be a Tensor")
    if any(x.ndim <= dim or x.shape[dim] == 0 for x in xs):
        raise ValueError(_TOO_FEW)


def associative_scan(combine_fn, xs, dim, reverse=False, combine_mode="pointwise"):
    """associative_scan(combine_fn, xs, dim, reverse=False, combine_mode="pointwise"): x0, combine_fn(x0, x1),
    combine_fn(combine_fn(x0, x1), x2) ... for the slices of xs along dim, in an order that needs log(n) steps.

    xs: tensors in any nest. combine_mode: "pointwise" is for CUDA alone; "generic" takes any function that vmap takes.
    """
    flat, spec = pytree.tree_flatten(xs)
    dim = wrap_dim(dim, flat[0].ndim)
    _validate(combine_fn, flat, dim, reverse, combine_mode)
    leaves = [x.movedim(dim, 0) for x in flat]
    leaves = [x.flip([0]) for x in leaves] if reverse else leaves
    count = len(leaves)
    of_slices = vmap(combine_fn)

    def run(*given):
        left, right = (pytree.tree_unflatten(list(part), spec) for part in (given[:count], given[count:]))
        return of_slices(left, right)

    out = generic_associative_scan(run, leaves)
    out = [x.flip([0]) for x in out] if reverse else out
    return pytree.tree_unflatten([x.movedim(0, dim) for x in out], spec)
