"""Optimizer: parameters in groups, each with its options, state per parameter, saving and loading, and hooks on it
all."""

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from copy import deepcopy
from itertools import chain

from .._backend.graph import RemovableHandle
from .._base import state as modes
from .._base.dtype import float32, float64, get_default_dtype
from .._func.pointwise.complex import view_as_real
from .._tensor.tensor import Tensor
from ._grouping import _group_tensors_by_device_and_dtype

__all__ = ["Optimizer", "register_optimizer_step_pre_hook", "register_optimizer_step_post_hook"]

ParamsT = Iterable  # of tensors, of (name, tensor) pairs, or of dicts with a "params" entry
_params_t = params_t = ParamsT

_global_optimizer_pre_hooks = OrderedDict()
_global_optimizer_post_hooks = OrderedDict()


class _RequiredParameter:
    """The default of an option that every group has to give itself."""

    def __repr__(self):
        return "<required parameter>"


required = _RequiredParameter()


def _use_grad_for_differentiable(func):
    """Run an optimiser's step without gradients, unless it was made with differentiable=True."""

    @functools.wraps(func)
    def call(self, *args, **kwargs):
        before = modes.grad_enabled()
        modes.set_grad_enabled(self.defaults.get("differentiable", False))
        try:
            return func(self, *args, **kwargs)
        finally:
            modes.set_grad_enabled(before)

    return call


def evaluated(closure):
    """closure() with gradients on; None without a closure."""
    if closure is None:
        return None
    before = modes.grad_enabled()
    modes.set_grad_enabled(True)
    try:
        return closure()
    finally:
        modes.set_grad_enabled(before)


def _get_value(x):
    return x.item() if isinstance(x, Tensor) else x


def _to_scalar(x):
    """A tensor of one element as a 0-dim one; anything else as it is."""
    return x.squeeze() if isinstance(x, Tensor) and x.dim() else x


def _get_scalar_dtype(is_fused=None):
    """The type of state["step"]."""
    return float64 if not is_fused and get_default_dtype() is float64 else float32


def _get_capturable_supported_devices(supports_xla=True):
    return ["cuda", "xpu", "hpu", "privateuseone"] + (["xla"] if supports_xla else [])


def _default_to_fused_or_foreach(params, differentiable, use_fused=False):
    """(fused, foreach): torch's choice of implementation, which on the CPU is neither."""
    return False, False


def _view_as_real(params, *state_and_grads):
    for i, p in enumerate(params):
        if p.is_complex():
            for tensors in (params, *state_and_grads):
                tensors[i] = view_as_real(tensors[i])


def typename(obj):
    """torch's name of an object's type: torch.FloatTensor for a tensor, with the module for a class that has one."""
    if isinstance(obj, Tensor):
        return obj.type()
    module = type(obj).__module__
    return (
        type(obj).__qualname__ if module in ("builtins", "__builtin__", None) else f"{module}.{type(obj).__qualname__}"
    )


