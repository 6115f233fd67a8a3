"""FullyShardedDataParallel over one process: a module around another, whose parameters are kept as they are or laid
out one after the other in one flat parameter.
"""

import contextlib
import enum
import math

from ..._base.refused import refused_function
from ...nn.modules.module import Module
from ...nn.parameter import Parameter
from ...nn.utils import clip_grad_norm_ as _clip
from ..distributed_c10d import get_world_size, init_process_group, is_initialized
from ._fully_shard import _cast
from .api import *  # noqa: F403
from .api import FullStateDictConfig, StateDictSettings, StateDictType
from .wrap import CustomPolicy, ModuleWrapPolicy

__all__ = ["FullyShardedDataParallel", "OptimStateKeyType"]
FSDP_WRAPPED_MODULE, FLAT_PARAM = "_fsdp_wrapped_module", "_flat_param"


class OptimStateKeyType(enum.Enum):
    """Keys of an optimizer's state."""

    PARAM_NAME, PARAM_ID = 1, 2


class _Flat:
    """A module's parameters in one flat parameter: what it holds, and where modules have it."""

    def __init__(self, module):
        self.home, self.places, seen = module, [], {}
        parts = []
        for owner in _own_modules(module):
            for name, parameter in list(owner._parameters.items()):
                if parameter is None:
                    continue
                if id(parameter) not in seen:
                    seen[id(parameter)] = len(parts)
                    parts.append(parameter)
                self.places.append((owner, name, seen[id(parameter)]))
                del owner._parameters[name]
        self.shapes = [tuple(p.shape) for p in parts]
        kinds = {p.dtype for p in parts}
        if len(kinds) > 1:
            raise ValueError(f"Must flatten tensors with uniform dtype but got {kinds.pop()} and {kinds.pop()}")
        wants = {p.requires_grad for p in parts}
        if len(wants) > 1:
            raise ValueError("Must flatten tensors with uniform `requires_grad` when `use_orig_params=False`")
        values = [p.detach().reshape(-1) for p in parts]
        flat = values[0].new_empty(sum(v.numel() for v in values))
        at = 0
        for v in values:
            flat[at : at + v.numel()] = v
            at += v.numel()
        self.flat = Parameter(flat, requires_grad=wants.pop())
        module.register_parameter(FLAT_PARAM, self.flat)
        self.show()

    def views(self, flat):
        """The parameters as views of a flat tensor."""
        parts = flat.split([math.prod(s) for s in self.shapes])
        return [part.view(shape) for part, shape in zip(parts, self.shapes)]

    def show(self, dtype=None):
        """Give the modules views of the flat parameter, of which gradients reach it."""
        views = self.views(_cast(self.flat, dtype))
        for owner, name, i in self.places:
            owner.__dict__[name] = views[i]


def _own_modules(root):
    yield root
    for child in root.children():
        if not isinstance(child, FullyShardedDataParallel):
            yield from _own_modules(child)


def _wanted(module, policy):
    """The modules in it that a policy wraps, with their own settings, inner ones first."""
    if policy is None:
        return {}
    if isinstance(policy, (ModuleWrapPolicy, CustomPolicy)):
        found = policy._run_policy(module, set(), {})
        found.pop(module, None)
        return {m: found[m] for m in reversed(list(module.modules())) if m in found}
    found = {}

    def visit(part):
        size = sum(p.numel() for p in part.parameters())
        if not policy(module=part, recurse=True, nonwrapped_numel=size):
            inner = 0
        else:
            inner = sum(visit(child) for child in part.children())
        if part is not module and policy(module=part, recurse=False, nonwrapped_numel=size - inner):
            found[part] = {}
            return size
        return inner

    visit(module)
    return found


