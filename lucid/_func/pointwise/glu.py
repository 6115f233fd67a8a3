"""The gated linear unit."""

from ..._backend.core import unary_func_op
from ..._backend.families import Along, not_implemented_error
from ..._backend.rules import in_one_step


class glu(Along):
    """glu(input, dim=-1) -> Tensor: the first half of input along dim times the sigmoid of the second half."""

    namespace, method, has_out = "nn.functional", False, False

    @unary_func_op()
    def forward(xp, input, dim=-1):
        if not len(input.shape):
            raise RuntimeError("glu does not support 0-dimensional tensors")
        if input.shape[dim] % 2:
            raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {input.shape[dim]}")
        if not xp.inexact or xp.is_complex:
            raise not_implemented_error("glu_cpu", xp.dtype)
        a, b = _halves(xp, input, dim)
        return a * xp.sigmoid(b)

    def grad_input(xp, g, input, dim):
        a, b = _halves(xp, input, dim)
        s = xp.sigmoid(b)
        return xp.cat([g * s, in_one_step(xp, _through_gate, g, a, s)], dim)


def _through_gate(xp, g, a, s):
    return g * a * s * (1 - s)


def _halves(xp, x, dim):
    half = x.shape[dim] // 2
    return xp.slice(x, dim, 0, half, 1), xp.slice(x, dim, half, 2 * half, 1)
