"""autograd Functions that layers use: the node that module hooks hang on, and CrossMapLRN2d's local response norm."""

from ...autograd.function import Function
from .._ops import ops


class BackwardHookFunction(Function):
    """Its arguments as they are; what needs no gradient stays so."""

    @staticmethod
    def forward(ctx, *args):
        ctx.mark_non_differentiable(*[t for t in args if not t.requires_grad])
        return args

    @staticmethod
    def backward(ctx, *grads):
        return grads


def _window_sums(x, before, after):
    """Each channel of (N, C, H, W) replaced by the sum of it, `before` channels before it and `after` after it."""
    n, c, h, w = x.shape
    padded = ops.cat([x.new_zeros(n, before, h, w), x, x.new_zeros(n, after, h, w)], 1)
    total = padded.narrow(1, 0, c).clone()
    for i in range(1, before + after + 1):
        total += padded.narrow(1, i, c)
    return total


class CrossMapLRN2d(Function):
    """x * (k + alpha / size * sum of squares of the channels around)^-beta, as torch computes it: its running sum never
    drops
    channel 0, and its gradient sums over windows without that."""

    @staticmethod
    def forward(ctx, input, size, alpha=1e-4, beta=0.75, k=1):
        if input.dim() != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.dim()}D instead.")
        reach = int((size - 1) / 2 + 1)
        squares = input * input
        scale = _window_sums(squares, reach - 1, reach - 1)
        if reach < input.size(1):
            scale[:, reach:] += squares[:, :1]
        scale.mul_(alpha / size).add_(k)
        output = scale.pow(-beta).mul_(input)
        ctx.size, ctx.alpha, ctx.beta, ctx.scale = size, alpha, beta, scale
        ctx.save_for_backward(input, output)
        return output

    @staticmethod
    def backward(ctx, grad_output):
        input, output = ctx.saved_tensors
        before = min(int(ctx.size - (ctx.size - 1) / 2), ctx.size - 1)
        around = _window_sums(grad_output * output / ctx.scale, before, ctx.size - 1 - before)
        grad = ctx.scale.pow(-ctx.beta) * grad_output - 2 * ctx.alpha * ctx.beta / ctx.size * input * around
        return grad, None, None, None, None
