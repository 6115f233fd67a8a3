"""torch.overrides: letting types and modes take over torch's functions."""

import contextlib
import functools
import importlib
import inspect
import re
import types

from ._backend.registry import NAMESPACES
from ._backend.watched import asks
from ._backend.written import compile_now
from ._base.state import local
from ._func.nn.dropout import TORCH_FORMS
from ._modes import torch_function as _overriding
from ._modes.torch_function import (
    handle_torch_function,
    has_torch_function,
    is_tensor_like,
    redispatch_function,
    wrap_torch_function,
)
from ._tensor.tensor import Tensor

TorchFunctionMode, BaseTorchFunctionMode = _overriding.TorchFunctionMode, _overriding.BaseTorchFunctionMode
has_torch_function_unary = _overriding.has_torch_function_unary
has_torch_function_variadic = _overriding.has_torch_function_variadic
_push_mode, _pop_mode, _pop_mode_temporarily = (
    _overriding.push_mode,
    _overriding.pop_mode,
    _overriding.without_innermost,
)
_get_current_function_mode_stack, _get_overloaded_args = _overriding.function_modes, _overriding.overriding


# What never asks: factories, and what takes no tensor or looks at it as a Python object.
_IGNORED = set(
    """arange bartlett_window blackman_window empty_permuted hamming_window hann_window kaiser_window from_dlpack
    segment_reduce as_strided as_tensor asarray empty empty_strided eye fill from_file from_numpy frombuffer full
    is_tensor linspace logspace normal ones rand rand_like randint randint_like randn randn_like randperm range
    result_type scalar_tensor sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor
    sparse_csc_tensor sparse_csr_tensor tensor tril_indices triu_indices vander zeros""".split()
)
_IGNORED_LAYERS = {
    "grouped_mm",
    "hardsigmoid",
    "hardswish",
    "scaled_mm",
    "sigmoid",
    "tanh",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
}
_IGNORED_METHODS = set(
    """__delitem__ __dir__ __getattribute__ __init__ __iter__ __init_subclass__ __hash__ __torch_function__ __new__
    __class__ __subclasshook__ as_subclass new new_tensor new_empty new_empty_strided new_full new_ones new_zeros
    eig lstsq solve symeig reinforce _make_subclass stride unflatten to_padded_tensor to_sparse_bsc to_sparse_bsr
    to_sparse_coo to_sparse_csc to_sparse_csr _conj __abs__ __neg__ __pos__ __pow__ __ipow__ __rtruediv__
    __itruediv__ __div__ __idiv__ is_hpu""".split()
)
_OPERATORS = re.compile(
    "__[ri]?(add|and|div|eq|floordiv|ge|gt|le|lshift|lt|matmul|mod|mul|ne|or|pow|rshift|sub|truediv|xor)__"
)
_STEPS = {"squeeze_copy_0", "squeeze_copy_1", "squeeze_copy_2", "window_copy"}  # of lucid's own
_FILLS = ("uniform_", "normal_", "constant_", "kaiming_uniform_")
_PLACES = {"torch": "", "nn.functional": "nn.functional.", "linalg": "linalg.", "special": "special."}


def _module(place):
    return importlib.import_module(__name__.rpartition(".")[0] + ("" if place == "torch" else f".{place}"))


def _listed(place):
    """(name, function) of what torch counts as overridable in one of its modules, in the order of the names."""
    ignored = {"torch": _IGNORED, "nn.functional": _IGNORED_LAYERS}.get(place, ())
    functions = NAMESPACES[place] | (TORCH_FORMS if place == "torch" else {})
    for name, f in sorted(functions.items()):
        name = name.removeprefix("linalg_") if place == "linalg" else name
        if not name.startswith("_") and not name.endswith("_") and name not in ignored and name not in _STEPS:
            yield name, f


def _attributes():
    """(name, attribute) of Tensor that asks."""
    for name, attribute in sorted(vars(Tensor).items()):
        if name not in _IGNORED_METHODS and (asks(name, attribute) or _OPERATORS.fullmatch(name)):
            yield name, attribute


