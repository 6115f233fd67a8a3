"""What runs in the place of a traced function: compiled halves, and the writes and views that graphs do not have."""

from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..autograd.function import Function, once_differentiable
from ..autograd.grad_mode import no_grad


def compiled(plan, forward, backward):
    """f(*inputs) that does what the traced function does. forward takes the inputs and gives the graph's values, then
    what backward needs; backward takes that and the tangents. Both may be boxed: they take one list."""
    n_values, run = len(plan.live), _Call if any(plan.wants) else None

    def call(*inputs):
        if run is None:
            with no_grad():
                values = list(_run(forward, inputs))
        else:
            values = list(_Call.apply(plan, forward, backward, n_values, *inputs))
        for place, value in zip(plan.written, values):
            _write(inputs[place], value)
        return pytree.tree_unflatten([_result(r, inputs, values) for r in plan.results], plan.structure)

    return call


def _run(f, inputs):
    """f(*inputs), or f([inputs]) where it is boxed."""
    return f(list(inputs)) if getattr(f, "_boxed_call", False) else f(*inputs)


def _write(old, new):
    if old.requires_grad and old.is_leaf:
        with no_grad():
            old.copy_(new)
    else:
        old.copy_(new)


def _result(result, inputs, values):
    if result.kind == "constant":
        return result.constant
    value = inputs[result.index] if result.kind == "input" else values[result.index]
    for view in result.chain:
        value = view.of(value)
    return value


class _Call(Function):
    """One call: the forward half, and the backward half when gradients are asked for."""

    @staticmethod
    def forward(ctx, plan, forward, backward, n_values, *inputs):
        found = _run(forward, inputs)
        values, kept = tuple(found[:n_values]), found[n_values:]
        ctx.plan, ctx.run, ctx.others = plan, backward, [None if isinstance(k, Tensor) else (k,) for k in kept]
        ctx.save_for_backward(*[k for k in kept if isinstance(k, Tensor)])
        dead = [v for v, live in zip(values, plan.live) if not live and isinstance(v, Tensor)]
        ctx.mark_non_differentiable(*dead)
        ctx.set_materialize_grads(True)
        return values

    @staticmethod
    @once_differentiable
    def backward(ctx, *tangents):
        saved = iter(ctx.saved_tensors)
        kept = [next(saved) if other is None else other[0] for other in ctx.others]
        live = [t for t, one in zip(tangents, ctx.plan.live) if one]
        return (None, None, None, None, *_run(ctx.run, [*kept, *live]))
