"""LazyModuleMixin: a layer that takes the sizes it was not told from its first input."""

import itertools

from .._ops import no_recording
from ..parameter import is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """Put before a module class whose parameters wait (UninitializedParameter) for the first call.

    A subclass defines initialize_parameters(*args, **kwargs), which materializes them; the object then becomes of class
    cls_to_become. Loading a state_dict materializes them too.
    """

    cls_to_become = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        kept = [(n, t) for n, t in self._buffers.items() if n not in self._non_persistent_buffers_set]
        for name, t in itertools.chain(self._parameters.items(), kept):
            if t is not None:
                destination[prefix + name] = t if keep_vars or is_lazy(t) else t.detach()

    def _lazy_load_hook(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        for name, t in itertools.chain(self._parameters.items(), self._buffers.items()):
            new = state_dict.get(prefix + name)
            if new is not None and is_lazy(t) and not is_lazy(new):
                with no_recording():
                    t.materialize(new.shape)

    def initialize_parameters(self, *args, **kwargs):
        """Materialize the parameters for these arguments of forward."""
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self):
        """has_uninitialized_params() -> bool: does a parameter or buffer still wait for its shape?"""
        return any(is_lazy(t) for t in itertools.chain(self._parameters.values(), self._buffers.values()))

    def _infer_parameters(self, module, args, kwargs=None):
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {self._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _replicate_for_data_parallel(self):
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy "
            "forward pass to correctly initialize the modules"
        )
