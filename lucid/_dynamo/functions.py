"""Calls of an autograd.Function: forward and backward are read into graphs of their own, one node calls both."""

import inspect
import types

from .._base.state import local
from .._func.creation.gfunc import empty_like
from .._higher_order_ops.autograd_function_apply import autograd_function_apply
from .._tensor.tensor import Tensor
from ..autograd.function import Context, Function, FunctionCtx, _with_defaults, once_differentiable
from ..autograd.grad_mode import _set_grad_enabled
from .bodies import Body, is_plain, noted, recording_in, tensors
from .builtins import BUILTINS, read
from .exc import Break
from .higher_order import _changes, _submodule
from .recorder import unrecorded

# ---- what forward and backward do with their ctx


@read(FunctionCtx.save_for_backward)
def _save_for_backward(m, frame, ctx, *tensors):
    ctx.to_save = tensors


@read(FunctionCtx.mark_non_differentiable)
def _mark_non_differentiable(m, frame, ctx, *args):
    ctx.non_differentiable = args


@read(FunctionCtx.mark_dirty)
def _mark_dirty(m, frame, ctx, *args):
    ctx.dirty_tensors = args


@read(Context.saved_tensors.fget)
def _saved_tensors(m, frame, ctx):
    return tuple(ctx.to_save)


# ---- the call


@read(Function.apply.__func__)
def _apply(m, frame, cls, *args, **kwargs):
    if local.frames or local.transforms:
        raise Break("an autograd.Function inside of a transform")
    parts = {name: m.load_attr(cls, name) for name in ("forward", "setup_context", "backward", "vjp", "jvp")}
    if parts["vjp"] is not Function.vjp or parts["jvp"] is not Function.jvp:
        raise Break("an autograd.Function with a vjp or jvp")
    if not all(isinstance(parts[name], types.FunctionType) for name in ("forward", "setup_context", "backward")):
        raise Break("an autograd.Function whose methods are not static")
    if id(cls) in m.sources:
        for name in ("forward", "backward"):
            m.sources.setdefault(id(parts[name]), m.sources[id(cls)].attr(name))
            m.keep.append(parts[name])
    setup = parts["setup_context"] if parts["setup_context"] is not Function.setup_context else None
    if setup is not None:
        args = m.native(_with_defaults, [parts["forward"], args, kwargs])
    elif kwargs:
        args = m.native(_with_defaults, [parts["forward"], (None, *args), kwargs])[1:]
    ctx = m.made_object(cls._context_cls.__new__(cls._context_cls))
    ctx.needs_input_grad = tuple([isinstance(a, Tensor) and a.requires_grad for a in args])
    try:
        if local.grad and any(ctx.needs_input_grad):
            return _recorded(m, frame, cls, ctx, args, parts["forward"], setup, parts["backward"])
        return _unrecorded(m, frame, ctx, args, parts["forward"], setup)
    finally:
        m.born.discard(id(ctx))  # nobody may keep it


def _unrecorded(m, frame, ctx, args, forward, setup):
    """A call that no gradient needs: forward is read where it stands."""
    recorder, on = m.recorder, local.grad
    before = list(recorder.graph.nodes)
    if on:
        recorder.switch_grad(False)
    outs = _forward(m, frame, ctx, args, forward, setup)
    if on:
        recorder.switch_grad(True)
        outs = _with_views(m, ctx, outs, args)
        known = set(before)
        new = [node for node in recorder.graph.nodes if node not in known]
        if not any(_requires_grad(value) for node in new for value in node.all_input_nodes):
            for node in [node for node in new if node.target is _set_grad_enabled]:
                recorder.graph.erase_node(node)
        return outs
    return _with_views(m, ctx, outs, args)


def _requires_grad(node):
    value = node.meta.get("example_value")
    return isinstance(value, Tensor) and value.requires_grad


def _forward(m, frame, ctx, args, forward, setup):
    """What forward gives; an input that it returns as it is becomes a view."""
    if setup is None:
        outs = m.call(frame, forward, [ctx, *args], {})
    else:
        outs = m.call(frame, forward, list(args), {})
        m.named(outs, "output")
        m.call(frame, setup, [ctx, tuple(args), outs], {})
    if not ctx.materialize_grads or ctx.saved_for_forward:
        raise Break("an autograd.Function that does more with its ctx than to save and to mark")
    if not isinstance(outs, Tensor) and (
        type(outs) is not tuple or not all(isinstance(x, Tensor) or is_plain(x) for x in outs)
    ):
        raise Break("an autograd.Function whose result is neither a tensor nor a tuple of them")
    return outs


def _with_views(m, ctx, outs, args):
    given = [x for x in tensors(args) if not _is_in(x, ctx.dirty_tensors)]

    def viewed(x):
        if isinstance(x, Tensor) and _is_in(x, given):
            return m.recorder.call("call_method", "view_as", Tensor.view_as, (x, x), {})
        return x

    if isinstance(outs, Tensor):
        return viewed(outs)
    for x in tensors(outs):
        m.named(x, "out")
    return tuple([viewed(x) for x in outs])


