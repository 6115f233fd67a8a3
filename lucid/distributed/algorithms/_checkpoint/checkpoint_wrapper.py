"""torch.distributed.algorithms._checkpoint.checkpoint_wrapper: modules whose forward runs under activation
checkpointing."""

import enum

from ....autograd.graph import save_on_cpu
from ....nn.modules.module import Module
from ....utils.checkpoint import checkpoint

_CHECKPOINT_WRAPPED_MODULE = "_checkpoint_wrapped_module"
_CHECKPOINT_PREFIX = _CHECKPOINT_WRAPPED_MODULE + "."


class CheckpointImpl(enum.Enum):
    """Ways of checkpointing."""

    REENTRANT, NO_REENTRANT = 1, 2


class ActivationWrapper(Module):
    """A module around another, whose names of parameters it keeps."""

    def __init__(self, mod):
        super().__init__()
        self._checkpoint_wrapped_module = mod
        self._register_state_dict_hook(self._post_state_dict_hook)
        self.register_load_state_dict_pre_hook(self._pre_load_state_dict_hook)

    def forward(self, *args, **kwargs):
        raise ValueError("Subclasses should implement forward().")

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self._checkpoint_wrapped_module, name)

    def __getitem__(self, key):
        return self._checkpoint_wrapped_module.__getitem__(key)

    def named_parameters(self, *args, **kwargs):
        """named_parameters() -> the wrapped module's names"""
        for name, parameter in super().named_parameters(*args, **kwargs):
            yield name.replace(_CHECKPOINT_PREFIX, ""), parameter

    @staticmethod
    def _post_state_dict_hook(module, state_dict, prefix, *args):
        _rename(state_dict, f"{prefix}{_CHECKPOINT_PREFIX}", prefix)
        return state_dict

    @staticmethod
    def _pre_load_state_dict_hook(module, state_dict, prefix, *args):
        _rename(state_dict, prefix, prefix + _CHECKPOINT_PREFIX)


def _rename(state, old, new):
    for key in [k for k in state if k.startswith(old)]:
        value = state.pop(key)
        state[new + key[len(old) :]] = value


class OffloadWrapper(ActivationWrapper):
    """offload_wrapper(module): what backward needs waits on the CPU."""

    def forward(self, *args, **kwargs):
        with save_on_cpu(pin_memory=True):
            return self._checkpoint_wrapped_module(*args, **kwargs)


class CheckpointWrapper(ActivationWrapper):
    """checkpoint_wrapper(module): forward runs under checkpoint."""

    def __init__(self, mod, checkpoint_impl=CheckpointImpl.NO_REENTRANT, checkpoint_fn=None, **checkpoint_fn_kwargs):
        super().__init__(mod)
        self.checkpoint_impl = checkpoint_impl
        self._checkpoint, self._kwargs = checkpoint_fn, checkpoint_fn_kwargs
        if checkpoint_fn is None:
            self._checkpoint = checkpoint
            self._kwargs = {"use_reentrant": checkpoint_impl == CheckpointImpl.REENTRANT, **checkpoint_fn_kwargs}

    def forward(self, *args, **kwargs):
        if self.checkpoint_impl == CheckpointImpl.REENTRANT and kwargs:
            inner, names = self._checkpoint_wrapped_module, list(kwargs)

            def run(*values):
                split = len(values) - len(names)
                return inner(*values[:split], **dict(zip(names, values[split:], strict=True)))

            return self._checkpoint(run, *args, *kwargs.values(), **self._kwargs)
        return self._checkpoint(self._checkpoint_wrapped_module, *args, **kwargs, **self._kwargs)


def checkpoint_wrapper(module, checkpoint_impl=CheckpointImpl.NO_REENTRANT, checkpoint_fn=None, **checkpoint_fn_kwargs):
    """checkpoint_wrapper(module) -> CheckpointWrapper"""
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def offload_wrapper(module):
    """offload_wrapper(module) -> OffloadWrapper"""
    return OffloadWrapper(module)


def apply_activation_checkpointing(
    model, checkpoint_wrapper_fn=checkpoint_wrapper, check_fn=lambda _: True, auto_wrap_policy=None
):
    """apply_activation_checkpointing(model, check_fn=...): wrap the submodules that check_fn or the policy wants, in
    place."""

    def wanted(module):
        if auto_wrap_policy is not None:
            return auto_wrap_policy(module=module, recurse=False, nonwrapped_numel=0)
        return check_fn(module)

    def visit(module):
        for name, child in list(module.named_children()):
            visit(child)
            if wanted(child):
                setattr(module, name, checkpoint_wrapper_fn(child))

    visit(model)
