"""map: a function of each slice of tensors, the results stacked."""

from .._func.shape.join import stack
from .._tensor import pytree
from .._tensor.tensor import Tensor
from .higher_order_operator import AutogradOp, HigherOrderOperator, in_graph, refuse, run_checked

_NAME = "torch.ops.higher_order.map_impl"


class MapImpl(HigherOrderOperator):
    """map_impl(f, xs, pos_args): f(*slices, *pos_args) for every slice of the tensors xs."""

    def __init__(self):
        super().__init__("map_impl")


map_impl = MapImpl()


class MapAutogradOp(AutogradOp):
    """The node of a result of map."""


@map_impl.py_impl("CompositeExplicitAutograd")
def map_dense(f, xs, pos_args):
    """The stacked results."""
    slices = [x.unbind(0) for x in xs]
    results = []
    for parts in zip(*slices):
        results.append(run_checked(_NAME, f, (*parts, *pos_args)))
        if any(not isinstance(x, Tensor) for x in pytree.tree_leaves(results[-1])):
            refuse(_NAME, "HOP: non torch.Tensor leaf", "Expected all leaves to be of torch.Tensor type.")
    spec = pytree.tree_flatten(results[0])[1]
    columns = zip(*[pytree.tree_leaves(r) for r in results])
    return pytree.tree_unflatten([stack.fn(list(c)) for c in columns], spec)


def map(f, xs, *args):
    """map(f, xs, *args): f(x, *args) for the slices x of xs along the first dimension, the results stacked.

    xs: tensors in any nest, as long as each other; RuntimeError if they are not, or have no slices. f returns tensors
    in any nest, never what it is given.
    """
    flat, spec = pytree.tree_flatten(xs)
    flat_args, args_spec = pytree.tree_flatten(args)
    if not all(isinstance(t, Tensor) for t in flat):
        raise RuntimeError(f"Mapped xs can only consist of tensors. Got xs {flat}.")
    shapes = [x.shape for x in flat]
    if shapes[0][0] == 0:
        raise RuntimeError("Leading dimensions of mapped xs cannot be 0.")
    if any(shape[0] != shapes[0][0] for shape in shapes):
        raise RuntimeError(f"Leading dimensions of mapped xs must be consistent. Got shapes {shapes}.")

    def run(*given):
        parts = pytree.tree_unflatten(list(given[: len(flat)]), spec)
        return f(parts, *pytree.tree_unflatten(list(given[len(flat) :]), args_spec))

    return in_graph(MapAutogradOp, map_impl(run, flat, flat_args))