def resolve_name(f):
    """resolve_name(f) -> str such as "torch.add" or "torch.Tensor.view", or None for a function that is not torch's."""
    return f if isinstance(f, str) else _names().get(f)


@functools.cache
def _names():
    """{function: its full name}: of a function that has several, the last in torch's order."""
    found = {}
    for place in ("torch", "functional", "nn.functional", "nn.init", "Tensor", "linalg", "fft", "special"):
        where = Tensor if place == "Tensor" else _module(place)
        full = place if place == "torch" else f"torch.{place}"
        for name in sorted(dir(where)):
            f = getattr(where, name)
            if name.startswith("_") if place != "Tensor" else getattr(object, name, None) == f:
                continue
            if isinstance(f, property):
                found[f.__get__], found[f.__set__] = f"{full}.{name}.__get__", f"{full}.{name}.__set__"
            elif callable(f) and getattr(f, "__hash__", None) and not isinstance(f, types.ModuleType):
                if place != "functional" or (getattr(f, "__module__", None) or "").endswith(".functional"):
                    found[f] = f"{full}.{name}"
    return found


def is_tensor_method_or_property(func):
    """is_tensor_method_or_property(func) -> bool: is it one of Tensor's methods, or the getter of a property?"""
    return func.__name__ == "__get__" or any(func is value for _, value in _attributes())


def get_overridable_functions():
    """get_overridable_functions() -> {place: [function, ...]}: what asks __torch_function__."""
    found = {_module(place): [f for _, f in _listed(place)] for place in _PLACES}
    found[Tensor] = [a for _, a in _attributes() if not isinstance(a, property)]
    found.update({a: [a.__get__] for _, a in _attributes() if isinstance(a, property)})
    return found


def get_ignored_functions():
    """get_ignored_functions() -> set of functions that never ask __torch_function__ (those that take no tensors)."""
    found = {NAMESPACES["torch"][name] for name in _IGNORED if name in NAMESPACES["torch"]}
    found |= {NAMESPACES["nn.functional"][n] for n in _IGNORED_LAYERS if n in NAMESPACES["nn.functional"]}
    return found | {getattr(Tensor, n) for n in _IGNORED_METHODS if hasattr(Tensor, n) and n != "__class__"}


@functools.cache
def get_testing_overrides():
    """get_testing_overrides() -> {function: lambda with its parameters returning -1}."""
    listed = [f for functions in get_overridable_functions().values() for f in functions]
    return {f: _with_parameters(f) for f in [*listed, *(getattr(_module("nn.init"), name) for name in _FILLS)]}


def _with_parameters(f):
    """lambda <parameters of f>: -1"""
    if getattr(f, "__name__", "") == "__get__":
        return lambda self: -1
    plain = getattr(f, "__func__", f)
    if hasattr(plain, "write"):
        compile_now(plain)
    text, defaults = [], {}
    for p in inspect.signature(f).parameters.values():
        if p.kind is p.KEYWORD_ONLY and "*" not in "".join(text):
            text.append("*")
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        text.append(star + p.name + ("" if p.default is p.empty else f"=D_{p.name}"))
        defaults[f"D_{p.name}"] = p.default
    return eval(f"lambda {', '.join(text)}: -1", defaults)


def _get_current_function_mode():
    modes = _get_current_function_mode_stack()
    return modes[-1] if modes else None


def _is_torch_function_mode_enabled():
    return bool(local.interpreters)


__all__ = [
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "resolve_name",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "wrap_torch_function",
    "redispatch_function",
]


@contextlib.contextmanager
def enable_reentrant_dispatch():
    """with enable_reentrant_dispatch(): calls in a __torch_dispatch__ are told to classes and modes again; here they
    always are."""
    yield


def get_default_nowrap_functions():
    """get_default_nowrap_functions() -> set of what the default __torch_function__ gives as it is, in no
    subclass."""
    return set(_overriding._AS_THEY_ARE)
