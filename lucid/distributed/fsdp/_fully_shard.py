"""fully_shard over one process: parameters are DTensors between calls, and plain tensors inside of them.

One process holds every part, so nothing is gathered, scattered or divided; what a program sees of it (classes, types of
parameters and gradients, mixed precision) is as over several.
"""

import dataclasses
from typing import Any

from ..._modes.torch_function import DisableTorchFunctionSubclass
from ..._tensor import pytree
from ..._tensor.tensor import Tensor
from ...nn import Module, ModuleDict, ModuleList
from ..device_mesh import init_device_mesh
from ..distributed_c10d import get_world_size, init_process_group, is_initialized
from ..tensor.api import DTensor, _placed, as_parameter, distribute_tensor
from ..tensor.placement_types import Replicate, Shard


@dataclasses.dataclass(frozen=True)
class MixedPrecisionPolicy:
    """MixedPrecisionPolicy(param_dtype=None, reduce_dtype=None, output_dtype=None, cast_forward_inputs=True)"""

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@dataclasses.dataclass
class OffloadPolicy:
    """OffloadPolicy(): parameters stay where they are."""


@dataclasses.dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """CPUOffloadPolicy(pin_memory=True)"""

    pin_memory: bool = True


@dataclasses.dataclass
class DataParallelMeshDims:
    """DataParallelMeshDims(shard=None, replicate=None)"""

    shard: Any = None
    replicate: Any = None


class UnshardHandle:
    """What unshard(async_op=True) gives."""

    def wait(self):
        """wait(): nothing is under way."""


def _cast(values, dtype):
    """Floating tensors among values in another type."""
    if dtype is None:
        return values
    return pytree.tree_map(lambda v: v.to(dtype) if isinstance(v, Tensor) and v.is_floating_point() else v, values)


class _Group:
    """The parameters of one call of fully_shard, and the places where modules have them."""

    def __init__(self, modules, mesh, place, policy, ignored):
        self.policy, self.places, self.is_whole, self.divided = policy, [], False, 1.0
        made = {}
        for root in modules:
            for module in _own_modules(root):
                for name, parameter in module._parameters.items():
                    if (
                        parameter is None
                        or parameter in ignored
                        or isinstance(parameter, DTensor)
                        and _managed(parameter)
                    ):
                        continue
                    if id(parameter) not in made:
                        made[id(parameter)] = self._sharded(parameter, mesh, place)
                    self.places.append((module, name, made[id(parameter)]))
        for module, name, parameter in self.places:
            module._parameters[name] = parameter

    def _sharded(self, parameter, mesh, place):
        where = place(parameter) if place is not None else None
        kinds = [*[Replicate()] * (mesh.ndim - 1), where if isinstance(where, Shard) else Shard(0)]
        with DisableTorchFunctionSubclass():
            plain = parameter.detach().as_subclass(Tensor)
        made = as_parameter(distribute_tensor(plain, mesh, kinds), parameter.requires_grad)
        made._fsdp_managed = True
        made.register_post_accumulate_grad_hook(self._place_gradient) if parameter.requires_grad else None
        return made

    def _place_gradient(self, parameter):
        """The gradient as a DTensor that lies as the parameter does."""
        g, reduced = parameter.grad, self.policy.reduce_dtype or self.policy.param_dtype
        with DisableTorchFunctionSubclass():
            g = g.as_subclass(Tensor)
            g = g if reduced is None else g.to(reduced).to(parameter.dtype)
        parameter.grad = _placed(g, *parameter._mesh_and_placements)

    def unshard(self):
        """The modules' parameters as plain tensors."""
        if not self.is_whole:
            self.is_whole, whole = True, {}
            for module, name, parameter in self.places:
                if id(parameter) not in whole:
                    whole[id(parameter)] = _cast(parameter.to_local(), self.policy.param_dtype)
                module._parameters[name] = whole[id(parameter)]

    def reshard(self):
        """The modules' parameters as DTensors."""
        if self.is_whole:
            self.is_whole = False
            for module, name, parameter in self.places:
                module._parameters[name] = parameter

    def enter(self, module, args, kwargs):
        """Before forward."""
        self.unshard()
        if self.policy.cast_forward_inputs:
            args, kwargs = (_cast(v, self.policy.param_dtype) for v in (args, kwargs))
        return args, kwargs

    def leave(self, module, args, outputs):
        """After forward, even one that raises."""
        self.reshard()
        return _cast(outputs, self.policy.output_dtype)


def _managed(parameter):
    return getattr(parameter, "_fsdp_managed", False)


def _own_modules(root):
    """root and the modules in it but for those that were sharded themselves."""
    yield root
    for child in root.children():
        if not isinstance(child, FSDPModule):
            yield from _own_modules(child)


