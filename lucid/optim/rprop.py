"""Rprop: resilient backpropagation (Riedmiller and Braun, 1993), which uses the gradient's sign only."""

from .._func.creation.gfunc import full_like, zeros_like
from .for_loop import ForLoop, check_lr

__all__ = ["Rprop"]


class Rprop(ForLoop):
    """Rprop(params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, ...)

    Each element has a step size of its own, multiplied by etas[1] while the gradient keeps its sign and by etas[0],
    with the step left out, when it changes; p -= sign(g) * size.
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        etas=(0.5, 1.2),
        step_sizes=(1e-6, 50),
        *,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ):
        check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(
            params,
            dict(
                lr=lr,
                etas=etas,
                step_sizes=step_sizes,
                foreach=foreach,
                maximize=maximize,
                differentiable=differentiable,
                capturable=capturable,
            ),
        )

    def _begin(self, p, state, group):
        lr = float(group["lr"])
        state["step"] = self._count()
        state["prev"] = zeros_like(p.detach())
        state["step_size"] = full_like(p.grad.detach(), complex(lr, lr) if p.is_complex() else lr)

    def _update(self, p, grad, state, group):
        (shrink, grow), (smallest, largest) = group["etas"], group["step_sizes"]
        size, before = state["step_size"], state["prev"]
        agree = grad.mul(before.clone())
        turned = agree.lt(0)
        factor = agree.sign().detach()
        factor = factor.masked_fill(agree.gt(0), grow).masked_fill(turned, shrink).masked_fill(agree.eq(0), 1)
        size.mul_(factor).clamp_(smallest, largest)
        grad = grad.masked_fill(turned, 0)
        p.addcmul_(grad.sign(), size.clone() if group["differentiable"] else size, value=-1)
        before.copy_(grad)
