"""Numbers that a kernel is told when it is called: sizes and fractions that know their name.

A nest whose loops have such sizes is one kernel for all arrays of its kind. To whatever looks at a size, an Open is its
`number`, an example; products keep the names, and a text that prints one prints the name. Whatever else is computed of
it is a plain number, which would be wrong for every other size: `examples` differ, so a text that has kept one differs
from example to example, and is no text for all sizes (`rule_kernels.py` looks).
"""

import math
import operator

# Primes, so no size divides another; small, for rules that go through them one by one; and in two orders, so neither is
# the rule that the first is the smaller.
_PRIMES = (1009, 1013, 1019, 1021, 1031, 1033, 1039, 1049, 1051, 1061)


class Open(int):
    """A size, or a product of sizes and a whole number. limit: what it is at most, where that is known."""

    def __new__(cls, number, names, factor=1, limit=math.inf):
        self = int.__new__(cls, number)
        self.names, self.factor, self.limit = tuple(sorted(names)), factor, limit
        return self

    def __getnewargs__(self):
        return int(self), self.names, self.factor, self.limit

    def __str__(self):
        text = " * ".join([*([] if self.factor == 1 else [str(self.factor)]), *self.names])
        return f"({text})" if "*" in text else text

    __repr__ = __str__

    def __format__(self, how):
        return str(self)

    def __mul__(self, other):
        if isinstance(other, Open):
            return Open(
                int(self) * int(other), self.names + other.names, self.factor * other.factor, self.limit * other.limit
            )
        if type(other) is int:
            return Open(int(self) * other, self.names, self.factor * other, self.limit * other) if other else 0
        return NotImplemented if not isinstance(other, float) else int(self) * other

    __rmul__ = __mul__

    def __add__(self, other):
        return int(self) + other if other else self

    __radd__ = __add__

    def __neg__(self):
        return self * -1

    def __floordiv__(self, other):
        """Exact quotients keep their names."""
        names, factor = list(self.names), self.factor
        for name in getattr(other, "names", ()):
            if name not in names:
                return int(self) // int(other)
            names.remove(name)
        divisor = other.factor if isinstance(other, Open) else other
        if type(divisor) is not int or not divisor or factor % divisor:
            return int(self) // int(other)
        return Open(int(self) // int(other), names, factor // divisor) if names else factor // divisor

    def at(self, sizes):
        """Its value, given {name: number}."""
        return self.factor * math.prod([sizes[name] for name in self.names])


def _refused(self, *other):
    raise NotImplementedError("a rule that looks at the value of a number")


def _arithmetic(sign, compute, swap=False):
    def operate(self, other):
        if type(other) not in (int, float, Fraction):
            return NotImplemented
        a, b = (other, self) if swap else (self, other)
        return Fraction(compute(float(a), float(b)), f"({a!r} {sign} {b!r})")

    return operate


class Fraction(float):
    """A number among the options of a rule, or a formula of such numbers. Nobody may look at its value: what is a case
    of its own (an exponent of 2, a probability of 0) would become every number's."""

    def __new__(cls, number, text):
        self = float.__new__(cls, number)
        self.text = text
        return self

    def __repr__(self):
        return self.text

    __str__ = __repr__

    def __format__(self, how):
        return self.text

    def __neg__(self):
        return Fraction(-float(self), f"(-{self.text})")

    __hash__ = float.__hash__
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __int__ = __abs__ = __pow__ = __rpow__ = _refused
    __add__, __radd__ = _arithmetic("+", operator.add), _arithmetic("+", operator.add, True)
    __sub__, __rsub__ = _arithmetic("-", operator.sub), _arithmetic("-", operator.sub, True)
    __mul__, __rmul__ = _arithmetic("*", operator.mul), _arithmetic("*", operator.mul, True)
    __truediv__, __rtruediv__ = _arithmetic("/", operator.truediv), _arithmetic("/", operator.truediv, True)


def examples(count):
    """Two rows of Opens n0, n1 ... : the same names, other numbers in another order."""
    if count > len(_PRIMES) // 2:
        raise NotImplementedError(f"{count} open sizes")
    rows = _PRIMES[:count], _PRIMES[: -count - 1 : -1]
    return [named(row) for row in rows]


def named(numbers):
    """Opens n0, n1 ... with these numbers."""
    return [Open(number, (f"n{i}",)) for i, number in enumerate(numbers)]


def at(size, sizes):
    """A size's number, given those of the open ones."""
    return size.at(sizes) if isinstance(size, Open) else size


def most(size):
    """How large a size may be."""
    return size.limit if isinstance(size, Open) else size