class FSDPModule:
    """The base of what fully_shard makes of a module's class."""

    _orig_cls_mro_index = 2

    def __new__(cls, *args, **kwargs):
        """A part of a container is of the container's class, as it was."""
        plain = cls.__mro__[cls._orig_cls_mro_index]
        made = plain.__new__(plain, *args, **kwargs)
        made.__init__(*args, **kwargs)
        return made

    def unshard(self, async_op=False):
        """unshard(async_op=False): the module's own parameters as plain tensors, until reshard()."""
        self._fsdp_group.unshard()
        return UnshardHandle() if async_op else None

    def reshard(self):
        """reshard(): the module's own parameters as DTensors."""
        self._fsdp_group.reshard()


def _ignoring(name):
    def setting(self, *args, **kwargs):
        return None

    setting.__name__ = setting.__qualname__ = name
    setting.__doc__ = f"{name}(...): says how processes meet; one meets none."
    setattr(FSDPModule, name, setting)


for _name in """set_is_last_backward set_requires_gradient_sync set_requires_all_reduce set_reshard_after_forward
    set_reshard_after_backward set_modules_to_forward_prefetch set_modules_to_backward_prefetch
    set_unshard_in_backward set_force_sum_reduction_for_comms set_post_optim_event
    set_allocate_memory_from_process_group_for_comm""".split():
    _ignoring(_name)


def _refusing(name):
    def setting(self, *args, **kwargs):
        raise NotImplementedError(f"FSDPModule.{name}: lucid has no communication of gradients that it could change")

    setting.__name__ = setting.__qualname__ = name
    setting.__doc__ = f"{name}(...): NotImplementedError, lucid has no communication of gradients."
    setattr(FSDPModule, name, setting)


for _name in """set_all_reduce_hook set_custom_all_gather set_custom_reduce_scatter set_gradient_divide_factor
    set_reduce_scatter_divide_factor""".split():
    _refusing(_name)

_CLASSES: dict = {}  # a module's class -> the class that fully_shard makes of it


def _no_copy(*args, **kwargs):
    raise AssertionError("FSDP does not support deepcopy. Please use state dict for serialization.")


def _class_of(cls):
    if cls not in _CLASSES:
        _CLASSES[cls] = type(f"FSDP{cls.__name__}", (FSDPModule, cls), {"__deepcopy__": _no_copy})
    return _CLASSES[cls]


def _default_mesh():
    if not is_initialized():
        init_process_group()
    return init_device_mesh("cpu", (get_world_size(),))


_NO_POLICY, _NO_OFFLOAD = MixedPrecisionPolicy(), OffloadPolicy()


def _check(module):
    if isinstance(module, (ModuleList, ModuleDict)):
        raise ValueError(f"fully_shard does not support containers that do not implement forward: {module}")
    if isinstance(module, FSDPModule):
        raise AssertionError(
            "Each distinct composable distributed API can only be applied to a module once. fully_shard has already "
            f"been applied to the following module:\n{module}"
        )


def fully_shard(
    module,
    *,
    mesh=None,
    reshard_after_forward=None,
    shard_placement_fn=None,
    mp_policy=_NO_POLICY,
    offload_policy=_NO_OFFLOAD,
    ignored_params=None,
    dp_mesh_dims=None,
):
    """fully_shard(module, *, mesh=None, mp_policy=..., ignored_params=None) -> module (or modules), of a class of its
    own: its parameters, but for those of modules in it that were sharded before, are DTensors over the mesh.

    ValueError for containers without a forward; NotImplementedError for dp_mesh_dims.
    """
    if dp_mesh_dims is not None:
        raise NotImplementedError("fully_shard: lucid has no dp_mesh_dims=")
    modules = [module] if isinstance(module, Module) else list(module)
    for one in modules:
        _check(one)
    mesh = _default_mesh() if mesh is None else mesh
    if mesh.ndim not in (1, 2):
        raise ValueError(f"fully_shard expects a 1D or 2D DeviceMesh but got {mesh}")
    group = _Group(modules, mesh, shard_placement_fn, mp_policy, ignored_params or set())
    for one in modules:
        one.register_forward_pre_hook(group.enter, prepend=True, with_kwargs=True)
        one.register_forward_hook(group.leave, always_call=True)
        one.__class__ = _class_of(type(one))
        one._fsdp_group = group
    return module


def share_comm_ctx(modules):
    """share_comm_ctx(modules): nothing to share, over one process."""


def register_fsdp_forward_method(module, method_name):
    """register_fsdp_forward_method(module, name): the method sees plain parameters, as forward does."""
    if not isinstance(module, FSDPModule):
        return
    method = getattr(module, method_name)

    def wrapped(*args, **kwargs):
        group = module._fsdp_group
        args, kwargs = group.enter(module, args, kwargs)
        try:
            result = method(*args, **kwargs)
        finally:
            group.reshard()
        return _cast(result, group.policy.output_dtype)

    setattr(module, method_name, wrapped)
