"""How a call of one of lucid's ops is spelled as an ATen call.

An op of lucid's is what torch's autograd records, so its name and its parameters nearly always say which overload it
is: the one of that name whose arguments they fill. Where they do not, CALLS (calls.py) has the op.
"""

import functools

from .._backend.dispatch import Call, tell
from .._base.state import local
from .._tensor.storage import link_alias
from .._tensor.tensor import Tensor, preserve_format
from . import backward_formulas, backward_products, backward_reductions, backward_spectral, call_rules, table  # noqa: F401 - they fill BACKWARD and CALLS
from .backward_calls import backward_call, saved_results
from .calls import CALLS
from .leaf_calls import leaf
from .overloads import NUMBERS_FOR_TENSORS, aten
from .own_ops import own_call
from .resolving import resolved

_PREFIXES = ("special_", "linalg_", "fft_", "_linalg_", "native_")


_BY_NUMBER = {"add", "sub", "mul", "div"}


def spell(op, tensors, options, out=None, form=""):
    """The Call that an op's call is, or None where torch has no such op; form: "_" for the in-place one."""
    found = _in_atens_words(op, tensors, options, out, form)
    if found is None and not form and out is None and local.dispatch_modes and local.dispatch_modes[-1].sees_own_ops:
        return own_call(op, tensors, options)
    return found


def _in_atens_words(op, tensors, options, out, form):
    names = (*op.inputs, *op.options)
    values = dict(zip(names, (*tensors, *options)))
    if local.spelling is not None:
        (name, args), local.spelling = local.spelling, None
        return Call(aten(name), args)
    how = CALLS.get(op.label)
    if callable(how):
        return how(values, form)
    if how is not None:
        name, which = how.name, how.which
        values = {a: values.pop(p) for a, p in how.renamed.items()} | values | how.constants
    else:
        name, which = op_name(op), ""
    if local.in_formula and name in _BY_NUMBER and not isinstance(tensors[-1], Tensor):
        which = "Scalar"  # C++ code with a number beside a tensor means this overload, Python code the other
    found = resolved(name + form, values, op.defaults, which, out)
    if found is None and form == "_" and which:
        found = resolved(name + form, values, op.defaults, "", out)
    if found is not None and how is not None and how.results is not None:
        found.results = how.keep
    return found


@functools.cache
def op_name(op):
    """The ATen name of an op that does not say otherwise: its own, or that with the prefix of one of torch's modules,
    whichever torch does not take apart."""
    bare = op.name.removesuffix("_op")
    names = [bare, *[prefix + bare for prefix in _PREFIXES], "_" + bare]
    known = [n for n in names if table.functional(n)]
    whole = [n for n in known if not all(r.is_composite for r in table.functional(n))]
    return (whole or known or names)[0]


def detach(t):
    """t.detach(), as modes see it."""
    found = tell(aten("detach"), [t], (t,), {})
    if isinstance(found, Tensor) and found is not t and found._extra is not None and found.requires_grad:
        found._node = found._extra = None
        link_alias(found, t)
    return found


def lift(t):
    """A new tensor of Python data, as modes see it."""
    return tell(aten("lift_fresh"), [t], (t,), {})


def ones_like(t):
    """The gradient that a scalar starts from, as modes see it."""
    return tell(aten("ones_like"), [t], (t,), {"pin_memory": False, "memory_format": preserve_format})


def copied(x, src):
    """x.copy_(src), as modes see it."""
    return tell(aten("copy_"), [x, src], (x, src), {})


def clone(t):
    """A copy, as modes see it."""
    return tell(aten("clone"), [t], (t,), {})


def backward(node, g, edges):
    """The gradients of a node by the ATen call that torch makes for it; None where torch makes several."""
    return backward_call(node, g, edges)


def is_composite(name):
    """Has torch a composite of this name in C++, which its Python function of the same name calls?"""
    return any([r.is_composite for r in table.functional(name)])


def check_errors(info, name):
    """torch's op that looks at the info of a factorization."""
    return tell(aten("_linalg_check_errors"), [info], (info, name, info.dim() == 0), {})


def view_as_type(x, dtype):
    """x read as another type."""
    return tell(aten("view.dtype"), [x], (x, dtype), {})


__all__ = [
    "NUMBERS_FOR_TENSORS",
    "aten",
    "backward",
    "check_errors",
    "view_as_type",
    "clone",
    "copied",
    "detach",
    "is_composite",
    "leaf",
    "lift",
    "ones_like",
    "resolved",
    "saved_results",
    "spell",
]
