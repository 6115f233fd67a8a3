"""torch._functorch.make_functional: a module and its state apart, torch's old way to say functional_call."""

import copy

from .._backend.registry import NAMESPACES
from ..func import functional_call
from ..nn.modules.module import Module


class FunctionalModule(Module):
    """A module without state: call it with the parameters first."""

    def __init__(self, stateless_model, param_names):
        super().__init__()
        self.stateless_model, self.param_names = stateless_model, tuple(param_names)

    @staticmethod
    def _create_from(model, disable_autograd_tracking=False):
        names, values = _parameters(model, disable_autograd_tracking)
        return FunctionalModule(_stateless(model), names), values

    def forward(self, params, *args, **kwargs):
        state = dict(zip(self.param_names, params, strict=True))
        return functional_call(self.stateless_model, state, args, kwargs)


class FunctionalModuleWithBuffers(Module):
    """A module without state: call it with the parameters and the buffers first."""

    def __init__(self, stateless_model, param_names, buffer_names):
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names, self.buffer_names = tuple(param_names), tuple(buffer_names)

    @staticmethod
    def _create_from(model, disable_autograd_tracking=False):
        names, values = _parameters(model, disable_autograd_tracking)
        buffers = dict(model.named_buffers())
        made = FunctionalModuleWithBuffers(_stateless(model), names, buffers)
        return made, values, tuple(b.clone() for b in buffers.values())

    def forward(self, params, buffers, *args, **kwargs):
        state = dict(zip(self.param_names + self.buffer_names, (*params, *buffers), strict=True))
        return functional_call(self.stateless_model, state, args, kwargs)


def _stateless(model):
    return copy.deepcopy(model).to("meta")


def _parameters(model, disable_autograd_tracking):
    """The names and copies of a module's parameters."""
    named = dict(model.named_parameters())
    keeps = not disable_autograd_tracking
    return tuple(named), tuple(p.detach().clone().requires_grad_(p.requires_grad and keeps) for p in named.values())


def make_functional(model, disable_autograd_tracking=False):
    """make_functional(module) -> (f, params): f(params, *args) is what the module gives. Of a module with buffers:
    RuntimeError."""
    if len(list(model.buffers())) > 0:
        raise RuntimeError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    return FunctionalModule._create_from(model, disable_autograd_tracking)


def make_functional_with_buffers(model, disable_autograd_tracking=False):
    """make_functional_with_buffers(module) -> (f, params, buffers)"""
    return FunctionalModuleWithBuffers._create_from(model, disable_autograd_tracking)


def combine_state_for_ensemble(models):
    """combine_state_for_ensemble(modules) -> (f, params, buffers), each stacked, for vmap"""
    if len(models) == 0:
        raise RuntimeError("combine_state_for_ensemble: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or all(not m.training for m in models)):
        raise RuntimeError("combine_state_for_ensemble: Expected all models to have the same training/eval mode.")
    if not all(type(m) is type(models[0]) for m in models):
        raise RuntimeError("combine_state_for_ensemble: Expected all models to be of the same class.")
    made, params, buffers = zip(*[make_functional_with_buffers(m) for m in models], strict=True)
    stack = NAMESPACES["torch"]["stack"]
    joined = [tuple(stack(column) for column in zip(*rows, strict=True)) for rows in (params, buffers)]
    return (made[0], *joined)
