"""autograd Functions that layers use: the identity node on which a module's backward hooks hang."""
from ...autograd.function import Function


class BackwardHookFunction(Function):
    """Its arguments as they are; what needs no gradient stays so."""

    @staticmethod
    def forward(ctx, *args):
        ctx.mark_non_differentiable(*[t for t in args if not t.requires_grad])
        return args

    @staticmethod
    def backward(ctx, *grads):
        return grads
