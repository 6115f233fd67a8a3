"""torch.autograd.graph: nodes, edges, and hooks on what the graph saves."""

import abc
import contextlib
import functools

from .._backend.backward import Output
from .._backend.graph import AccumulateGrad, BackwardOperation, RemovableHandle, alias_in_graph
from .._base.refused import refused_function
from .._base.state import enter_unusual, leave_unusual, local
from .._tensor.storage import bump
from .._tensor.tensor import Tensor


class Node(abc.ABC):
    """The type of nodes, for isinstance and issubclass: what has a name, edges and hooks."""

    @classmethod
    def __subclasshook__(cls, other):
        return issubclass(other, BackwardOperation) if cls is Node and isinstance(other, type) else NotImplemented


class GradientEdge(tuple):
    """(node, output_nr, ownership_token): where a tensor's gradient arrives, and what has to live on for that."""

    _fields = ("node", "output_nr", "ownership_token")
    like = None  # (shape, table) of the tensor, where get_gradient_edge was asked

    def __new__(cls, node, output_nr, ownership_token=None):
        return tuple.__new__(cls, (node, output_nr, ownership_token))

    node = property(lambda self: self[0])
    output_nr = property(lambda self: self[1])
    ownership_token = property(lambda self: self[2])

    def __repr__(self):
        return f"GradientEdge(node={self.node!r}, output_nr={self.output_nr})"

    def as_edge(self):
        return self.node if self.output_nr == 0 else Output(self.node, self.output_nr)

    def stand_in(self, gradient):
        """A tensor at this place of the graph, for walks to begin at; its values are undefined."""
        if self.like is not None:
            shape, k = self.like
            return alias_in_graph(k.empty(shape), k, self.as_edge())
        if gradient is None:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        return alias_in_graph(gradient._array, gradient._table, self.as_edge())


def get_gradient_edge(tensor):
    """get_gradient_edge(tensor) -> GradientEdge: for autograd.grad(inputs=...) in place of the tensor."""
    if tensor._node is None:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    e = tensor._node
    node, nr = (e.node, e.nr) if e.__class__ is Output else (e, 0)
    edge = GradientEdge(node, nr, tensor if tensor.is_leaf else None)
    edge.like = tensor._array.shape, tensor._table
    return edge


class saved_tensors_hooks:
    """A context: what the graph saves inside goes through pack_hook, and through unpack_hook when backward needs it."""

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        if local.saved_hooks_error is not None:
            raise RuntimeError(local.saved_hooks_error)
        local.saved_hooks = (*local.saved_hooks, (self.pack_hook, self.unpack_hook))
        enter_unusual()

    def __exit__(self, *args):
        leave_unusual()
        local.saved_hooks = local.saved_hooks[:-1]


class save_on_cpu(saved_tensors_hooks):
    """Saved tensors wait on the CPU, and come back to their device for backward."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        def pack(tensor):
            return tensor.device, tensor.detach().cpu() if tensor.device.type != "cpu" else tensor

        def unpack(packed):
            device, tensor = packed
            return tensor.to(device)

        super().__init__(pack, unpack)


class allow_mutation_on_saved_tensors(saved_tensors_hooks):
    """A context in which what backward needs may be written over: gradients are those of the values before the write.

    torch copies a saved tensor when it is written to; here each is copied when it is saved. Backward has to run inside,
    too (AssertionError); RuntimeError where contexts are nested.
    """

    def __init__(self):
        self._open = False
        super().__init__(lambda tensor: tensor.detach().clone(), self._unpacked)

    def _unpacked(self, saved):
        if not self._open:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' contextin which the graph was "
                "originally recorded."
            )
        return saved

    def __enter__(self):
        owners = [getattr(unpack, "__self__", None) for _, unpack in local.saved_hooks]
        if any(isinstance(owner, allow_mutation_on_saved_tensors) for owner in owners):
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        super().__enter__()
        self._open = True
        return self

    def __exit__(self, *args):
        self._open = False
        super().__exit__(*args)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message):
    """A context in which saved_tensors_hooks raises error_message."""
    before = local.saved_hooks_error
    local.saved_hooks_error = error_message
    try:
        yield
    finally:
        local.saved_hooks_error = before


class _MultiHandle(RemovableHandle):
    def __init__(self, handles):
        self.handles = tuple(handles)

    def remove(self):
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Call fn when the gradients of all tensors are known (mode "all": fn(list)), or the first of them ("any":
    fn(grad)).
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    state = {"walk": None}

    def arrived(i, g):
        if state["walk"] is not local.walk:
            state.update(walk=local.walk, grads=[None] * len(tensors), count=0, done=False)
        if mode == "any":
            if not state["done"]:
                state["done"] = True
                fn(g)
            return
        state["grads"][i] = g
        state["count"] += 1
        if state["count"] == len(tensors):
            fn(state["grads"])

    return _MultiHandle(t.register_hook(functools.partial(arrived, i)) for i, t in enumerate(tensors))


def increment_version(tensor):
    """increment_version(tensor, or tensors): as if it had been written in place, for what is changed behind torch's
    back."""
    for t in (tensor,) if isinstance(tensor, Tensor) else tensor:
        bump(t)


def set_override_stale_capture_stream(enabled):
    """Accepted for torch's sake: there are no streams here."""


region_activation_memory_budget = refused_function(
    "torch.autograd.graph", "region_activation_memory_budget", "budget of memory for compiled regions"
)


def set_warn_on_accumulate_grad_stream_mismatch(enabled):
    """Accepted for torch's sake: there are no streams here."""


__all__ = [
    "AccumulateGrad",
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]
