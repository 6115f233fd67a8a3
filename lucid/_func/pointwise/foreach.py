"""torch._foreach_*: an op applied to each tensor of a list, as optimizers use it. It gives a tuple, or the list itself.

Each tensor's result has the node of the op itself; torch's nodes of the forms that are not in place are called
Foreach*Backward0.
"""

from ..._backend.families import not_implemented_error
from ..._backend.registry import FUNCTIONS, public
from ..._base.dtype import FLOATING
from ..._tensor.tensor import Tensor

_UNARY = """abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal
round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc""".split()
# name -> the op for a number in place of a second tensor
_BINARY = dict.fromkeys("add sub mul div pow".split())
_BINARY |= {"maximum": "clamp_min", "minimum": "clamp_max", "clamp_min": "clamp_min", "clamp_max": "clamp_max"}


def _listed(tensors, *others, scalars=None):
    """torch's errors for lists of different lengths."""
    if not len(tensors):
        raise RuntimeError("Tensor list must have at least one tensor.")
    for other in others:
        if len(other) != len(tensors):
            raise RuntimeError(
                f"Tensor lists must have the same number of tensors, got {len(tensors)} and {len(other)}"
            )
    if scalars is not None and len(scalars) != len(tensors):
        raise RuntimeError("Tensor list must have same number of elements as scalar list.")


def _each(tensors, second):
    """What stands beside each tensor: the second of a list, or one for all."""
    if not isinstance(second, (list, tuple)):
        _listed(tensors)
        if isinstance(second, Tensor) and second._array.ndim:
            raise RuntimeError(
                f"scalar tensor expected to be 0 dim but it has {second._array.ndim} dimensions and "
                f"{second._array.size} elements."
            )
        return [second] * len(tensors)
    if second and isinstance(second[0], Tensor):
        _listed(tensors, second)
    else:
        _listed(tensors, scalars=second)
    return second


def _publish(name, body, in_place, what):
    """body(name of the op, tensors, ...) as torch._foreach_<name> and, in place, as torch._foreach_<name>_."""

    def f(tensors, *args, **kwargs):
        return tuple(body(name, tensors, *args, **kwargs))

    def f_(tensors, *args, **kwargs):
        for _ in body(name + "_", tensors, *args, **kwargs):
            pass
        return tensors

    for g, ending in ((f, ""), (f_, "_")) if in_place else ((f, ""),):
        g.__name__ = g.__qualname__ = f"_foreach_{name}{ending}"
        g.__doc__ = f"{g.__name__}{what}"
        public(g.__name__, word=False)(g)


def _op(name):
    """The op of that name; some in-place forms are methods only."""
    return FUNCTIONS.get(name) or getattr(Tensor, name)


def _unary(name, tensors):
    _listed(tensors)
    return map(_op(name), tensors)


def _number_op(name, second):
    """The op of that name for a second operand that is a number, or that is a tensor."""
    bare, ending = name.rstrip("_"), "_" if name.endswith("_") else ""
    instead = None if isinstance(second, Tensor) else _BINARY[bare]
    return _op((instead or bare) + ending)


def _binary(name, tensors, other=None, *, alpha=None, scalar=None, scalars=None, exponent=None):
    other = next((x for x in (other, scalar, scalars, exponent) if x is not None), None)
    if not isinstance(tensors, (list, tuple)):  # _foreach_pow(2.0, exponents)
        _listed(other)
        return (FUNCTIONS["pow"](tensors, x) for x in other)
    more = {} if alpha is None else {"alpha": alpha}
    return (_number_op(name, b)(a, b, **more) for a, b in zip(tensors, _each(tensors, other)))


