"""What a module saves and loads: state_dict, load_state_dict, and the hooks around them."""

import collections
import warnings
from collections.abc import Mapping

from ..._backend.swap import swap_tensors
from ..._base.entering import found_in
from ..._base.state import switches
from ..._tensor.tensor import Tensor
from .._ops import no_recording
from ..parameter import Parameter, is_lazy
from .module_hooks import _WrappedHook, attach

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"


@found_in("lucid.nn.modules.module")
class _IncompatibleKeys(collections.namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What load_state_dict returns: the keys that did not match."""

    __slots__ = ()

    def __repr__(self):
        return super().__repr__() if self.missing_keys or self.unexpected_keys else "<All keys matched successfully>"

    __str__ = __repr__


def _swap_loaded(t, new, assign):
    """t becomes what its module_load makes of the loaded value: the same object, other contents."""
    made = t.module_load(new, assign=assign)
    if made is new or made is t:
        raise RuntimeError(
            "module_load returned one of self or other, please .detach() the result if returning one of the inputs in "
            "module_load"
        )
    if isinstance(t, Parameter):
        made = made.requires_grad_(t.requires_grad) if isinstance(made, Parameter) else Parameter(made, t.requires_grad)
    swap_tensors(t, made)


def _load_tree(module, state, prefix, metadata, assign, reports):
    """Load a module and its submodules; what goes wrong is put into the three lists of `reports`."""
    missing, unexpected, errors = reports
    local = {} if metadata is None else metadata.get(prefix[:-1], {})
    if assign:
        local["assign_to_params_buffers"] = assign
    # missing and unexpected keys are collected even when not strict, for the result
    module._load_from_state_dict(state, prefix, local, True, missing, unexpected, errors)
    for name, child in module._modules.items():
        if child is not None:
            inner = f"{prefix}{name}."
            parts = {k: v for k, v in state.items() if k.startswith(inner)}
            _load_tree(child, parts, inner, metadata, assign, reports)
    keys = _IncompatibleKeys(missing, unexpected)
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, keys) is not None:
            raise AssertionError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new "
                "values, if incompatible_keys need to be modified, it should be done inplace."
            )


def _unreachable(method):
    return RuntimeError(
        f"Reached a code path in Module.{method}() that should never be called. Please file an issue "
        "at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
    )


class ModuleState:
    """The part of Module that saves and loads."""

    def get_extra_state(self):
        """To be defined (with set_extra_state) by a module that saves more than tensors; any picklable value."""
        raise _unreachable("get_extra_state")

    def set_extra_state(self, state):
        """Takes back what get_extra_state gave."""
        raise _unreachable("set_extra_state")

    def _has_extra(self, method):
        own = getattr(type(self), method)
        return own is not getattr(ModuleState, method)

    # ---- saving

    def _register_state_dict_hook(self, hook):
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously "
                "registered via register_state_dict_post_hook"
            )
        return attach(self._state_dict_hooks, hook)

    def register_state_dict_post_hook(self, hook):
        """Call hook(module, state_dict, prefix, local_metadata) after state_dict(); it may change state_dict in
        place."""
        hook._from_public_api = True
        return attach(self._state_dict_hooks, hook)

    def register_state_dict_pre_hook(self, hook):
        """Call hook(module, prefix, keep_vars) before state_dict()."""
        return attach(self._state_dict_pre_hooks, hook)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        """Put this module's own parameters, persistent buffers and extra state into destination."""
        for name, t in self._parameters.items():
            if t is not None:
                destination[prefix + name] = t if keep_vars else t.detach()
        for name, t in self._buffers.items():
            if t is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = t if keep_vars else t.detach()
        if self._has_extra("get_extra_state"):
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """state_dict(*, destination=None, prefix="", keep_vars=False) -> OrderedDict from dotted names to tensors.

        The tensors share memory with the module; they are detached unless keep_vars. `_metadata` of the result holds
        each module's version.
        """
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                FutureWarning,
                stacklevel=2,
            )
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and prefix == "" else prefix
            keep_vars = args[2] if len(args) > 2 and keep_vars is False else keep_vars
        if destination is None:
            destination = collections.OrderedDict()
            destination._metadata = collections.OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, child in self._modules.items():
            if child is not None:
                child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            got = hook(self, destination, prefix, metadata)
            if got is not None:
                if getattr(hook, "_from_public_api", False):
                    raise RuntimeError("state_dict post-hook must return None")
                destination = got
        return destination

    # ---- loading

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        return attach(self._load_state_dict_pre_hooks, _WrappedHook(hook, self if with_module else None))

    def register_load_state_dict_pre_hook(self, hook):
        """Call hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        before
        this module's part of load_state_dict()."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def register_load_state_dict_post_hook(self, hook):
        """Call hook(module, incompatible_keys) after load_state_dict(); it may change the keys' lists in place."""
        return attach(self._load_state_dict_post_hooks, hook)

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        """Fill this module's own parameters and buffers; what does not fit goes into the three lists."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        own = {
            n: t
            for n, t in (
                *self._parameters.items(),
                *[(n, t) for n, t in self._buffers.items() if n not in self._non_persistent_buffers_set],
            )
            if t is not None
        }
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, t in own.items():
            key = prefix + name
            if key in state_dict:
                self._load_one(name, key, t, state_dict[key], assign, error_msgs)
            elif strict:
                missing_keys.append(key)
        extra_key = prefix + _EXTRA_STATE_KEY_SUFFIX
        if self._has_extra("set_extra_state"):
            if extra_key in state_dict:
                self.set_extra_state(state_dict[extra_key])
            elif strict:
                missing_keys.append(extra_key)
        elif strict and extra_key in state_dict:
            unexpected_keys.append(extra_key)
        if strict:
            for key in state_dict:
                if key.startswith(prefix) and key != extra_key:
                    first, dot, _ = key[len(prefix) :].partition(".")
                    if first not in (self._modules if dot else own):
                        unexpected_keys.append(key)

    def _load_one(self, name, key, t, new, assign, error_msgs):
        if not isinstance(new, Tensor) and not hasattr(type(new), "__torch_function__"):
            error_msgs.append(
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object '
                f"from checkpoint but received {type(new)}"
            )
            return
        if not is_lazy(t):
            if len(t.shape) == 0 and len(new.shape) == 1 and new.shape[0] == 1:
                new = new[0]  # checkpoints of torch before 0.4 keep 0-dim tensors so
            if new.shape != t.shape:
                error_msgs.append(
                    f"size mismatch for {key}: copying a param with shape {new.shape} from checkpoint, "
                    f"the shape in current model is {t.shape}."
                )
                return
        if t.is_meta and not new.is_meta and not assign:
            warnings.warn(
                f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current "
                "model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the state "
                "dictionary to their corresponding key in the module instead of copying them in place?)",
                stacklevel=2,
            )
        try:
            with no_recording():
                if switches.swap_params:
                    return _swap_loaded(t, new, assign)
                if not assign:
                    t.copy_(new)
                    return
                if isinstance(t, Parameter):
                    if isinstance(new, Parameter):
                        new.requires_grad_(t.requires_grad)
                    else:
                        new = Parameter(new, requires_grad=t.requires_grad)
                setattr(self, name, new)
        except Exception as e:
            error_msgs.append(
                f'While copying the parameter named "{key}", whose dimensions in the model are '
                f"{t.size()} and whose dimensions in the checkpoint are {new.size()}, an exception occurred : {e.args}."
            )

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """load_state_dict(state_dict, strict=True, assign=False) -> (missing_keys, unexpected_keys)

        Copies the values into the module's tensors; with assign, the module takes the given tensors themselves. With
        strict, keys that are missing or unexpected are a RuntimeError, as wrong shapes always are.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing, unexpected, errors = [], [], []
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = collections.OrderedDict(state_dict)
        if metadata is not None:
            state_dict._metadata = metadata

        _load_tree(self, state_dict, "", metadata, assign, (missing, unexpected, errors))
        if strict:
            for what, keys in (("Unexpected", unexpected), ("Missing", missing)):
                if keys:
                    errors.insert(0, f"{what} key(s) in state_dict: " + ", ".join(f'"{k}"' for k in keys) + ". ")
        if errors:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors))
        return _IncompatibleKeys(missing, unexpected)
