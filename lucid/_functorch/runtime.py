"""What runs in the place of a traced function: compiled halves, and the writes and views that graphs do not have."""

from .._array.table import owner
from .._backend.autocast import UNSET, set_state
from .._base.state import local, set_grad_enabled
from .._base.warn import warn
from .._tensor import pytree
from .._tensor.storage import mark_inference
from .._tensor.tensor import Tensor
from ..autograd.function import Function
from ..autograd.grad_mode import no_grad
from .node import Half, alone


def compiled(plan, forward, backward, eager, may_alias=False):
    """f(list of inputs) that does what the traced function does, which `eager` is. forward takes the inputs and gives
    the graph's values, then what backward needs; backward takes that and the tangents. Both may be boxed: they take one
    list. may_alias: may one of the graph's values be an input, or a view of it?"""
    finish, written = _finisher(plan), plan.written
    afterwards = [write for write in written if not write.in_graph]
    run = boxed(forward)
    half = _recorded(plan, run, boxed(backward), may_alias) if backward is not None else None

    def call(inputs):
        if written and _share_memory(written, inputs) or local.transforms or local.frames:
            return eager(*inputs)
        state = local.autocast
        if state.enabled:  # the graph has the casts
            set_state(UNSET)
        try:
            if half is not None:
                values = half(inputs)
            else:
                with no_grad():
                    values = run(list(inputs))
        finally:
            if state.enabled:
                set_state(state)
        for write, value in zip(afterwards, values):
            _write(inputs[write.place], value, write.recorded)
        return finish(inputs, values)

    return call


def boxed(f, warns=False):
    """f as a function of one list; warns: with torch's warning where it is none."""
    if getattr(f, "_boxed_call", False):
        return f
    if warns:
        warn(_UNBOXED)
    return lambda given: f(*given)


_UNBOXED = (
    "Your compiler for AOTAutograd is returning a function that doesn't take boxed arguments. Please wrap it with "
    "functorch.compile.make_boxed_func or handle the boxed arguments yourself. See "
    "https://github.com/pytorch/pytorch/pull/83137#issuecomment-1211320670 for rationale."
)


def _memory(t):
    """What tells apart memories of tensors."""
    if not isinstance(t, Tensor) or not t._array.size:
        return id(t)
    array = t._array
    return id(array) if getattr(array, "base", None) is None else id(owner(array))


def _share_memory(written, inputs):
    """Does a written input share its memory with another input? A graph knows nothing of that."""
    try:
        memories = [id(a) if (a := t._array).base is None else id(owner(a)) for t in inputs]
        if len(set(memories)) == len(memories):
            return False
    except AttributeError:  # a number, or an array of a library whose arrays have no base
        pass
    memories = [_memory(t) for t in inputs]
    if len(set(memories)) == len(memories):
        return False
    return any(memories.count(memories[write.place]) > 1 for write in written)


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
    if shape is not None and all(
        r.kind == "value" and not (r.chain or r.inference) and r.grad != "leaf" for r in results
    ):
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
                value = value.detach() if value.requires_grad else value  # a view made here asks as its base does
    if result.inference:
        mark_inference(value)
    return value.requires_grad_() if result.grad == "leaf" else value


# ---- gradients


def _recorded(plan, forward, backward, may_alias):
    """f(inputs) -> values, with a node that runs the backward half."""
    half, written = Half(forward, backward, plan.live, plan.strides), [w.place for w in plan.written]
    n_values = len(plan.live)
    carefully = _as_function(half, written)

    def run(inputs):
        if may_alias or local.saved_hooks or not local.grad:
            return list(carefully(*inputs))
        set_grad_enabled(False)
        try:
            found = forward(list(inputs))
        finally:
            set_grad_enabled(True)
        values, kept = list(found[:n_values]), found[n_values:]
        return half.record(inputs, values, _unwritten(kept, written, inputs) if written else kept)

    return run


def _as_function(half, written):
    """The same as an autograd Function, which sees to values that are views of inputs and to hooks on what is saved"""

    class CompiledFunction(Function):
        """One call: the forward half, and the backward half when gradients are asked for."""

        @staticmethod
        def forward(ctx, *inputs):
            """The values."""
            found = half.forward(list(inputs))
            values, kept = tuple(found[: half.values]), found[half.values :]
            kept = _unwritten(kept, written, inputs) if written else kept
            ctx.others = [None if isinstance(k, Tensor) else (k,) for k in kept]
            ctx.save_for_backward(*[k for k in kept if isinstance(k, Tensor)])
            ctx.mark_non_differentiable(*[values[i] for i in half.dead if isinstance(values[i], Tensor)])
            return values

        @staticmethod
        def backward(ctx, *tangents):
            """The gradients of the inputs."""
            saved = iter(ctx.saved_tensors)
            given = [next(saved) if other is None else other[0] for other in ctx.others]
            for i, stride in half.alive:
                given.append(half.as_traced(tangents[i], stride))
            return tuple(alone(half.backward, given))

    return CompiledFunction.apply


def _unwritten(kept, written, inputs):
    """What is saved, with copies of what this call is going to write."""
    memory = {_memory(inputs[i]) for i in written}
    return [k.clone() if isinstance(k, Tensor) and _memory(k) in memory else k for k in kept]
