"""RMSprop (Tieleman and Hinton, 2012), centered as in Graves (2013)."""

from functools import partial

from .._array.numpy import optim as numpy_optim
from .._func.creation.gfunc import zeros_like
from .for_loop import ForLoop, add_quotient, add_scaled, check_at_least_zero, check_lr, decayed, learning_rate

__all__ = ["RMSprop"]


class RMSprop(ForLoop):
    """RMSprop(params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False, ...)

    v is a moving average of the squared gradient (minus the square of the gradient's average when centered);
    p -= lr * g / (sqrt(v) + eps), through a momentum buffer if momentum > 0.
    """

    LATER = {
        "momentum": 0,
        "centered": False,
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "capturable": False,
    }
    FAST_STATE = ("square_avg", "momentum_buffer")

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha=0.99,
        eps=1e-8,
        weight_decay=0,
        momentum=0,
        centered=False,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ):
        check_lr(lr)
        check_at_least_zero(epsilon=eps)
        check_at_least_zero(momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        super().__init__(
            params,
            dict(
                lr=lr,
                momentum=momentum,
                alpha=alpha,
                eps=eps,
                centered=centered,
                weight_decay=weight_decay,
                capturable=capturable,
                foreach=foreach,
                maximize=maximize,
                differentiable=differentiable,
            ),
        )

    def _begin(self, p, state, group):
        state["step"] = self._count()
        state["square_avg"] = zeros_like(p.detach())
        if group["momentum"] > 0:
            state["momentum_buffer"] = zeros_like(p.detach())
        if group["centered"]:
            state["grad_avg"] = zeros_like(p.detach())

    def _fast(self, group):
        if group["centered"]:
            return None
        return partial(
            numpy_optim.rmsprop,
            lr=learning_rate(group),
            alpha=group["alpha"],
            eps=group["eps"],
            decay=group["weight_decay"],
            momentum=group["momentum"],
            maximize=group["maximize"],
        )

    def _update(self, p, grad, state, group):
        alpha, lr, square = group["alpha"], learning_rate(group), state["square_avg"]
        grad = decayed(p, grad, group)
        square.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"].lerp_(grad, 1 - alpha)
            root = square.addcmul(mean, mean, value=-1).sqrt_()
        else:
            root = square.sqrt()
        root = root + group["eps"]
        if group["momentum"] > 0:
            buffer = state["momentum_buffer"].mul_(group["momentum"]).addcdiv_(grad, root)
            add_scaled(p, buffer, -lr, group)
        else:
            add_quotient(p, grad, root, -lr, group)
