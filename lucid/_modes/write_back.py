"""What a transformed function does to the memory of its arguments: writes reach them, and views of them are views.

Arrays of a transform own no memory, so a write inside leaves the argument as it was; it is carried out when the
function ends. A result that is the argument seen through views is made of the argument again, by the same views.
"""

from .._backend.tensor_words import words_of
from .._base.state import local, set_grad_enabled
from .._tensor.tensor import Tensor
from .levels import level
from .vmap_array import Batched
from .vmap_table import from_dim, to_dim


def write_back(outer, inner, before, value, may_reshape=True):
    """Write value() into `outer`, which entered a transform as `inner`, if anything was written to that.

    before: inner's place in the graph when it entered. What was written without recording is written so here. Where
    unsqueeze_, t_ or their like gave it another shape, outer gets that, too.
    """
    if not inner._version:
        return
    on = local.grad
    set_grad_enabled(on and inner._node is not before)
    try:
        new = value()
        if new._array.shape == outer._array.shape:
            outer.copy_(new)
        elif may_reshape:
            outer.data = new
    finally:
        set_grad_enabled(on)


def as_view(t, dim, frame, entered):
    """The result t of a vmapped function, with its batch at dim, as a view of the argument that it is inside; or None.

    entered: (argument, its mapped dimension, what it is inside, its node and its own shape then) for each argument.
    """
    storage = None if t._extra is None else t._extra.storage
    for outer, d, inner, _, shape in entered:
        if t is inner or storage is not None and inner._extra is not None and inner._extra.storage is storage:
            inside = t._table.frame is frame and t._array.has_batch and level(outer._table) < frame.level
            if not inside or outer._array.shape != shape:
                return None
            if t is inner and dim == d:
                return outer
            return _seen_again(t, dim, frame, outer, d)
    return None


def _seen_again(t, dim, frame, outer, d):
    on = local.grad
    if t._node is None:
        set_grad_enabled(False)
    try:
        words = words_of(outer._table)
        k, array = frame.table(words), Batched(from_dim(words, outer, d), True)
        for op, options in () if t._extra is None else t._extra.chain:
            array = op.forward(k, array, *options)
            k = k.of(array)
        if k.dtype is not t._table.dtype:  # read as another type, which is no step of the chain
            return None
        seen = array.value if dim == 0 else to_dim(k.inner, array.value, dim)
    except NotImplementedError:  # a step that has no function of Tensors
        return None
    finally:
        set_grad_enabled(on)
    return seen if isinstance(seen, Tensor) and seen._is_view() else None
