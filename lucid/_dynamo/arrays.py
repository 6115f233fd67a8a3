"""NumPy arrays that a program makes of tensors: calls of numpy's functions with them become nodes, as in torch.

While a program is read such an array is an `Array`, which has a fake tensor. A node's function runs numpy's own on the
tensors' memory, so what it gives is what numpy gives. Functions whose results have a known type and shape are read, and
whatever else is done with an array ends the graph.
"""

import operator

from .._array.numpy import calls as numpy_calls
from .._backend.registry import NAMESPACES
from .._base.state import local
from .._modes.fake import faking, is_fake
from .._tensor.tensor import Tensor
from ..fx.experimental.proxy_tensor import ProxyTorchDispatchMode
from . import utils
from .array import Array, sample_of
from .builtins import BUILTINS
from .exc import Break
from .guards import Guard

_ONE = "sin cos tan exp log log2 log10 log1p expm1 sqrt square absolute negative tanh floor ceil sign"
_TWO = "add subtract multiply divide power maximum minimum"
_REDUCTIONS = "sum mean max min prod std var"
_NAMES = {"subtract": "sub", "multiply": "mul", "divide": "truediv", "negative": "neg", "absolute": "abs"}
_OPERATORS = {
    operator.add: "add", operator.sub: "subtract", operator.mul: "multiply", operator.truediv: "divide",
    operator.neg: "negative", operator.abs: "absolute",
}  # fmt: skip
_TYPES = set("float32 float64 int8 int16 int32 int64 uint8 bool".split())


def _real(x):
    """A tensor as what numpy takes."""
    if not isinstance(x, Tensor):
        return x
    found = x.numpy()
    return found if found.ndim else found[()]


def _wrapped(name):
    """The function of a node for numpy's function."""
    function = numpy_calls.function(name)

    def wrapped(*args, **kwargs):
        from_numpy = NAMESPACES["torch"]["from_numpy"]
        if not any(is_fake(a) for a in args if isinstance(a, Tensor)):
            return from_numpy(numpy_calls.array(function(*map(_real, args), **kwargs)))
        if any(isinstance(mode, ProxyTorchDispatchMode) for mode in local.dispatch_modes):
            raise NotImplementedError(f"numpy's {name} needs numbers: its graph is not traced below autograd")
        samples = [sample_of(a) if isinstance(a, Tensor) else a for a in args]
        result = numpy_calls.array(numpy_calls.dry(function, *samples, **kwargs))
        if result.dtype.name not in _TYPES:
            raise Break(f"a numpy array of {result.dtype}")
        dtype = from_numpy(numpy_calls.array(result.reshape(-1)[:0])).dtype
        with faking():
            return NAMESPACES["torch"]["zeros"](result.shape, dtype=dtype)

    wrapped.__name__ = wrapped.__qualname__ = f"wrapped_{_NAMES.get(name, name)}"
    wrapped.__module__ = utils.__name__
    setattr(utils, wrapped.__name__, wrapped)
    return wrapped


_WRAPPED = {numpy_calls.function(name): _wrapped(name) for name in f"{_ONE} {_TWO} {_REDUCTIONS}".split()}


def of_tensor(m, tensor, args, kwargs):
    """tensor.numpy()"""
    if args or kwargs or tensor.requires_grad or tensor.dtype.name not in _TYPES or not tensor.dim():
        raise Break("Tensor.numpy() needs the tensor's numbers")
    return Array(m.recorder.call("call_method", "view_as", Tensor.view_as, (tensor, tensor), {}))


def called(m, function, args, kwargs):
    """A call of numpy's function, with arrays among its arguments."""
    wrapped = _WRAPPED.get(function)
    if wrapped is None or not args or not all(type(a) is Array or type(a) in (int, float, bool) for a in args):
        raise Break(f"call of numpy's {getattr(function, '__name__', function)}")
    if not all(k in ("axis", "keepdims") and type(v) in (int, bool) for k, v in kwargs.items()):
        raise Break(f"arguments of numpy's {function.__name__}")
    given = tuple([a.tensor if type(a) is Array else a for a in args])
    sample = numpy_calls.dry(function, *[a.sample() if type(a) is Array else a for a in args], **kwargs)
    made = m.recorder.call("call_function", wrapped, wrapped, given, dict(kwargs))
    return Array(made, scalar=not isinstance(sample, numpy_calls.ndarray))


def operated(m, function, args):
    """An operator with an array."""
    found = _OPERATORS.get(function)
    if found is None:
        raise Break(f"operator {function.__name__} of a numpy array")
    return called(m, numpy_calls.function(found), args, {})


def attribute(m, array, name):
    """array.name"""
    if name in ("shape", "ndim", "size", "dtype", "itemsize", "nbytes"):
        return tuple(array.tensor.shape) if name == "shape" else getattr(array.sample(), name)
    if name in _REDUCTIONS.split():
        return Method(array, numpy_calls.function(name))
    raise Break(f"{name} of a numpy array")


class Method:
    """A method of an array, bound."""

    def __init__(self, array, function):
        self.array, self.function = array, function


def _enter():
    torch = NAMESPACES["torch"]
    for name in ("from_numpy", "as_tensor", "tensor"):
        _read_maker(torch[name], torch["tensor" if name == "tensor" else "as_tensor"])
    for function in _WRAPPED:
        _read_function(function)


def _read_maker(function, target):
    def made(m, frame, *args, **kwargs):
        if len(args) != 1 or kwargs or type(args[0]) is not Array:
            return m._call_torch(function, list(args), kwargs)
        if args[0].scalar:
            raise Break("a numpy number as a tensor")
        return m.recorder.call("call_function", target, target, (args[0].tensor,), {})

    BUILTINS[function] = made


def _read_function(function):
    def read(m, frame, *args, **kwargs):
        source = m.sources.get(id(function))
        if source is not None:
            m.guard(Guard(source, "is", function))
        if any(type(a) is Array for a in args):
            return called(m, function, list(args), kwargs)
        raise Break(f"call of numpy.{function.__name__}")

    BUILTINS[function] = read


_enter()
