"""ASGD: averaged stochastic gradient descent (Polyak and Juditsky, 1992)."""

from .._base.state import is_compiling
from .._func.creation.gfunc import zeros_like
from .._func.pointwise.where import where
from .for_loop import ForLoop, add_scaled, check_at_least_zero, check_lr, decayed, learning_rate, number

__all__ = ["ASGD"]


class ASGD(ForLoop):
    """ASGD(params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, ...)

    p = p * (1 - lambd * eta) - eta * g with eta = lr / (1 + lambd * lr * t)**alpha; state["ax"] averages p from step t0
    on.
    """

    LATER = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}
    TENSOR_COUNTS = ("step", "eta", "mu")
    CAPTURABLE = "params, mus, etas, and state_steps must be on supported devices"

    def __init__(
        self,
        params,
        lr=1e-2,
        lambd=1e-4,
        alpha=0.75,
        t0=1e6,
        weight_decay=0,
        foreach=None,
        maximize=False,
        differentiable=False,
        capturable=False,
    ):
        check_lr(lr)
        check_at_least_zero(weight_decay=weight_decay)
        super().__init__(
            params,
            dict(
                lr=lr,
                lambd=lambd,
                alpha=alpha,
                t0=t0,
                weight_decay=weight_decay,
                foreach=foreach,
                maximize=maximize,
                differentiable=differentiable,
                capturable=capturable,
            ),
        )

    def _begin(self, p, state, group):
        state["step"] = self._count()
        state["eta"] = self._count(float(group["lr"]))
        state["mu"] = self._count(1.0)
        state["ax"] = zeros_like(p.detach())

    def _update(self, p, grad, state, group):
        lambd, lr, step = group["lambd"], learning_rate(group), number(state["step"])
        eta, mu, average = number(state["eta"]), number(state["mu"]), state["ax"]
        grad = decayed(p, grad, group)
        add_scaled(p.mul_(1 - lambd * eta), grad, -eta, group)
        if is_compiling():
            average.copy_(where(mu == 1, p, average + (p - average) * mu))
        elif mu == 1:
            average.copy_(p)
        else:
            average.add_(p.sub(average).mul(mu))
        state["eta"].fill_(lr / (1 + lambd * lr * step) ** group["alpha"])
        after = step - group["t0"]
        state["mu"].fill_(1 / (after.clamp(min=1) if is_compiling() else max(1, after)))
