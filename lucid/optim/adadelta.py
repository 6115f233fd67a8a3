"""Adadelta (Zeiler, 2012)."""

from .._func.creation.gfunc import zeros_like
from .for_loop import ForLoop, add_scaled, check_at_least_zero, check_lr, decayed, learning_rate

__all__ = ["Adadelta"]


class Adadelta(ForLoop):
    """Adadelta(params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, ...)

    v and u are moving averages of the squared gradient and of the squared step: d = sqrt(u + eps) / sqrt(v + eps) * g;
    p -= lr * d.
    """

    def __init__(
        self,
        params,
        lr=1.0,
        rho=0.9,
        eps=1e-6,
        weight_decay=0,
        foreach=None,
        *,
        capturable=False,
        maximize=False,
        differentiable=False,
    ):
        check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_at_least_zero(epsilon=eps)
        check_at_least_zero(weight_decay=weight_decay)
        super().__init__(
            params,
            dict(
                lr=lr,
                rho=rho,
                eps=eps,
                weight_decay=weight_decay,
                maximize=maximize,
                capturable=capturable,
                foreach=foreach,
                differentiable=differentiable,
            ),
        )

    def _begin(self, p, state, group):
        state["step"] = self._count()
        state["square_avg"] = zeros_like(p.detach())
        state["acc_delta"] = zeros_like(p.detach())

    def _update(self, p, grad, state, group):
        rho, eps, lr = group["rho"], group["eps"], learning_rate(group)
        grad = decayed(p, grad, group)
        square = state["square_avg"].mul_(rho).addcmul_(grad, grad, value=1 - rho)
        delta = state["acc_delta"].add(eps).sqrt().div(square.add(eps).sqrt()).mul(grad)
        state["acc_delta"].mul_(rho).addcmul_(delta, delta, value=1 - rho)
        add_scaled(p, delta, -lr, group)
