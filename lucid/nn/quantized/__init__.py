"""torch.nn.quantized: of quantized layers lucid has those that compute with plain floats until a model is converted."""

from ..._base.state import local as _local  # noqa: F401
from .._ops import ops
from ..modules.linear import Identity
from ..modules.module import Module

__all__ = ["FloatFunctional", "FXFloatFunctional"]


class FloatFunctional(Module):
    """FloatFunctional(): torch.add and others as methods, whose results an observer may see."""

    def __init__(self):
        super().__init__()
        self.activation_post_process = Identity()

    def forward(self, x):
        """forward(x): RuntimeError, its methods are what is called."""
        raise RuntimeError("FloatFunctional is not intended to use the 'forward'. Please use the underlying operation")

    def add(self, x, y):
        """add(x, y) -> x + y"""
        return self.activation_post_process(ops.add(x, y))

    def add_scalar(self, x, y):
        """add_scalar(x, number) -> x + number"""
        return ops.add(x, y)

    def mul(self, x, y):
        """mul(x, y) -> x * y"""
        return self.activation_post_process(ops.mul(x, y))

    def mul_scalar(self, x, y):
        """mul_scalar(x, number) -> x * number"""
        return ops.mul(x, y)

    def cat(self, x, dim=0):
        """cat(tensors, dim=0) -> Tensor"""
        return self.activation_post_process(ops.cat(x, dim=dim))

    def add_relu(self, x, y):
        """add_relu(x, y) -> relu(x + y)"""
        return self.activation_post_process(ops.relu(ops.add(x, y)))

    def matmul(self, x, y):
        """matmul(x, y) -> x @ y"""
        return self.activation_post_process(ops.matmul(x, y))


class FXFloatFunctional(FloatFunctional):
    """FXFloatFunctional(): the same without observers, for graphs."""
