"""The kinds of parameters that torch's signatures know: which objects each takes, and what it makes of them."""

import numbers

from .._base.device import device
from .._base.dtype import INTEGRAL, dtype
from .._base.symbolic import SymInt
from .._tensor.tensor import Tensor, layout, memory_format


class Mismatch(Exception):
    """A call is not an overload's; the text is what torch says where there is no other."""


_NAMED = {dtype: "torch.dtype", device: "torch.device", layout: "torch.layout", memory_format: "torch.memory_format"}


def typename(x):
    """What torch's messages call an object's class."""
    kind = type(x)
    if kind in _NAMED:
        return _NAMED[kind]
    if kind.__name__ in ("Size", "Generator"):
        return f"torch.{kind.__name__}"
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def is_tensor(x):
    """A Tensor, or what answers for one."""
    return isinstance(x, Tensor) or hasattr(type(x), "__torch_function__")


def answers(x):
    """Has x, which is no Tensor, a `__torch_function__`? Or an element of it: such a call is for that to answer."""
    if isinstance(x, (list, tuple)):
        return any(map(answers, x))
    return not isinstance(x, Tensor) and hasattr(type(x), "__torch_function__")


def _is_recorded(x):
    """x.requires_grad, without asking a subclass about the property."""
    extra = x._extra
    return x._node is not None or extra is not None and extra.base is not None and extra.base._node is not None


def _single(x, ndim=None):
    """A tensor of one element that stands for its number: without a graph, of no dimensions if asked."""
    return (
        isinstance(x, Tensor)
        and not _is_recorded(x)
        and (x._array.ndim == 0 if ndim == 0 else x._array.size == 1)
        and x._table.has_data
    )


def is_numpy_bool(x):
    """numpy's bool, which is no number to Python."""
    return type(x).__module__ == "numpy" and type(x).__name__ in ("bool", "bool_")


def is_index(x):
    """May x be asked for its __index__? Not bools, which are no sizes."""
    if type(x) is int:
        return True
    if isinstance(x, bool) or is_numpy_bool(x):
        return False
    if isinstance(x, Tensor):
        return _single(x) and x._table.dtype.category <= INTEGRAL
    if hasattr(type(x), "__array__") and hasattr(x, "ndim"):
        return x.ndim == 0 and x.dtype.kind in "iu"
    return hasattr(type(x), "__index__")


def _as_index(x, assertion="scalar.isIntegral( false) INTERNAL ASSERT FAILED"):
    if isinstance(x, Tensor) and x._table.dtype.category != INTEGRAL:
        raise RuntimeError(assertion)
    return int(x.item()) if isinstance(x, Tensor) else _plain_int(x) if isinstance(x, int) else x.__index__()


def _plain_int(n):
    return n if isinstance(n, SymInt) else int(n)


class Kind:
    """A kind of parameter. `wanted`: what messages call it."""

    def __init__(self, wanted, fits=None, one_form=None):
        self.wanted = wanted
        if fits is not None:
            self.fits = lambda x, p, s: fits(x)
        if one_form is not None:
            self.one_form = lambda x, p, s: one_form(x)

    def refusal(self, x, p, s):
        """None, or how a message that x is refused ends."""
        return None if self.fits(x, p, s) else f"not {typename(x)}"

    def one_form(self, x, p, s):
        """x as ops want it."""
        return x


def _is_int(x):
    """An int that is no bool, numpy's or Python's, or a tensor without dimensions that holds one."""
    return (
        type(x) is int
        or isinstance(x, numbers.Integral)
        and not isinstance(x, bool)
        or _single(x, 0)
        and x._table.dtype.category == INTEGRAL
    )


def _is_real(x):
    """A float or what counts as one: ints, bools, and all of numpy's scalars."""
    return (
        isinstance(x, numbers.Real)
        or type(x).__module__ == "numpy"
        and isinstance(x, numbers.Complex)
        or is_numpy_bool(x)
    )


def _is_double(x):
    return _is_real(x) or _single(x, 0)


def _is_scalar(x):
    return isinstance(x, complex) or _is_double(x)


def _number(x):
    """A scalar as Python's number; numpy's bool is a float, as to torch."""
    if is_numpy_bool(x):
        return float(x)
    return x.item() if isinstance(x, Tensor) or type(x).__module__ == "numpy" else x


def _double(x):
    x = _number(x)
    if isinstance(x, complex):
        if x.imag:
            raise RuntimeError("value cannot be converted to type double without overflow")
        x = x.real
    return x


