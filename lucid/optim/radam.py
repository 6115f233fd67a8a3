"""RAdam: Adam with a rectified start (Liu et al., 2019)."""

from .._base.state import is_compiling
from .._func.creation.gfunc import zeros_like
from .._func.pointwise.where import where
from .for_loop import ForLoop, check_at_least_zero, check_betas, check_lr, decayed, learning_rate, number

__all__ = ["RAdam"]


class RAdam(ForLoop):
    """RAdam(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *, ...)

    While the variance of the adaptive rate is not yet tractable (rho_t <= 5) p -= lr * m / (1 - beta1**t); afterwards
    Adam's step scaled by the rectification term r_t.
    """

    LATER = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
        "capturable": False,
    }

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        decoupled_weight_decay=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
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
                maximize=maximize,
                foreach=foreach,
                capturable=capturable,
                decoupled_weight_decay=decoupled_weight_decay,
                differentiable=differentiable,
            ),
        )

    def _begin(self, p, state, group):
        state["step"] = self._count()
        state["exp_avg"] = zeros_like(p.detach())
        state["exp_avg_sq"] = zeros_like(p.detach())

    def _update(self, p, grad, state, group):
        (beta1, beta2), lr, step = group["betas"], learning_rate(group), number(state["step"])
        if group["weight_decay"] != 0 and group["decoupled_weight_decay"]:
            p.mul_(1 - lr * group["weight_decay"])
        else:
            grad = decayed(p, grad, group)
        mean = state["exp_avg"].lerp_(grad, 1 - beta1)
        square = state["exp_avg_sq"].mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        correction2 = 1 - beta2**step
        rho_inf = 2 / (1 - beta2) - 1
        rho = rho_inf - 2 * step * beta2**step / correction2
        change = mean / (1 - beta1**step) * lr
        if is_compiling() or rho > 5.0:
            rectified = ((rho - 4) * (rho - 2) * rho_inf / ((rho_inf - 4) * (rho_inf - 2) * rho)) ** 0.5
            scaled = change * (correction2**0.5 / (square.sqrt() + group["eps"])) * rectified
            change = where(rho > 5.0, scaled, change) if is_compiling() else scaled
        p.add_(change, alpha=-1.0)
