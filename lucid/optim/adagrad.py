"""Adagrad (Duchi, Hazan and Singer, 2011)."""

from functools import partial

from .._array.numpy import optim as numpy_optim
from .._func.creation.gfunc import full_like
from .._func.sparse.construct import sparse_coo_tensor
from .for_loop import ForLoop, add_quotient, check_at_least_zero, check_lr, decayed, learning_rate, number
from .sgd import check_fused

__all__ = ["Adagrad"]


class Adagrad(ForLoop):
    """Adagrad(params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, ...)

    s += g * g; p -= lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps).
    """

    LATER = {"foreach": None, "maximize": False, "differentiable": False, "fused": None}
    FAST_STATE = ("sum",)
    TAKES_SPARSE = True

    def __init__(
        self,
        params,
        lr=1e-2,
        lr_decay=0,
        weight_decay=0,
        initial_accumulator_value=0,
        eps=1e-10,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        fused=None,
    ):
        check_lr(lr)
        check_at_least_zero(
            lr_decay=lr_decay, weight_decay=weight_decay, initial_accumulator_value=initial_accumulator_value
        )
        check_at_least_zero(epsilon=eps)
        super().__init__(
            params,
            dict(
                lr=lr,
                lr_decay=lr_decay,
                eps=eps,
                weight_decay=weight_decay,
                initial_accumulator_value=initial_accumulator_value,
                foreach=foreach,
                maximize=maximize,
                differentiable=differentiable,
                fused=fused,
            ),
        )
        check_fused(self, fused, foreach, differentiable)
        for group in self.param_groups:
            for p in group["params"]:
                self._begin(p, self.state[p], group)

    def _begin(self, p, state, group):
        start = self.defaults["initial_accumulator_value"]
        state["step"] = self._count()
        state["sum"] = full_like(p.detach(), complex(start, start) if p.is_complex() else start)

    def share_memory(self):
        """share_memory(): put the sums where other processes can see them."""
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["sum"].share_memory_()

    def _fast(self, group):
        return partial(
            numpy_optim.adagrad,
            lr=learning_rate(group),
            lr_decay=group["lr_decay"],
            eps=group["eps"],
            decay=group["weight_decay"],
            maximize=group["maximize"],
        )

    @staticmethod
    def _update_rows(p, grad, total, group, rate):
        """The same for the elements that a sparse gradient names."""
        if group["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        grad = grad.coalesce()
        indices, values, shape = grad._indices(), grad._values(), grad.shape
        total.add_(sparse_coo_tensor(indices, values.square(), shape))
        root = total.sparse_mask(grad)._values().sqrt() + group["eps"]
        p.add_(sparse_coo_tensor(indices, values / root, shape), alpha=-rate)

    def _update(self, p, grad, state, group):
        rate = learning_rate(group) / (1 + (number(state["step"]) - 1) * group["lr_decay"])
        if grad.is_sparse:
            self._update_rows(p, grad, state["sum"], group, rate)
            return
        grad = decayed(p, grad, group)
        total = state["sum"].addcmul_(grad, grad, value=1)
        root = total.sqrt() + group["eps"]
        add_quotient(p, grad, root, -rate, group)
