"""torch.distributed.checkpoint.state_dict: states of models and optimizers under the names of parameters."""

import dataclasses

from ..._tensor import pytree
from ..._tensor.tensor import Tensor
from ...nn.modules.module import _IncompatibleKeys
from ..tensor.api import DTensor

__all__ = [
    "StateDictOptions",
    "get_model_state_dict",
    "get_optimizer_state_dict",
    "get_state_dict",
    "set_model_state_dict",
    "set_optimizer_state_dict",
    "set_state_dict",
]
FQNS_T, DictValueType, ListDictValueType, PrimitiveType = set, dict, list, object
OptimizerStateType, ValueType = dict, object
_WRAPPERS = ("module.", "_checkpoint_wrapped_module.", "_orig_mod.", "_fsdp_wrapped_module.")


@dataclasses.dataclass
class StateDictOptions:
    """StateDictOptions(full_state_dict=False, cpu_offload=False, ignore_frozen_params=False, strict=True, ...)"""

    full_state_dict: bool = False
    cpu_offload: bool = False
    ignore_frozen_params: bool = False
    keep_submodule_prefixes: bool = True
    strict: bool = True
    broadcast_from_rank0: bool = False
    flatten_optimizer_state_dict: bool = False
    dsd_fqn_modifiers: str = "_fqn_modifiers"


def _plain(name, model):
    """A name without those of the modules that wrap others."""
    from ...nn.parallel.distributed import DistributedDataParallel

    if isinstance(model, DistributedDataParallel):
        name = name.removeprefix("module.")
    for wrapper in _WRAPPERS[1:]:
        name = name.replace(wrapper, "")
    return name


def _names(model):
    names = {p: _plain(name, model) for name, p in model.named_parameters()}
    if any(name.rpartition(".")[2] == "_flat_param" for name in names.values()):
        raise NotImplementedError(
            "torch.distributed.checkpoint.state_dict: lucid has no states of optimizers by the names of parameters "
            "that were made one; FullyShardedDataParallel(..., use_orig_params=True) keeps them apart"
        )
    return names


def _given(value, options):
    """A value as the options want it: whole, on the CPU."""
    if isinstance(value, Tensor):
        value = value.full_tensor() if options.full_state_dict and isinstance(value, DTensor) else value
        return value.cpu() if options.cpu_offload else value
    return value


def get_model_state_dict(model, *, submodules=None, options=None):
    """get_model_state_dict(model, options=None) -> {name: tensor}"""
    options = options or StateDictOptions()
    if submodules is not None:
        raise NotImplementedError("get_model_state_dict: lucid has no submodules=")
    frozen = {_plain(n, model) for n, p in model.named_parameters() if not p.requires_grad}
    state = {_plain(name, model): _given(value, options) for name, value in model.state_dict().items()}
    return {k: v for k, v in state.items() if not (options.ignore_frozen_params and k in frozen)}


def set_model_state_dict(model, model_state_dict, *, options=None):
    """set_model_state_dict(model, {name: tensor}) -> missing and unexpected keys"""
    options = options or StateDictOptions()
    if not model_state_dict:
        return _IncompatibleKeys({}, {})
    names = {_plain(name, model): name for name in model.state_dict()}
    state = {names.get(key, key): value for key, value in model_state_dict.items()}
    return model.load_state_dict(state, strict=options.strict)


def _optimizers(optimizers):
    return (optimizers,) if not isinstance(optimizers, (tuple, list)) else tuple(optimizers)


def get_optimizer_state_dict(model, optimizers, *, submodules=None, options=None):
    """get_optimizer_state_dict(model, optimizers) -> {"state": {name: ...}, "param_groups": [...]}"""
    options = options or StateDictOptions()
    if submodules is not None:
        raise NotImplementedError("get_optimizer_state_dict: lucid has no submodules=")
    names = _names(model)
    state, groups = {}, []
    for optimizer in _optimizers(optimizers):
        _begin(optimizer)
        for parameter, values in optimizer.state.items():
            state[names[parameter]] = {k: pytree.tree_map(lambda v: _given(v, options), v) for k, v in values.items()}
        for group in optimizer.param_groups:
            groups.append({**group, "params": [names[p] for p in group["params"]]})
    if not options.flatten_optimizer_state_dict:
        return {"state": state, "param_groups": groups}
    flat = {f"state.{name}.{key}": value for name, values in state.items() for key, value in values.items()}
    for group in groups:
        for name in group["params"]:
            flat.update({f"param_groups.{name}.{k}": v for k, v in group.items() if k != "params"})
    return flat


def _begin(optimizer):
    """Let an optimizer without state make it, by a step of length and gradient zero."""
    if optimizer.state or any(p.grad is not None for g in optimizer.param_groups for p in g["params"]):
        return
    rates = [(g, g["lr"]) for g in optimizer.param_groups if "lr" in g]
    for group in optimizer.param_groups:
        for p in group["params"]:
            if p.requires_grad:
                p.grad = p.detach().new_zeros(p.shape)
    for group, rate in rates:
        group["lr"] = rate.new_zeros(rate.shape) if isinstance(rate, Tensor) else 0.0
    optimizer.step(closure=None)
    for group, rate in rates:
        group["lr"] = rate
    optimizer.zero_grad(set_to_none=True)


def set_optimizer_state_dict(model, optimizers, optim_state_dict, *, options=None):
    """set_optimizer_state_dict(model, optimizers, state)"""
    names = _names(model)
    nested = optim_state_dict if "state" in optim_state_dict else _nested(optim_state_dict, names.values())
    for optimizer in _optimizers(optimizers):
        _begin(optimizer)
        own = optimizer.state_dict()
        order = [names[p] for g in optimizer.param_groups for p in g["params"]]
        own["state"] = {i: nested["state"][name] for i, name in enumerate(order) if name in nested["state"]}
        for group, live in zip(own["param_groups"], optimizer.param_groups, strict=True):
            mine = {names[p] for p in live["params"]}
            found = next((g for g in nested["param_groups"] if set(g["params"]) & mine), {})
            group.update({k: v for k, v in found.items() if k != "params"})
        optimizer.load_state_dict(own)


def _nested(flat, names):
    """The nested form of a flat state."""
    state, groups = {}, []
    for name in names:
        values = {k[len(f"state.{name}.") :]: v for k, v in flat.items() if k.startswith(f"state.{name}.")}
        if values:
            state[name] = values
        start = f"param_groups.{name}."
        groups.append({"params": [name], **{k[len(start) :]: v for k, v in flat.items() if k.startswith(start)}})
    return {"state": state, "param_groups": groups}


def get_state_dict(model, optimizers, *, submodules=None, options=None):
    """get_state_dict(model, optimizers) -> (the model's state, the optimizers')"""
    return (
        get_model_state_dict(model, submodules=submodules, options=options),
        get_optimizer_state_dict(model, optimizers, submodules=submodules, options=options),
    )


def set_state_dict(model, optimizers, *, model_state_dict, optim_state_dict, options=None):
    """set_state_dict(model, optimizers, model_state_dict=, optim_state_dict=) -> missing and unexpected keys"""
    set_optimizer_state_dict(model, optimizers, optim_state_dict, options=options)
    return set_model_state_dict(model, model_state_dict, options=options)
