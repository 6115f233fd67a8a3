"""A call of an op that a mode or a class sees, in the graph: what they return is the result."""

import contextlib

from .._array.meta import fake
from .._base.state import local, set_grad_enabled
from .._base.tree import flatten
from .._tensor.storage import link_view
from .._tensor.tensor import Tensor, wrap
from .dispatch import Held, Speller, is_seen, tell, unseen
from .graph import HOLDS, OUTPUTS, Output, Packed
from .promotion import ready
from .recording import canonical, record_call, refuse_forbidden
from .rules import joint_on_arrays, loop_on_arrays, raw


def dispatched(op, call, flat, options, out=None):
    """A call that a mode or a class sees: what they make of it, in the graph."""
    k, arrays, edges, casts, options = ready(op, stand_ins(flat), options)
    if op.poly:
        arrays = (list(arrays),)
    node_class = op.WholeNode if op.whole_node_name and options[0] is None else op.Node
    options = canonical(op, arrays, options)
    recording = op.has_gradient and local.grad and any(e is not None for e in edges) and out is None
    if recording:
        refuse_forbidden(edges)
    got = tell(
        call.func, [t for t in flatten((call.args, call.kwargs))[0] if isinstance(t, Tensor)], call.args, call.kwargs
    )
    if out is not None:
        return out
    kept = list(got) if isinstance(got, (tuple, list)) else [got]
    if call.results is not None:
        with unseen():
            got = call.results(got)
    many = isinstance(got, (tuple, list))
    results = list(got) if many else [got]
    if any(not isinstance(t, Tensor) for t in results):
        return got
    node, d = None, tuple([t._array for t in results]) if many else got._array
    if recording:
        with known_to_hooks([*flat, *kept]):
            node = record_call(op, k, d, arrays, edges, options, casts, seen(node_class))
        if many and op.differentiable is None:
            node.n_out = len(d)
        hold(node, op, flat, kept, options, call)
    attach(op, node, results, flat, options)
    return op.composite_results(*results) if op.composite_results is not None else tuple(results) if many else got


@contextlib.contextmanager
def known_to_hooks(tensors):
    """with known_to_hooks(tensors): saved_tensors_hooks get what the mode knows, not tensors made around arrays."""
    if local.saved_hooks:
        hooks, local.saved_hooks = local.saved_hooks, ()
        with no_recording():
            found = {id(t._array): Speller.current.detach(t) for t in tensors if isinstance(t, Tensor)}
        local.told_tensors, local.saved_hooks = found, hooks
    try:
        yield
    finally:
        local.told_tensors = {}


@contextlib.contextmanager
def no_recording():
    """with no_recording(): no graph is made."""
    before = local.grad
    set_grad_enabled(False)
    try:
        yield
    finally:
        set_grad_enabled(before)


def stand_ins(flat):
    """The operands, those with data as fakes where others have none: classes that wrap tensors have no array."""
    fakes = [t for t in flat if isinstance(t, Tensor) and isinstance(t._table, fake.FakeWords)]
    if not fakes or len(fakes) == len([t for t in flat if isinstance(t, Tensor)]):
        return flat
    return [_stand_in(t) if isinstance(t, Tensor) and t._table.has_data else t for t in flat]


def _stand_in(t):
    k = fake.table(t._table.dtype, t._table.device)
    made = wrap(k.empty_strided(t.shape, t.stride()), k)
    made._node = t._node
    return made


_SEEN: dict = {}
_DETACHES_ALL = {"group_norm_op"}  # torch saves results of these that have no gradient as if they had


def seen(cls):
    """The same node class for calls that somebody saw: it keeps the arguments and results themselves, in `told`."""
    made = _SEEN.get(cls)
    if made is None:

        def free(self):
            self.told = None
            cls.free(self)
            self.seq = -1

        def on_arrays(self, g, edges):
            return _on_arrays(self, g, edges)

        scope = {
            "__slots__": ("told",),
            "free": free,
            "on_arrays": on_arrays,
            "marks": cls.marks | HOLDS,
            "__module__": cls.__module__,
        }
        made = _SEEN[cls] = type(cls.__name__, (cls,), scope)
    return made


