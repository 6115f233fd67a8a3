"""softmax, log_softmax, softmin along a dimension, and glu."""

import warnings

from ..._backend.core import unary_func_op
from ..._backend.families import Along
from ..._backend.registry import public
from ..pointwise.bfunc import refused


def _over(x, dim):
    """The dimensions to reduce: none of a 0-dim array."""
    return (dim,) if len(x.shape) else ()


def _refused(name, x, dim, xp):
    return refused(f"{name}_{'lastdim_' if dim == len(x.shape) - 1 else ''}kernel_impl", xp)


class softmax_op(Along):
    """softmax over one dimension: rows of -inf only give NaN."""

    name, node_name, namespace, method, has_out, compute_in_float32 = (
        "softmax",
        "SoftmaxBackward0",
        None,
        False,
        False,
        True,
    )

    @unary_func_op()
    def forward(xp, input, dim):
        if not xp.inexact:
            raise _refused("softmax", input, dim, xp)
        if 0 in input.shape:
            return xp.copy(input)
        dims = _over(input, dim)
        weights = xp.exp(input - xp.amax(input, dims, True))
        return weights / xp.sum(weights, dims, True)

    def numpy(xp, input, dim):
        if 0 in input.shape or not input.ndim or not xp.inexact:
            return softmax_op.forward(xp, input, dim)
        y = xp.sub(input, xp.amax(input, (dim,), True))
        xp.exp(y, y)
        return xp.div(y, xp.sum(y, (dim,), True), y)

    def grad_input(xp, g, out, dim):
        return out * (g - xp.sum(g * out, _over(out, dim), True))


class log_softmax_op(Along):
    """log_softmax over one dimension."""

    name, node_name, namespace, method, has_out, compute_in_float32 = (
        "log_softmax",
        "LogSoftmaxBackward0",
        None,
        False,
        False,
        True,
    )

    @unary_func_op()
    def forward(xp, input, dim):
        if not xp.inexact:
            raise _refused("log_softmax", input, dim, xp)
        if 0 in input.shape:
            return xp.copy(input)
        dims = _over(input, dim)
        below = input - xp.amax(input, dims, True)
        return below - xp.log(xp.sum(xp.exp(below), dims, True))

    def numpy(xp, input, dim):
        if 0 in input.shape or not input.ndim or not xp.inexact:
            return log_softmax_op.forward(xp, input, dim)
        y = xp.sub(input, xp.amax(input, (dim,), True))
        return xp.sub(y, xp.log(xp.sum(xp.exp(y), (dim,), True)), y)

    def grad_input(xp, g, out, dim):
        return g - xp.exp(out) * xp.sum(g, _over(out, dim), True)


def _implicit_dim(name, ndim, level):
    """torch's old guess when no dim is given, with its warning."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=level,
    )
    return 0 if ndim in (0, 1, 3) else 1


def _publish(name, op, doc, negate=False):
    def compute(input, dim, dtype):
        x = -input if negate else input
        return op.fn(x if dtype is None else x.to(dtype), dim)

    def on_torch(input, dim, dtype=None, *, out=None):
        result = compute(input, dim, dtype)
        return result if out is None else out.resize_(result.shape).copy_(result)

    def functional(input, dim=None, _stacklevel=3, dtype=None):
        if dim is None:
            dim = _implicit_dim(name, input.ndim, _stacklevel)
        return compute(input, dim, dtype)

    on_torch.__name__ = on_torch.__qualname__ = functional.__name__ = functional.__qualname__ = name
    on_torch.__doc__ = functional.__doc__ = doc
    public(name, namespace="nn.functional")(functional)
    if not negate:
        public(name, method=True)(on_torch)
        public(name, namespace="special")(_keyword_dtype(on_torch))
        op.public_function = on_torch


def _keyword_dtype(f):
    """torch.special takes dtype by keyword only."""

    def special(input, dim, *, dtype=None):
        return f(input, dim, dtype)

    special.__name__, special.__doc__ = f.__name__, f.__doc__
    return special


_publish("softmax", softmax_op, "softmax(input, dim, dtype=None) -> Tensor: exp(input) divided by its sum over dim.")
_publish("log_softmax", log_softmax_op, "log_softmax(input, dim, dtype=None) -> Tensor: log(softmax) without overflow.")
_publish("softmin", softmax_op, "softmin(input, dim, dtype=None) -> Tensor: softmax of -input.", negate=True)


class glu(Along):
    """glu(input, dim=-1) -> Tensor: the first half of input along dim times the sigmoid of the second half."""

    namespace, method, has_out, compute_in_float32 = "nn.functional", False, False, True

    @unary_func_op()
    def forward(xp, input, dim=-1):
        if not len(input.shape):
            raise RuntimeError("glu does not support 0-dimensional tensors")
        if input.shape[dim] % 2:
            raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {input.shape[dim]}")
        if not xp.inexact:
            raise refused("glu_cpu", xp)
        a, b = _halves(xp, input, dim)
        return a * xp.sigmoid(b)

    def grad_input(xp, g, input, dim):
        a, b = _halves(xp, input, dim)
        s = xp.sigmoid(b)
        return xp.cat([g * s, g * a * s * (1 - s)], dim)


def _halves(xp, x, dim):
    half = x.shape[dim] // 2
    return xp.slice(x, dim, 0, half, 1), xp.slice(x, dim, half, 2 * half, 1)
