"""torch.autograd.Variable: torch's old name for a Tensor, still found in scripts."""

from .._tensor.tensor import Tensor


class VariableMeta(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor)


class Variable(metaclass=VariableMeta):
    """Variable(data, requires_grad=False, volatile=False) -> the tensor itself, as a leaf if asked."""

    def __new__(cls, data, requires_grad=False, volatile=False):
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        out = data.detach() if data.requires_grad or requires_grad else data
        return out.requires_grad_(requires_grad) if requires_grad else out
