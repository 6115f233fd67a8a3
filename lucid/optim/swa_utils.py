"""Averages of a model over training: stochastic weight averaging (Izmailov et al., 2018) and moving averages."""

import itertools
import math
from copy import deepcopy

from .._base import state as modes
from .._base.dtype import int64
from .._func.creation.from_data import tensor
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.module import Module
from .lr_scheduler import LRScheduler
from .lr_scheduler.base import per_group

__all__ = [
    "AveragedModel",
    "update_bn",
    "SWALR",
    "get_ema_multi_avg_fn",
    "get_swa_multi_avg_fn",
    "get_ema_avg_fn",
    "get_swa_avg_fn",
]


def _without_gradients(f):
    def call(*args, **kwargs):
        before = modes.grad_enabled()
        modes.set_grad_enabled(False)
        try:
            return f(*args, **kwargs)
        finally:
            modes.set_grad_enabled(before)

    call.__name__, call.__qualname__, call.__doc__ = f.__name__, f.__qualname__, f.__doc__
    return call


def _check_decay(decay):
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def _inexact(t):
    return t.is_floating_point() or t.is_complex()


def get_ema_multi_avg_fn(decay=0.999):
    """get_ema_multi_avg_fn(decay=0.999) -> f(averages, tensors, n): averages = decay * averages + (1 - decay) *
    tensors, in place."""
    _check_decay(decay)

    @_without_gradients
    def ema_update(ema_param_list, current_param_list, _):
        for average, current in zip(ema_param_list, current_param_list, strict=True):
            if _inexact(ema_param_list[0]):
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn():
    """get_swa_multi_avg_fn() -> f(averages, tensors, n): the mean of n + 1 tensors from that of n, in place."""

    @_without_gradients
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        for average, current in zip(averaged_param_list, current_param_list, strict=True):
            if _inexact(averaged_param_list[0]):
                average.lerp_(current, 1 / (num_averaged + 1))
            else:
                average.add_((current - average) / (num_averaged + 1))

    return swa_update


def get_ema_avg_fn(decay=0.999):
    """get_ema_avg_fn(decay=0.999) -> f(average, tensor, n) -> decay * average + (1 - decay) * tensor."""
    _check_decay(decay)

    @_without_gradients
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn():
    """get_swa_avg_fn() -> f(average, tensor, n): the mean of n + 1 tensors from that of n."""

    @_without_gradients
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """AveragedModel(model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False): a copy of model whose
    parameters are averages over the calls of update_parameters(model): equal ones, unless avg_fn or multi_avg_fn says
    otherwise.

    Buffers are copied from the model, or averaged too with use_buffers.
    """

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=int64, device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args, **kwargs):
        """The averaged model's own forward."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model):
        """update_parameters(model): take model's present parameters into the averages."""
        if self.use_buffers:
            averages = itertools.chain(self.module.parameters(), self.module.buffers())
            currents = itertools.chain(model.parameters(), model.buffers())
        else:
            averages, currents = self.parameters(), model.parameters()
        pairs = [(a.detach(), c.detach().to(a.device)) for a, c in zip(averages, currents)]
        if self.n_averaged == 0:
            for average, current in pairs:
                average.copy_(current)
        elif self.multi_avg_fn is not None:
            for group in self._by_kind(pairs):
                self.multi_avg_fn([a for a, _ in group], [c for _, c in group], self.n_averaged.to(group[0][0].device))
        else:
            f = self.avg_fn or get_swa_avg_fn()
            for average, current in pairs:
                average.copy_(f(average, current, self.n_averaged.to(average.device)))
        if not self.use_buffers:
            for ours, theirs in zip(self.module.buffers(), model.buffers(), strict=True):
                ours.detach().copy_(theirs.detach().to(ours.device))
        self.n_averaged += 1

    @staticmethod
    def _by_kind(pairs):
        groups = {}
        for pair in pairs:
            groups.setdefault((pair[0].device, pair[0].dtype), []).append(pair)
        return groups.values()


@_without_gradients
def update_bn(loader, model, device=None):
    """update_bn(loader, model, device=None): compute the running statistics of model's batch norms anew, as plain means
    over the batches of loader (of the first element, where a batch is a list or tuple)."""
    momenta = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None
    for batch in loader:
        batch = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(batch if device is None else batch.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """SWALR(optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1): from the present rate to swa_lr
    in anneal_epochs steps, then constant."""

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        for rate, group in zip(per_group("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._set_anneal_func(anneal_strategy)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _linear_anneal(t):
        return t

    @staticmethod
    def _cosine_anneal(t):
        return (1 - math.cos(math.pi * t)) / 2

    def _set_anneal_func(self, anneal_strategy):
        self._anneal_strategy = anneal_strategy
        self.anneal_func = self._cosine_anneal if anneal_strategy == "cos" else self._linear_anneal

    def _weight(self, step):
        return self.anneal_func(max(0, min(1, step / max(1, self.anneal_epochs))))

    def get_lr(self):
        self._warn_unless_stepping()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now, rates = self._weight(step - 1), self._weight(step), []
        for group in self.optimizer.param_groups:
            target, rate = group["swa_lr"], group["lr"]
            start = target if before == 1 else (rate - before * target) / (1 - before)
            rates.append(target * now + start * (1 - now))
        return rates

    def state_dict(self):
        """state_dict() -> dict: everything but the optimiser and functions."""
        return {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "anneal_func")}

    def load_state_dict(self, state_dict):
        """load_state_dict(state_dict): take over what state_dict() gave."""
        self.__dict__.update(state_dict)
        self._set_anneal_func(self._anneal_strategy)
