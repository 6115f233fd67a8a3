"""The graph node of a compiled function: its backward half, run when gradients come."""

from .._backend.autocast import UNSET, set_state
from .._backend.graph import SECOND_BACKWARD, BackwardOperation, Output, written_error
from .._base.state import grad_enabled, local, set_grad_enabled, tick
from .._tensor.tensor import Tensor, wrap
from ..autograd.function import Function

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


class CompiledFunctionBackward(BackwardOperation):
    """One call of a compiled function."""

    __slots__ = ("half", "kept", "versions", "looks", "places")
    shown_in = "torch.autograd.function."

    def free(self):
        self.seq, self.kept = -1, None

    @property
    def saved_tensors(self):
        """What the backward half reads."""
        if self.kept is None:
            raise RuntimeError(SECOND_BACKWARD)
        for t, version in zip(self.kept, self.versions):
            if isinstance(t, Tensor) and t._version != version:
                raise written_error(t, t._version, version)
        return tuple(self.kept)

    def _given(self, tangents):
        """The inputs of the backward half."""
        given = list(self.saved_tensors)
        for i, stride in self.half.alive:
            t = tangents[i]
            if t is None:
                shape, k = self.looks[i]
                t = wrap(k.zeros(shape), k)
            given.append(self.half.as_traced(t, stride))
        return given

    def on_arrays(self, g, edges):
        gs = list(g) if self.n_out > 1 else [g]
        tangents = [None if x is None else _around(x, look[1]) for x, look in zip(gs, self.looks)]
        given = self._given(tangents)
        if not local.keeps_graph:
            self.kept = None  # what the backward half reads goes as soon as it has been read
        found = in_full(self.half.backward, given)
        return [None if found[i] is None else found[i]._array for i in self.places]

    def on_tensors(self, g, edges):
        given = self._given(list(g) if self.n_out > 1 else [g])
        if grad_enabled() and any(isinstance(t, Tensor) and t._node is not None for t in given):
            found = _Second.apply(lambda: alone(self.half.backward, given), *given)
        else:
            found = alone(self.half.backward, given)
        return [found[i] for i in self.places]


def _around(x, k):
    return wrap(x if x.__class__ is k.array_type else k.asarray(x), k)


class Half:
    """Both halves of a function, and what is known of them. values: how many of forward's results are results."""

    __slots__ = ("forward", "backward", "values", "live", "alive", "dead", "strides")

    def __init__(self, forward, backward, live, strides):
        self.forward, self.backward, self.values, self.live = forward, backward, len(live), live
        places = [i for i, one in enumerate(live) if one]
        self.alive, self.dead = list(zip(places, strides)), [i for i, one in enumerate(live) if not one]

    def as_traced(self, t, stride):
        """A gradient laid out as the backward half was traced for, or one number everywhere where that is taken."""
        if t.stride() == stride or is_one_number(t) and getattr(self.backward, "takes_one_number", False):
            return t
        return laid_out(t, stride)

    def record(self, inputs, values, kept):
        """Give the values their place in the graph."""
        node = CompiledFunctionBackward.__new__(CompiledFunctionBackward)
        tensors = [(i, t) for i, t in enumerate(inputs) if isinstance(t, Tensor)]
        node.half, node.places = self, [i for i, _ in tensors]
        node.edges = tuple([t._node for _, t in tensors])
        node.n_out, node.k = self.values, tensors[0][1]._table
        node.looks = [(v._array.shape, v._table) if isinstance(v, Tensor) else (None, None) for v in values]
        ids = {id(v) for v in values}
        # A value that is kept would hold the node that holds it.
        node.kept = kept = [t.detach() if id(t) in ids else t for t in kept]
        node.versions = [t._version if isinstance(t, Tensor) else 0 for t in kept]
        node.seq = tick()
        given = {id(t) for _, t in tensors}
        for i, _ in self.alive:
            if id(values[i]) in given:  # a kernel that had nothing to do
                values[i] = values[i].detach()
            values[i]._node = node if i == 0 else Output(node, i)
        return values


def is_one_number(t):
    """Is it one number, expanded, as the gradient of a sum is?"""
    return isinstance(t, Tensor) and t.numel() > 1 and not any(s for s, n in zip(t.stride(), t.shape) if n > 1)


def in_full(backward, given):
    """The backward half, outside of any graph and autocast."""
    state, on = local.autocast, local.grad
    if state.enabled:
        set_state(UNSET)
    if on:
        set_grad_enabled(False)
    try:
        return backward(given)
    finally:
        if on:
            set_grad_enabled(True)
        if state.enabled:
            set_state(state)


def alone(backward, given):
    """The same for tensors that may be in a graph."""
    return in_full(backward, [t.detach() if isinstance(t, Tensor) else t for t in given])


def laid_out(t, stride):
    """A gradient that lies in memory as the graph was made for."""
    if not t.numel():
        return t
    on = local.grad
    set_grad_enabled(False)
    try:
        return t.new_empty_strided(tuple(t.shape), stride).copy_(t)
    finally:
        set_grad_enabled(on)


__all__ = ["Half", "alone", "in_full", "is_one_number", "laid_out"]