class FullyShardedDataParallel(Module):
    """FullyShardedDataParallel(module, ..., auto_wrap_policy=None, mixed_precision=None, use_orig_params=False):
    module's results and gradients; over one process nothing is spread.
    """

    def __init__(
        self,
        module,
        process_group=None,
        sharding_strategy=None,
        cpu_offload=None,
        auto_wrap_policy=None,
        backward_prefetch=BackwardPrefetch.BACKWARD_PRE,  # noqa: F405
        mixed_precision=None,
        ignored_modules=None,
        param_init_fn=None,
        device_id=None,
        sync_module_states=False,
        forward_prefetch=False,
        limit_all_gathers=True,
        use_orig_params=False,
        ignored_states=None,
        device_mesh=None,
    ):
        for name, value in (("ignored_modules", ignored_modules), ("ignored_states", ignored_states)):
            if value:
                raise NotImplementedError(f"FullyShardedDataParallel: lucid has no {name}=")
        if not is_initialized():
            init_process_group()
        super().__init__()
        settings = dict(mixed_precision=mixed_precision, use_orig_params=use_orig_params)
        for part, own in _wanted(module, auto_wrap_policy).items():
            _replace(module, part, FullyShardedDataParallel(part, **{**settings, **own}))
        for inner in self.fsdp_modules(module):
            inner._is_root = False
        self._fsdp_wrapped_module, self._is_root = module, True
        self.mixed_precision, self._use_orig_params = mixed_precision, use_orig_params
        self.rank, self.world_size, self.training_state = 0, get_world_size(), None
        own = any(p is not None for m in _own_modules(module) for p in m._parameters.values())
        self._flat = _Flat(module) if own and not use_orig_params else None
        self._settings = StateDictSettings(StateDictType.FULL_STATE_DICT, FullStateDictConfig(), None)

    @property
    def module(self):
        """The module inside."""
        inner = self._fsdp_wrapped_module
        return getattr(inner, "_checkpoint_wrapped_module", inner)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self._fsdp_wrapped_module, name)

    def __getitem__(self, key):
        return self._fsdp_wrapped_module[key]

    def forward(self, *args, **kwargs):
        """forward(...): the module's."""
        policy = self.mixed_precision
        low = None if policy is None else policy.param_dtype
        if low is not None and (policy.cast_forward_inputs or self._is_root and policy.cast_root_forward_inputs):
            args, kwargs = _cast(args, low), _cast(kwargs, low)
        if self._flat is not None:
            self._flat.show(low)
            return self._fsdp_wrapped_module(*args, **kwargs)
        with _in_type(self._fsdp_wrapped_module, low):
            return self._fsdp_wrapped_module(*args, **kwargs)

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """state_dict(): the module's, under the names that it has there."""
        destination = {} if destination is None else destination
        for name, value in self._named_state():
            destination[prefix + name] = value if keep_vars else value.detach().clone()
        return destination

    def _named_state(self):
        """(name, value) of all parameters and buffers, named and ordered as in the module."""
        held = {}
        for flat in [m._flat for m in FullyShardedDataParallel.fsdp_modules(self) if m._flat is not None]:
            views = flat.views(flat.flat)
            for owner, name, i in flat.places:
                held.setdefault(id(owner), {})[name] = views[i]
        for path, part in _paths(self):
            kept = {k: v for k, v in part._buffers.items() if k not in part._non_persistent_buffers_set}
            own = {k: v for k, v in part._parameters.items() if k != FLAT_PARAM}
            for name, value in {**held.get(id(part), {}), **own, **kept}.items():
                if value is not None:
                    yield f"{path}.{name}" if path else name, value

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """load_state_dict(state): into the module's parameters, wherever they lie."""
        from ...nn.modules.module import _IncompatibleKeys

        mine = {name: value.detach() for name, value in self._named_state()}
        missing, other = [n for n in mine if n not in state_dict], [n for n in state_dict if n not in mine]
        if strict and (missing or other):
            raise RuntimeError(
                f"Error(s) in loading state_dict for FullyShardedDataParallel:\n\tMissing key(s): {missing}, "
                f"unexpected key(s): {other}"
            )
        for name in mine.keys() & state_dict.keys():
            mine[name].copy_(state_dict[name])
        return _IncompatibleKeys(missing, other)

    def clip_grad_norm_(self, max_norm, norm_type=2.0):
        """clip_grad_norm_(max_norm, norm_type=2.0) -> Tensor: the norm of all gradients, before they were clipped."""
        return _clip(self.parameters(), max_norm, norm_type)

    @contextlib.contextmanager
    def no_sync(self):
        """with no_sync(): nothing changes, over one process."""
        yield

    def check_is_root(self):
        """check_is_root() -> bool: is it in no other?"""
        return self._is_root

    @staticmethod
    def fsdp_modules(module, root_only=False):
        """fsdp_modules(module, root_only=False) -> list of the FullyShardedDataParallel in it"""
        found = [m for m in module.modules() if isinstance(m, FullyShardedDataParallel)]
        return found[:1] if root_only else found

    @staticmethod
    @contextlib.contextmanager
    def summon_full_params(
        module, recurse=True, writeback=True, rank0_only=False, offload_to_cpu=False, with_grads=False
    ):
        """with summon_full_params(module): parameters have their own shapes and names."""
        held = [m._flat for m in FullyShardedDataParallel.fsdp_modules(module) if m._flat is not None]
        for flat in held:
            flat.home._parameters.pop(FLAT_PARAM)
            views = flat.views(flat.flat.detach())
            for owner, name, i in flat.places:
                owner.__dict__.pop(name, None)
                owner._parameters[name] = Parameter(views[i], requires_grad=flat.flat.requires_grad)
        try:
            yield
        finally:
            for flat in held:
                for owner, name, _ in flat.places:
                    owner._parameters.pop(name, None)
                flat.home.register_parameter(FLAT_PARAM, flat.flat)
                flat.show()

    @staticmethod
    def set_state_dict_type(module, state_dict_type, state_dict_config=None, optim_state_dict_config=None):
        """set_state_dict_type(module, type) -> the settings before; FULL_STATE_DICT is what there is."""
        if state_dict_type is not StateDictType.FULL_STATE_DICT:
            raise NotImplementedError("FullyShardedDataParallel: lucid has no state_dict_type but FULL_STATE_DICT")
        before = FullyShardedDataParallel.get_state_dict_type(module)
        made = StateDictSettings(state_dict_type, state_dict_config or FullStateDictConfig(), optim_state_dict_config)
        for m in FullyShardedDataParallel.fsdp_modules(module):
            m._settings = made
        return before

    @staticmethod
    def get_state_dict_type(module):
        """get_state_dict_type(module) -> StateDictSettings"""
        return FullyShardedDataParallel.fsdp_modules(module)[0]._settings

    @staticmethod
    @contextlib.contextmanager
    def state_dict_type(module, state_dict_type, state_dict_config=None, optim_state_dict_config=None):
        """with state_dict_type(module, type): set_state_dict_type, and back."""
        before = FullyShardedDataParallel.set_state_dict_type(
            module, state_dict_type, state_dict_config, optim_state_dict_config
        )
        try:
            yield
        finally:
            for m in FullyShardedDataParallel.fsdp_modules(module):
                m._settings = before


