"""swap_tensors: two tensors change places, memory, graph, gradient and all."""

from .._tensor.tensor import Tensor
from .graph import AccumulateGrad, Hooks, leaf

_POISONED = (
    "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen when you try to run "
    "backward on a tensor that was swapped. For a module m with "
    "`torch.__future__.set_swap_module_params_on_conversion(True)` you should not change the device or dtype of "
    "the module (e.g. `m.cpu()` or `m.half()`) between running forward and backward. To resolve this, please only "
    "change the device/dtype before running forward (or after both forward and backward)."
)


def swap_tensors(t1, t2):
    """swap_tensors(t1, t2): each becomes the other: memory, graph, gradient, class and attributes.

    A graph that was recorded with one of them as a leaf raises RuntimeError when it is walked.
    """
    for t in (t1, t2):
        if not isinstance(t, Tensor):
            raise TypeError(f"swap_tensors: expected a Tensor, got {type(t).__name__}")
    t1.__class__, t2.__class__ = type(t2), type(t1)
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for name in ("_array", "_table", "_node", "_extra"):
        a, b = getattr(t1, name), getattr(t2, name)
        setattr(t1, name, b)
        setattr(t2, name, a)
    for t in (t1, t2):
        if t._node.__class__ is AccumulateGrad:
            _poison(t._node)
            leaf(t)
        if t._extra is not None and t._extra.storage is not None:
            t._extra.storage.add(t)


def _poison(node):
    """Let a walk that comes to this leaf fail."""

    def refuse(_):
        raise RuntimeError(_POISONED)

    node.needs_care = True
    node.prehooks = Hooks()
    node.prehooks.attach(refuse)
