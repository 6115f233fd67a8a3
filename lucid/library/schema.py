"""Schemas of ops of one's own, `(Tensor x, SymInt n=2) -> Tensor`: from annotations or text, and what they check."""

import inspect
import numbers
import re
import types
import typing
from collections.abc import Sequence

from .._base.device import device
from .._base.dtype import dtype
from .._tensor.tensor import Tensor

NO_DEFAULT = object()
_PLAIN = {Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", str: "str", dtype: "ScalarType"}
_PLAIN |= {device: "Device", numbers.Number: "Scalar", complex: "complex"}
_NUMBER = {int, float, bool}
_SEQUENCES = (list, Sequence, tuple)

# What a value of each kind must be, and what messages call the kind.
_TESTS = {
    "Tensor": (lambda x: isinstance(x, Tensor), "Tensor"),
    "SymInt": (lambda x: isinstance(x, int) and not isinstance(x, bool), "int"),
    "float": (lambda x: isinstance(x, (int, float)) and not isinstance(x, bool), "float"),
    "bool": (lambda x: isinstance(x, bool), "bool"),
    "str": (lambda x: isinstance(x, str), "str"),
    "Scalar": (lambda x: isinstance(x, numbers.Number), "number"),
    "complex": (lambda x: isinstance(x, numbers.Number), "complex"),
    "ScalarType": (lambda x: isinstance(x, dtype), "int"),
    "Device": (lambda x: isinstance(x, (device, str)), "Device"),
}
_TESTS["int"] = _TESTS["SymInt"]


class Argument:
    """One parameter: its name, its kind ("Tensor", "SymInt", "Tensor[]", "float?" ...), its default."""

    def __init__(self, name, kind, default=NO_DEFAULT, mutated=False, keyword_only=False):
        self.name, self.type, self.default, self.mutated = name, kind, default, mutated
        self.kwarg_only = keyword_only

    def __str__(self):
        kind = self.type.replace("Tensor", "Tensor(a!)", 1) if self.mutated is True else self.type
        if isinstance(self.mutated, str):
            kind = self.type.replace("Tensor", f"Tensor({self.mutated}!)", 1)
        return f"{kind} {self.name}" + ("" if self.default is NO_DEFAULT else f"={_literal(self.default)}")

    def accepts(self, value):
        """Is value of this kind?"""
        return _accepts(self.type, value)


def _accepts(kind, value):
    if kind.endswith("?"):
        return value is None or _accepts(kind[:-1], value)
    if kind.endswith("[]"):
        return isinstance(value, (list, tuple)) and all(_accepts(kind[:-2], v) for v in value)
    return _TESTS[kind][0](value) if kind in _TESTS else True


def _literal(value):
    return f'"{value}"' if isinstance(value, str) else str(value)


class Schema:
    """The name of an op, its arguments, and the kinds of its results."""

    def __init__(self, name, arguments, returns):
        self.name, self.arguments, self.returns = name, arguments, returns

    def __str__(self):
        return self.name + self.text()

    __repr__ = __str__

    def text(self):
        """All but the name."""
        parts = []
        for a in self.arguments:
            if a.kwarg_only and "*" not in parts:
                parts.append("*")
            parts.append(str(a))
        results = self.returns[0] if len(self.returns) == 1 else f"({', '.join(self.returns)})"
        return f"({', '.join(parts)}) -> {results}"

    def bound(self, args, kwargs):
        """The values of all arguments in order; RuntimeError with the schema where they do not fit."""
        told = f"Declaration: {self}"
        if len(args) > len(self.arguments):
            raise RuntimeError(
                f"{self.name}() expected at most {len(self.arguments)} argument(s) but received {len(args)} "
                f"argument(s). {told}"
            )
        for name in kwargs:
            if name not in [a.name for a in self.arguments]:
                raise RuntimeError(f"Unknown keyword argument '{name}' for operator '{self.name}'. Schema: {self}")
        values = []
        for i, a in enumerate(self.arguments):
            value = args[i] if i < len(args) else kwargs.get(a.name, a.default)
            if value is NO_DEFAULT:
                raise RuntimeError(f"{self.name}() is missing value for argument '{a.name}'. {told}")
            if not a.accepts(value):
                wanted = _TESTS.get(a.type, (None, a.type))[1]
                raise RuntimeError(
                    f"{self.name}() Expected a value of type '{wanted}' for argument '{a.name}' but instead found type "
                    f"'{type(value).__name__}'.\nPosition: {i}\nValue: {value!r}\n{told}"
                )
            values.append(device(value) if a.type == "Device" and isinstance(value, str) else value)
        return values


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

    arguments, n_mutated = [], 0
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
        mutated = False
        if p.name in mutates_args or mutates_args == "unknown" and kind.startswith("Tensor"):
            if not kind.startswith("Tensor"):
                refuse(
                    f"Parameter {p.name} is in mutable_args but only Tensors or collections of Tensors can be mutated"
                )
            mutated, n_mutated = f"a{n_mutated}", n_mutated + 1
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
    return Schema(name, arguments, _results(signature.return_annotation, refuse))


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


# ---- from text

_ARGUMENT = re.compile(r"(?P<kind>\w+)(\((?P<mutated>[^)]*)\))?(?P<rest>[\[\]?\d]*) (?P<name>\w+)(=(?P<default>.+))?")


def parsed(text, namespace=""):
    """The schema that a text says: "foo(Tensor x, int n=2) -> Tensor"."""
    found = re.fullmatch(r"\s*([\w:.]*)\s*\((.*)\)\s*->\s*(.+?)\s*", text, re.S)
    if found is None:
        raise RuntimeError(f"{text!r} is no schema: expected name(Type argument, ...) -> Type")
    name, arguments, results = found.groups()
    made, keyword_only = [], False
    for part in filter(None, map(str.strip, re.split(r",(?![^\[(]*[\])])", arguments))):
        if part == "*":
            keyword_only = True
            continue
        a = _ARGUMENT.fullmatch(part)
        if a is None:
            raise RuntimeError(f"{part!r} in {text!r} is no argument: expected Type name, or Type name=default")
        default = NO_DEFAULT if a["default"] is None else _value(a["default"])
        kind = a["kind"] + re.sub(r"\d", "", a["rest"])
        mutated = a["mutated"].rstrip("!") if a["mutated"] and "!" in a["mutated"] else False
        made.append(Argument(a["name"], kind, default, mutated, keyword_only))
    results = results.strip()
    results = results[1:-1] if results.startswith("(") else results
    kinds = [re.sub(r"\(.*?\)", "", r).split()[0] for r in results.split(",") if r.strip()]
    return Schema(f"{namespace}::{name}" if namespace else name, made, kinds)


def _value(text):
    known = {"None": None, "True": True, "False": False}
    if text in known:
        return known[text]
    if text[0] in "'\"":
        return text[1:-1]
    if text[0] == "[":
        return [_value(v.strip()) for v in text[1:-1].split(",") if v.strip()]
    try:
        return int(text)
    except ValueError:
        return float(text)
