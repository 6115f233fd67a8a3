"""Functions that are one ATen op in torch and no op of lucid's graph: factories, random fills, questions.

They are told to modes by their name and arguments, as signatures of torch's read them.
"""

import inspect

from .._backend.dispatch import asked, tell, tensors_of
from .._base.device import device as device_type
from .._base.state import defaults, grad_enabled, local
from .._tensor.tensor import Tensor, contiguous_format, preserve_format, strided
from .resolving import resolved

# Functions that take a size and say where a new tensor is.
_FACTORIES = set(
    """zeros ones empty full eye arange linspace logspace rand randn randint randperm scalar_tensor empty_strided
    empty_permuted tril_indices triu_indices hann_window hamming_window blackman_window bartlett_window kaiser_window
    zeros_like ones_like empty_like full_like rand_like randn_like randint_like""".split()
)
_NEW = {"new_zeros", "new_ones", "new_empty", "new_full", "new_empty_strided"}
# ATen names of others, by the function's.
_OTHERS = set(
    """equal bucketize searchsorted unique_consecutive nonzero_static normal bernoulli multinomial poisson binomial
    histc bincount uniform_ normal_ exponential_ cauchy_ log_normal_ geometric_ bernoulli_ random_ resize_ set_
    allclose lu_unpack linalg_lu linalg_lu_solve triangular_solve kaiser_window vander cartesian_prod_ aminmax_
    multilabel_margin_loss_forward""".split()
) - {"vander", "cartesian_prod_", "aminmax_"}
_NAMES = {"empty": "empty.memory_format", "lu_solve": "linalg_lu_solve"}
_DIFFERENTIABLE = {"lu_unpack", "linalg_lu", "linalg_lu_solve", "triangular_solve", "normal", "bernoulli"}
_DROPPED = ("requires_grad", "out", "names")


def leaf(f, args, kwargs):
    """(True, result) of a call of the function or method f, where it is such a leaf."""
    name = f.__name__
    if name not in _FACTORIES and name not in _OTHERS and name not in _NEW or kwargs.get("out") is not None:
        return False, None
    tensors = tensors_of(args, kwargs)
    if not asked(tensors):
        return False, None
    if name in _DIFFERENTIABLE and grad_enabled() and any(t.requires_grad for t in tensors):
        return False, None
    call = _arranged(f, name, args, kwargs)
    if call is None:
        return False, None
    if "nondeterministic_seeded" in call.func._tags and any(frame.randomness for frame in local.frames):
        raise NotImplementedError(f"{name}: random numbers inside of vmap cannot be traced by lucid yet")
    got = tell(call.func, tensors, call.args, call.kwargs)
    for frame in local.frames:
        if frame.takes_new:
            got = frame.receive(got)
    return True, got.requires_grad_() if kwargs.get("requires_grad") else got


def _arranged(f, name, args, kwargs):
    values = _values(f, args, {k: v for k, v in kwargs.items() if k not in _DROPPED})
    if name == "arange":
        values = _range(args, dict(kwargs))
    if name in _FACTORIES and not name.endswith("_like"):
        values.setdefault("device", device_type("cpu"))
        values["pin_memory"] = False
        if local.in_formula:  # as C++ code asks for a tensor
            del values["pin_memory"]
            values["layout"] = strided
            if name != "arange":
                values.setdefault("dtype", defaults.dtype)
    if name.endswith("_like") or name in _NEW:
        values["pin_memory"] = values.get("pin_memory") or False
        if values.get("memory_format") is preserve_format or "memory_format" not in values:
            values.pop("memory_format", None)
            if name.endswith("_like") and name not in ("rand_like", "randn_like", "randint_like"):
                values["memory_format"] = preserve_format
    elif values.get("memory_format") is contiguous_format:
        values.pop("memory_format")
    values = {k: device_type(v) if k == "device" and isinstance(v, str) else v for k, v in values.items()}
    full, _, which = _NAMES.get(name, name).partition(".")
    if name == "arange":
        which = "start_step" if "step" in values else "start" if "start" in values else "default"
    return resolved(full, values, {}, which)


def _values(f, args, kwargs):
    """The arguments by name, without those that are None."""
    signature = inspect.signature(getattr(f, "body", f))
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError:
        bound = dict(kwargs)
    values = {}
    for name, value in bound.items():
        kind = signature.parameters[name].kind if name in signature.parameters else None
        if kind is inspect.Parameter.VAR_POSITIONAL:
            values[_VARIADIC.get(f.__name__, name)] = _size(value)
        elif kind is inspect.Parameter.VAR_KEYWORD:
            values.update({k: v for k, v in value.items() if v is not None})
        elif value is not None:
            values[name] = value
    if f.__name__ in _SPREAD:
        _spread(f.__name__, values, args)
    return values


_VARIADIC = {"size": "size"}
_SPREAD = {
    "uniform_": ("from", "to"),
    "normal_": ("mean", "std"),
    "exponential_": ("lambd",),
    "cauchy_": ("median", "sigma"),
}
_SPREAD |= {"log_normal_": ("mean", "std"), "random_": ("from", "to"), "randint": ("low", "high", "size")}


def _spread(name, values, args):
    """Parameters that lucid takes as a tuple, under torch's names."""
    for key in ("bounds", "moments", "rate", "place", "args"):
        values.pop(key, None)
    given = [a for a in args if not isinstance(a, Tensor)]
    names = _SPREAD[name]
    if name == "random_" and len(given) == 1:
        names = ("to",)
    if name == "randint":
        names = ("low", "high", "size") if len(given) == 3 else ("high", "size")
    values.update(zip(names, given))


def _size(value):
    return list(value[0]) if len(value) == 1 and isinstance(value[0], (tuple, list)) else list(value)


def _range(args, kwargs):
    names = ("end",) if len(args) == 1 and "end" not in kwargs else ("start", "end", "step")
    values = {k: v for k, v in (dict(zip(names, args)) | kwargs).items() if v is not None and k not in _DROPPED}
    return values