def _recorded(m, frame, cls, ctx, args, forward, setup, backward):
    given = tensors(args)
    if len({id(x) for x in given}) != len(given):
        raise Break("one tensor twice among the arguments of an autograd.Function")
    for x in given:
        m.recorder.used(x)
    body, is_open = Body(m.recorder), len(m.contexts.open)
    with recording_in(m, body):
        body.switch_grad(False)
        outs = _forward(m, frame, ctx, args, forward, setup)
        m.named(outs, "outs")
        body.switch_grad(True)
        outs = _with_views(m, ctx, outs, args)
        flat = tensors([outs] if isinstance(outs, Tensor) else outs)
        made = [x for x in flat if not _is_in(x, ctx.dirty_tensors)]
        if len({id(x) for x in flat}) != len(flat) or any(id(x) in body.placed for x in made):
            raise Break("an autograd.Function that returns one tensor twice, or one that it did not make")
        if not all(_is_in(x, flat) and _is_in(x, given) for x in ctx.dirty_tensors):
            raise Break("mark_dirty of what is not both given and returned")
        for x in given:
            body.used(x)
        behind, results = _read_backward(m, frame, ctx, args, outs, backward)
        nodes = [body.used(x) for x in flat]
        kept = tuple([body._argument(x) for x in behind.lifted.values()])
    if len(m.contexts.open) != is_open:
        raise Break("an autograd.Function that leaves a context open")
    operands = body.operands()
    _name_arguments(m, outs, given)
    fwd, bwd = body.module((tuple(nodes), kept)), _gradients(behind, results, body)
    bwd.meta["function_name"] = cls.__name__
    bwd.meta["once_differentiable"] = _once(backward) is not None
    options = {
        "non_differentiable_idx": _places(flat, ctx.non_differentiable),
        "saved_for_backward_idx": _places(behind.lifted.values(), ctx.to_save),
    }
    if ctx.dirty_tensors:
        options["dirty_idx"] = _places(flat, ctx.dirty_tensors)
    with unrecorded():
        made = autograd_function_apply(fwd, bwd, *body.lifted.values(), **options)
    nodes = [_submodule(m, "fwd_body", fwd), _submodule(m, "bwd_body", bwd), *operands]
    noted(m, autograd_function_apply, nodes, options, made)
    instead = {id(x): y for x, y in zip(flat, made)}
    m.keep.extend(flat)
    return made[0] if isinstance(outs, Tensor) else tuple([instead.get(id(x), x) for x in outs])


def _name_arguments(m, outs, given):
    """torch's reader looks for results among the arguments, in a loop whose variable is called so."""
    if tensors([outs] if isinstance(outs, Tensor) else outs):
        for x in given:
            m.named(x, "arg")


def _is_in(x, values):
    return any(x is y for y in values)


def _places(values, wanted):
    ids = {id(x) for x in wanted if x is not None}
    return [i for i, x in enumerate(values) if id(x) in ids]


# ---- backward


class Backward(Body):
    """The recorder of a backward. How its gradients lie in memory is not known while it is read."""

    layouts_known = False


def _once(backward):
    """What once_differentiable was given, if it made this function."""
    return getattr(backward, "__wrapped__", None) if backward.__code__ is _ONCE else None


_ONCE = once_differentiable(lambda ctx: None).__code__


def _read_backward(m, frame, ctx, args, outs, backward):
    """(recorder of the backward, its results): one for each argument."""
    body, before = Backward(m.recorder, typed=False), _changes(m)
    function = _once(backward) or backward
    code = inspect.unwrap(function).__code__
    names = list(code.co_varnames[1 : code.co_argcount])
    grads = []
    with recording_in(m, body):
        for i, out in enumerate([outs] if isinstance(outs, Tensor) else outs):
            grad = None
            if isinstance(out, Tensor):
                with unrecorded():
                    grad = empty_like(out).detach()
                body.own(grad, names[i] if i < len(names) else body.outer.used(out).name)
            grads.append(grad)
        body.switch_grad(False)
        returned = m.call(frame, function, [ctx, *grads], {})
        if function is not backward:
            m.named(returned, "outputs")
        body.switch_grad(True)
    if _changes(m) != before:
        raise Break("the backward of an autograd.Function that changes something outside")
    found = list(returned) if isinstance(returned, tuple) else [returned]
    while len(found) > len(args) and found[-1] is None:
        found.pop()
    if len(found) != len(args):
        raise Break("the backward of an autograd.Function that gives too few gradients, or too many")
    for a, x in zip(args, found):
        if not (x is None or isinstance(x, Tensor) and isinstance(a, Tensor)):
            raise Break("the backward of an autograd.Function that gives what is no gradient")
    nodes = {id(a): body.used(x) for a, x in zip(args, found) if x is not None}
    return body, nodes


def _gradients(behind, results, body):
    """The backward's module: a gradient or None for everything that forward is handed."""
    return behind.module(tuple([results.get(id(x)) for x in body.lifted.values()]))


__all__ = ["Backward", "BUILTINS"]
