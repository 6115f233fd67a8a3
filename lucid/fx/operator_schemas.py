"""Arguments of calls in the order and under the names of the function's signature."""

import inspect
from typing import NamedTuple

__all__ = [
    "ArgsKwargsPair",
    "check_for_mutable_operation",
    "normalize_function",
    "normalize_module",
    "type_matches",
]


class ArgsKwargsPair(NamedTuple):
    """Positional and keyword arguments."""

    args: tuple
    kwargs: dict


def normalize_function(target, args, kwargs=None, arg_types=None, kwarg_types=None, normalize_to_only_use_kwargs=False):
    """normalize_function(target, args, kwargs=None, ...) -> ArgsKwargsPair with all parameters, defaults filled in, or
    None where the call does not fit the function's signature. normalize_to_only_use_kwargs: all by keyword.
    """
    return _bound(target, args, kwargs or {}, normalize_to_only_use_kwargs)


def normalize_module(root, target, args, kwargs=None, normalize_to_only_use_kwargs=False):
    """normalize_module(root, target, args, kwargs=None, ...): the same for a call of root's submodule at a path."""
    try:
        module = root.get_submodule(target)
    except AttributeError as trouble:
        raise RuntimeError(
            f"Tried to normalize node with target {target} but root did not have that target!"
        ) from trouble
    return _bound(module.forward, args, kwargs or {}, normalize_to_only_use_kwargs)


def _bound(function, args, kwargs, all_by_keyword):
    try:
        signature = inspect.signature(function)
        bound = signature.bind(*args, **kwargs)
    except (TypeError, ValueError):
        return None
    bound.apply_defaults()
    by_position, by_keyword = [], {}
    for name, p in signature.parameters.items():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.POSITIONAL_ONLY):
            return None
        if all_by_keyword or p.kind is p.KEYWORD_ONLY or len(by_position) >= len(args):
            by_keyword[name] = bound.arguments[name]
        else:
            by_position.append(bound.arguments[name])
    return ArgsKwargsPair(tuple(by_position), by_keyword)


def check_for_mutable_operation(target, args, kwargs):
    """RuntimeError for a call of a function that changes what it is given."""
    name = getattr(target, "__name__", "")
    module = getattr(target, "__module__", None) or ""
    ours = module.partition(".")[0] in ("torch", __name__.partition(".")[0])
    if ours and (name.endswith("_") and not name.startswith("_") or kwargs.get("out") is not None):
        raise RuntimeError(
            f"Tried to trace mutable operation {module}.{name}. FX only supports functional code, so operations that "
            "mutate operands in-place (e.g. via `out` arguments) are not supported"
        )


def type_matches(signature_type, argument_type):
    """type_matches(signature_type, argument_type) -> bool: may an argument of this type be given for that?"""
    if signature_type is argument_type or signature_type is inspect.Parameter.empty:
        return True
    options = getattr(signature_type, "__args__", None)
    if options and type(None) in options:
        return any(type_matches(option, argument_type) for option in options)
    if inspect.isclass(signature_type) and inspect.isclass(argument_type):
        return issubclass(argument_type, signature_type) or (signature_type, argument_type) == (float, int)
    return False
