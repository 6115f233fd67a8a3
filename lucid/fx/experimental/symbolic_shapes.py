"""torch.fx.experimental.symbolic_shapes: questions about sizes that may be symbols.

A symbolic size of lucid's is a number with the value of the reading at hand, so that a question about it has an answer;
asking is what puts a guard on it.
"""

from ..._base.symbolic import SymBool, SymFloat, SymInt
from ..._tensor.tensor import Tensor

__all__ = [
    "GuardOnDataDependentSymNode",
    "free_symbols",
    "free_unbacked_symbols",
    "guard_bool",
    "guard_float",
    "guard_int",
    "guard_or_false",
    "guard_or_true",
    "guard_scalar",
    "guard_size_oblivious",
    "has_free_symbols",
    "has_static_value",
    "has_symbolic_sizes_strides",
    "is_concrete_bool",
    "is_concrete_float",
    "is_concrete_int",
    "is_symbolic",
    "statically_known_false",
    "statically_known_true",
    "sym_and",
    "sym_eq",
    "sym_or",
]


class GuardOnDataDependentSymNode(RuntimeError):
    """A size that only data can tell was asked for; lucid's sizes have values."""


def is_symbolic(val):
    """is_symbolic(value) -> bool: does it stand for more than its value?"""
    return isinstance(val, (SymInt, SymFloat, SymBool))


def guard_bool(a):
    """guard_bool(a) -> bool"""
    return bool(a)


def guard_int(a):
    """guard_int(a) -> int"""
    return int(a)


def guard_float(a):
    """guard_float(a) -> float"""
    return float(a)


def guard_scalar(a):
    """guard_scalar(a) -> bool, int or float"""
    if isinstance(a, (SymBool, bool)):
        return guard_bool(a)
    if isinstance(a, (SymInt, int)):
        return guard_int(a)
    if isinstance(a, (SymFloat, float)):
        return guard_float(a)
    raise AssertionError(f"unrecognized scalar {a}")


guard_or_false = guard_or_true = guard_size_oblivious = guard_bool


def statically_known_true(x):
    """statically_known_true(x) -> bool: is it true whatever the sizes are? False where that is not known."""
    return x is True if not isinstance(x, SymBool) else False


def statically_known_false(x):
    """statically_known_false(x) -> bool"""
    return x is False if not isinstance(x, SymBool) else False


def has_static_value(a):
    """has_static_value(a) -> bool"""
    return not is_symbolic(a)


is_concrete_bool = is_concrete_int = is_concrete_float = has_static_value


def free_symbols(val):
    """free_symbols(value) -> set of the symbols' names in a number, a tensor's sizes, or a list of them"""
    if isinstance(val, (tuple, list)):
        return set().union(*map(free_symbols, val)) if val else set()
    if isinstance(val, Tensor):
        return free_symbols(list(val.shape))
    expression = getattr(val, "expression", None)
    return {atom for monomial, _ in expression.terms for atom in monomial} if hasattr(expression, "terms") else set()


def has_free_symbols(val):
    """has_free_symbols(value) -> bool"""
    return bool(free_symbols(val))


def free_unbacked_symbols(x):
    """free_unbacked_symbols(x) -> empty set: every size has a value"""
    return set()


def has_symbolic_sizes_strides(elem):
    """has_symbolic_sizes_strides(tensor) -> bool"""
    return any(is_symbolic(n) for n in elem.shape)


def sym_eq(x, y):
    """sym_eq(x, y) -> bool, of numbers or of tuples and lists of them"""
    if isinstance(x, (tuple, list)) and isinstance(y, (tuple, list)):
        return len(x) == len(y) and all(map(sym_eq, x, y))
    return x == y


def sym_and(*args):
    """sym_and(a, b, ...) -> bool"""
    return all(args)


def sym_or(*args):
    """sym_or(a, b, ...) -> bool"""
    return any(args)