_PLACE = "torch.distributed.fsdp.FullyShardedDataParallel"
for _name in """full_optim_state_dict sharded_optim_state_dict shard_full_optim_state_dict
    flatten_sharded_optim_state_dict scatter_full_optim_state_dict rekey_optim_state_dict optim_state_dict
    optim_state_dict_to_load register_comm_hook""".split():
    setattr(
        FullyShardedDataParallel,
        _name,
        staticmethod(refused_function(_PLACE, _name, "states of optimizers by the names of flattened parameters")),
    )


@contextlib.contextmanager
def _in_type(module, dtype):
    """with _in_type(module, dtype): its own parameters are in another type, of which gradients reach them."""
    held = []
    for owner in _own_modules(module) if dtype is not None else ():
        for name, parameter in owner._parameters.items():
            if parameter is not None:
                held.append((owner, name, parameter))
                owner._parameters[name] = _cast(parameter, dtype)
    try:
        yield
    finally:
        for owner, name, parameter in held:
            owner._parameters[name] = parameter


def _replace(root, part, made):
    for parent in list(root.modules()):
        for name, child in parent._modules.items():
            if child is part and parent is not made:
                parent._modules[name] = made


def _paths(root):
    """(name, module) of all in root, without the names of wrappers."""
    for name, part in root.named_modules():
        yield ".".join(n for n in name.split(".") if n and n != FSDP_WRAPPED_MODULE), part
