"""SGD: stochastic gradient descent, with momentum (Sutskever et al., 2013) and Nesterov's variant of it."""

from functools import partial

from .._array.numpy import optim as numpy_optim
from .._tensor.tensor import Tensor
from .for_loop import ForLoop, decayed, learning_rate

__all__ = ["SGD", "sgd"]


class SGD(ForLoop):
    """SGD(params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False, ...)

    g = gradient + weight_decay * p; with momentum b = momentum * b + (1 - dampening) * g (b = g at first); p -= lr * b,
    or lr * (g + momentum * b) with nesterov. foreach and fused are accepted: they choose torch's implementation, not
    its numbers.
    """

    LATER = {"nesterov": False, "maximize": False, "foreach": None, "differentiable": False, "fused": False}
    FAST_STATE = ("momentum_buffer",)
    AS_REAL = counts_steps = False
    TAKES_SPARSE = True

    def __init__(
        self,
        params,
        lr=1e-3,
        momentum=0,
        dampening=0,
        weight_decay=0,
        nesterov=False,
        *,
        maximize=False,
        foreach=None,
        differentiable=False,
        fused=None,
    ):
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(
            params,
            dict(
                lr=lr,
                momentum=momentum,
                dampening=dampening,
                weight_decay=weight_decay,
                nesterov=nesterov,
                maximize=maximize,
                foreach=foreach,
                differentiable=differentiable,
                fused=fused,
            ),
        )
        check_fused(self, fused, foreach, differentiable)

    def _state_of(self, p, group):
        return self.state[p] if group["momentum"] != 0 else {}

    def _fast(self, group):
        decay = group["weight_decay"]
        if isinstance(decay, Tensor):
            return None
        return partial(
            numpy_optim.sgd,
            lr=learning_rate(group),
            momentum=group["momentum"],
            dampening=group["dampening"],
            decay=decay,
            nesterov=group["nesterov"],
            maximize=group["maximize"],
        )

    def _arrays(self, p, grad, state, group, written):
        if group["momentum"] != 0 and state.get("momentum_buffer") is None:
            return None  # the first step makes the buffer
        return super()._arrays(p, grad, state, group, written)

    def _update(self, p, grad, state, group):
        grad = decayed(p, grad, group)
        momentum, lr = group["momentum"], learning_rate(group)
        if momentum != 0:
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = grad.detach().clone()
            else:
                buffer.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer
        if isinstance(lr, Tensor):
            p.addcmul_(grad, lr, value=-1)
        else:
            p.add_(grad, alpha=-lr)


def check_fused(optimizer, fused, foreach, differentiable):
    """torch's checks of fused=True, and the mark that tells GradScaler of it."""
    if not fused:
        return
    optimizer._step_supports_amp_scaling = True
    if differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def sgd(
    params,
    d_p_list,
    momentum_buffer_list,
    has_sparse_grad=False,
    foreach=None,
    fused=None,
    grad_scale=None,
    found_inf=None,
    *,
    weight_decay,
    momentum,
    lr,
    dampening,
    nesterov,
    maximize,
):
    """sgd(params, d_p_list, momentum_buffer_list, *, ...): one step over lists of tensors; missing buffers are put into
    the list."""
    group = dict(weight_decay=weight_decay, momentum=momentum, lr=lr, dampening=dampening, nesterov=nesterov)
    for i, (p, grad) in enumerate(zip(params, d_p_list)):
        state = {"momentum_buffer": momentum_buffer_list[i] if momentum_buffer_list else None}
        SGD._update(None, p, -grad if maximize else grad, state, group)
        if momentum != 0:
            momentum_buffer_list[i] = state["momentum_buffer"]
