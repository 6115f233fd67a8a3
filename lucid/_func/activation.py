"""Activation functions: relu, gelu, sigmoid, softmax and the others that torch.nn.functional has."""
from .._backend.core import func_op, public, unary_func_op
from .._backend.families import Along, Pointwise


class relu(Pointwise):
    """relu(input) -> Tensor: max(input, 0); NaN stays NaN. Its gradient at 0 is 0."""

    home = ("torch",)

    @unary_func_op()
    def forward(xp, input):
        return xp.relu(input)

    def grad_input(xp, g, out):
        return g * xp.gt(out, 0)


class sigmoid(Pointwise):
    """sigmoid(input) -> Tensor: 1 / (1 + exp(-input))."""

    promote, home = "int_to_float", ("torch", "nn.functional")

    @unary_func_op()
    def forward(xp, input):
        return xp.sigmoid(input)

    def grad_input(xp, g, out):
        return g * xp.conj((1 - out) * out)
