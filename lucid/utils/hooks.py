"""torch.utils.hooks: handles of hooks, and marks on hook functions."""

import warnings

from .._backend.graph import RemovableHandle

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks", "BackwardHook"]


def unserializable_hook(f):
    """unserializable_hook(f) -> f, marked so that saving a tensor that has it does not warn."""
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor):
    """warn_if_has_hooks(tensor): warn about hooks that will not be saved with it."""
    hooks = getattr(tensor, "_backward_hooks", None) or {}
    for hook in hooks.values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the "
                "function with @torch.utils.hooks.unserializable_hook to suppress this warning",
                stacklevel=2,
            )


class BackwardHook:
    """BackwardHook(module, user_hooks, user_pre_hooks): full backward hooks of a module are set up by nn.Module
    itself."""

    def __init__(self, module, user_hooks, user_pre_hooks):
        raise NotImplementedError("torch.utils.hooks.BackwardHook: use nn.Module.register_full_backward_hook")
