"""LRScheduler: what all learning rate schedules share."""

import contextlib
import functools
import types
import warnings
import weakref

from ..._tensor.tensor import Tensor
from ..optimizer import Optimizer, _to_scalar

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)
_HOW_TO = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"


def _copied(value):
    return value.clone() if isinstance(value, Tensor) else value


def values_of(optimizer, key):
    """An option of every group, tensors copied."""
    return [_copied(group[key]) for group in optimizer.param_groups]


def set_value(group, key, value):
    """Set a group's option; a tensor is filled, so that whoever holds it sees the change."""
    if isinstance(group[key], Tensor):
        group[key].fill_(_to_scalar(value))
    else:
        group[key] = value


def per_group(name, optimizer, value):
    """One value for every group, from one or from a list."""
    n = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        value = [value] * n
    elif len(value) != n:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
            f"param_groups has {n}."
        )
    return [_copied(v) for v in value]


def check_optimizer(optimizer):
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def warn_epoch(stacklevel=3):
    warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=stacklevel)


def _watch_step(optimizer):
    """Let optimizer.step note that it was called; once per optimiser."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    step, ref = optimizer.step.__func__, weakref.ref(optimizer)

    @functools.wraps(step)
    def wrapper(*args, **kwargs):
        owner = ref()
        owner._opt_called = True
        return step.__get__(owner, type(owner))(*args, **kwargs)

    wrapper._wrapped_by_lr_sched = True
    optimizer.step = wrapper


class LRScheduler:
    """LRScheduler(optimizer, last_epoch=-1): the base of the schedules that are stepped once an epoch or batch.

    A subclass gives `get_lr()`, the rates of epoch `last_epoch`, and may give `_get_closed_form_lr()`, the same from
    the epoch's number alone. KeyError for a last_epoch >= 0 with an optimiser that has no "initial_lr".
    """

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer, last_epoch=-1):
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with last_epoch "
                    f">= 0.\nThis typically happens when:\n1. You're trying to resume training from a checkpoint but "
                    f"haven't properly loaded the optimizer state\n2. You're using last_epoch >= 0 for a fresh "
                    "training run (not recommended)"
                )
        self.base_lrs = values_of(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _watch_step(optimizer)
        self._initial_step()

    def _initial_step(self):
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self):
        """state_dict() -> dict: everything but the optimiser."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict):
        """load_state_dict(state_dict): take over what state_dict() gave."""
        self.__dict__.update(state_dict)

    def get_last_lr(self):
        """get_last_lr() -> list: the learning rate of each group, as the last step set it."""
        return self._last_lr

    def get_lr(self):
        """get_lr() -> list: the learning rates to set next; for subclasses, programs want get_last_lr()."""
        raise NotImplementedError

    def _warn_unless_stepping(self):
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )

    def _rates(self, factor=None):
        """The groups' current rates, times a factor."""
        if factor is None:
            return values_of(self.optimizer, "lr")
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def step(self, epoch=None):
        """step(): set the rates of the next epoch; step(epoch), deprecated: of that epoch."""
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn(
                    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                    f"Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. {_HOW_TO}",
                    UserWarning,
                    stacklevel=2,
                )
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(
                    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and "
                    "later, you should call them in the opposite order: `optimizer.step()` before "
                    f"`lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the first "
                    f"value of the learning rate schedule. {_HOW_TO}",
                    UserWarning,
                    stacklevel=2,
                )
        self._step_count += 1
        if epoch is not None:
            warn_epoch()
        self._update_lr(epoch)

    def _update_lr(self, epoch=None):
        with stepping(self):
            self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
            closed = epoch is not None and hasattr(self, "_get_closed_form_lr")
            rates = self._get_closed_form_lr() if closed else self.get_lr()
        self._set(rates)

    def _set(self, rates):
        groups = self.optimizer.param_groups
        for group, rate in zip(groups, rates, strict=True):
            set_value(group, "lr", rate)
        self._last_lr = values_of(self.optimizer, "lr")


class _LRScheduler(LRScheduler):
    """LRScheduler under the name it had before torch 2.0."""


@contextlib.contextmanager
def stepping(scheduler):
    """Inside, get_lr() is called by the scheduler itself and does not warn."""
    scheduler._get_lr_called_within_step = True
    try:
        yield scheduler
    finally:
        scheduler._get_lr_called_within_step = False


class Holder(LRScheduler):
    """A schedule that holds callables or other schedules under `held`, which its state must not contain as they are."""

    held = None

    def _packed(self, items):
        return [None if isinstance(f, types.FunctionType) else f.__dict__.copy() for f in items]

    def _unpack(self, items, states):
        for item, state in zip(items, states):
            if state is not None:
                item.__dict__.update(state)

    def state_dict(self):
        """state_dict() -> dict: everything but the optimiser; of callables only objects have a state, functions are
        None."""
        state = {key: value for key, value in self.__dict__.items() if key not in ("optimizer", self.held)}
        state[self.held] = self._packed(getattr(self, self.held))
        return state

    def load_state_dict(self, state_dict):
        """load_state_dict(state_dict): take over what state_dict() gave; functions stay as they are."""
        held = state_dict.pop(self.held)
        self.__dict__.update(state_dict)
        state_dict[self.held] = held
        self._unpack(getattr(self, self.held), held)
