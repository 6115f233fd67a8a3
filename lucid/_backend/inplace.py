"""In-place writes and the graph: what may be written, and how a base's and its views' history is rewritten.

torch's scheme: after a write through a view, the base's node is a CopySlices (the old base with a part replaced by what
the write's node made), and the view is read anew from the base by an AsStridedBackward0.
"""
from .._base.shape import overlaps_itself
from .._base.state import local, tick
from .._tensor.storage import bump, extra
from .._tensor.tensor import wrap
from .graph import AccumulateGrad, BackwardOperation, Output, verify

_NO_GRAD_VIEW = (
    "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this use case is "
    "ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace either both "
    "inside the no_grad block (if you don't want the inplace to be tracked) or both outside (if you want the inplace to be "
    "tracked).")


def before_write(x, recording) -> None:
    """Refuse what torch refuses; nothing has been changed yet."""
    m = x._m
    if m is not None and m.inference and not local.inference:
        raise RuntimeError("Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to "
                           "get a normal tensor before doing inplace update.See "
                           "https://github.com/pytorch/rfcs/pull/17 for more details.")
    if recording or (local.grad and x._n is not None):
        if x._n.__class__ is AccumulateGrad:
            if m is not None and m.base is not None and m.base._n is x._n:
                raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
            raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
        if m is not None and m.base is not None:
            if m.one_of_many:
                node = x._n.node if x._n.__class__ is Output else x._n
                name = node.name() if node is not None else "a multi-output view"
                raise RuntimeError(f"Output {x.output_nr} of {name} is a view and is being modified inplace. This view is the "
                                   "output of a function that returns multiple views. Such functions do not allow the output "
                                   "views to be modified inplace. You should replace the inplace operation by an out-of-place "
                                   "one.")
            if m.made_without_grad:
                raise RuntimeError(_NO_GRAD_VIEW)
            if m.base._n.__class__ is AccumulateGrad:
                raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if x._k.aliases and overlaps_itself(x._d.shape, x._d.strides):
        raise RuntimeError("unsupported operation: more than one element of the written-to tensor refers to a single memory "
                           "location. Please clone() the tensor before performing the operation.")


def rebase(x, node) -> None:
    """x was just overwritten by the call that `node` records (None: by something without a gradient)."""
    m = x._m
    if m is None or m.base is None:
        x._n = node
        _refresh_views(x, m)
        return
    base = m.base
    base._n = CopySlices(base, _own_chain(x), node)
    _refresh_views(base, base._m)


def _own_chain(view):
    """The view ops between a view and its base."""
    start = len(view._m.base._m.chain)
    return view._m.chain[start:]


def _refresh_views(base, m) -> None:
    """Every view of base is from now on a reading of the new base."""
    if m is None or m.storage is None:
        return
    for view in m.storage.tensors():
        if view._m.base is base and not view._m.made_without_grad:
            view._n = None if base._n is None else AsStridedBackward0(base, _own_chain(view))


class CopySlices(BackwardOperation):
    """base with one part overwritten: the part's gradient goes to the write, the rest to the old base."""

    __slots__ = ("fn", "chain")

    def __init__(self, base, chain, fn):
        self.k, self.chain, self.fn = base._k, chain, fn
        rest = fn.edges[1:] if fn is not None else ()
        self.edges, self.seq = (base._n, *rest), tick()

    def _inner_edges(self, edges):
        return (self if edges[0] is not None else None, *edges[1:])

    def on_arrays(self, g, edges):
        k = self.k
        part = g = k.contiguous(g)
        for op, options in self.chain:
            part = op.forward(k, part, *options)
        grads = self.fn.on_arrays(k.contiguous(part), self._inner_edges(edges)) if self.fn is not None else (None,)
        if edges[0] is None:
            return (None, *grads[1:])
        inner = grads[0] if grads[0] is not None else k.zeros(part.shape)
        return (k.write_view(g, self.chain, inner), *grads[1:])

    def on_tensors(self, g, edges):
        part = g
        for op, options in self.chain:
            part = op.fn(part, *options)
        grads = self.fn.on_tensors(part, self._inner_edges(edges)) if self.fn is not None else (None,)
        if edges[0] is None:
            return (None, *grads[1:])
        inner = grads[0] if grads[0] is not None else part * 0
        return (write_view(g, self.chain, inner), *grads[1:])

    def free(self):
        if self.fn is not None:
            self.fn.free()


class AsStridedBackward0(BackwardOperation):
    """A view read anew from a base whose history was rewritten."""

    __slots__ = ("steps",)

    def __init__(self, base, chain):
        self.k, self.edges, self.steps = base._k, (base._n,), []
        on = local.grad
        local.grad = True
        try:
            t = wrap(base._d, base._k)
            t._n = base._n
            for op, options in chain:
                t = op.fn(t, *options)
                self.steps.append(t._n)
        finally:
            local.grad = on
        self.seq = tick()

    def _through(self, g, run):
        for step in reversed(self.steps):
            if step.__class__ is Output:
                slots = [None] * step.node.n_out
                slots[step.nr] = g
                g = run(step.node)(slots, step.node.edges)[0]
            elif step.n_out > 1:
                g = run(step)([g] + [None] * (step.n_out - 1), step.edges)[0]
            else:
                g = run(step)(g, step.edges)[0]
        return (g,)

    def on_arrays(self, g, edges):
        return self._through(g, lambda node: node.on_arrays)

    def on_tensors(self, g, edges):
        return self._through(g, lambda node: node.on_tensors)


def write_view(base, chain, value):
    """A copy of base, a Tensor, in which the view that chain takes of it holds value."""
    out = base.clone()
    part = out
    for op, options in chain:
        part = op.fn(part, *options)
    part.copy_(value)
    return out


__all__ = ["AsStridedBackward0", "CopySlices", "before_write", "bump", "extra", "rebase", "verify", "write_view"]