def _add_hook(hooks, hook, prepend=False):
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_optimizer_step_pre_hook(hook):
    """register_optimizer_step_pre_hook(hook) -> handle: hook(optimizer, args, kwargs) runs before the step of any
    optimiser; it may return new (args, kwargs)."""
    return _add_hook(_global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(hook):
    """register_optimizer_step_post_hook(hook) -> handle: hook(optimizer, args, kwargs) runs after the step of any
    optimiser."""
    return _add_hook(_global_optimizer_post_hooks, hook)


_HOOKS = tuple(
    f"_optimizer_{name}_hooks"
    for name in (
        "step_pre",
        "step_post",
        "state_dict_pre",
        "state_dict_post",
        "load_state_dict_pre",
        "load_state_dict_post",
    )
)


class Optimizer:
    """The base of all optimisers.

    params: an iterable of tensors, of (name, tensor) pairs, or of dicts with "params" and options of their own.
    defaults: the options of groups that do not give them. `state` maps a parameter to a dict, `param_groups` is a list
    of dicts.
    """

    # Of an instance; named here so that tools which look the class over find them.
    param_groups = state = None

    def __init__(self, params, defaults):
        self.defaults = defaults
        self._make_hooks()
        self._patch_step_function()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + typename(params)
            )
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)
        self._warned_capturable_if_run_uncaptured = True

    def _make_hooks(self):
        for name in _HOOKS:
            if name not in self.__dict__:
                setattr(self, name, OrderedDict())

    def __getstate__(self):
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._make_hooks()
        self._patch_step_function()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self):
        groups = "".join(
            [
                f"\nParameter Group {i}\n"
                + "".join([f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params"])
                for i, group in enumerate(self.param_groups)
            ]
        )
        return f"{type(self).__name__} ({groups})"

    # ---- the step and its hooks

    def step(self, closure=None):
        """step(closure=None) -> the closure's loss, or None: change every parameter that has a gradient."""
        raise NotImplementedError

    def _accelerator_graph_capture_health_check(self):
        """There are no captured CUDA graphs here, so nothing can be wrong with one."""

    _cuda_graph_capture_health_check = _accelerator_graph_capture_health_check

    def _optimizer_step_code(self):
        """Called after each step: the place for a profiler to look in."""

    @staticmethod
    def profile_hook_step(func):
        """A step function with the hooks around it."""

        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            self = args[0]
            for hook in chain(_global_optimizer_pre_hooks.values(), self._optimizer_step_pre_hooks.values()):
                result = hook(self, args, kwargs)
                if result is None:
                    continue
                if not isinstance(result, tuple) or len(result) != 2:
                    raise RuntimeError(
                        f"{func} must return None or a tuple of (new_args, new_kwargs), but got {result}."
                    )
                args, kwargs = result
            out = func(*args, **kwargs)
            self._optimizer_step_code()
            for hook in chain(self._optimizer_step_post_hooks.values(), _global_optimizer_post_hooks.values()):
                hook(self, args, kwargs)
            return out

        return wrapper

    def _patch_step_function(self):
        cls = type(self)
        self._zero_grad_profile_name = f"Optimizer.zero_grad#{cls.__name__}.zero_grad"
        if not getattr(cls.step, "hooked", None):
            cls.step = self.profile_hook_step(cls.step)
            cls.step.hooked = True

    def register_step_pre_hook(self, hook):
        """register_step_pre_hook(hook) -> handle: hook(optimizer, args, kwargs) before each step; may return new (args,
        kwargs)."""
        return _add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        """register_step_post_hook(hook) -> handle: hook(optimizer, args, kwargs) after each step."""
        return _add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook, prepend=False):
        """register_state_dict_pre_hook(hook) -> handle: hook(optimizer) before state_dict()."""
        return _add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        """register_state_dict_post_hook(hook) -> handle: hook(optimizer, state_dict) after state_dict(); may return
        another dict."""
        return _add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        """register_load_state_dict_pre_hook(hook) -> handle: hook(optimizer, state_dict) before loading; may return
        another dict."""
        return _add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        """register_load_state_dict_post_hook(hook) -> handle: hook(optimizer) after loading."""
        return _add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    # ---- gradients

    def zero_grad(self, set_to_none=True):
        """zero_grad(set_to_none=True): forget the gradients of all parameters, or fill them with zeros."""
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                    continue
                if p.grad.grad_fn is not None:
                    p.grad.detach_()
                else:
                    p.grad.requires_grad_(False)
                p.grad.zero_()

    # ---- saving and loading

    def state_dict(self):
        """state_dict() -> {"state": {index: {...}}, "param_groups": [...]}: parameters appear as the numbers of their
        order."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers, groups, start = {}, [], 0
        for group in self.param_groups:
            for i, p in enumerate(group["params"], start):
                numbers.setdefault(id(p), i)
            start += len(group["params"])
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {numbers[id(p)] if isinstance(p, Tensor) else p: value for p, value in self.state.items()}
        result = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            changed = hook(self, result)
            if changed is not None:
                result = changed
        return result

    @staticmethod
    def _process_value_according_to_param_policy(param, value, param_id, param_groups, key=None):
        """A state tensor as the optimiser keeps it: in the parameter's type and place, the step count apart."""
        group = next((g for g in param_groups if param_id in g["params"]), {})
        if key == "step":
            if group.get("capturable", False) or group.get("fused", False):
                return value.to(dtype=float32, device=param.device)
            return value
        if param.is_floating_point():
            return value.to(dtype=param.dtype, device=param.device)
        return value.to(device=param.device)

    def load_state_dict(self, state_dict):
        """load_state_dict(state_dict): take over what state_dict() of a like optimiser gave, here or in torch.

        ValueError when the groups differ in number or size.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            changed = hook(self, state_dict)
            if changed is not None:
                state_dict = changed
        groups, saved = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(g["params"]) != len(s["params"]) for g, s in zip(groups, saved)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        params = dict(
            zip(chain.from_iterable(s["params"] for s in saved), chain.from_iterable(g["params"] for g in groups))
        )

        def settled(param, value, number, key=None):
            if isinstance(value, Tensor):
                return self._process_value_according_to_param_policy(
                    param, value, number, state_dict["param_groups"], key
                )
            if isinstance(value, dict):
                return {k: settled(param, v, number, k) for k, v in value.items()}
            if isinstance(value, Iterable):
                return type(value)(settled(param, v, number) for v in value)
            return value

        state = defaultdict(dict)
        for number, value in state_dict["state"].items():
            if number in params:
                state[params[number]] = settled(params[number], value, number)
            else:
                state[number] = value
        for old, new in zip(groups, saved):
            new["params"] = old["params"]
            if "param_names" in old:
                new.setdefault("param_names", old["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    # ---- groups

    @staticmethod
    def _group_tensors_by_device_and_dtype(tensorlistlist, with_indices=False):
        """_group_tensors_by_device_and_dtype(lists, with_indices=False) -> {(device, dtype): (lists, indices)}"""
        return _group_tensors_by_device_and_dtype(tensorlistlist, with_indices)

    def add_param_group(self, param_group):
        """add_param_group({"params": ..., option: value ...}): more parameters to optimise, with options of their
        own."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of "
                "tensors in sets will change between runs. Please use a list instead."
            )
        given = [given] if isinstance(given, Tensor) else list(given)
        names = [p[0] for p in given if isinstance(p, tuple)]
        params = param_group["params"] = [p[1] if isinstance(p, tuple) else p for p in given]
        if names:
            if len(names) != len(params):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            param_group["param_names"] = names
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {typename(p)}")
            if not self.defaults.get("differentiable", None) and not (p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        if len(params) != len(set(params)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause "
                "an error; see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        others = set()
        for group in self.param_groups:
            others.update(group["params"])
            if ("param_names" in param_group) != ("param_names" in group):
                how = "with names" if "param_names" in param_group else "without names"
                raise ValueError(
                    "all optimizer param groups should be with/without names. cannot add param group "
                    f"{how} to the optimizer"
                )
        if not others.isdisjoint(params):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)
