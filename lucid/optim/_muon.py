"""Muon: momentum, orthogonalized by Newton-Schulz iterations (Jordan et al., 2024)."""

import math

from .._base import state as modes
from .._func.creation.gfunc import zeros_like
from .._func.linalg.matmul import addmm as addmm_op
from .._tensor.tensor import Tensor
from .optimizer import Optimizer, evaluated

EPS, DEFAULT_A, DEFAULT_B, DEFAULT_C, DEFAULT_NS_STEPS = 1e-7, 3.4445, -4.7750, 2.0315, 5


def _zeropower_via_newtonschulz(grad, ns_coefficients, ns_steps, eps):
    """A matrix near U V^T, where grad = U S V^T; in bfloat16."""
    if ns_steps >= 100:
        raise ValueError("Number of steps must be less than 100 for computational efficiency")
    if len(grad.shape) != 2:
        raise ValueError("Input tensor gradient must be a 2D matrix")
    if len(ns_coefficients) != 3:
        raise ValueError("Coefficients must be a tuple of exactly 3 values")
    a, b, c = ns_coefficients
    tall = grad.size(0) > grad.size(1)
    x = grad.bfloat16()
    x = x.T if tall else x
    x = x.div(x.norm().clamp(min=eps))  # the iteration needs singular values of at most 1
    for _ in range(ns_steps):
        gram = x @ x.T
        x = addmm_op.fn(x, addmm_op.fn(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.T if tall else x


def _adjust_lr(lr, adjust_lr_fn, param_shape):
    rows, columns = param_shape[:2]
    if adjust_lr_fn == "match_rms_adamw":
        return lr * (0.2 * math.sqrt(max(rows, columns)))
    return lr * math.sqrt(max(1, rows / columns)) if adjust_lr_fn in (None, "original") else lr


class Muon(Optimizer):
    """Muon(params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True, ns_coefficients=..., eps=1e-7, ns_steps=5,
    adjust_lr_fn=None)

    For 2-D parameters only. b = momentum * b + (1 - momentum) * g; p = p * (1 - lr * weight_decay) - rate *
    orthogonalized(b).
    """

    def __init__(
        self,
        params,
        lr=1e-3,
        weight_decay=0.1,
        momentum=0.95,
        nesterov=True,
        ns_coefficients=(DEFAULT_A, DEFAULT_B, DEFAULT_C),
        eps=EPS,
        ns_steps=DEFAULT_NS_STEPS,
        adjust_lr_fn=None,
    ):
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not 0.0 <= momentum:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(
            params,
            dict(
                lr=lr,
                weight_decay=weight_decay,
                momentum=momentum,
                nesterov=nesterov,
                ns_coefficients=ns_coefficients,
                eps=eps,
                ns_steps=ns_steps,
                adjust_lr_fn=adjust_lr_fn,
            ),
        )
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise ValueError(
                        f"Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}"
                    )

    def step(self, closure=None):
        """step(closure=None) -> the closure's loss, or None: change every parameter that has a gradient."""
        loss, before = evaluated(closure), modes.grad_enabled()
        modes.set_grad_enabled(False)
        try:
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        self._update(p, p.grad, self.state[p], group)
        finally:
            modes.set_grad_enabled(before)
        return loss

    @staticmethod
    def _update(p, grad, state, group):
        if p.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        if grad.is_sparse:
            raise RuntimeError("Muon does not support sparse gradients")
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = zeros_like(grad)
        buffer = state["momentum_buffer"].lerp_(grad, 1 - group["momentum"])
        update = grad.lerp(buffer, group["momentum"]) if group["nesterov"] else buffer
        update = _zeropower_via_newtonschulz(update, group["ns_coefficients"], group["ns_steps"], group["eps"])
        p.mul_(1 - group["lr"] * group["weight_decay"])
        p.add_(update, alpha=-_adjust_lr(group["lr"], group["adjust_lr_fn"], p.shape))
