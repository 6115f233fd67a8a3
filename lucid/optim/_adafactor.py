"""Adafactor: second moments kept as row and column factors (Shazeer and Stern, 2018)."""

from .._base.dtype import finfo
from .._func.creation.gfunc import zeros, zeros_like
from .._tensor.tensor import Tensor
from .for_loop import ForLoop, learning_rate

__all__ = ["Adafactor"]


class Adafactor(ForLoop):
    """Adafactor(params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, *, foreach=None,
    maximize=False)

    The squared gradient's average, weighted with t**beta2_decay, is kept as the product of a row and a column factor
    over the last two dimensions; the update is clipped to root mean square d and scaled by that of the parameter (at
    least eps[1]).
    """

    LATER = {"foreach": None}

    def __init__(
        self,
        params,
        lr=1e-2,
        beta2_decay=-0.8,
        eps=(None, 1e-3),
        d=1.0,
        weight_decay=0.0,
        *,
        foreach=None,
        maximize=False,
    ):
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not 0.0 >= beta2_decay:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not 0.0 <= eps[0]:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not 0.0 <= eps[1]:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not 1.0 <= d:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        super().__init__(
            params,
            dict(
                lr=lr,
                beta2_decay=beta2_decay,
                eps=eps,
                d=d,
                weight_decay=weight_decay,
                foreach=foreach,
                maximize=maximize,
            ),
        )

    def _begin(self, p, state, group):
        if p.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        state["step"], shape = self._count(), list(p.shape)
        if len(shape) > 1:
            state["row_var"] = zeros([*shape[:-1], 1], dtype=p.dtype, device=p.device)
            state["col_var"] = zeros([*shape[:-2], 1, shape[-1]], dtype=p.dtype, device=p.device)
        else:
            state["variance"] = zeros_like(p.grad)

    def _update(self, p, grad, state, group):
        lr, step, (smallest, least_scale) = learning_rate(group), state["step"].item(), group["eps"]
        smallest = finfo(p.dtype).eps if smallest is None else smallest
        new = step ** group["beta2_decay"]
        rate = max(least_scale, p.norm(2).item() / p.numel() ** 0.5) * min(lr, 1 / step**0.5)
        if group["weight_decay"] != 0:
            p.mul_(1 - lr * group["weight_decay"])
        if grad.dim() > 1:
            rows, columns = state["row_var"], state["col_var"]
            rows.lerp_(grad.norm(dim=-1, keepdim=True).square().div(grad.size(-1)), new)
            columns.lerp_(grad.norm(dim=-2, keepdim=True).square().div(grad.size(-2)), new)
            variance = (rows @ columns).div(rows.mean(dim=-2, keepdim=True).clamp(min=smallest))
        else:
            variance = state["variance"].lerp_(grad * grad, new)
        update = variance.clamp(min=smallest * smallest).rsqrt().mul(grad)
        too_large = max(1.0, update.norm(2).item() / (update.numel() ** 0.5 * group["d"]))
        p.add_(update, alpha=-rate / too_large)
