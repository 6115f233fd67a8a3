"""Adam (Kingma and Ba, 2014), and AMSGrad (Reddi et al., 2018)."""

from functools import partial

from .._array.numpy import optim as numpy_optim
from .._func.creation.gfunc import zeros_like
from .._tensor.storage import bump
from .._tensor.tensor import Tensor
from .for_loop import ForLoop, check_at_least_zero, check_betas, check_lr, decayed, learning_rate, number
from .optimizer import _to_scalar
from .sgd import check_fused

__all__ = ["Adam", "adam"]


class Adam(ForLoop):
    """Adam(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, ...)

    m and v are moving averages of the gradient and its square: p -= lr * m / (1 - beta1**t) / (sqrt(v / (1 - beta2**t))
    + eps). With amsgrad the largest v so far stands for v; with decoupled_weight_decay p is scaled instead of its
    gradient changed.
    """

    LATER = {
        "amsgrad": False,
        "maximize": False,
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "decoupled_weight_decay": False,
        "fused": None,
    }
    FAST_STATE = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")
    SPARSE_HINT = ", please consider SparseAdam instead"

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        amsgrad=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
        fused=None,
        decoupled_weight_decay=False,
    ):
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check_lr(lr)
        check_at_least_zero(epsilon=eps)
        check_betas(betas)
        check_at_least_zero(weight_decay=weight_decay)
        if not any(all(isinstance(b, kind) for b in betas) for kind in (float, Tensor)):
            raise ValueError("betas must be either both floats or both Tensors")
        for i, beta in enumerate(betas):
            if isinstance(beta, Tensor):
                if not capturable and foreach:
                    raise ValueError(f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True")
                if beta.numel() != 1:
                    raise ValueError(f"Tensor betas[{i}] must be 1-element")
        super().__init__(
            params,
            dict(
                lr=lr,
                betas=tuple(map(_to_scalar, betas)),
                eps=eps,
                weight_decay=weight_decay,
                amsgrad=amsgrad,
                maximize=maximize,
                foreach=foreach,
                capturable=capturable,
                differentiable=differentiable,
                fused=fused,
                decoupled_weight_decay=decoupled_weight_decay,
            ),
        )
        check_fused(self, fused, foreach, differentiable)

    def _begin(self, p, state, group):
        state["step"] = self._count()
        for name in self.FAST_STATE[: 3 if group["amsgrad"] else 2]:
            state[name] = zeros_like(p.detach())

    def _fast(self, group):
        beta1, beta2 = group["betas"]
        if any(isinstance(x, Tensor) for x in (beta1, beta2, group["weight_decay"])):
            return None
        return partial(
            numpy_optim.adam,
            lr=learning_rate(group),
            beta1=beta1,
            beta2=beta2,
            eps=group["eps"],
            decay=group["weight_decay"],
            decoupled=group["decoupled_weight_decay"],
            maximize=group["maximize"],
        )

    def _arrays(self, p, grad, state, group, written):
        if not group["amsgrad"] and "max_exp_avg_sq" in state:
            return None
        found = super()._arrays(p, grad, state, group, written)
        if found is not None and group["decoupled_weight_decay"] and group["weight_decay"] != 0:
            bump(p)  # torch writes twice
        return found

    def _update(self, p, grad, state, group):
        beta1, beta2 = group["betas"]
        lr, differentiable = learning_rate(group), group["differentiable"]
        mean, square, step = state["exp_avg"], state["exp_avg_sq"], state["step"]
        if group["decoupled_weight_decay"]:
            if group["weight_decay"] != 0:
                p.mul_(1 - lr * group["weight_decay"])
        else:
            grad = decayed(p, grad, group)
        mean.lerp_(grad, 1 - beta1)
        if isinstance(beta2, Tensor):
            square.lerp_(grad.square(), 1 - beta2)
        else:
            square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        step = step.clone() if differentiable else number(step)
        correction1, correction2 = 1 - beta1**step, 1 - beta2**step
        if group["amsgrad"]:
            top = state["max_exp_avg_sq"]
            square = top.copy_((top.clone() if differentiable else top).maximum(square))
        if differentiable or isinstance(lr, Tensor) or isinstance(correction1, Tensor):
            rate = -lr / correction1
            p.addcdiv_(mean.clone(), square.sqrt() / (correction2**0.5 * rate) + group["eps"] / rate)
        else:
            p.addcdiv_(mean, (square.sqrt() / correction2**0.5).add_(group["eps"]), value=-lr / correction1)


def adam(
    params,
    grads,
    exp_avgs,
    exp_avg_sqs,
    max_exp_avg_sqs,
    state_steps,
    foreach=None,
    capturable=False,
    differentiable=False,
    fused=None,
    grad_scale=None,
    found_inf=None,
    has_complex=False,
    decoupled_weight_decay=False,
    *,
    amsgrad,
    beta1,
    beta2,
    lr,
    weight_decay,
    eps,
    maximize,
):
    """adam(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, *, ...): one step over lists of
    tensors."""
    group = dict(
        amsgrad=amsgrad,
        betas=(beta1, beta2),
        lr=lr,
        weight_decay=weight_decay,
        eps=eps,
        maximize=maximize,
        differentiable=differentiable,
        decoupled_weight_decay=decoupled_weight_decay,
    )
    optimizer = Adam.__new__(Adam)
    for i, p in enumerate(params):
        state = {"step": state_steps[i], "exp_avg": exp_avgs[i], "exp_avg_sq": exp_avg_sqs[i]}
        if amsgrad:
            state["max_exp_avg_sq"] = max_exp_avg_sqs[i]
        optimizer._slow(p, grads[i], state, group)
