"""What an overload computes: the function of lucid's of that name, or one that is written here."""

import functools
import inspect

from .._backend.registry import FUNCTIONS, NAMESPACES, OPS
from .._base.shape import wrap_dim
from .._tensor.tensor import Tensor
from . import (  # noqa: F401 - they fill the table
    backward_kernels,
    composite_kernels,
    fused_kernels,
    layer_kernels,
    private_kernels,
    random_kernels,
    table,
    tensor_kernels,
)
from .calls import CALLS, REDUCTIONS, RENAMED, Spelling
from .kernel_table import KERNELS

_PLACES = (("", "torch"), ("", "nn.functional"), ("special_", "special"), ("linalg_", "linalg"), ("fft_", "fft"))


class Kernel:
    """What computes an overload: `function` of what `arrange` makes of the values of all arguments, (args, kwargs)."""

    __slots__ = ("function", "arrange")

    def __init__(self, function, arrange):
        self.function, self.arrange = function, arrange

    def __call__(self, values):
        args, kwargs = self.arrange(values)
        return self.function(*args, **kwargs)


def _as_they_are(values):
    return values, {}


def kernel_of(overload):
    """values of all arguments -> result; NotImplementedError where lucid has nothing of that name."""
    schema, name = overload._schema, overload._opname
    if any(a.is_out for a in schema.arguments):
        return _out_form(overload)
    if hasattr(overload, "of_values"):  # an op of torch.library's
        return overload.of_values
    own = KERNELS.get(f"{name}.{overload._overloadname}") or KERNELS.get(name)
    if own is not None:
        return Kernel(own, _as_they_are)
    whole = overload.is_composite and _in_torch(name)  # a function of torch's own takes the composite's arguments
    f = _by_name(overload) if f"{name}_op" in OPS and not whole else None
    if f is None and not _in_torch(name):
        f = _exact(overload)
    if f is None and (public := function_of(name)) is not None:
        f = Kernel(public, functools.partial(_python_call, schema.arguments, by_number=_in_torch(name)))
    f = f or _spelled(overload) or _by_name(overload)
    if f is None:
        raise NotImplementedError(f"{overload}: lucid has no such op")
    return f


def function_of(name):
    """lucid's public function or method of an ATen name, or None."""
    for prefix, place in _PLACES:
        f = NAMESPACES.get(place, {}).get(name[len(prefix) :]) if name.startswith(prefix) else None
        if f is not None and (place != "nn.functional" or _takes_the_same(name, f)):
            return f
    f = getattr(Tensor, name, None)
    return f if callable(f) else FUNCTIONS.get(name)


def _takes_the_same(name, f):
    """Are a layer function's parameters, which torch writes in Python, those of the ATen op?"""
    own = [p for p in inspect.signature(getattr(f, "body", f)).parameters if p not in ("_",)]
    for row in table.functional(name):
        names = ["input" if a.name == "self" else a.name for a in row.schema.arguments]
        if names[: len(own)] == own or own[: len(names)] == names:
            return True
    return False


def _python_call(arguments, values, by_number=False):
    """(args, kwargs) of a function that has the same parameters: those that are not as by default; by_number: it is one
    of torch's C++ half, which has numbers for reductions."""
    last = arguments[-1].name == "alpha" and len(arguments) == 3  # add.Scalar(x, 2, 3): a keyword for Python
    plain = [(a, v) for a, v in zip(arguments, values) if not a.kwarg_only and not (last and a.name == "alpha")]
    while plain and plain[-1][0].has_default_value() and _same(plain[-1][1], plain[-1][0].default):
        plain.pop()
    named = {
        a.name: v
        for a, v in zip(arguments, values)
        if (a.kwarg_only or last and a.name == "alpha") and not _same(v, a.default)
    }
    named.pop("layout", None), named.pop("pin_memory", None)
    # a pool's own size is its stride
    plain = [(a, None if a.name == "stride" and a.default == v == [] else v) for a, v in plain]
    if by_number:
        return [v for _, v in plain], named
    return [REDUCTIONS[v] if a.name == "reduction" and type(v) is int else v for a, v in plain], named


def _same(value, default):
    return value is default or not isinstance(value, Tensor) and type(value) is type(default) and value == default


def _spelled(overload):
    """The op of lucid's whose calls are spelled as this overload, as a function of the overload's arguments."""
    name, which = overload._opname, overload._overloadname
    for label, how in CALLS.items():
        if isinstance(how, Spelling) and how.name == name and how.results is None and (how.which or "default") == which:
            return _renamed(OPS[label], how, overload._schema.arguments)
    return None


def _in_torch(name):
    """Has one of torch's own modules a function of the name?"""
    homes = [(prefix, place) for prefix, place in _PLACES if place != "nn.functional"]
    return any(name.startswith(prefix) and name[len(prefix) :] in NAMESPACES.get(place, {}) for prefix, place in homes)


def _exact(overload):
    """The op of lucid's that has this name and all parameters of the overload."""
    op = OPS.get(overload._opname)
    if (
        op is None
        or op.varargs
        or not {a.name for a in overload._schema.arguments} - {"self"} <= {*op.inputs, *op.options}
    ):
        return None
    return _renamed(op, Spelling(overload._opname), overload._schema.arguments)


def _by_name(overload):
    """The op of lucid's with nearly this name."""
    bare = overload._opname.removeprefix("_").removeprefix("native_").removeprefix("special_")
    op = OPS.get(f"{bare}_op") or OPS.get(bare)
    return None if op is None else _renamed(op, Spelling(overload._opname), overload._schema.arguments)


def _renamed(op, how, arguments):
    """op's function, of arguments in the order and with the names of a schema."""
    names = (*op.inputs, *op.options)
    # Ops behind a public function are given its dim as they want it: counted from the front.
    from_front = "dim" in op.options and getattr(op, "prepare", None) is None

    def arranged(all_values):
        values = {}
        for a, value in zip(arguments, all_values):
            name = a.name
            if name in how.constants:
                if value != how.constants[name]:
                    raise NotImplementedError(f"{how.overload}: lucid knows no {name}={value}")
                continue
            key = how.renamed.get(name, name)
            if key not in names:
                key = next((n for n in RENAMED.get(name, ()) if n in names), op.inputs[0] if name == "self" else None)
            if key is None:
                if not _same(value, a.default):
                    raise NotImplementedError(f"{how.overload}: lucid knows no {name}={value}")
                continue
            if key == "padding_idx" and value == -1:
                value = op.defaults.get(key)
            elif a.default == value == [] and key == "stride":
                value = None
            values[key] = REDUCTIONS[value] if key == "reduction" and type(value) is int else value
        if from_front and type(values.get("dim")) is int:
            values["dim"] = wrap_dim(values["dim"], all_values[0].ndim)
        return [values.pop(n, None) for n in op.inputs], values

    return Kernel(op.fn, arranged)


def _out_form(overload):
    """The out= form: what the plain one computes, written into the given tensors."""
    schema = overload._schema
    f = function_of(overload._opname)
    if f is None:
        raise NotImplementedError(f"{overload}: lucid has no such op")
    plain = [a for a in schema.arguments if not a.is_out]

    def call(values):
        outs = [v for a, v in zip(schema.arguments, values) if a.is_out]
        given = [v for a, v in zip(schema.arguments, values) if not a.is_out]
        args, kwargs = _python_call(plain, given)
        return f(*args, **kwargs, out=outs[0] if len(outs) == 1 else tuple(outs))

    return call
