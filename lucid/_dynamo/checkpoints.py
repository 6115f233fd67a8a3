"""torch.utils.checkpoint: what is checkpointed is read into a graph of its own."""

import types

from .._higher_order_ops.checkpoint import tag_activation_checkpoint
from .._tensor import pytree
from .._tensor.tensor import Tensor
from ..utils.checkpoint import checkpoint, checkpoint_sequential, noop_context_fn
from . import config
from .bodies import Body, is_plain, noted, recording_in
from .builtins import read
from .exc import Break
from .higher_order import _changes, _submodule
from .recorder import unrecorded

_OPTIONS = ("use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug", "early_stop")


@read(checkpoint)
def _checkpoint(m, frame, function, *args, **kwargs):
    options = {name: value for name, value in kwargs.items() if name in _OPTIONS}
    rest = {name: value for name, value in kwargs.items() if name not in _OPTIONS}
    _check(m, options, pytree.tree_leaves((args, rest)))
    context_fn = options.pop("context_fn", noop_context_fn)
    body, before = Body(m.recorder), _changes(m)
    for x in pytree.tree_leaves((args, rest)):
        if isinstance(x, Tensor):
            m.recorder.used(x)
    with recording_in(m, body):
        result = m.call(frame, function, list(args), rest)
        leaves, spec = pytree.tree_flatten(result)
        if not all(isinstance(x, Tensor) or is_plain(x) for x in leaves):
            raise Break("a checkpointed function that gives what is no tensor")
        made = {id(x): x for x in leaves if isinstance(x, Tensor) and not _is_given(body, x)}
        nodes = tuple([body.used(x) for x in made.values()])
    if _changes(m) != before:
        raise Break("a checkpointed function that changes something outside")
    if not nodes:
        raise Break("a checkpointed function that computes no tensor")
    operands, module = body.operands(), body.module(nodes)
    if context_fn is not noop_context_fn:
        module.meta["_checkpoint_context_fn"] = context_fn
    with unrecorded():
        results = module(*body.lifted.values())
    m.keep.extend(made.values())
    noted(m, tag_activation_checkpoint, [_submodule(m, "wrap_body", module), *operands], options, results, named=False)
    instead = dict(zip(made, results))
    return pytree.tree_unflatten([instead.get(id(x), x) for x in leaves], spec)


def _is_given(body, x):
    """Is it a tensor from around, which the function gives back as it is?"""
    return id(x) in body.placed or id(x) not in body.node_of


def _check(m, options, values):
    """Break for options whose meaning is not that of the graph."""
    context_fn = options.get("context_fn", noop_context_fn)
    if not isinstance(context_fn, types.FunctionType) or id(context_fn) in m.made:
        raise Break("a context_fn of checkpoint that the program makes anew")
    if options.get("use_reentrant") is not False:
        # The reentrant form looks only at what it is given: with no gradient wanted there, it gives none to parameters.
        if not any(isinstance(x, Tensor) and x.requires_grad for x in values):
            raise Break("a reentrant checkpoint of tensors that need no gradient")


@read(checkpoint_sequential)
def _checkpoint_sequential(m, frame, *args, **kwargs):
    if config.stop_where_torch_does:
        raise Break("torch.utils.checkpoint.checkpoint_sequential()")
    return m.inline(checkpoint_sequential, list(args), kwargs)
