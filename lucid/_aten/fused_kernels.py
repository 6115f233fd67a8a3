"""One step of an optimiser on lists of tensors, written in place: torch's `_fused_*_` ops, spelled with Tensor methods.

Steps were counted by the caller. A gradient that carries a scale is divided by it, and stays so; where found_inf is 1
nothing happens.
"""

from .._base.state import grad_enabled, set_grad_enabled
from .kernel_table import kernel


def _fused(name, update):
    """The in-place overloads of a step: update(tensors of one parameter, **options)."""

    def step(*values):
        *lists, options = update.read(values)
        scale, found = options.pop("grad_scale"), options.pop("found_inf")
        if found is not None and found.item() == 1:
            return
        before = grad_enabled()
        set_grad_enabled(False)
        try:
            for tensors in zip(*lists):
                if scale is not None:
                    tensors[1].div_(scale)
                update(*tensors, **options)
        finally:
            set_grad_enabled(before)

    kernel(f"{name}_", f"{name}_.tensor_lr")(step)


def _reads(n_lists, optional, options):
    """How the values of a call are taken apart: lists of tensors (those in `optional` may be empty), then options."""

    def put(update):
        def read(values):
            lists = [list(v) for v in values[:n_lists]]
            lists = [v or [None] * len(lists[0]) if i in optional else v for i, v in enumerate(lists)]
            return *lists, dict(zip(options.split(), values[n_lists:], strict=True))

        update.read = read
        return update

    return put


_ADAM = "lr beta1 beta2 weight_decay eps amsgrad maximize grad_scale found_inf"


def _adam(decoupled):
    @_reads(6, (4,), _ADAM)
    def update(p, grad, mean, square, largest, step, lr, beta1, beta2, weight_decay, eps, amsgrad, maximize):
        grad, lr, step = -grad if maximize else grad, float(lr), step.item()
        if weight_decay and decoupled:
            p.mul_(1 - lr * weight_decay)
        elif weight_decay:
            grad = grad.add(p, alpha=weight_decay)
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        if amsgrad:
            largest.copy_(largest.maximum(square))
        root = (largest if amsgrad else square).sqrt().div_((1 - beta2**step) ** 0.5).add_(eps)
        p.addcdiv_(mean, root, value=-lr / (1 - beta1**step))

    return update


@_reads(3, (2,), "weight_decay momentum lr dampening nesterov maximize is_first_step grad_scale found_inf")
def _sgd(p, grad, moving, weight_decay, momentum, lr, dampening, nesterov, maximize, is_first_step):
    grad = -grad if maximize else grad
    if weight_decay:
        grad = grad.add(p, alpha=weight_decay)
    if momentum:
        moving.copy_(grad) if is_first_step else moving.mul_(momentum).add_(grad, alpha=1 - dampening)
        grad = grad.add(moving, alpha=momentum) if nesterov else moving
    p.add_(grad, alpha=-float(lr))


@_reads(4, (), "lr lr_decay weight_decay eps maximize grad_scale found_inf")
def _adagrad(p, grad, total, step, lr, lr_decay, weight_decay, eps, maximize):
    grad = -grad if maximize else grad
    if weight_decay:
        grad = grad.add(p, alpha=weight_decay)
    total.addcmul_(grad, grad)
    p.addcdiv_(grad, total.sqrt().add_(eps), value=-float(lr) / (1 + (step.item() - 1) * lr_decay))


_fused("_fused_adam", _adam(decoupled=False))
_fused("_fused_adamw", _adam(decoupled=True))
_fused("_fused_sgd", _sgd)
_fused("_fused_adagrad", _adagrad)