def _on_arrays(node, g, edges):
    """The rules of a seen node on raw arrays, where the walk has nobody to tell; on Tensors where a class answers."""
    held = {n: v for n in node.saved_names if (v := getattr(node, n, None)) is not None}
    plain = {n: _raw(v) for n, v in held.items()}
    if any(d is None for d in plain.values()):
        many = isinstance(g, (list, tuple))
        gs = [None if x is None else wrap(x, node.k.of(x)) for x in (g if many else [g])]
        grads = node.on_tensors(tuple(gs) if many else gs[0], edges)
        return [x._array if isinstance(x, Tensor) else x for x in grads]
    for n, d in plain.items():
        setattr(node, n, d)
    try:
        return (joint_on_arrays if node.op.joint is not None else loop_on_arrays)(node, g, edges)
    finally:
        for n, v in held.items():
            setattr(node, n, v)


def _raw(value):
    """A kept value as an array; None for one of a class that has no array of its own."""
    if isinstance(value, (tuple, list)):
        parts = [_raw(v) for v in value]
        return None if any(p is None for p in parts) else type(value)(parts)
    if not isinstance(value, Held):
        return raw(value)
    return None if is_seen(type(value.value)) else value.plain()


def hold(node, op, flat, results, options=None, call=None):
    """Let node keep the tensors of a call, rather than their arrays."""
    quiet = call is not None and call.quiet
    kept = Speller.current.saved_results(op)
    held: dict = {}

    def result(i, noted):
        if i not in held:
            held[i] = Held(results[i], noted)
        return held[i]

    if kept is not None and options is not None and not local.saved_hooks:
        told = {n: Held(t) if isinstance(t, Tensor) else t for n, t in zip(op.inputs, flat)}
        told.update(zip(op.options, options))
        told.update({f"out{i}": result(i, not quiet and _is_differentiable(op, i)) for i in kept if i < len(results)})
        told["args"], told["func"] = call.args, call.func
        node.told = told
    else:
        node.told = None
    for name in node.saved_names:
        value = getattr(node, name, None)
        if value is None or isinstance(value, Packed):
            continue
        if name in op.inputs and not op.poly:
            t = flat[op.inputs.index(name)]
            if isinstance(t, Tensor):
                setattr(node, name, Held(t))
        elif name == "outs":
            node.outs = tuple([result(i, kept is None and not quiet) for i in range(len(value))])
        elif name in OUTPUTS and OUTPUTS[name] is not None or name == "out":
            i = 0 if name == "out" else OUTPUTS[name]
            if i < len(results):
                setattr(node, name, result(i, kept is None and not quiet and _is_differentiable(op, i)))


def _is_differentiable(op, i):
    if i and op.n_ret == 1 or i and op.n_ret is not None and i >= op.n_ret:
        return False
    return op.differentiable is None or i in op.differentiable or op.label in _DETACHES_ALL


def attach(op, node, results, flat, options):
    """Give what a handler returned its place in the graph, and in the memory of what it is a view of."""
    many = op.n_ret != 1
    for i, t in enumerate(results):
        if not isinstance(t, Tensor) or any(t is x for x in flat):
            continue
        if node is not None and t._table.inexact and (op.differentiable is None or i in op.differentiable):
            t._node = Output(node, i) if many and i and node.n_out > 1 else node
        if op.view and not many:
            if t._extra is None or t._extra.base is None or isinstance(t._table, fake.FakeWords):
                link_view(t, flat[0], op, options, local.grad)
            elif local.grad:
                t._extra.made_without_grad = None
                if node is None:
                    t._node = None
        elif op.view and local.grad and t._extra is not None:
            t._extra.made_without_grad = None
