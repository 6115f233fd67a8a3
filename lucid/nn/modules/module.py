"""Module: the base of layers and models. It keeps parameters, buffers and submodules by attribute name."""

import collections
import inspect
import warnings

from ..._tensor.tensor import Tensor
from .._ops import typename
from ..parameter import Buffer, Parameter
from .module_convert import ModuleConversion
from .module_hooks import (
    HookedCall,
    _BackwardStyle,
    _global_backward_hooks,
    _global_backward_pre_hooks,
    _global_buffer_registration_hooks,
    _global_forward_hooks,
    _global_forward_pre_hooks,
    _global_module_registration_hooks,
    _global_parameter_registration_hooks,
    _WrappedHook,  # noqa: F401  (torch has it here)
    attach,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from .module_state import _EXTRA_STATE_KEY_SUFFIX, ModuleState, _IncompatibleKeys  # noqa: F401  (torch has them here)

__all__ = [
    "register_module_forward_pre_hook",
    "register_module_forward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_backward_hook",
    "register_module_full_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
    "Module",
]

_new_hooks = collections.OrderedDict
_HOOK_DICTS = (
    "_backward_pre_hooks",
    "_backward_hooks",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)
_set = object.__setattr__


def _addindent(text, count):
    """text with every line but the first moved right; blank lines stay empty."""
    first, *rest = text.split("\n")
    return "\n".join([first, *[" " * count + line if line.strip() else "" for line in rest]])


def _forward_unimplemented(self, *input):
    """What a subclass defines: the computation of one call."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


def _asked(hooks, module, name, value):
    """value after the registration hooks had their chance to replace it."""
    for hook in hooks.values():
        got = hook(module, name, value)
        if got is not None:
            value = got
    return value


COMPILE: list = []  # torch.compile, which lucid.compiler enters


class Module(ModuleState, ModuleConversion):
    """The base class of layers and models: assign parameters, buffers and submodules in __init__, define forward.

    Calling a module runs forward and its hooks. A subclass must call super().__init__() before it assigns any of them.
    """

    dump_patches = False
    _version = 1
    call_super_init = False
    _compiled_call_impl = None
    forward = _forward_unimplemented

    def __init__(self, *args, **kwargs):
        if self.call_super_init is False:
            if kwargs:
                raise TypeError(
                    f"{type(self).__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'"
                )
            if args:
                raise TypeError(
                    f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given"
                )
        _set(self, "training", True)
        d = self.__dict__
        d["_parameters"], d["_buffers"], d["_non_persistent_buffers_set"] = {}, {}, set()
        d["_backward_pre_hooks"], d["_backward_hooks"], d["_is_full_backward_hook"] = _new_hooks(), _new_hooks(), None
        for name in _HOOK_DICTS[2:]:
            d[name] = _new_hooks()
        d["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    # ---- registering by name

    def _check_name(self, kind, name, table):
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name and kind != "module":
            raise KeyError(f'{kind} name can\'t contain "."')
        if name == "" and kind != "module":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in table:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')

    def register_buffer(self, name, tensor, persistent=True):
        """register_buffer(name, tensor, persistent=True): keep a tensor (or None) that is not trained.

        persistent: is it part of the state_dict?
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor) and not hasattr(tensor, "__torch_function__"):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        self._buffers[name] = _asked(_global_buffer_registration_hooks, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name, param):
        """register_parameter(name, param): keep a Parameter (or None) under this name."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name, self._parameters)
        if param is None:
            self._parameters[name] = None
            return
        if not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To "
                f"express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        self._parameters[name] = _asked(_global_parameter_registration_hooks, self, name, param)

    def add_module(self, name, module):
        """add_module(name, module): keep a submodule (or None) under this name."""
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name("module", name, self.__dict__.get("_modules", ()))
        self._modules[name] = _asked(_global_module_registration_hooks, self, name, module)

    def register_module(self, name, module):
        """Another name of add_module."""
        self.add_module(name, module)

    # ---- finding by dotted name

    def get_submodule(self, target):
        """get_submodule("net.conv") -> the submodule of that dotted name; self for ""."""
        found = self
        for part in target.split(".") if target else ():
            found = found._member(part)
            if not isinstance(found, Module):
                raise AttributeError(f"`{part}` is not an nn.Module")
        return found

    def _member(self, name):
        if not hasattr(self, name):
            raise AttributeError(f"{self._get_name()} has no attribute `{name}`")
        return getattr(self, name)

    def set_submodule(self, target, module, strict=False):
        """set_submodule("net.conv", module, strict=False): put module in that place; strict: only where one was."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if (strict or hasattr(parent, name)) and not isinstance(parent._member(name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target):
        """get_parameter("net.conv.weight") -> the Parameter of that dotted name."""
        path, _, name = target.rpartition(".")
        found = self.get_submodule(path)._member(name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target):
        """get_buffer("net.norm.running_mean") -> the buffer of that dotted name."""
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        found = owner._member(name)
        if name not in owner._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found

    # ---- attributes

    def __getattr__(self, name):
        d = self.__dict__
        if "_parameters" in d and name in (table := d["_parameters"]):
            return table[name]
        if "_modules" in d and name in (table := d["_modules"]):
            return table[name]
        if "_buffers" in d and name in (table := d["_buffers"]):
            return table[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        d = self.__dict__
        params = d.get("_parameters")
        if isinstance(value, Tensor) and isinstance(value, Parameter):
            if params is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, d, d["_buffers"], d["_modules"])
            self.register_parameter(name, value)
        elif params is not None and name in params:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if "_modules" not in d:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, d, params, d["_buffers"])
            d["_modules"][name] = _asked(_global_module_registration_hooks, self, name, value)
        elif name in d.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' (torch.nn.Module or None expected)"
                )
            d["_modules"][name] = _asked(_global_module_registration_hooks, self, name, value)
        elif name in d.get("_buffers", ()) or isinstance(value, Tensor) and isinstance(value, Buffer):
            self._set_buffer(name, value)
        else:
            _set(self, name, value)

    def _forget(self, name, *tables):
        for table in tables:
            table.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def _set_buffer(self, name, value):
        if value is not None and not isinstance(value, Tensor) and not hasattr(value, "__torch_function__"):
            raise TypeError(
                f"cannot assign '{typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)"
            )
        persistent = value.persistent if isinstance(value, Buffer) else name not in self._non_persistent_buffers_set
        register = self.register_buffer
        if getattr(register, "__func__", None) is Module.register_buffer or (
            "persistent" in inspect.signature(register).parameters
        ):
            register(name, value, persistent)
            return
        if not persistent:
            raise RuntimeError(
                "Registering a non-persistent buffer on a Module subclass that implements "
                "register_buffer() without the persistent argument is not allowed."
            )
        register(name, value)

    def __delattr__(self, name):
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            object.__delattr__(self, name)

    def __dir__(self):
        names = {*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers}
        return sorted(n for n in names if not n[0].isdigit())

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)
        return state

    def __setstate__(self, state):
        d = self.__dict__
        d.update(state)
        for name in _HOOK_DICTS:  # what older pickles do not have
            d.setdefault(name, _new_hooks())
        d.setdefault("_non_persistent_buffers_set", set())
        d.setdefault("_is_full_backward_hook", None)

    # ---- calling

    def _wrapped_call_impl(self, *args, **kwargs):
        d = self.__dict__
        try:
            plain = not (
                d["_forward_hooks"]
                or d["_forward_pre_hooks"]
                or d["_backward_hooks"]
                or d["_backward_pre_hooks"]
                or "_compiled_call_impl" in d
            )
        except KeyError:
            plain = False
        if plain and not (
            _global_forward_hooks or _global_forward_pre_hooks or _global_backward_hooks or _global_backward_pre_hooks
        ):
            return self.forward(*args, **kwargs)
        if self._compiled_call_impl is not None:
            return self._compiled_call_impl(*args, **kwargs)
        return self._call_impl(*args, **kwargs)

    __call__ = _wrapped_call_impl

    def _call_impl(self, *args, **kwargs):
        if not (
            self._backward_hooks
            or self._backward_pre_hooks
            or self._forward_hooks
            or self._forward_pre_hooks
            or _global_backward_pre_hooks
            or _global_backward_hooks
            or _global_forward_hooks
            or _global_forward_pre_hooks
        ):
            return self.forward(*args, **kwargs)
        call = HookedCall(self, args, kwargs)
        try:
            return call.run()
        except Exception:
            call.rest()
            raise

    def compile(self, *args, **kwargs):
        """compile(...): calls of this module are compiled from now on, by torch.compile with these arguments."""
        self._compiled_call_impl = COMPILE[0](self._call_impl, *args, **kwargs)

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call hook(module, args) before forward; a result replaces args. with_kwargs: hook(module, args, kwargs),
        giving
        (args, kwargs). prepend: before the hooks there are."""
        return attach(self._forward_pre_hooks, hook, [(self._forward_pre_hooks_with_kwargs, with_kwargs)], prepend)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Call hook(module, args, output) after forward; a result replaces output. with_kwargs: hook(module, args,
        kwargs,
        output). always_call: also when forward raises. prepend: before the hooks there are."""
        return attach(
            self._forward_hooks,
            hook,
            [(self._forward_hooks_with_kwargs, with_kwargs), (self._forward_hooks_always_called, always_call)],
            prepend,
        )

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Call hook(module, grad_output) before the gradients of this module's inputs are computed; a result replaces
        grad_output."""
        return attach(self._backward_pre_hooks, hook, prepend=prepend)

    def register_backward_hook(self, hook):
        """The older form of register_full_backward_hook, which sees only the node of the output."""
        return self._attach_backward(hook, False, False)

    def register_full_backward_hook(self, hook, prepend=False):
        """Call hook(module, grad_input, grad_output) when the gradients of this module's inputs are known; a result
        replaces
        grad_input. Entries of arguments that are not tensors are None."""
        return self._attach_backward(hook, True, prepend)

    def _attach_backward(self, hook, full, prepend):
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. "
                "Please use only one of them."
            )
        self._is_full_backward_hook = full
        return attach(self._backward_hooks, hook, prepend=prepend)

    def _get_backward_hooks(self):
        """(full hooks, hooks of the older style), the global ones first."""
        both = ([], [])
        for full, hooks in (
            (_BackwardStyle.full, _global_backward_hooks),
            (self._is_full_backward_hook, self._backward_hooks),
        ):
            if full is not None:
                both[not full].extend(hooks.values())
        return both

    # ---- walking through members

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        seen = set()
        owners = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in owners:
            for name, value in get_members_fn(module):
                if value is None or value in seen:
                    continue
                if remove_duplicate:
                    seen.add(value)
                yield f"{path}.{name}" if path else name, value

    def parameters(self, recurse=True):
        """parameters(recurse=True) -> iterator over the Parameters, each once."""
        for _, p in self.named_parameters(recurse=recurse):
            yield p

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """named_parameters(...) -> iterator over (dotted name, Parameter)."""
        yield from self._named_members(
            lambda m: m._parameters.items(), prefix=prefix, recurse=recurse, remove_duplicate=remove_duplicate
        )

    def buffers(self, recurse=True):
        """buffers(recurse=True) -> iterator over the buffers, each once."""
        for _, t in self.named_buffers(recurse=recurse):
            yield t

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """named_buffers(...) -> iterator over (dotted name, buffer)."""
        yield from self._named_members(
            lambda m: m._buffers.items(), prefix=prefix, recurse=recurse, remove_duplicate=remove_duplicate
        )

    def children(self):
        """children() -> iterator over the immediate submodules, each once."""
        for _, child in self.named_children():
            yield child

    def named_children(self):
        """named_children() -> iterator over (name, immediate submodule)."""
        seen = set()
        for name, child in self._modules.items():
            if child is not None and child not in seen:
                seen.add(child)
                yield name, child

    def modules(self, remove_duplicate=True):
        """modules() -> iterator over self and all submodules, each once."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """named_modules(...) -> iterator over (dotted name, module), self first under `prefix`."""
        if memo is None:
            memo = set()
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, child in self._modules.items():
            if child is not None:
                yield from child.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    # ---- modes

    def train(self, mode=True):
        """train(mode=True) -> self, and all submodules, in training (or evaluation) mode."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for child in self.children():
            child.train(mode)
        return self

    def eval(self):
        """eval() -> self in evaluation mode."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """requires_grad_(requires_grad=True) -> self, its parameters trained or frozen."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """zero_grad(set_to_none=True): drop the parameters' gradients, or fill them with zeros."""
        if getattr(self, "_is_replica", False):
            warnings.warn(_REPLICA, stacklevel=2)
        for p in self.parameters():
            g = p.grad
            if g is None:
                continue
            if set_to_none:
                p.grad = None
                continue
            if g.grad_fn is not None:
                g.detach_()
            else:
                g.requires_grad_(False)
            g.zero_()

    # ---- showing

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        """What a subclass adds to its repr."""
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        own = extra.split("\n") if extra else []
        children = [f"({name}): {_addindent(repr(child), 2)}" for name, child in self._modules.items()]
        if not children and len(own) < 2:
            return f"{self._get_name()}({extra})"
        return f"{self._get_name()}(\n  " + "\n  ".join(own + children) + "\n)"

    def _replicate_for_data_parallel(self):
        replica = self.__new__(type(self))
        replica.__dict__ = self.__dict__.copy()
        replica._parameters, replica._buffers, replica._modules = {}, self._buffers.copy(), self._modules.copy()
        replica._is_replica = True
        return replica


_REPLICA = (
    "Calling .zero_grad() from a module created with nn.DataParallel() has no effect. The parameters are copied (in a "
    "differentiable manner) from the original module. This means they are not leaf nodes in autograd and so don't "
    "accumulate gradients. If you need gradients in your forward method, consider using autograd.grad instead."
)


def factory_kwargs(kwargs):
    """factory_kwargs({"device": ..., "dtype": ...}) -> the keywords for a factory such as empty, refusing others.

    A dict under "factory_kwargs" is merged in; a key in both places is a TypeError.
    """
    if kwargs is None:
        return {}
    plain = {"device", "dtype", "memory_format"}
    if unknown := kwargs.keys() - plain - {"factory_kwargs"}:
        raise TypeError(f"unexpected kwargs {unknown}")
    merged = dict(kwargs.get("factory_kwargs", {}))
    for key in plain & kwargs.keys():
        if key in merged:
            raise TypeError(f"{key} specified twice, in **kwargs and in factory_kwargs")
        merged[key] = kwargs[key]
    return merged