def _numbers(tensors, value):
    """One number for each tensor: of a number, of a list, of a tensor of one dimension."""
    if isinstance(value, Tensor):
        if value._array.ndim != 1:
            raise RuntimeError(f"Expected packed scalar Tensor to be of dimension 1. Got {value._array.ndim} instead.")
        if value._array.size != len(tensors):
            raise RuntimeError(
                f"Expected length of scalars to match input of length {len(tensors)} but got {value._array.size} "
                "instead."
            )
        return value.tolist()
    if isinstance(value, (list, tuple)):
        _listed(tensors, scalars=value)
        return value
    return [value] * len(tensors)


def _plus_product(name, tensors, tensor1, tensor2, value=1, *, scalars=None):
    _listed(tensors, tensor1, tensor2)
    numbers = _numbers(tensors, value if scalars is None else scalars)
    op = _op(name)
    return (op(x, a, b, value=v) for x, a, b, v in zip(tensors, tensor1, tensor2, numbers))


def _lerp(name, tensors, tensors1, weight=None, *, weights=None):
    weight = weights if weight is None else weight
    _listed(tensors, tensors1)
    op = _op(name)
    return (op(x, y, w) for x, y, w in zip(tensors, tensors1, _each(tensors, weight)))


for _name in _UNARY:
    _publish(_name, _unary, True, f"(tensors): {_name} of each tensor.")
for _name in _BINARY:
    _publish(_name, _binary, True, f"(tensors, other): {_name} of each tensor and a number, a tensor, or one of each.")
for _name in ("addcmul", "addcdiv"):
    _publish(_name, _plus_product, True, f"(tensors, tensor1, tensor2, value=1): {_name} of each three tensors.")
_publish("lerp", _lerp, True, "(tensors, tensors1, weight): lerp of each two tensors, by one weight or one of each.")


@public(word=False)
def _foreach_zero_(tensors):
    """_foreach_zero_(tensors): each tensor filled with 0."""
    _listed(tensors)
    for x in tensors:
        x.zero_()
    return tensors


@public(word=False)
def _foreach_copy_(tensors, src, non_blocking=False):
    """_foreach_copy_(tensors, src): each tensor filled with what src has at its place."""
    _listed(tensors, src)
    for x, y in zip(tensors, src):
        x.copy_(y)
    return tensors


@public(word=False)
def _foreach_clone(tensors, *, memory_format=None):
    """_foreach_clone(tensors): a copy of each tensor."""
    _listed(tensors)
    more = {} if memory_format is None else {"memory_format": memory_format}
    return tuple([x.clone(**more) for x in tensors])


@public(word=False)
def _foreach_max(tensors):
    """_foreach_max(tensors): the greatest element of each tensor."""
    _listed(tensors)
    if any(x._array.size == 0 for x in tensors):
        raise RuntimeError(
            "_foreach_max cannot compute the maximum of an empty tensor; max over zero elements is undefined."
        )
    return tuple([x.max() for x in tensors])


@public(word=False)
def _foreach_mm(tensors, mat2):
    """_foreach_mm(tensors, mat2): the product of each two matrices."""
    _listed(tensors, mat2)
    return tuple([x.mm(y) for x, y in zip(tensors, mat2)])


@public(word=False)
def _foreach_norm(tensors, ord=2, dtype=None):
    """_foreach_norm(tensors, ord=2, dtype=None): the norm of all elements of each tensor."""
    _listed(tensors)
    if ord == float("inf") and any(x._array.size == 0 for x in tensors):
        raise RuntimeError(
            "_foreach_norm cannot compute the infinity norm on an empty tensor because the operation does not have an "
            "identity"
        )
    norm = FUNCTIONS["linalg_vector_norm"]
    return tuple([norm(x, ord, None, False, dtype=dtype) for x in tensors])


@public(word=False)
def _foreach_powsum(tensors, ord=2, dtype=None):
    """_foreach_powsum(tensors, ord=2, dtype=None): the sum of |x| ** ord over all elements of each tensor."""
    _listed(tensors)
    for x in tensors:
        if x._table.dtype.category < FLOATING:
            raise not_implemented_error("powsum_cpu", x._table.dtype)
    return tuple([x.abs().pow(ord).sum(dtype=dtype) for x in tensors])
