"""functional_call: a module called with other tensors in place of its parameters and buffers."""

import contextlib
import warnings

from ..._tensor.tensor import Tensor
from ..modules.module import Module

__all__ = ["functional_call"]

_MISSING = object()


def _named_tensors(module):
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }


def _with_tied(module, given):
    """given, and the same values for the other names of tensors that have several."""
    names = {}
    for name, t in _named_tensors(module).items():
        names.setdefault(t, set()).add(name)
    full = dict(given)
    for tied in names.values():
        values = {given[name] for name in tied if name in given}
        if len(values) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(tied)}, which are tied. Consider "
                "using tie_weights=False"
            )
        for value in values:
            full.update(dict.fromkeys(tied, value))
    return full


def _owner(module, path):
    """The submodule of that dotted name."""
    for part in path.split(".") if path else ():
        try:
            child = getattr(module, part)
        except AttributeError:
            raise AttributeError(f"{module._get_name()} has no attribute `{part}`") from None
        if not isinstance(child, Module):
            raise TypeError(f"submodule `{path}`: {child} is not an instance of torch.nn.Module")
        module = child
    return module


def _swap(module, name, new):
    """Put `new` (_MISSING: nothing) under a plain name; give what was there."""
    for table in (module._parameters, module._buffers):
        if name in table:
            old = table[name]
            if new is _MISSING:
                del table[name]
            else:
                table[name] = new
            return old
    old = getattr(module, name, _MISSING)
    if old is not _MISSING and old is not None and not isinstance(old, Tensor):
        raise TypeError(f"attribute `{name}`: {old} is not an instance of torch.Tensor")
    if new is not _MISSING:
        setattr(module, name, new)
    elif old is not _MISSING:
        delattr(module, name)
    return old


def _swap_all(module, tensors):
    """Put every tensor at its dotted name; give what was there. All or nothing."""
    before = {}
    try:
        for path, t in tensors.items():
            if t is not _MISSING and t is not None and not isinstance(t, Tensor):
                raise TypeError(f"{t} is not an instance of torch.Tensor")
            inside, _, name = path.rpartition(".")
            before[path] = _swap(_owner(module, inside), name, t)
    except Exception:
        _swap_all(module, before)
        raise
    return before


@contextlib.contextmanager
def _reparametrize_module(module, parameters_and_buffers, tie_weights=False, strict=False, stack_weights=False):
    """Inside, module has these tensors; what it then holds is written back into the dict."""
    given = _with_tied(module, parameters_and_buffers) if tie_weights else parameters_and_buffers
    if strict:
        own = set(_named_tensors(module))
        errors = [
            f"{what} key(s): {', '.join(map(repr, sorted(names)))}."
            for what, names in (("Unexpected", set(given) - own), ("Missing", own - set(given)))
            if names
        ]
        if errors:
            raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t" + "\n\t".join(errors))
    before = {}
    try:
        before = _swap_all(module, given)
        yield
    finally:
        after = _swap_all(module, dict(reversed(before.items())) if stack_weights else before)
        parameters_and_buffers.update({k: after[k] for k in parameters_and_buffers if k in after})


def _functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """torch.func.functional_call for one dict."""
    if type(module).__name__ == "DataParallel":
        raise RuntimeError("The stateless API can't be used with nn.DataParallel module")
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with _reparametrize_module(module, parameters_and_buffers, tie_weights=tie_weights, strict=strict):
        return module(*args, **(kwargs or {}))


def functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """functional_call(module, {name: tensor}, args) -> module(*args) with those tensors in place of its own.

    tie_weights: a tensor that has several names is replaced under all of them. strict: all names must be given.
    """
    warnings.warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
        "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
        stacklevel=2,
    )
    return _functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)
