"""The step that most optimisers share: parameter by parameter, in Tensor operations, or in one pass over numpy
arrays."""

from .._array.numpy.optim import takes
from .._backend.overrides import PLAIN
from .._base.state import UNUSUAL, is_compiling, local
from .._func.creation.from_data import tensor
from .._func.pointwise.complex import view_as_real
from .._tensor.storage import bump_all
from .._tensor.tensor import Tensor
from .optimizer import (
    Optimizer,
    _get_capturable_supported_devices,
    _get_scalar_dtype,
    _to_scalar,
    _use_grad_for_differentiable,
    evaluated,
)


def check_lr(lr):
    """torch's checks of a learning rate."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not 0.0 <= lr:
        raise ValueError(f"Invalid learning rate: {lr}")


def check_at_least_zero(**options):
    """ValueError for a negative option; `_` in a key stands for a space."""
    for name, value in options.items():
        if not 0.0 <= value:
            raise ValueError(f"Invalid {name} value: {value}")


def check_betas(betas):
    """torch's checks of two decay rates."""
    for i in (0, 1):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


class ForLoop(Optimizer):
    """An optimiser that changes one parameter at a time.

    A subclass gives `_begin(p, state, group)`, the state before the first step, and `_update(p, grad, state, group)`,
    one step in Tensor operations. It may give `_fast(group)`: a function of `_array.numpy_optim` with everything but
    the arrays bound, to be called with a list of (p, grad, state arrays..., step), whose names `FAST_STATE` lists. Both
    must agree to rounding.
    """

    LATER = {"maximize": False, "foreach": None, "capturable": False, "differentiable": False}
    TENSOR_COUNTS = ("step",)  # state entries that were plain numbers in old checkpoints
    FAST_STATE = ()
    SPARSE_HINT = ""
    TAKES_SPARSE = False  # does `_update` know sparse gradients?
    CAPTURABLE = "params and state_steps must be on supported devices"
    AS_REAL = True  # is a complex parameter updated as pairs of real numbers?
    counts_steps = True

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            for name, value in self.LATER.items():
                group.setdefault(name, value)
            for p in group["params"]:
                entry = self.state.get(p)
                for name in self.TENSOR_COUNTS if entry else ():
                    if name in entry and not isinstance(entry[name], Tensor):
                        entry[name] = self._count(float(entry[name]))

    def _count(self, value=0.0):
        """A 0-dim tensor such as state["step"]."""
        return tensor(value, dtype=_get_scalar_dtype())

    def _begin(self, p, state, group):
        """Fill the state of a parameter that is met for the first time."""

    def _state_of(self, p, group):
        return self.state[p]

    def _fast(self, group):
        """The one-pass form, if there is one for this group's options."""
        return None

    @_use_grad_for_differentiable
    def step(self, closure=None):
        """step(closure=None) -> the closure's loss, or None: change every parameter that has a gradient."""
        self._accelerator_graph_capture_health_check()
        loss = evaluated(closure)
        settings = local.compiled_with
        graphs = None if settings is None else settings.graphs_of(self)
        for group in self.param_groups:
            if graphs is None or not graphs.take(self, group):
                self._step_group(group)
        return loss

    def _step_group(self, group):
        fast = None if UNUSUAL or group.get("differentiable") or group.get("capturable") else self._fast(group)
        quick, written = [], []
        for p in group["params"]:
            grad = p.grad
            if grad is None:
                continue
            if grad.is_sparse and not self.TAKES_SPARSE:
                raise RuntimeError(f"{type(self).__name__} does not support sparse gradients{self.SPARSE_HINT}")
            state = self._state_of(p, group)
            if not state:
                self._begin(p, state, group)
            if group.get("capturable"):
                raise AssertionError(f"If capturable=True, {self.CAPTURABLE}: {_get_capturable_supported_devices()}.")
            if fast is not None and (found := self._arrays(p, grad, state, group, written)) is not None:
                quick.append(found)
            else:
                self._slow(p, grad, state, group)
        if quick:
            fast(quick)
            bump_all(written)

    def _arrays(self, p, grad, state, group, written):
        """(p, grad, state arrays..., step) as raw arrays; None where only Tensor operations will do. What will be
        written is added to `written`.
        """
        k = p._table
        if (
            type(p) not in PLAIN
            or type(grad) is not Tensor
            or grad._table is not k
            or not k.host
            or not takes(p._array)
        ):
            return None
        arrays = [p._array, grad._array]
        for name in self.FAST_STATE:
            t = state.get(name)
            if t is None:
                arrays.append(None)
                continue
            if type(t) is not Tensor or t._table is not k:
                return None
            arrays.append(t._array)
            written.append(t)
        written.append(p)
        if self.counts_steps:
            step = state["step"]
            count = step._array.item() + 1
            step._array.fill(count)
            written.append(step)
            arrays.append(count)
        return arrays

    def _slow(self, p, grad, state, group):
        if group["maximize"]:
            grad = -grad
        if self.counts_steps:
            step = state["step"]
            step += 1
        if self.AS_REAL and p.is_complex():
            state = {
                name: view_as_real(t) if isinstance(t, Tensor) and t.is_complex() else t for name, t in state.items()
            }
            p, grad = view_as_real(p), view_as_real(grad)
        self._update(p, grad, state, group)


def number(t):
    """The value of a 0-dim tensor of the state; in a graph of the step it stays a tensor, of float64 as numbers are."""
    return t.double() if is_compiling() else t.item()


def learning_rate(group):
    """A group's learning rate as a number, or as a 0-dim tensor when gradients flow into it or a graph is made."""
    lr = _to_scalar(group["lr"])
    if is_compiling():
        return lr
    return lr.item() if isinstance(lr, Tensor) and not (group.get("differentiable") and lr.requires_grad) else lr


def add_scaled(p, x, rate, group):
    """p += x * rate, where gradients may flow into all three."""
    if group.get("differentiable") or isinstance(rate, Tensor):
        p.add_(x * rate)
    else:
        p.add_(x, alpha=rate)


def add_quotient(p, x, y, rate, group):
    """p += x / y * rate, where gradients may flow into all four."""
    if group.get("differentiable") or isinstance(rate, Tensor):
        p.add_(x.clone() / y * rate)
    else:
        p.addcdiv_(x, y, value=rate)


def decayed(p, grad, group):
    """The gradient of the loss with the L2 penalty."""
    decay = group["weight_decay"]
    if isinstance(decay, Tensor):
        decay = decay if decay.requires_grad else decay.item()
    if isinstance(decay, Tensor):
        return grad + p.clone() * decay
    return grad.add(p, alpha=decay) if decay != 0 else grad
