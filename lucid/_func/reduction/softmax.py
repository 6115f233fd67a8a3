"""softmax, log_softmax, softmin and gumbel_softmax along a dimension."""

from ..._backend.core import unary_func_op
from ..._backend.families import Along, not_implemented_error
from ..._backend.out_argument import store_out
from ..._backend.registry import public
from ..._backend.signatures import bind, signatures
from ..._base.dtype import float32
from ..._base.warn import warn
from ..._tensor.tensor import contiguous_format
from ..creation.gfunc import empty_like, zeros_like
from ..creation.random_inplace import exponential_, inside, overridable


def _over(x, dim):
    """The dimensions to reduce: none of a 0-dim array."""
    return (dim,) if len(x.shape) else ()


def _kernel_error(name, x, dim, xp):
    return not_implemented_error(f"{name}_{'lastdim_' if dim == len(x.shape) - 1 else ''}kernel_impl", xp.dtype)


class softmax_op(Along):
    """softmax over one dimension: rows of -inf only give NaN."""

    name, node_name, namespace = "softmax", "SoftmaxBackward0", None
    method, has_out, gradient_kernel = False, False, True

    @unary_func_op()
    def forward(xp, input, dim):
        if 0 in input.shape:
            return xp.copy(input)
        if not xp.inexact:
            raise _kernel_error("softmax", input, dim, xp)
        dims, input = _over(input, dim), xp.contiguous(input)
        weights = xp.exp(input - xp.amax(input, dims, True))
        return weights / xp.sum(weights, dims, True)

    def numpy(xp, input, dim):
        if 0 in input.shape or not input.ndim or not xp.inexact:
            return softmax_op.forward(xp, input, dim)
        y = xp.sub(input, xp.amax(input, (dim,), True), order="C")
        xp.exp(y, y)
        return xp.div(y, xp.sum(y, (dim,), True), y)

    def grad_input(xp, g, out, dim):
        return out * (g - xp.sum(g * out, _over(out, dim), True))


class log_softmax_op(Along):
    """log_softmax over one dimension."""

    name, node_name, namespace = "log_softmax", "LogSoftmaxBackward0", None
    method, has_out, gradient_kernel = False, False, True

    @unary_func_op()
    def forward(xp, input, dim):
        if 0 in input.shape:
            return xp.copy(input)
        if not xp.inexact:
            raise _kernel_error("log_softmax", input, dim, xp)
        dims, input = _over(input, dim), xp.contiguous(input)
        below = input - xp.amax(input, dims, True)
        return below - xp.log(xp.sum(xp.exp(below), dims, True))

    def numpy(xp, input, dim):
        if 0 in input.shape or not input.ndim or not xp.inexact:
            return log_softmax_op.forward(xp, input, dim)
        y = xp.sub(input, xp.amax(input, (dim,), True), order="C")
        return xp.sub(y, xp.log(xp.sum(xp.exp(y), (dim,), True)), y)

    def halves(rounded_once):
        """torch rounds the sum and its logarithm, too, along the last dimension."""

        def kernel(k, input, dim):
            if 0 in input.shape or dim != max(len(input.shape) - 1, 0):
                return rounded_once(k, input, dim)
            wide, x, dims = k.sibling(float32), k.widen(input), _over(input, dim)
            below = x - wide.amax(x, dims, True)
            total = k.widen(k.narrow(wide.sum(wide.exp(below), dims, True)))
            return k.contiguous(k.narrow(below - k.widen(k.narrow(wide.log(total)))))

        return kernel

    def grad_input(xp, g, out, dim):
        return g - xp.exp(out) * xp.sum(g, _over(out, dim), True)


def _implicit_dim(name, ndim):
    """torch's old guess when no dim is given, with its warning."""
    warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
    )
    return 0 if ndim in (0, 1, 3) else 1


def _publish(name, op, doc, negate=False):
    def compute(input, dim, dtype):
        x = -input if negate else input
        return op.fn(x if dtype is None else x.to(dtype), dim)

    def on_torch(input, dim, dtype=None, *, out=None):
        result = compute(input, dim, dtype)
        return result if out is None else store_out(op.name, result.detach(), out)

    def functional(input, dim=None, _stacklevel=3, dtype=None):
        if dim is None:
            dim = _implicit_dim(name, input.ndim)
        elif type(dim) is not int:
            bind(signatures("Tensor", "softmax"), (dim,), {})
        return compute(input, dim, dtype)

    on_torch.__name__ = on_torch.__qualname__ = functional.__name__ = functional.__qualname__ = name
    on_torch.__doc__ = functional.__doc__ = doc
    public(name, namespace="nn.functional")(functional)
    if not negate:
        public(name, method=True)(on_torch)
        public(name, namespace="special")(_keyword_dtype(on_torch))
        op.public_function = on_torch
    return on_torch


def _keyword_dtype(f):
    """torch.special.log_softmax takes dtype by keyword only."""
    if f.__name__ == "softmax":
        return f

    def special(input, dim, *, dtype=None):
        return f(input, dim, dtype)

    special.__name__, special.__doc__ = f.__name__, f.__doc__
    return special


softmax = _publish(
    "softmax", softmax_op, "softmax(input, dim, dtype=None) -> Tensor: exp(input) divided by its sum over dim."
)
log_softmax = _publish(
    "log_softmax", log_softmax_op, "log_softmax(input, dim, dtype=None) -> Tensor: log(softmax) without overflow."
)
_publish("softmin", softmax_op, "softmin(input, dim, dtype=None) -> Tensor: softmax of -input.", negate=True)


@public(namespace="nn.functional")
@overridable
def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1) -> Tensor:
    a sample of relaxed categories (Jang et al., 2016; Maddison et al., 2016), one-hot with the soft sample's gradient
    when hard.
    """
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    noise = exponential_(inside(empty_like(logits.detach(), memory_format=contiguous_format))).log().neg()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    chosen = soft.max(dim, keepdim=True)[1]
    one_hot = zeros_like(logits.detach(), memory_format=contiguous_format).scatter_(dim, chosen, 1.0)
    return one_hot - soft.detach() + soft
