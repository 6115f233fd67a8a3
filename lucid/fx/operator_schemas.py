"""Arguments of calls in the order and under the names of the function's signature."""

import inspect
import numbers
import typing
import warnings
from typing import Any, NamedTuple

from .._base import dtype as dtypes
from .._tensor.tensor import Tensor

__all__ = [
    "ArgsKwargsPair",
    "check_for_mutable_operation",
    "get_signature_for_torch_op",
    "create_type_hint",
    "type_matches",
    "normalize_function",
    "normalize_module",
]


class ArgsKwargsPair(NamedTuple):
    """Positional and keyword arguments."""

    args: tuple
    kwargs: dict


# ---- signatures

# kinds of parameters of functions that torch has in C -> what they may be given
_TYPES = {
    "Tensor": Tensor,
    "int64_t": int,
    "SymInt": int,
    "bool": bool,
    "double": float,
    "Scalar": numbers.Number,
    "IntArrayRef": list[int],
    "SymIntArrayRef": list[int],
    "TensorList": list[Tensor],
    "string_view": str,
    "ScalarType": int,
}
_VALUES = {"None": None, "True": True, "False": False}


def get_signature_for_torch_op(op, return_schemas=False):
    """get_signature_for_torch_op(op) -> list of inspect.Signature, one for each overload of a function that torch has
    in C; None for any other.
    """
    form = getattr(op, "form", None) if inspect.ismethod(op) else None
    overloads = [s for s in form.overloads if not s.old] if form is not None else []
    found = list(dict.fromkeys(map(_signature, overloads))) or None
    return (found, overloads or None) if return_schemas else found


def _signature(overload):
    kinds = inspect.Parameter
    made = []
    for p in overload.parameters:
        if p.name == "out":
            continue
        how = kinds.KEYWORD_ONLY if p.keyword_only else kinds.POSITIONAL_OR_KEYWORD
        annotation = _TYPES.get(p.kind, Any)
        annotation = typing.Optional[annotation] if p.none else annotation  # noqa: UP045
        made.append(kinds(p.name, how, default=_value(p) if p.optional else kinds.empty, annotation=annotation))
    return inspect.Signature(made)


def _value(p):
    if p.default in _VALUES:
        return _VALUES[p.default]
    for kind in (int, float):
        try:
            return kind(p.default)
        except ValueError:
            continue
    return p.default


# ---- normalizing


def _torchs(module):
    """A module's name under torch's name for the library."""
    own, dot, rest = module.partition(".")
    return "torch" + dot + rest if own == __name__.partition(".")[0] else module


def normalize_function(target, args, kwargs=None, arg_types=None, kwarg_types=None, normalize_to_only_use_kwargs=False):
    """normalize_function(target, args, kwargs=None, arg_types=None, kwarg_types=None, ...) -> ArgsKwargsPair with all
    parameters, defaults filled in; None for a function with stars, or of which no overload fits.

    The types of the arguments are needed where several overloads of the function would fit: RuntimeError without them.
    normalize_to_only_use_kwargs: all by keyword.
    """
    kwargs = kwargs or {}
    if not inspect.ismethod(target) and not inspect.isbuiltin(target):
        signature = inspect.signature(inspect.unwrap(target))
        return _bound(signature, args, kwargs, normalize_to_only_use_kwargs)
    candidates = get_signature_for_torch_op(target) or []
    fitting = [s for s in candidates if _fits(s, args, kwargs)]
    if len(fitting) > 1:
        if arg_types is None and kwarg_types is None:
            listed = "\n".join(map(str, fitting))
            name = f"{_torchs(target.__module__ or 'torch')}.{target.__name__}"
            raise RuntimeError(
                f"Tried to normalize arguments to {name} but the schema match was ambiguous! Please provide argument "
                f"types to the normalize_arguments() call. Available schemas:\n{listed}"
            )
        fitting = [s for s in candidates if _types_fit(s, arg_types or (), kwarg_types or {})]
    return _bound(fitting[0], args, kwargs, normalize_to_only_use_kwargs) if fitting else None


def _normalize_function_or_error(target, args, kwargs=None, *how, **named):
    found = normalize_function(target, args, kwargs, *how, **named)
    if found is None:
        raise RuntimeError(f"Failed to normalize function {target} with args {args} and kwargs {kwargs}")
    return found


def normalize_module(root, target, args, kwargs=None, normalize_to_only_use_kwargs=False):
    """normalize_module(root, target, args, kwargs=None, ...): the same for a call of root's submodule at a path, if it
    is one of torch's layers.
    """
    try:
        module = root.get_submodule(target)
    except AttributeError as trouble:
        raise RuntimeError(
            f"Tried to normalize node with target {target} but root did not have that target!"
        ) from trouble
    if not _torchs(type(module).__module__).startswith("torch.nn."):
        return None
    signature = inspect.signature(inspect.unwrap(module.forward))
    return _bound(signature, args, kwargs or {}, normalize_to_only_use_kwargs)


def _fits(signature, args, kwargs):
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _types_fit(signature, arg_types, kwarg_types):
    if not _fits(signature, arg_types, kwarg_types):
        return False
    given = signature.bind(*arg_types, **kwarg_types).arguments
    return all(type_matches(signature.parameters[name].annotation, kind) for name, kind in given.items())


def _bound(signature, args, kwargs, all_by_keyword):
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    if any(p.kind not in plain for p in signature.parameters.values()):
        return None
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as trouble:
        text = str(trouble)
        raise TypeError(text.replace("missing a required argument:", "Missing required argument")) from None
    bound.apply_defaults()
    by_position, by_keyword = [], {}
    for i, name in enumerate(signature.parameters):
        if all_by_keyword or i >= len(args):
            by_keyword[name] = bound.arguments[name]
        else:
            by_position.append(bound.arguments[name])
    return ArgsKwargsPair(tuple(by_position), by_keyword)


# ---- types


def create_type_hint(x):
    """create_type_hint(x): for a list or a tuple of types the type of such a one; x itself for anything else."""
    if not isinstance(x, (list, tuple)):
        return x

    def made(kind):
        return list[kind] if isinstance(x, list) else tuple[kind, ...]

    try:
        base = x[0] if x else Any
        for kind in x:
            if issubclass(base, kind):
                base = kind
            elif not issubclass(kind, base):
                return made(Any)
        return made(base)
    except Exception:
        warnings.warn(f"We were not able to successfully create type hint from the type {x}", stacklevel=2)
    return x


def type_matches(signature_type, argument_type):
    """type_matches(signature_type, argument_type) -> bool: may an argument of this type be given for that?"""
    if signature_type is argument_type:
        return True
    origin, parts = typing.get_origin(signature_type), typing.get_args(signature_type)
    if origin is typing.Union and signature_type != argument_type:
        return any(type_matches(part, argument_type) for part in parts)
    if origin is list:
        return _list_matches(signature_type, parts[0], argument_type)
    if signature_type is int and argument_type is dtypes.dtype:
        return True
    if signature_type is numbers.Number and argument_type in (int, float):
        return True
    return (
        inspect.isclass(argument_type) and inspect.isclass(signature_type) and issubclass(argument_type, signature_type)
    )


def _list_matches(signature_type, element, argument_type):
    if argument_type is int and element is int:
        return True
    if not inspect.isclass(element):
        warnings.warn(
            f"Does not support nested parametric types, got {signature_type}. Please file a bug.", stacklevel=3
        )
        return False
    given, parts = typing.get_origin(argument_type), typing.get_args(argument_type)
    if given is list:
        return issubclass(parts[0], element)
    return given is tuple and all(part is ... or issubclass(part, element) for part in parts)


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
