"""Schemas of ops of one's own, `(Tensor x, SymInt n=2) -> Tensor`, from the annotations of a function."""

import inspect
import numbers
import types
import typing
from collections.abc import Sequence

from .._aten.schema import NO_DEFAULT, Argument, FunctionSchema, parsed
from .._base.device import device
from .._base.dtype import dtype
from .._tensor.tensor import Tensor

_PLAIN = {Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", str: "str", dtype: "ScalarType"}
_PLAIN |= {device: "Device", numbers.Number: "Scalar", complex: "complex"}
_NUMBER = {int, float, bool}
_SEQUENCES = (list, Sequence, tuple)

# ---- from a function's annotations


def of_function(f, mutates_args, name=""):
    """The schema that f's annotations give; ValueError where one is missing, or of a type that ops cannot have."""
    signature = inspect.signature(f, eval_str=True)
    if isinstance(mutates_args, str) and mutates_args != "unknown":
        raise ValueError(
            "mutates_args must either be a sequence of the names of the arguments that are mutated or the string "
            "'unknown'. "
        )

    def refuse(what):
        raise ValueError(f"infer_schema(func): {what} Got func with signature {signature})")

    arguments = []
    for p in signature.parameters.values():
        if p.kind not in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY):
            refuse("We do not support positional-only args, varargs, or varkwargs.")
        if p.annotation is p.empty:
            refuse(f"Parameter {p.name} must have a type annotation.")
        kind = _kind(p.annotation)
        if kind is None:
            refuse(
                f"Parameter {p.name} has unsupported type {p.annotation}. The valid types are: Tensor, numbers, str, "
                "dtype, device, and Optional and Sequence of them."
            )
        mutated = ""
        if p.name in mutates_args or mutates_args == "unknown" and kind.startswith("Tensor"):
            if not kind.startswith("Tensor"):
                refuse(
                    f"Parameter {p.name} is in mutable_args but only Tensors or collections of Tensors can be mutated"
                )
            mutated = f"a{len(arguments)}!"
        default = NO_DEFAULT if p.default is p.empty else p.default
        arguments.append(Argument(p.name, kind, default, mutated, p.kind is p.KEYWORD_ONLY))
    unknown = set(() if mutates_args == "unknown" else mutates_args) - {a.name for a in arguments}
    if unknown:
        refuse(
            f"{unknown} in mutates_args were not found in the custom op's signature. mutates_args should contain the "
            "names of all args that the custom op mutates, or just the string 'unknown' if you don't know."
        )
    if signature.return_annotation is signature.empty:
        refuse("No return type annotation was provided. Please add one.")
    returns = [Argument("", kind) for kind in _results(signature.return_annotation, refuse)]
    return FunctionSchema(name, arguments, returns)


def _kind(annotation):
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        rest = [t for t in inner if t is not type(None)]
        kind = "Scalar" if set(rest) == _NUMBER else _kind(rest[0]) if len(rest) == 1 else None
        return kind and kind + "?" * (len(rest) < len(inner))
    if origin in _SEQUENCES and inner:
        kind = _kind(inner[0])
        return kind and kind + "[]"
    return None


def _results(annotation, refuse):
    if annotation is None or annotation is type(None):
        return []
    if typing.get_origin(annotation) is tuple:
        kinds = [_kind(t) for t in typing.get_args(annotation)]
    else:
        kinds = [_kind(annotation)]
    if None in kinds:
        refuse(f"Return has unsupported type {annotation}.")
    return kinds


__all__ = ["of_function", "parsed"]
