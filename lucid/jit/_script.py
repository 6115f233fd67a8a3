"""script: what it was given, as it is; a module in a case of the class ScriptModule."""

import warnings

from .._base.refused import refused_class
from ..nn.modules.module import Module

_told: set = set()


def say_once():
    """The warning that nothing is compiled."""
    if not _told:
        _told.add(True)
        warnings.warn(
            "torch.jit: lucid has no TorchScript; scripted code runs as Python, traced code as a graph of torch.fx",
            UserWarning,
            stacklevel=3,
        )


class ScriptModule(Module):
    """ScriptModule: a Module; what subclasses define runs as Python."""


class RecursiveScriptModule(ScriptModule):
    """What script(module) gives: the module's members and attributes, and its forward."""

    def __init__(self, module):
        super().__init__()
        hidden = {"_original": module, "_parameters": module._parameters, "_buffers": module._buffers}
        self.__dict__.update(hidden, _modules=module._modules, training=module.training)
        self.__dict__["_non_persistent_buffers_set"] = module._non_persistent_buffers_set

    @property
    def original_name(self):
        """The name of the module's class"""
        return type(self.__dict__["_original"]).__name__

    @property
    def code(self):
        """The text of forward"""
        import inspect

        return inspect.getsource(type(self._original).forward)

    def forward(self, *args, **kwargs):
        return self._original(*args, **kwargs)

    def train(self, mode=True):
        """train(mode=True)"""
        super().train(mode)
        self._original.train(mode)
        return self

    def __getattr__(self, name):
        if "_original" not in self.__dict__:
            return super().__getattr__(name)
        try:
            return getattr(self.__dict__["_original"], name)
        except AttributeError:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'") from None

    def __setattr__(self, name, value):
        if "_original" in self.__dict__ and name != "training":
            setattr(self.__dict__["_original"], name, value)
        else:
            super().__setattr__(name, value)

    def __len__(self):
        return len(self._original)

    def __iter__(self):
        return iter(self._original)

    def __getitem__(self, key):
        return self._original[key]

    def __contains__(self, key):
        return key in self._original

    def __dir__(self):
        return dir(self._original)

    def __bool__(self):
        return True

    def __deepcopy__(self, memo):
        import copy

        return type(self)(copy.deepcopy(self._original, memo))

    def __reduce__(self):
        return type(self), (self._original,)

    def extra_repr(self):
        return f"original_name={self.original_name}"


ScriptFunction = refused_class("torch.jit", "ScriptFunction", "TorchScript")


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """script(obj) -> a function or class as it is; a module as a ScriptModule that runs it. A warning says once that
    nothing is compiled."""
    say_once()
    if isinstance(obj, ScriptModule):
        return obj
    return RecursiveScriptModule(obj) if isinstance(obj, Module) else obj
