"""What elementwise ops share: checks of operands, numbers in a tensor's type, ops that take a tensor or a number."""

from ..._backend.entries import operands_asked
from ..._backend.inplace import inplace
from ..._backend.registry import public
from ..._backend.slow_path import is_array, is_operand
from ..._base.dtype import BOOL, INTEGRAL
from ..._tensor.tensor import Tensor


def is_bool(x):
    """A bool tensor or a Python bool."""
    return x.dtype.category == BOOL if isinstance(x, Tensor) else isinstance(x, bool)


def need_tensors(function, **arguments):
    """torch's TypeError for an argument, in the order given, that is no tensor."""
    for i, (name, t) in enumerate(arguments.items(), 1):
        if not isinstance(t, Tensor):
            raise TypeError(f"{function}(): argument '{name}' (position {i}) must be Tensor, not {type(t).__name__}")


def conj_number(x):
    return x.conjugate() if isinstance(x, complex) else x


def bound(xp, value):
    """A number in the tensor's own type; an integer that does not fit is an error."""
    size, signed = xp.dtype.itemsize * 8, xp.dtype.is_signed
    if xp.dtype.category == INTEGRAL and not -(signed << size - 1) <= value < 1 << size - signed:
        raise RuntimeError(f"value cannot be converted to type {xp.dtype.name}_t without overflow")
    return xp.scalar(value)


def reflected(name):
    """Publish `number <operator> tensor`: other operands are left to their own type."""

    def declare(f):
        def operator(self, other):
            taken, result = operands_asked(Tensor.__rdiv__ if name == "__rtruediv__" else operator, self, other)
            if taken:
                return result
            if is_operand(other):
                return f(self, other)
            return self.reciprocal() * other if name == "__rtruediv__" and is_array(other) else NotImplemented

        operator.__name__, operator.__qualname__, operator.__doc__ = name, f"Tensor.{name}", f.__doc__
        setattr(Tensor, name, operator)
        return f

    return declare


def in_place_operators():
    """Let `tensor += other` leave others than tensors and numbers to their own type, as the method add_ does not."""
    for name in "add sub mul truediv div floordiv mod pow and or xor lshift rshift".split():
        if f := vars(Tensor).get(f"__i{name}__"):
            scope = getattr(f, "__globals__", {})
            if (told := getattr(scope.get("TOLD"), "__name__", "")).endswith("_") and not told.startswith("__"):
                scope["TOLD"] = getattr(Tensor, told)  # the method as it is published, for handlers
            setattr(Tensor, f"__i{name}__", _in_place_operator(f"__i{name}__", f))


def _in_place_operator(name, f):
    def operator(self, other):
        return f(self, other) if type(other) is Tensor or is_operand(other) else NotImplemented

    operator.__name__, operator.__qualname__, operator.__doc__ = name, f"Tensor.{name}", f.__doc__
    return operator


def not_differentiable(name):
    """A rule for what torch has no derivative of."""

    def rule(xp, g):
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    return rule


def by_operand(name, doc, on_tensor, on_number, operator=None, first=None, namespace="torch"):
    """Publish `name`, its method and its in-place form: one op when other is a tensor, another when it is a number (a
    third, `first`, when input is the number)."""

    def f(input, other, *, out=None):
        if isinstance(other, Tensor):
            if first is not None and not isinstance(input, Tensor):
                return first.fn(other, input, out=out)
            return on_tensor.fn(input, other, out=out)
        if on_tensor.scalar_operands == "two" and not isinstance(input, Tensor):
            return on_tensor.fn(input, other, out=out)
        return on_number.fn(input, other, out=out)

    def f_(self, other):
        if isinstance(other, Tensor):
            return inplace(on_tensor, self, (other,), ())
        return inplace(on_number, self, (), (other,))

    told = "remainder" if operator == "__mod__" else operator

    def operate(self, other):
        taken, result = operands_asked(getattr(Tensor, told), self, other)
        if taken:
            return result
        if isinstance(other, Tensor):
            return on_tensor.fn(self, other)
        return on_number.fn(self, other) if is_operand(other) else NotImplemented

    for g, label in ((f, name), (f_, name + "_"), (operate, operator)):
        if label:
            g.__name__ = g.__qualname__ = label
            g.__doc__ = doc
            g.__module__ = "torch"
    on_tensor.public_function = on_number.public_function = f
    public(name, namespace=namespace, method="torch" in namespace)(f)
    if "torch" in namespace:
        setattr(Tensor, name + "_", f_)
    if operator:
        setattr(Tensor, operator, operate)
        setattr(Tensor, "__i" + operator[2:], f_)
        reflected("__r" + operator[2:])(lambda self, other: on_tensor.fn(other, self))
    return f


TORCH_AND_SPECIAL = ("torch", "special")


def missing_derivative(name):
    """A rule for a derivative that torch does not have either."""

    def rule(xp, g):
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    rule.missing = True
    return rule
