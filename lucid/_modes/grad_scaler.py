"""Loss scaling, so that small gradients of halves do not vanish: `torch.amp.GradScaler`."""

import math
import warnings
from collections import defaultdict

from .._func.creation.gfunc import full
from .._tensor.tensor import Tensor

READY, UNSCALED, STEPPED = range(3)


def _fresh():
    return {"stage": READY, "found_inf": None}


class GradScaler:
    """GradScaler(device="cuda", init_scale=2**16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000,
    enabled=True).

    `scaler.scale(loss).backward(); scaler.step(optimizer); scaler.update()`: gradients are divided by the scale before
    the step, which is left out when one is not finite. The scale shrinks by backoff_factor after such a step, and grows
    by growth_factor after growth_interval steps without one. On "cuda", which is not here, it is disabled with a
    warning, as in torch.
    """

    def __init__(
        self,
        device="cuda",
        init_scale=2.0**16,
        growth_factor=2.0,
        backoff_factor=0.5,
        growth_interval=2000,
        enabled=True,
    ):
        self._device, self._enabled = device, enabled
        if enabled and device == "cuda":
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            self._enabled = False
        if self._enabled:
            if growth_factor <= 1.0:
                raise AssertionError("The growth factor must be > 1.0.")
            if backoff_factor >= 1.0:
                raise AssertionError("The backoff factor must be < 1.0.")
            self._init_scale, self._growth_factor, self._backoff_factor = init_scale, growth_factor, backoff_factor
            self._growth_interval, self._init_growth_tracker = growth_interval, 0
            self._scale = self._growth_tracker = None
            self._states = defaultdict(_fresh)

    def _start(self, device):
        if self._scale is None:
            self._scale = full((), self._init_scale, device=device)
            self._growth_tracker = self._init_growth_tracker

    def _started(self, name):
        if self._scale is None:
            raise AssertionError(
                f"Attempted {name} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration."
            )

    def scale(self, outputs):
        """scale(outputs) -> the tensor, or the iterable of tensors, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            self._start(outputs.device)
            return outputs * self._scale.to(device=outputs.device)
        if isinstance(outputs, (list, tuple)):
            return type(outputs)([self.scale(x) for x in outputs])
        if hasattr(outputs, "__iter__"):
            return map(self.scale, outputs)
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _unscale(self, optimizer, inverse, allow_halves):
        """Divide the gradients in place; 1.0 when one of them is not finite, else 0.0, or None without any gradient."""
        found = None
        for group in optimizer.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                if not allow_halves and p.grad.dtype.itemsize == 2 and str(p.grad.dtype) == "torch.float16":
                    raise ValueError("Attempting to unscale FP16 gradients.")
                p.grad.copy_(p.grad.detach() * inverse)
                bad = not bool(p.grad.detach().isfinite().all())
                found = max(found or 0.0, float(bad))
        return found

    def unscale_(self, optimizer):
        """unscale_(optimizer): divide the gradients of its parameters by the scale, in place, before step does (to clip
        them)."""
        if not self._enabled:
            return
        self._started("unscale_")
        state = self._states[id(optimizer)]
        if state["stage"] == UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] == STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        state["found_inf"] = self._unscale(optimizer, 1.0 / self._scale.item(), False)
        state["stage"] = UNSCALED

    def step(self, optimizer, *args, **kwargs):
        """step(optimizer, *args) -> what optimizer.step returned, or None when a gradient was not finite and it was
        left out."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._started("step")
        state = self._states[id(optimizer)]
        if state["stage"] == STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state["stage"] == READY:
            self.unscale_(optimizer)
        if state["found_inf"] is None:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None if state["found_inf"] else optimizer.step(*args, **kwargs)
        state["stage"] = STEPPED
        return result

    def update(self, new_scale=None):
        """update(new_scale=None): adjust the scale after this iteration's steps, or set it."""
        if not self._enabled:
            return
        self._started("update")
        if new_scale is not None:
            if not isinstance(new_scale, float):
                if new_scale.device.type != self._device or new_scale.numel() != 1 or new_scale.requires_grad:
                    raise AssertionError(
                        "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with "
                        "requires_grad=False."
                    )
                new_scale = new_scale.item()
            self._scale.fill_(new_scale)
        else:
            found = [s["found_inf"] for s in self._states.values() if s["found_inf"] is not None]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            if any(found):
                self._scale.fill_(self._scale.item() * self._backoff_factor)
                self._growth_tracker = 0
            else:
                self._growth_tracker += 1
                if self._growth_tracker == self._growth_interval:
                    grown = self._scale.item() * self._growth_factor
                    if math.isfinite(grown) and grown < 3.4e38:
                        self._scale.fill_(grown)
                    self._growth_tracker = 0
        self._states = defaultdict(_fresh)

    def get_scale(self):
        """get_scale() -> float: the scale, 1.0 when disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def is_enabled(self):
        """is_enabled() -> bool"""
        return self._enabled

    def get_growth_factor(self):
        """get_growth_factor() -> float"""
        return self._growth_factor

    def set_growth_factor(self, new_factor):
        """set_growth_factor(factor)"""
        self._growth_factor = new_factor

    def get_backoff_factor(self):
        """get_backoff_factor() -> float"""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor):
        """set_backoff_factor(factor)"""
        self._backoff_factor = new_factor

    def get_growth_interval(self):
        """get_growth_interval() -> int"""
        return self._growth_interval

    def set_growth_interval(self, new_interval):
        """set_growth_interval(steps)"""
        self._growth_interval = new_interval

    def _get_growth_tracker(self):
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._scale is None else self._growth_tracker

    def state_dict(self):
        """state_dict() -> dict of the scale, factors and steps since the last change; empty when disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict):
        """load_state_dict(state_dict): continue from what state_dict gave."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval, self._init_growth_tracker = state_dict["growth_interval"], state_dict["_growth_tracker"]
        if self._growth_tracker is not None:
            self._growth_tracker = state_dict["_growth_tracker"]
