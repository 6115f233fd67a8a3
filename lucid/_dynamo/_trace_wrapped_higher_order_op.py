"""torch._dynamo._trace_wrapped_higher_order_op: of its names, the mode in which `x[i]` may be batched by vmap."""

from .._aten.overloads import packet
from .._modes.torch_function import TorchFunctionMode
from .._tensor.pytree import tree_leaves
from .._tensor.tensor import Tensor

__all__ = ["TransformGetItemToIndex"]


class TransformGetItemToIndex(TorchFunctionMode):
    """with TransformGetItemToIndex(): a tensor indexed by tensors alone is gathered, by those of one element, too,
    whose number vmap could not tell."""

    def __torch_function__(self, func, types, args, kwargs=None):
        if func is Tensor.__getitem__ and isinstance(args[0], Tensor):
            index = tree_leaves(args[1])
            if index and all(isinstance(i, Tensor) for i in index):
                return packet("aten", "index")(args[0], index)
        return func(*args, **(kwargs or {}))
