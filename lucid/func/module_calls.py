"""Modules as functions of their tensors: functional_call, stack_module_state, replace_all_batch_norm_modules_."""

from .._backend.registry import FUNCTIONS
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.utils.stateless import _functional_call


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """functional_call(module, dicts, args, kwargs) -> module(*args, **kwargs) with other tensors in place of its own.

    dicts: {name: tensor}, or several such dicts with different names. args: a tuple, or the only argument.
    tie_weights: a tensor that has several names is replaced under all of them. strict: all names must be given.
    ValueError for a name in two dicts; the module is left as it was, except for what it writes into its buffers.
    """
    if isinstance(parameter_and_buffer_dicts, dict):
        given = parameter_and_buffer_dicts
    elif isinstance(parameter_and_buffer_dicts, (list, tuple)):
        if not all(isinstance(one, dict) for one in parameter_and_buffer_dicts):
            raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
        names = [name for one in parameter_and_buffer_dicts for name in one]
        repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if repeated:
            raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
        given = {name: t for one in parameter_and_buffer_dicts for name, t in one.items()}
    else:
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(parameter_and_buffer_dicts)}"
        )
    return _functional_call(module, given, args, kwargs, tie_weights=tie_weights, strict=strict)


def stack_module_state(models):
    """stack_module_state(models) -> (parameters, buffers): {name: the models' tensors stacked along a new first
    dimension}.

    For vmap over an ensemble. The models are of one class and all train or all evaluate (RuntimeError). The stacked
    parameters are leaves; they require gradients where the models' do.
    """
    models = list(models)
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({bool(m.training) for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(m) for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    return tuple(
        {name: _stacked(name, [dict(f(m))[name] for m in models]) for name, _ in f(models[0])}
        for f in (type(models[0]).named_parameters, type(models[0]).named_buffers)
    )


def _stacked(name, tensors):
    wanted = {t.requires_grad for t in tensors}
    if len(wanted) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    return FUNCTIONS["stack"]([t.detach() for t in tensors]).requires_grad_(wanted.pop())


def replace_all_batch_norm_modules_(root):
    """replace_all_batch_norm_modules_(module) -> module: no batch norm in it keeps running statistics any more.

    vmap refuses to write statistics that are not batched into a module's buffers; this is one way out.
    """
    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
