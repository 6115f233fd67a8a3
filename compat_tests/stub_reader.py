"""Reads lucid's .pyi files: what a stub says of a name, and whether a call agrees with it."""

import ast
import functools
import inspect
import pathlib
import types
from collections.abc import Callable, Sequence
from typing import SupportsIndex

import numpy

import lucid

HOUSE = pathlib.Path(lucid.__file__).parent
CLASSES = {
    "Callable": Callable,
    "Device": (lucid.device, str, int, type(None)),
    "Generator": lucid.Generator,
    "Number": (int, float),
    "Size": lucid.Size,
    "Tensor": lucid.Tensor,
    "EllipsisType": types.EllipsisType,
    "SupportsIndex": SupportsIndex,
    "bool": bool,
    "complex": (int, float, complex),
    "device": lucid.device,
    "dtype": lucid.dtype,
    "float": (int, float),
    "int": int,
    "layout": lucid.layout,
    "memory_format": lucid.memory_format,
    "ndarray": numpy.ndarray,
    "object": object,
    "slice": slice,
    "str": str,
    "type": type,
}


@functools.cache
def functions(place):
    """Name -> overloads (as nodes) of the functions of a place; names that it takes from lucid itself are in it too."""
    path = HOUSE / ("_tensor/tensor" if place == "Tensor" else place.replace(".", "/"))
    path = path / "__init__.pyi" if path.is_dir() else path.with_suffix(".pyi")
    body = ast.parse(path.read_text()).body
    if place == "Tensor":
        body = next(node.body for node in body if isinstance(node, ast.ClassDef) and node.name == "Tensor")
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.ImportFrom) and node.module is None and place not in ("", "Tensor"):
            found.update({a.name: functions("")[a.name] for a in node.names if a.name in functions("")})
    return found


def fits(kind, value):
    """Is a value of the type that an annotation says?"""
    if isinstance(kind, ast.BinOp):
        return fits(kind.left, value) or fits(kind.right, value)
    if isinstance(kind, ast.Constant):
        return value is kind.value
    if isinstance(kind, ast.Attribute):  # return_types.max
        return type(value).__name__ == kind.attr
    if isinstance(kind, ast.Name):
        name = kind.id.removeprefix("_")
        return name in ("Any", "Self") or isinstance(value, CLASSES[name])
    base, inner = kind.value.id.removeprefix("_"), kind.slice
    if base == "Literal":
        return value in [v.value for v in (inner.elts if isinstance(inner, ast.Tuple) else [inner])]
    if base == "Sequence":
        return isinstance(value, Sequence) and not isinstance(value, str) and all(fits(inner, v) for v in value)
    if base in ("ndarray", "Callable"):
        return isinstance(value, CLASSES[base])
    assert base == "tuple", ast.unparse(kind)
    if not isinstance(value, tuple):
        return False
    if isinstance(inner.elts[-1], ast.Constant):
        return all(fits(inner.elts[0], v) for v in value)
    return len(value) == len(inner.elts) and all(map(fits, inner.elts, value))


def parameters(node):
    """The parameters of a def, as inspect has them."""
    a, kinds = node.args, inspect.Parameter
    positional = a.posonlyargs + a.args
    defaults = [None] * (len(positional) - len(a.defaults)) + a.defaults
    given = [(x, kinds.POSITIONAL_OR_KEYWORD, d) for x, d in zip(positional, defaults)]
    given[: len(a.posonlyargs)] = [(x, kinds.POSITIONAL_ONLY, d) for x, _, d in given[: len(a.posonlyargs)]]
    given += [(a.vararg, kinds.VAR_POSITIONAL, None)] if a.vararg else []
    given += [(x, kinds.KEYWORD_ONLY, d) for x, d in zip(a.kwonlyargs, a.kw_defaults)]
    given += [(a.kwarg, kinds.VAR_KEYWORD, None)] if a.kwarg else []
    return [
        kinds(x.arg, kind, default=kinds.empty if default is None else default, annotation=x.annotation)
        for x, kind, default in given
    ]


def mismatch(node, args, kwargs):
    """Why a call does not agree with a def, or None."""
    signature = inspect.Signature(parameters(node))
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        return str(error)
    for name, value in bound.arguments.items():
        p = signature.parameters[name]
        values = value if p.kind is p.VAR_POSITIONAL else value.values() if p.kind is p.VAR_KEYWORD else [value]
        for v in values:
            if p.annotation is not None and not fits(p.annotation, v):
                return f"{name}: {ast.unparse(p.annotation)}, not {type(v).__name__}"
    return None
