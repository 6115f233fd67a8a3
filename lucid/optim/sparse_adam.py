"""SparseAdam: Adam that touches only the elements present in a sparse gradient."""

import math

from .._func.creation.gfunc import zeros_like
from .._tensor.tensor import Tensor
from .for_loop import check_betas
from .optimizer import Optimizer, _to_scalar, _use_grad_for_differentiable, evaluated

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """SparseAdam(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False)

    For dense real parameters with gradients of sparse layout; a dense gradient is a RuntimeError.
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False):
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 < lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 < eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, maximize=maximize))
        places = [([i, j], p) for i, group in enumerate(self.param_groups) for j, p in enumerate(group["params"])]
        if sparse := [place for place, p in places if p.is_sparse]:
            raise ValueError(f"Sparse params at indices {sparse}: SparseAdam requires dense parameter tensors")
        if complex_ := [place for place, p in places if p.is_complex()]:
            raise ValueError(f"Complex params at indices {complex_}: SparseAdam does not support complex parameters")

    @_use_grad_for_differentiable
    def step(self, closure=None):
        """step(closure=None) -> the closure's loss, or None: change what the sparse gradients name."""
        loss = evaluated(closure)
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                if not p.grad.is_sparse:
                    raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
                state = self.state[p]
                if not state:
                    state.update(step=0, exp_avg=zeros_like(p.detach()), exp_avg_sq=zeros_like(p.detach()))
                state["step"] += 1
                self._update(p, p.grad.coalesce(), state, group)
        return loss

    @staticmethod
    def _update(p, grad, state, group):
        values, where = grad._values(), tuple(grad._indices())
        if values.numel() == 0:
            return
        (beta1, beta2), step = group["betas"], state["step"]
        values = -values if group["maximize"] else values
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean[where] = mean[where].lerp(values, 1 - beta1)
        square[where] = square[where].lerp(values.square(), 1 - beta2)
        rate = _to_scalar(group["lr"]) * math.sqrt(1 - beta2**step) / (1 - beta1**step)
        p[where] = p[where] - rate * mean[where] / (square[where].sqrt() + group["eps"])
