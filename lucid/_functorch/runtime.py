"""What runs in the place of a traced function: compiled halves, and the writes and views that graphs do not have."""

from .._array.table import owner
from .._backend.autocast import UNSET, set_state
from .._base.state import grad_enabled, local
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..autograd.function import Function
from ..autograd.grad_mode import no_grad


def compiled(plan, forward, backward, eager):
    """f(list of inputs) that does what the traced function does, which `eager` is. forward takes the inputs and gives
    the graph's values, then what backward needs; backward takes that and the tangents. Both may be boxed: they take one
    list."""
    finish, written = _finisher(plan), plan.written
    run = _boxed(forward)
    half = _recorded(plan, run, _boxed(backward)) if backward is not None else None

    def call(inputs):
        if written and _share_memory(written, inputs):
            return eager(*inputs)
        state = local.autocast
        if state.enabled:  # the graph has the casts
            set_state(UNSET)
        try:
            if half is not None:
                values = half(*inputs)
            else:
                with no_grad():
                    values = run(list(inputs))
        finally:
            if state.enabled:
                set_state(state)
        for write, value in zip(written, values):
            _write(inputs[write.place], value, write.recorded)
        return finish(inputs, values)

    return call


def _boxed(f):
    """f as a function of one list."""
    return f if getattr(f, "_boxed_call", False) else lambda given: f(*given)


def _memory(t):
    """What tells apart memories of tensors."""
    array = t._array
    return id(owner(array)) if hasattr(array, "base") else id(array)


def _share_memory(written, inputs):
    """Does a written input share its memory with another input? A graph knows nothing of that."""
    known = {}
    for i, t in enumerate(inputs):
        if isinstance(t, Tensor) and t._array.size:
            known.setdefault(_memory(t), []).append(i)
    return any(len(found) > 1 and any(w.place in found for w in written) for found in known.values())


def _write(old, new, recorded):
    if recorded:
        old.copy_(new)
    else:
        with no_grad():
            old.copy_(new)


# ---- results


def _finisher(plan):
    """f(inputs, values) -> what the function returns."""
    results, structure = plan.results, plan.structure
    shape = _flat_kind(structure, len(results))
    if shape is not None and all(r.kind == "value" and not r.chain and r.grad != "leaf" for r in results):
        places = [r.index for r in results]
        if places == list(range(len(places))):
            n = len(places)
            return lambda inputs, values: shape(values[:n])
        return lambda inputs, values: shape([values[i] for i in places])
    if shape is not None:
        return lambda inputs, values: shape([_result(r, inputs, values) for r in results])
    return lambda inputs, values: pytree.tree_unflatten([_result(r, inputs, values) for r in results], structure)


def _flat_kind(structure, n):
    """tuple or list where a structure is one of n leaves, else None."""
    marks = [object() for _ in range(n)]
    made = pytree.tree_unflatten(marks, structure)
    if type(made) in (tuple, list) and len(made) == n and all(a is b for a, b in zip(made, marks)):
        return type(made)
    return None


def _result(result, inputs, values):
    if result.kind == "constant":
        return result.constant
    value = inputs[result.index] if result.kind == "input" else values[result.index]
    if result.chain:
        if result.grad is True:
            for view in result.chain:
                value = view.of(value)
        else:
            with no_grad():
                for view in result.chain:
                    value = view.of(value)
    return value.requires_grad_() if result.grad == "leaf" else value


# ---- gradients

_DOUBLE = "torch.compile with aot_autograd does not currently support double backward"


class _Second(Function):
    """The backward half's gradients where they are part of a graph themselves: a walk through that is refused."""

    @staticmethod
    def forward(ctx, run, *given):
        """Run it."""
        return tuple(run())

    @staticmethod
    def backward(ctx, *_):
        """Refuse."""
        raise RuntimeError(_DOUBLE)


def _recorded(plan, forward, backward):
    """f(*inputs) -> values, with a node that runs the backward half."""
    n_values, written, live = len(plan.live), [w.place for w in plan.written], plan.live
    dead = [i for i, one in enumerate(live) if not one]
    strides = [None] * n_values
    for i, stride in zip([i for i, one in enumerate(live) if one], plan.strides):
        strides[i] = stride
    alive = [(i, strides[i]) for i, one in enumerate(live) if one]

    class CompiledFunction(Function):
        """One call: the forward half, and the backward half when gradients are asked for."""

        @staticmethod
        def forward(ctx, *inputs):
            """The values."""
            found = forward(list(inputs))
            values, kept = tuple(found[:n_values]), found[n_values:]
            if written and kept:
                kept = _unwritten(kept, written, inputs)
            others = None
            for k in kept:
                if not isinstance(k, Tensor):
                    others = [None if isinstance(k, Tensor) else (k,) for k in kept]
                    kept = [k for k in kept if isinstance(k, Tensor)]
                    break
            ctx.others = others
            ctx.save_for_backward(*kept)
            if dead:
                ctx.mark_non_differentiable(*[values[i] for i in dead if isinstance(values[i], Tensor)])
            return values

        @staticmethod
        def backward(ctx, *tangents):
            """The gradients of the inputs."""
            kept = ctx.saved_tensors
            if ctx.others is not None:
                saved = iter(kept)
                kept = [next(saved) if other is None else other[0] for other in ctx.others]
            given = [*kept]
            for i, stride in alive:
                t = tangents[i]
                given.append(t if t.stride() == stride else _laid_out(t, stride))
            if grad_enabled():
                if any(isinstance(t, Tensor) and t._node is not None for t in given):
                    return _Second.apply(lambda: _alone(backward, given), *given)
                return tuple(_alone(backward, given))
            return tuple(_in_full(backward, given))

    return CompiledFunction.apply


def _in_full(backward, given):
    """The backward half, outside of any autocast."""
    state = local.autocast
    if not state.enabled:
        return backward(given)
    set_state(UNSET)
    try:
        return backward(given)
    finally:
        set_state(state)


def _alone(backward, given):
    with no_grad():
        return _in_full(backward, [t.detach() if isinstance(t, Tensor) else t for t in given])


def _laid_out(t, stride):
    """A gradient that lies in memory as the graph was made for."""
    with no_grad():
        return t.new_empty_strided(tuple(t.shape), stride).copy_(t) if t.numel() else t


def _unwritten(kept, written, inputs):
    """What is saved, with copies of what this call is going to write."""
    memory = {_memory(inputs[i]) for i in written}
    return [k.clone() if isinstance(k, Tensor) and _memory(k) in memory else k for k in kept]
