"""NAdam: Adam with Nesterov momentum (Dozat, 2016)."""

from .._func.creation.gfunc import zeros_like
from .for_loop import ForLoop, add_quotient, check_at_least_zero, check_betas, check_lr, decayed, learning_rate, number

__all__ = ["NAdam"]


class NAdam(ForLoop):
    """NAdam(params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
    decoupled_weight_decay=False, *, ...)

    mu_t = beta1 * (1 - 0.96**(t * momentum_decay) / 2); the step mixes the gradient, weighted with mu_t, and m, with
    mu_(t+1).
    """

    LATER = {
        "maximize": False,
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
    }
    TENSOR_COUNTS = ("step", "mu_product")
    CAPTURABLE = "params, mu_products and state_steps must be on supported devices"

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        momentum_decay=4e-3,
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
        check_at_least_zero(weight_decay=weight_decay, momentum_decay=momentum_decay)
        super().__init__(
            params,
            dict(
                lr=lr,
                betas=betas,
                eps=eps,
                weight_decay=weight_decay,
                momentum_decay=momentum_decay,
                decoupled_weight_decay=decoupled_weight_decay,
                maximize=maximize,
                foreach=foreach,
                capturable=capturable,
                differentiable=differentiable,
            ),
        )

    def _begin(self, p, state, group):
        state["step"] = self._count()
        state["mu_product"] = self._count(1.0)
        state["exp_avg"] = zeros_like(p.detach())
        state["exp_avg_sq"] = zeros_like(p.detach())

    def _update(self, p, grad, state, group):
        (beta1, beta2), lr, step = group["betas"], learning_rate(group), number(state["step"])
        if group["weight_decay"] != 0 and group["decoupled_weight_decay"]:
            p.mul_(1 - lr * group["weight_decay"])
        else:
            grad = decayed(p, grad, group)
        mu = beta1 * (1.0 - 0.5 * 0.96 ** (step * group["momentum_decay"]))
        mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((step + 1) * group["momentum_decay"]))
        product = state["mu_product"].mul_(mu)
        product = product.clone() if group["differentiable"] else number(product)
        mean = state["exp_avg"].lerp_(grad, 1 - beta1)
        square = state["exp_avg_sq"].mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        root = square.div(1 - beta2**step).sqrt() + group["eps"]
        of_grad, of_mean = -lr * (1.0 - mu) / (1.0 - product), -lr * mu_next / (1.0 - product * mu_next)
        add_quotient(p, grad, root, of_grad, group)
        add_quotient(p, mean, root, of_mean, group)
