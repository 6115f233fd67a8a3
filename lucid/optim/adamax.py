"""Adamax: Adam with the infinity norm (Kingma and Ba, 2014)."""

from .._func.creation.gfunc import zeros_like
from .for_loop import ForLoop, add_quotient, check_at_least_zero, check_betas, check_lr, decayed, learning_rate, number

__all__ = ["Adamax"]


class Adamax(ForLoop):
    """Adamax(params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *, ...)

    u = max(beta2 * u, |g| + eps); p -= lr / (1 - beta1**t) * m / u.
    """

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        capturable=False,
    ):
        check_lr(lr)
        check_at_least_zero(epsilon=eps)
        check_betas(betas)
        check_at_least_zero(weight_decay=weight_decay)
        super().__init__(
            params,
            dict(
                lr=lr,
                betas=betas,
                eps=eps,
                weight_decay=weight_decay,
                foreach=foreach,
                maximize=maximize,
                differentiable=differentiable,
                capturable=capturable,
            ),
        )

    def _begin(self, p, state, group):
        state["step"] = self._count()
        state["exp_avg"] = zeros_like(p.detach())
        state["exp_inf"] = zeros_like(p.detach())

    def _update(self, p, grad, state, group):
        (beta1, beta2), lr = group["betas"], learning_rate(group)
        grad = decayed(p, grad, group)
        mean, largest = state["exp_avg"].lerp_(grad, 1 - beta1), state["exp_inf"]
        largest.copy_(largest.mul(beta2).maximum(grad.abs() + group["eps"]))
        rate = lr / (1 - beta1 ** number(state["step"]))
        add_quotient(p, mean, largest.clone() if group["differentiable"] else largest, -rate, group)