class IntList(Kind):
    """Several ints; with a size, one int stands for as many."""

    def refusal(self, x, p, s):
        if isinstance(x, (tuple, list)):
            if not x or is_index(x[0]):
                return None
            return f"but found element of type {typename(x[0])} at pos 0"
        if p.size and is_index(x):
            return None
        return f"not {typename(x)}"

    def one_form(self, x, p, s):
        if not isinstance(x, (tuple, list)):
            if not isinstance(x, (numbers.Integral, Tensor)):
                raise RuntimeError("PyList_Check(arg) INTERNAL ASSERT FAILED")
            return int(x.item()) if isinstance(x, Tensor) else int(x)
        for i, n in enumerate(x):
            if not (is_index(n) or type(n) is bool):
                raise TypeError(
                    f"{s.function}(): argument '{p.name}' failed to unpack the object at pos {i + 1} with error "
                    f'"type must be tuple of ints,but got {typename(n)}"'
                )
        if self.wanted.startswith("tuple") and p.kind.startswith("Sym"):
            return tuple([_as_index(n, "Expected scalar.isIntegral( false) to be true, but got false.") for n in x])
        return tuple([int(n.item()) if isinstance(n, Tensor) else _plain_int(n) for n in x])


class FloatList(Kind):
    """Several floats."""

    def refusal(self, x, p, s):
        if isinstance(x, (tuple, list)) and (not x or _is_real(x[0]) and not is_numpy_bool(x[0])):
            return None
        return f"not {typename(x)}"

    def one_form(self, x, p, s):
        for i, n in enumerate(x):
            if not _is_real(n):
                raise TypeError(
                    f"{s.function}(): argument '{p.name}' must be tuple of floats, but found element of type "
                    f"{typename(n)} at pos {i + 1}"
                )
        return tuple([_number(n) for n in x])


# functions whose tensors may be numbers
_NUMBERS_TOO = set(
    """add add_ div div_ divide divide_ mul mul_ multiply multiply_ sub sub_ subtract subtract_ true_divide
    true_divide_ floor_divide floor_divide_ to copy_""".split()
)


class TensorKind(Kind):
    """A tensor; in a few functions a number too."""

    def fits(self, x, p, s):
        return is_tensor(x) or s.function in _NUMBERS_TOO and _is_scalar(x)


class TensorList(Kind):
    """A tuple or a list of tensors; another element is an error at once, whatever other overloads there are."""

    def refusal(self, x, p, s):
        if not isinstance(x, (tuple, list)):
            return f"not {typename(x)}"
        for i, t in enumerate(x):
            if not (is_tensor(t) or t is None and p.kind == "OptionalTensorList"):
                at = next(n for n, q in enumerate(s.parameters) if q is p)
                raise TypeError(f"expected Tensor as element {i} in argument {at}, but got {typename(t)}")
        return None


def _is_device(x):
    return isinstance(x, (device, str)) or isinstance(x, numbers.Integral) and not isinstance(x, bool)


def _as_device(x):
    if isinstance(x, numbers.Integral):
        raise RuntimeError("Cannot access accelerator device when none is available.")
    return x


def _anything(x):
    return True


KINDS = {
    "Tensor": TensorKind("Tensor"),
    "TensorList": TensorList("tuple of Tensors"),
    "OptionalTensorList": TensorList("tuple of Tensors"),
    "int64_t": Kind("int", _is_int, _as_index),
    "SymInt": Kind("int", is_index, _as_index),
    "index": Kind("int", is_index, _as_index),
    "IntArrayRef": IntList("tuple of ints"),
    "SymIntArrayRef": IntList("tuple of ints"),
    "DoubleList": FloatList("tuple of floats"),
    "bool": Kind("bool", lambda x: isinstance(x, bool)),
    "double": Kind("float", _is_double, _double),
    "Scalar": Kind("Number", _is_scalar, _number),
    "ScalarList": Kind("tuple of Scalars", lambda x: isinstance(x, (tuple, list)) and all(map(_is_scalar, x))),
    "ScalarType": Kind("torch.dtype", lambda x: isinstance(x, dtype) or x in (float, int, bool, complex)),
    "Layout": Kind("torch.layout", lambda x: isinstance(x, layout)),
    "MemoryFormat": Kind("torch.memory_format", lambda x: isinstance(x, memory_format)),
    "Device": Kind("torch.device", _is_device, _as_device),
    "Generator": Kind("torch.Generator", lambda x: type(x).__name__ == "Generator"),
    "string_view": Kind("str", lambda x: isinstance(x, str)),
    "Dimname": Kind("Dimname", lambda x: False),
    "DimnameList": Kind("tuple of Dimnames", lambda x: False),
    "Storage": Kind("torch.Storage", lambda x: type(x).__name__.endswith("Storage")),
    "Stream": Kind("Stream", _anything),
    "PyObject*": Kind("object", _anything),
    "AnyTensor": Kind("Tensor", _anything),  # of functions in Python, which fail over it in ways of their own
}


def kind_name(kind):
    """What messages call a kind of parameter."""
    return KINDS[kind].wanted
