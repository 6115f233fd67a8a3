"""__torch_function__: of arguments, and of the modes that run."""

from .._base.state import local
from .._base.symbolic import ASK
from .._tensor.tensor import Tensor
from .call_shape import as_called, as_told  # noqa: F401  (as_called: the compiler's recorder has it from here)

PLAIN = {Tensor}  # types whose calls may take the short way
ORDINARY = {Tensor, int, float, bool, complex, str, type(None)}  # types of arguments that nobody need ask


def treat_as_plain(cls):
    """Let calls with instances of a class of Tensors take the short way."""
    PLAIN.add(cls)
    ORDINARY.add(cls)


def call_arguments(op, tensors, options, out, must=()):
    """(args, kwargs) as a user would have written them; must: names that have to be given."""
    args, kwargs = list(tensors), {}
    for name, value in zip(op.options, options):
        if name in op.defaults and value is op.defaults[name] and name not in must:
            continue
        if name in op.keyword_only or kwargs:
            kwargs[name] = value
        else:
            if len(args) == len(tensors) + op.options.index(name):
                args.append(value)
            else:
                kwargs[name] = value
    while len(args) > 1 and args[-1] is None and len(args) <= len(tensors):
        args.pop()
    if out is not None:
        kwargs["out"] = out
    return tuple(args), kwargs


def ask_overrides(func, relevant, args, kwargs, out=None):
    """(True, result) when a mode or an argument's __torch_function__ took the call."""
    if local.interpreters and not getattr(local, "modes_off", False):
        mode = local.interpreters[-1]
        if hasattr(mode, "intercept"):
            return True, _told_to(mode, relevant, *as_told(func, args, kwargs))
    if local.subclass_off:
        return False, None
    if out is not None:
        relevant = [*relevant, *(out if isinstance(out, (tuple, list)) else (out,))]
    overriding = []
    for t in relevant:
        cls = type(t)
        if cls in PLAIN or not hasattr(cls, "__torch_function__"):
            continue
        if is_disabled(cls.__torch_function__):
            continue
        if cls not in [type(o) for o in overriding]:
            place = next((i for i, o in enumerate(overriding) if issubclass(cls, type(o))), len(overriding))
            overriding.insert(place, t)
    if not overriding:
        return False, None
    types = tuple(dict.fromkeys(type(t) for t in overriding))
    func, args, kwargs = as_told(func, args, kwargs)
    for t in overriding:
        got = type(t).__torch_function__(func, types, args, kwargs)
        if got is not NotImplemented:
            return True, got
    listed = "".join(f"\n  - tensor subclass {t}" for t in types)
    raise TypeError(
        f"Multiple dispatch failed for 'torch.{func.__name__}'; all __torch_function__ handlers returned "
        f"NotImplemented:\n{listed}\n\nFor more information, try re-running with "
        "TORCH_LOGS=not_implemented"
    )


def _told_to(mode, relevant, func, args, kwargs):
    return mode.intercept(func, relevant, args, kwargs)


def is_disabled(handler):
    """Is a class's __torch_function__ the one that wants no say?"""
    return handler is _disabled or getattr(handler, "__func__", None) is _disabled


def _disabled(cls, func, types, args=(), kwargs=None):
    """_disabled_torch_function_impl: a subclass that wants no say."""
    return NotImplemented


ASK.append(ask_overrides)
